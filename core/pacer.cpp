#include "pacer.hpp"

#include <cmath>

namespace vincolo {

Pacer::Pacer(Run& run, double step, const std::vector<Input>& inputs)
    : run_(&run), step_(step), origin_(run.time()), ports_(inputs), inputs_(inputs.size()), outputs_(run.dynamics().system().outputs.size()) {
    begin();
}

void Pacer::begin() {
    run_->advance(0);
    fetch_inputs();
    read();
}

void Pacer::fetch_inputs() {
    for (std::size_t k = 0; k < ports_.size(); ++k) inputs_[k] = run_->auxiliary(ports_[k].value);
}

Status Pacer::go_to(double t) {
    const double end = next();
    for (std::size_t k = 0; k < ports_.size(); ++k) {
        const Input& port = ports_[k];
        if (port.slope < 0) run_->set_auxiliary(port.value, inputs_[k]);
        else run_->set_auxiliary(port.slope, (inputs_[k] - run_->auxiliary(port.value)) / (end - run_->time()));
    }
    target_ = t;
    run_->extend(t);
    return go_on();
}

Status Pacer::go_on() {
    const Status status = run_->advance(piece_);
    if (status != Status::Done && status != Status::Stopped) return status;
    if (status == Status::Done && target_ == next()) ++count_;
    read();
    return status;
}

// A time on the grid of steps keeps it; any other begins a new one
void Pacer::restore(double t, const double* y, const std::vector<double>& turns) {
    run_->stand_at(t, y, turns);
    const double steps = std::round((t - origin_) / step_);
    const bool on_grid = steps >= 0 && steps < 1e15 && origin_ + steps * step_ == t;
    if (!on_grid) origin_ = t;
    count_ = on_grid ? static_cast<std::int64_t>(steps) : 0;
    fetch_inputs();
    read();
}

}  // namespace vincolo
