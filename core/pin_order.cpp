// The order in which pins go out: the front, of pins that touch one that is out, is kept narrow
#include <algorithm>

#include "pins.hpp"

namespace vincolo {

namespace {

constexpr double wide = 0.35, narrow = 0.2;  // sine of the angle of two bars that will do, and that must be

class Sweep {
  public:
    Sweep(const PinNet& net, PinOrder& out)
        : net_(net), out_(out), bars_(net.pins), slot_(net.pins, -1), since_(net.pins, 0), gone_(net.pins, 0), own_(net.pins, 0) {
        for (std::size_t b = 0; b < net.bars.size(); ++b)
            for (int side : {0, 1}) {
                const int pin = net.bars[b].pin[side];
                if (pin < 0) continue;
                bars_[pin].push_back(static_cast<int>(b));
                own_[pin] += net.bars[b].own[side];
            }
    }

    bool run() {
        out_ = PinOrder{};
        for (int n = 0; n < net_.pins; ++n) {
            const int pin = next();
            if (pin < 0) return false;
            take(pin, n);
        }
        out_.width = (2 * static_cast<int>(taken_.size()) + 3) / 4 * 4;
        return true;
    }

  private:
    struct Key {
        double in_line;
        int growth, age, pin;
        bool operator<(const Key& b) const {
            if (in_line != b.in_line) return in_line < b.in_line;
            return growth != b.growth ? growth < b.growth : age != b.age ? age < b.age : pin < b.pin;
        }
    };

    int other(int bar, int pin) const { return net_.bars[bar].pin[net_.bars[bar].pin[0] == pin ? 1 : 0]; }

    Key key(int pin, int now) const {
        const std::vector<int>& bars = bars_[pin];
        Key out{0, slot_[pin] < 0 ? 1 : -1, slot_[pin] < 0 ? now : since_[pin], pin};
        if (bars.size() == 2) {
            const double sine = std::abs(net_.bars[bars[0]].drawn.cross(net_.bars[bars[1]].drawn));
            if (sine < wide) out.in_line = 1 - sine;
        }
        for (int b : bars)
            if (other(b, pin) >= 0 && slot_[other(b, pin)] < 0) ++out.growth;
        return out;
    }

    int next() const {
        Key best{1 - narrow, 0, 0, -1};
        for (int pin = 0; pin < net_.pins; ++pin)
            if (!gone_[pin] && bars_[pin].size() <= 2) best = std::min(best, key(pin, net_.pins));
        return best.pin;
    }

    void enter(int pin, int now) {
        int slot = 0;
        while (slot < static_cast<int>(taken_.size()) && taken_[slot]) ++slot;
        if (slot == static_cast<int>(taken_.size())) taken_.push_back(0);
        taken_[slot] = 1;
        slot_[pin] = slot;
        since_[pin] = now;
        PinEntry entry{pin, 2 * slot, own_[pin], static_cast<int>(out_.couplings.size()), 0};
        for (int b : bars_[pin]) {
            const int o = other(b, pin);
            if (o < 0 || slot_[o] < 0) continue;
            const Flat2 k = net_.bars[b].both;
            out_.couplings.push_back({2 * slot_[o], net_.bars[b].pin[0] == pin ? k : Flat2{k.x, -k.y}});
        }
        entry.couplings = static_cast<int>(out_.couplings.size()) - entry.first_coupling;
        out_.entries.push_back(entry);
    }

    void take(int pin, int now) {
        PinStep step{};
        step.pin = pin;
        step.own = own_[pin];
        step.first_entry = static_cast<int>(out_.entries.size());
        if (slot_[pin] < 0) enter(pin, now);
        for (int b : bars_[pin])
            if (other(b, pin) >= 0 && slot_[other(b, pin)] < 0) enter(other(b, pin), now);
        step.entries = static_cast<int>(out_.entries.size()) - step.first_entry;
        step.slot = 2 * slot_[pin];
        for (int b : bars_[pin]) {
            const int o = other(b, pin);
            step.bar[step.bars] = b;
            step.side[step.bars] = net_.bars[b].pin[0] == pin ? -1 : 1;
            step.target[step.bars++] = o < 0 ? -1 : 2 * slot_[o];
            if (o >= 0) bars_[o].erase(std::find(bars_[o].begin(), bars_[o].end(), b));
        }
        step.free = 2 - step.bars;
        lay_out(step);
        taken_[slot_[pin]] = 0;
        gone_[pin] = 1;
        out_.steps.push_back(step);
    }

    // Rows to be kept, and the work: of passing on, of what is free, and of a solution
    void lay_out(PinStep& step) {
        int used = static_cast<int>(taken_.size());
        while (!taken_[used - 1]) --used;
        step.width = (2 * used + 3) / 4 * 4;
        step.at = out_.kept;
        out_.kept += static_cast<std::size_t>(2 + step.free) * step.width;
        for (int b = 0; b < step.bars; ++b) out_.work += step.target[b] < 0 ? 0 : 12.0 * step.width;
        out_.work += step.free * step.width * (2.0 * step.width + 7) + 8.0 * step.width + 100;
    }

    const PinNet& net_;
    PinOrder& out_;
    std::vector<std::vector<int>> bars_;  // by pin: those that are left
    std::vector<int> slot_, since_;
    std::vector<char> gone_, taken_;      // by pin; by slot
    std::vector<double> own_;
};

}  // namespace

bool order_pins(const PinNet& net, PinOrder& out) { return Sweep(net, out).run(); }

}  // namespace vincolo
