#include "table.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "calls.hpp"

namespace vincolo {

namespace {

constexpr int deepest = 32;  // functions within functions

// FNV-1a: finds what was cut off or changed by accident
std::uint64_t checksum(const char* text, std::size_t size) {
    std::uint64_t sum = 14695981039346656037ull;
    for (std::size_t k = 0; k < size; ++k) sum = (sum ^ static_cast<unsigned char>(text[k])) * 1099511628211ull;
    return sum;
}

// Words and numbers of a text, one after the other; lists stand in brackets
class Words {
  public:
    Words(const char* text, std::size_t size) : at_(text), end_(text + size) {}

    bool any() { return skip(), at_ < end_; }
    int line() const { return line_; }
    std::string name() {
        skip();
        const char* begin = at_;
        while (at_ < end_ && (is_letter(*at_) || *at_ == '_')) ++at_;
        return {begin, at_};
    }
    bool take(char c) {
        skip();
        const bool there = at_ < end_ && *at_ == c;
        at_ += there;
        return there;
    }
    void need(char c) {
        if (!take(c)) throw wrong(std::string("'") + c + "' is missing");
    }
    [[nodiscard]] std::invalid_argument wrong(const std::string& what) const { return std::invalid_argument("line " + std::to_string(line_) + ": " + what); }

