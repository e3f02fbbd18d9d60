// The C interface: one table, one run, one pacer, and memory for a state
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "pacer.hpp"
#include "table.hpp"
#include "vincolo.h"

using namespace vincolo;

struct vincolo_model {
    Table table;
    System system;  // whose numbers may be changed
    std::unique_ptr<Run> run;
    std::unique_ptr<Pacer> pacer;
    Doubles outputs, turns, before, first;
    bool stopped = false;
    Status last = Status::Done;

    explicit vincolo_model(Table&& given) : table(std::move(given)), system(table.builder.system()), turns(table.turns) {
        run = std::make_unique<Run>(system, table.options, table.start, table.state, table.turns, Doubles{table.start + table.step});
        std::vector<Pacer::Input> ports;
        for (const Channel& c : table.inputs) ports.push_back({c.number, c.slope});
        pacer = std::make_unique<Pacer>(*run, table.step, ports);
        pacer->cap(100'000);
        run->keep_no_events();
        outputs.resize(table.outputs.size());
        before.resize(size()), first.resize(size());
        read();
        keep(first.data());
    }
    void read() {
        for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k] = pacer->outputs()[table.outputs[k].number];
    }
    double parameter(const Parameter& p) const {
        return p.knob == Knob::Auxiliary ? run->auxiliary(p.number) : place_of(const_cast<System&>(system), p, p.places[0]);
    }
    void set(const Parameter& p, double value) {
        if (p.knob == Knob::Auxiliary) run->set_auxiliary(p.number, value);
        else for (int place : p.places) place_of(system, p, place) = value;
    }
    // time, origin of the steps, whether stopped, state, turns, inputs, parameters
    std::size_t size() const { return 3 + table.state.size() + turns.size() + table.inputs.size() + table.parameters.size(); }
    void keep(double* to) const {
        *to++ = run->time(), *to++ = pacer->origin(), *to++ = stopped;
        const double* y = run->state();
        to = std::copy(y, y + table.state.size(), to);
        const Doubles& counted = run->dynamics().placement.turns.values();
        to = std::copy(counted.begin(), counted.end(), to);
        to = std::copy(pacer->inputs().begin(), pacer->inputs().end(), to);
        for (const Parameter& p : table.parameters) *to++ = parameter(p);
    }
    void stand_at(const double* from) {
        const double *y = from + 3, *counted = y + table.state.size(), *given = counted + turns.size(), *numbers = given + table.inputs.size();
        for (std::size_t k = 0; k < table.parameters.size(); ++k)
            if (table.parameters[k].knob != Knob::Auxiliary) set(table.parameters[k], numbers[k]);
        std::copy(counted, given, turns.begin());
        pacer->count_from(from[1]);
        pacer->restore(from[0], y, turns);
        std::copy(given, numbers, pacer->inputs().begin());
        stopped = from[2] != 0;
        read();
    }
    int step() {
        if (stopped) return VINCOLO_STOPPED;
        for (double x : pacer->inputs())
            if (!std::isfinite(x)) return VINCOLO_BAD_INPUT;
        keep(before.data());
        last = pacer->step();
        stopped = last == Status::Stopped;
        if (last == Status::Done || stopped) {
            read();
            return stopped ? VINCOLO_STOPPED : VINCOLO_OK;
        }
        stand_at(before.data());
        return last == Status::Running ? VINCOLO_TOO_LONG : VINCOLO_FAILED;
    }
};

namespace {

template <class T>
bool has(const std::vector<T>& all, int number) { return number >= 0 && number < static_cast<int>(all.size()); }

[[noreturn]] void refuse(int line, const std::string& what) { throw std::invalid_argument("line " + std::to_string(line) + ": " + what); }

// A word that is a number without an end: nan, inf, or 0x1.8p+1500, which no double holds
bool endless(const std::string& word) {
    const std::size_t begin = word[0] == '-', power = word.find('p');
    if (word.compare(begin, 3, "nan") == 0 || word.compare(begin, 3, "inf") == 0) return true;
    if (word.compare(begin, 2, "0x") != 0 || power == std::string::npos || word[power + 1] == '-') return false;
    const std::size_t whole = std::min(word.find('.'), power) - begin - 2;  // digits before the point
    return word.size() > power + 8 || std::atoi(word.c_str() + power + 1) + 4 * (static_cast<int>(whole) - 1) > 1023;
}

// Every number of a table is finite; texts in quotes are left out
void check_finite(const char* text, std::size_t size) {
    int line = 1;
    bool quoted = false;
    std::string word;
    for (std::size_t k = 0; k <= size; ++k) {
        const char c = k < size ? text[k] : '\n';
        if (!quoted && std::strchr("-.+", c) == nullptr && !std::isalnum(static_cast<unsigned char>(c)) && c != '_') {
            if (!word.empty() && endless(word)) refuse(line, "a number is not finite: " + word.substr(0, 40));
            word.clear();
        } else if (!quoted) word += c;
        if (c == '"') quoted = !quoted;
        if (c == '\n') ++line, quoted = false;
    }
}

// Breaks of a function rise, and what it does outside of them is known
void check_breaks(const Function& f) {
    for (const Function& part : f.parts) check_breaks(part);
    const bool spline = f.kind == FunctionKind::Spline, pieces = f.kind == FunctionKind::PiecewisePolynomial;
    if (pieces && !(f.p[2] >= 0 && f.p[2] <= 4 && f.p[3] >= 0 && f.p[3] <= 4)) throw std::invalid_argument("a piecewise polynomial does something unknown outside");
    const auto first = f.p.begin() + (spline ? 1 : pieces ? 4 : 0);
    const auto last = spline || pieces ? first + static_cast<int>(f.p[0]) + pieces : f.kind == FunctionKind::Pieces ? f.p.end() : first;
    if (std::adjacent_find(first, last, [](double a, double b) { return !(a < b); }) != last) throw std::invalid_argument("the breaks of a function do not rise");
}

// Numbers that are finite, but that nothing can be computed with
void check_sizes(const Table& table) {
    const System& s = table.builder.system();
    for (const Event& event : s.events)
        if (event.every < 0 || (event.every > 0 && event.times.empty())) throw std::invalid_argument("an event comes again after less than no time");
    for (const Function& f : s.functions) check_breaks(f);
    for (const Formula& formula : s.formulas)
        for (const Function& part : formula.parts) check_breaks(part);
}

Table checked_table(const char* text, std::size_t size) {
    check_finite(text, size);
    Table table = read_table(text, size);
    check_sizes(table);
    return table;
}

void tell(char* message, std::size_t room, const char* what) {
    if (message && room > 0) std::snprintf(message, room, "%s", what);
}

}  // namespace

