#include "soft_closing.hpp"

namespace vincolo {

SoftClosing::SoftClosing(Dynamics& dynamics) : dynamics_(dynamics), couplings_(dynamics, false) {  // states are not moved here
    if (!serves()) return;
    const std::size_t bodies = dynamics.system().bodies.size();
    complement_.resize(couplings_.size());
    responses_.assign(couplings_.size(), Twists(bodies));
    P_.setZero(couplings_.lines(), couplings_.size());
    along_.assign(couplings_.lines(), 0);
    none_.assign(bodies, Twist{Vec3::Zero(), Vec3::Zero()});
    mu_.assign(dynamics.rows.set().blocks.size(), Column{});
}

void SoftClosing::weigh(double t, double s) {
    couplings_.prepare(t);
    for (int n = 0; n < couplings_.size(); ++n) couplings_.respond(n, responses_[n], P_.col(n).data());
    complement_.factor(s, s * s, couplings_, P_);
}

void SoftClosing::close(const BlockVector& open, Twists& x) {
    mu_ = open;
    dynamics_.solve.constrain(none_, mu_, x);
    couplings_.rates(x, along_.data());
    complement_.solve(couplings_, along_.data(), nullptr, nullptr);
    for (int n = 0; n < couplings_.size(); ++n) add_scaled(x, complement_[n], responses_[n], x.size());
}

}  // namespace vincolo
