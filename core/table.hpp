// A mechanism and how it is run, as one text: the calls of the builder, line by line, then settings, start, inputs, outputs and
// numbers that may be changed. Written by `vincolo export`, read here; numbers are whole or in hexadecimal, so that they come
// back to the last bit whatever the language of the machine. What does not fit throws std::invalid_argument or std::out_of_range.
#pragma once
#include <string>

#include "builder.hpp"
#include "run.hpp"

namespace vincolo {

constexpr int table_version = 1;

// An input has a value and, if it goes in straight lines, a slope; an output its number among those of the system
struct Channel {
    std::string name, unit;
    int number = 0, slope = -1;
};

// A number that may be changed between steps: of a spring (k, c, rest, preload), an auxiliary state, or the constants of a formula
// (those of a law, or of the rate of an auxiliary state) that are equal to it
enum class Knob : int { Spring, Auxiliary, Formula, Rate, Count };
inline const char* const knob_names[] = {"spring", "auxiliary", "formula", "rate"};

struct Parameter {
    std::string name;
    Knob knob = Knob::Spring;
    int number = 0;
    std::vector<int> places;  // which of the four, or which constants
};

struct Table {
    std::string name;
    Builder builder;
    RunOptions options;
    double step = 0, start = 0;
    Doubles state, turns;
    std::vector<Channel> inputs, outputs;
    std::vector<Parameter> parameters;
};

Table read_table(const char* text, std::size_t size);
double& place_of(System& system, const Parameter& parameter, int place);  // of a spring or formula

}  // namespace vincolo