extern "C" {

int vincolo_create(const char* text, size_t size, vincolo_model** model, char* message, size_t room) {
    if (!text || !model) return VINCOLO_WRONG_CALL;
    *model = nullptr;
    try {
        *model = new vincolo_model(checked_table(text, size));
        return VINCOLO_OK;
    } catch (const std::bad_alloc&) {
        tell(message, room, "there is not enough memory");
        return VINCOLO_NO_MEMORY;
    } catch (const std::exception& error) {
        tell(message, room, error.what());
    } catch (...) {
        tell(message, room, "unknown");
    }
    return VINCOLO_BAD_TABLE;
}

void vincolo_destroy(vincolo_model* m) { delete m; }
int vincolo_step(vincolo_model* m) { return m ? m->step() : VINCOLO_WRONG_CALL; }
double vincolo_time(const vincolo_model* m) { return m ? m->run->time() : 0; }
double vincolo_step_size(const vincolo_model* m) { return m ? m->table.step : 0; }

int vincolo_set_cap(vincolo_model* m, long evaluations) {
    if (!m || evaluations < 1) return VINCOLO_WRONG_CALL;
    m->pacer->cap(evaluations);
    return VINCOLO_OK;
}

const char* vincolo_reason(const vincolo_model* m) {
    if (!m) return "no model";
    return m->last == Status::Running ? "too many evaluations" : status_names[static_cast<int>(m->last)];
}

const char* vincolo_status_text(int status) {
    static const char* const texts[] = {"done", "stopped by an event", "an input is not finite", "the step cannot be completed",
                                        "the step needs too many evaluations", "bad table", "not enough memory", "wrong call"};
    return status >= 0 && status <= VINCOLO_WRONG_CALL ? texts[status] : "unknown";
}

const char* vincolo_name(const vincolo_model* m) { return m ? m->table.name.c_str() : nullptr; }
int vincolo_input_count(const vincolo_model* m) { return m ? static_cast<int>(m->table.inputs.size()) : 0; }
double* vincolo_inputs(vincolo_model* m) { return m ? m->pacer->inputs().data() : nullptr; }
const char* vincolo_input_name(const vincolo_model* m, int k) { return m && has(m->table.inputs, k) ? m->table.inputs[k].name.c_str() : nullptr; }
const char* vincolo_input_unit(const vincolo_model* m, int k) { return m && has(m->table.inputs, k) ? m->table.inputs[k].unit.c_str() : nullptr; }
int vincolo_output_count(const vincolo_model* m) { return m ? static_cast<int>(m->outputs.size()) : 0; }
const double* vincolo_outputs(const vincolo_model* m) { return m ? m->outputs.data() : nullptr; }
const char* vincolo_output_name(const vincolo_model* m, int k) { return m && has(m->table.outputs, k) ? m->table.outputs[k].name.c_str() : nullptr; }
const char* vincolo_output_unit(const vincolo_model* m, int k) { return m && has(m->table.outputs, k) ? m->table.outputs[k].unit.c_str() : nullptr; }
int vincolo_parameter_count(const vincolo_model* m) { return m ? static_cast<int>(m->table.parameters.size()) : 0; }
const char* vincolo_parameter_name(const vincolo_model* m, int k) { return m && has(m->table.parameters, k) ? m->table.parameters[k].name.c_str() : nullptr; }
double vincolo_parameter(const vincolo_model* m, int k) { return m && has(m->table.parameters, k) ? m->parameter(m->table.parameters[k]) : 0; }

int vincolo_set_parameter(vincolo_model* m, int k, double value) {
    if (!m || !has(m->table.parameters, k)) return VINCOLO_WRONG_CALL;
    if (!std::isfinite(value)) return VINCOLO_BAD_INPUT;
    m->set(m->table.parameters[k], value);
    return VINCOLO_OK;
}

size_t vincolo_state_size(const vincolo_model* m) { return m ? m->size() : 0; }

int vincolo_get_state(const vincolo_model* m, double* state) {
    if (!m || !state) return VINCOLO_WRONG_CALL;
    m->keep(state);
    return VINCOLO_OK;
}

int vincolo_set_state(vincolo_model* m, const double* state) {
    if (!m || !state) return VINCOLO_WRONG_CALL;
    for (std::size_t k = 0; k < m->size(); ++k)
        if (!std::isfinite(state[k])) return VINCOLO_BAD_INPUT;
    m->stand_at(state);
    return VINCOLO_OK;
}

int vincolo_reset(vincolo_model* m) { return m ? vincolo_set_state(m, m->first.data()) : VINCOLO_WRONG_CALL; }

}  // extern "C"
