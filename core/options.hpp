// Options by name. A struct of options lists its names once, in fields(); what is given and no struct has read is refused.
#pragma once
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace vincolo {

using Option = std::variant<bool, double, std::string, std::vector<double>>;

class Given {
  public:
    // whose: as messages call it
    explicit Given(std::string whose = "") : whose_(std::move(whose)) {}
    void set(const std::string& name, Option value) { values_[name] = std::move(value); }
    bool has(const std::string& name) const { return values_.count(name) > 0; }

    // Reads one option into its place, which keeps its default if nothing is given
    void operator()(const char* name, double& place) { read(name, place); }
    void operator()(const char* name, bool& place) { read(name, place); }
    void operator()(const char* name, std::string& place) { read(name, place); }
    void operator()(const char* name, std::vector<double>& place) { read(name, place); }
    void operator()(const char* name, int& place) {
        double number = place;
        read(name, number);
        if (number != std::floor(number) || std::abs(number) > 1e9) throw mistake(name, "is a whole number");
        place = static_cast<int>(number);
    }
    template <std::size_t n>
    void operator()(const char* name, double (&place)[n]) {
        std::vector<double> numbers(place, place + n);
        read(name, numbers);
        if (numbers.size() != n) throw mistake(name, "has " + std::to_string(n) + " numbers");
        for (std::size_t k = 0; k < n; ++k) place[k] = numbers[k];
    }

    void refuse_rest() const {
        for (const auto& [name, value] : values_)
            if (!read_.count(name)) throw std::invalid_argument(whose_ + " has no option called '" + name + "'");
    }

  private:
    template <class T>
    void read(const char* name, T& place) {
        read_.insert(name);
        const auto found = values_.find(name);
        if (found == values_.end()) return;
        const T* value = std::get_if<T>(&found->second);
        if (!value) throw mistake(name, "is of another kind");
        place = *value;
    }
    std::invalid_argument mistake(const char* name, const std::string& what) const {
        return std::invalid_argument(whose_ + ": the option '" + name + "' " + what);
    }
    std::string whose_;
    std::map<std::string, Option> values_;
    std::set<std::string> read_;
};

template <class Options>
Options filled(Given& given) {
    Options options;
    options.fields(given);
    return options;
}

}  // namespace vincolo