    void read(double& x) {
        skip();
        const bool minus = at_ < end_ && *at_ == '-';
        at_ += minus;
        x = begins("inf") ? HUGE_VAL : begins("nan") ? std::nan("") : begins("0x") ? hexadecimal() : static_cast<double>(whole());
        if (minus) x = -x;
    }
    void read(int& x) {
        const bool minus = take('-');
        const long long n = whole();
        if (n > 1'000'000'000) throw wrong("a number is too large");
        x = static_cast<int>(minus ? -n : n);
    }
    void read(bool& x) {
        int n;
        read(n);
        if (n != 0 && n != 1) throw wrong("0 or 1 is needed");
        x = n == 1;
    }
    void read(std::string& x) {
        need('"');
        x.clear();
        while (at_ < end_ && *at_ != '"' && *at_ != '\n') x += *at_ == '\\' ? escaped() : *at_++;
        if (at_ == end_ || *at_++ != '"') throw wrong("a text does not end");
    }
    template <class T>
    void read(std::vector<T>& x) {
        x.clear();
        need('[');
        while (!take(']')) x.emplace_back(), read(x.back());
    }
    template <class T, std::size_t n>
    void read(std::array<T, n>& x) {
        need('[');
        for (T& y : x) read(y);
        need(']');
    }
    template <class A, class B>
    void read(std::pair<A, B>& x) {
        need('['), read(x.first), read(x.second), need(']');
    }
    template <class... A>
    void read(std::tuple<A...>& x) {
        need('[');
        std::apply([&](A&... y) { (read(y), ...); }, x);
        need(']');
    }
    void read(FunctionSpec& x) {
        if (++depth_ > deepest) throw wrong("functions within functions are too deep");
        need('['), read(x.kind), read(x.parameters), read(x.operations), read(x.constants), read(x.parts), need(']');
        --depth_;
    }
    void read(ExpressionSpec& x) { need('['), read(x.operations), read(x.constants), read(x.readings), need(']'); }
    void read(Option& x) {
        skip();
        std::string text;
        Doubles numbers;
        double number;
        if (begins("yes")) x = true;
        else if (begins("no")) x = false;
        else if (at_ < end_ && *at_ == '"') read(text), x = text;
        else if (at_ < end_ && *at_ == '[') read(numbers), x = numbers;
        else read(number), x = number;
    }

  private:
    static bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
    static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99; }
    void skip() {
        while (at_ < end_ && (*at_ == ' ' || *at_ == '\n')) line_ += *at_++ == '\n';
    }
    bool begins(const char* word) {
        const std::size_t n = std::strlen(word);
        const bool there = static_cast<std::size_t>(end_ - at_) >= n && std::memcmp(at_, word, n) == 0;
        if (there) at_ += n;
        return there;
    }
    long long whole() {
        skip();
        long long n = 0;
        const char* begin = at_;
        for (; at_ < end_ && digit(*at_) < 10; ++at_) {
            if (n > 900'000'000'000'000'000ll) throw wrong("a number is too large");
            n = 10 * n + digit(*at_);
        }
        if (at_ == begin) throw wrong("a number is missing");
        return n;
    }
    // 1.8p+1 behind 0x: up to 53 bits and a power of two
    double hexadecimal() {
        std::uint64_t bits = 0;
        int digits = 0, behind = 0;
        bool point = false;
        for (; at_ < end_ && (digit(*at_) < 16 || (*at_ == '.' && !point)); ++at_) {
            if (*at_ == '.') { point = true; continue; }
            if (++digits > 15) throw wrong("a number has too many digits");
            bits = 16 * bits + digit(*at_), behind += point;
        }
        if (digits == 0 || at_ == end_ || *at_++ != 'p') throw wrong("a number is broken");
        const bool minus = at_ < end_ && *at_ == '-';
        at_ += at_ < end_ && (*at_ == '-' || *at_ == '+');
        const long long power = whole();
        if (power > 2000) throw wrong("a number is too large");
        return std::ldexp(static_cast<double>(bits), static_cast<int>(minus ? -power : power) - 4 * behind);
    }
    char escaped() {  // \x41
        if (end_ - at_ < 4 || at_[1] != 'x' || digit(at_[2]) > 15 || digit(at_[3]) > 15) throw wrong("a text is broken");
        const char c = static_cast<char>(16 * digit(at_[2]) + digit(at_[3]));
        at_ += 4;
        return c;
    }
    const char *at_, *end_;
    int line_ = 1, depth_ = 0;
};

// A call of the builder with what the text gives for its arguments
template <class R, class... A>
void perform(Words& words, Builder& builder, R (Builder::*call)(A...)) {
    std::tuple<std::decay_t<A>...> given;
    std::apply([&](auto&... x) { (words.read(x), ...); }, given);
    std::apply([&](const auto&... x) { (builder.*call)(x...); }, given);
}

bool build(const std::string& name, Words& words, Builder& builder) {
    bool done = false;
    each_call([&](const char* known, auto call) {
        if (!done && name == known) perform(words, builder, call), done = true;
    });
    return done;
}

Given read_given(Words& words, std::string& kind) {
    words.read(kind);
    Given given(kind);
    words.need('[');
    while (!words.take(']')) {
        std::pair<std::string, Option> option;
        words.read(option);
        given.set(option.first, option.second);
    }
    return given;
}

void settle(const std::string& name, Words& words, Table& table) {
    std::string kind;
    if (name == "model") words.read(table.name);
    else if (name == "integrator") table.options.integrator = read_given(words, table.options.method);
    else if (name == "step") words.read(table.step);
    else if (name == "start") words.read(table.start), words.read(table.state), words.read(table.turns);
    else if (name == "formulation") {
        Given given = read_given(words, kind);
        if (kind == "own") throw words.wrong("a formulation of somebody else's fits into no file");
        table.options.formulation = FormulationOptions::of(kind, std::move(given));
    } else if (name == "stabilisation") {
        Given given = read_given(words, kind);
        table.options.stabilisation = Stabilisation::of(kind, given);
    } else if (name == "input" || name == "output") {
        Channel channel;
        words.read(channel.name), words.read(channel.unit), words.read(channel.number), words.read(channel.slope);
        (name == "input" ? table.inputs : table.outputs).push_back(channel);
    } else if (name == "parameter") {
        Parameter p;
        words.read(p.name), words.read(kind), words.read(p.number), words.read(p.places);
        int knob = 0;
        while (knob < static_cast<int>(Knob::Count) && kind != knob_names[knob]) ++knob;
        if (knob == static_cast<int>(Knob::Count)) throw words.wrong("there is no kind of parameter called '" + kind + "'");
        p.knob = static_cast<Knob>(knob);
        table.parameters.push_back(p);
    } else throw words.wrong("'" + name.substr(0, 40) + "' is unknown");
}

const Tape& tape_of(const System& s, const Parameter& p) {
    return p.knob == Knob::Formula ? s.laws[Builder::check(p.number, s.laws.size(), "law")].formula.tape
                                   : s.auxiliaries[Builder::check(p.number, s.auxiliaries.size(), "auxiliary state")].rate.tape;
}

void check_parameter(const System& s, const Parameter& p) {
    if (p.knob == Knob::Auxiliary) {
        Builder::check(p.number, s.auxiliaries.size(), "auxiliary state");
        return;
    }
    if (p.places.empty()) throw std::invalid_argument("a parameter without a place");
    const bool spring = p.knob == Knob::Spring;
    if (spring && s.laws[Builder::check(p.number, s.laws.size(), "law")].kind != LawKind::Spring) throw std::invalid_argument("not a spring");
    for (int place : p.places) Builder::check(place, spring ? 4 : tape_of(s, p).constants.size(), "place of a parameter");
}

void check_whole(const Table& table) {
    const System& s = table.builder.system();
    if (s.bodies.empty()) throw std::invalid_argument("there are no bodies");
    if (!(table.step > 0) || !std::isfinite(table.step) || !std::isfinite(table.start)) throw std::invalid_argument("a step or start is not a positive number");
    table.builder.check_state(table.state, table.turns);
    for (const Doubles* numbers : {&table.state, &table.turns})
        for (double x : *numbers)
            if (!std::isfinite(x)) throw std::invalid_argument("the start is not finite");
    for (const Event& event : s.events) {
        if (event.calls) throw std::invalid_argument("an event calls a function, which fits into no file");
        if (event.every > 0 && !(table.step / event.every < 1e4)) throw std::invalid_argument("an event comes again too often");
    }
    const ContactScene& scene = s.contact;
    if (scene.any(true) != (scene.wrenches >= 0) || (scene.wrenches >= 0 && scene.wrenches + scene.room() > s.auxiliaries.size()))
        throw std::invalid_argument("rigid contact has no room, or too little");
    for (const Channel& c : table.inputs) {
        Builder::check(c.number, s.auxiliaries.size(), "auxiliary state");
        if (c.slope >= 0) Builder::check(c.slope, s.auxiliaries.size(), "auxiliary state");
    }
    for (const Channel& c : table.outputs) Builder::check(c.number, s.outputs.size(), "output");
    for (const Parameter& p : table.parameters) check_parameter(s, p);
}

// The text without its first and last line, which say what it is and what it must sum up to
Words opened(const char* text, std::size_t size) {
    const std::string head = "vincolo table ";
    if (size < head.size() || head.compare(0, head.size(), text, head.size()) != 0) throw std::invalid_argument("this is no table of vincolo");
    const std::string version = std::to_string(table_version) + "\n";
    if (size < head.size() + version.size() || version.compare(0, version.size(), text + head.size(), version.size()) != 0)
        throw std::invalid_argument("the table is of another version than " + std::to_string(table_version) + ": export the model again");
    const std::size_t last = 4 + 16 + 1;  // "sum ", digits, end of line
    char expected[last + 1];
    if (size >= last) std::snprintf(expected, sizeof expected, "sum %016llx\n", static_cast<unsigned long long>(checksum(text, size - last)));
    if (size < last || std::memcmp(expected, text + size - last, last) != 0) throw std::invalid_argument("the table is damaged: its sum does not fit");
    const std::size_t begin = head.size() + version.size();
    return Words(text + begin, size - last - begin);
}

}  // namespace

double& place_of(System& s, const Parameter& p, int place) {
    if (p.knob == Knob::Formula) return s.laws[p.number].formula.tape.constants[place];
    if (p.knob == Knob::Rate) return s.auxiliaries[p.number].rate.tape.constants[place];
    Law& law = s.laws[p.number];
    return place == 0 ? law.k : place == 1 ? law.c : place == 2 ? law.rest : law.preload;
}

Table read_table(const char* text, std::size_t size) {
    Words words = opened(text, size);
    Table table;
    while (words.any()) {
        const std::string name = words.name();
        try {
            if (!build(name, words, table.builder)) settle(name, words, table);
        } catch (const std::out_of_range& error) {
            throw words.wrong(error.what());
        }
    }
    check_whole(table);
    return table;
}

}  // namespace vincolo
