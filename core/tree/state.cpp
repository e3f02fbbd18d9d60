// Between the kernel's own states, of bodies, and the coordinates of a tree
#include <cmath>

#include "quaternion.hpp"
#include "tree/tree.hpp"

namespace vincolo::tree {

namespace {

Mat3 about_z(double angle) { return Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix(); }

// A frame of the system, or the ground's (-1) or a body's own axes, as a state has it
struct Seen {
    Mat3 axes = Mat3::Identity();
    Vec3 p = Vec3::Zero(), v = Vec3::Zero(), w = Vec3::Zero();
};

Seen seen(const System& system, int frame, int body, const double* y) {
    Seen out;
    Frame f{body, Vec3::Zero(), Mat3::Identity()};
    if (frame >= 0) f = system.frames[frame];
    if (f.body < 0 || f.body == system.ground()) {
        out.axes = f.R, out.p = f.s;
        return out;
    }
    const double* x = y + body_size * f.body;
    const Mat3 A = rotation_of(x + at_p);
    const Vec3 s = A * f.s, w(x[at_w], x[at_w + 1], x[at_w + 2]);
    out.axes = A * f.R, out.w = w;
    out.p = Vec3(x[0], x[1], x[2]) + s;
    out.v = Vec3(x[at_v], x[at_v + 1], x[at_v + 2]) + w.cross(s);
    return out;
}

// A turning and a travelling
struct Six {
    Vec3 w, v;
    double dot(const Six& x) const { return w.dot(x.w) + v.dot(x.v); }
    void subtract(double share, const Six& x) { w -= share * x.w, v -= share * x.v; }
};

// x with sum x_k column_k nearest to b; columns are independent and become orthogonal (Gram and Schmidt)
void solve_columns(Six* columns, int count, Six b, double* x) {
    double R[6][6], size[6];
    for (int k = 0; k < count; ++k) {
        size[k] = columns[k].dot(columns[k]);
        for (int j = k + 1; j < count; ++j) {
            R[k][j] = columns[k].dot(columns[j]) / size[k];
            columns[j].subtract(R[k][j], columns[k]);
        }
        x[k] = columns[k].dot(b) / size[k];
        b.subtract(x[k], columns[k]);
    }
    for (int k = count; k-- > 0;)
        for (int j = k + 1; j < count; ++j) x[k] -= R[k][j] * x[j];
}

// How far to turn about z: towards the axis z that comes behind a quarter turn, or all that is left
double turn_of(const Mat3& R, const std::vector<Move>& moves, std::size_t at, const Mat3& quarter) {
    for (std::size_t n = at + 1; n < moves.size(); ++n)
        if (moves[n].kind == MoveKind::Quarter) {
            const Vec3 next = quarter.col(2);
            return std::atan2(R(1, 2), R(0, 2)) - std::atan2(next[1], next[0]);
        }
    return std::atan2(R(1, 0), R(0, 0));
}

}  // namespace

void Tree::read(const double* y, double* q, double* u) {
    for (const Limb& limb : limbs_) read_limb(limb, y, q, u);
}

// Coordinates one after another, each from what is left of position and rotation; velocities together, from their columns
void Tree::read_limb(const Limb& limb, const double* y, double* q, double* u) {
    const int body = links_[limb.first + limb.count - 1].body;
    Seen from = seen(system_, limb.parent_frame, -1, y);
    const Seen to = seen(system_, limb.child_frame, body, y);
    Mat3 end = to.axes;
    if (limb.backwards) from.axes = from.axes * limb.offset.transpose();
    else end = end * limb.offset.transpose();
    Mat3 axes = from.axes, R = from.axes.transpose() * end;
    Vec3 left = from.axes.transpose() * (to.p - from.p);
    Six columns[6];
    const Six moved{to.w - from.w, to.v - from.v - from.w.cross(to.p - from.p)};
    const Mat3 step = limb.quarter();
    int n = limb.first, count = 0;
    const auto add = [&](const Vec3& turning, const Vec3& travelling) { columns[count++] = {turning, travelling}; };
    for (std::size_t k = 0; k < limb.moves.size(); ++k) {
        const Move& move = limb.moves[k];
        const bool last = k + 1 == limb.moves.size();  // nothing reads what comes behind it
        Mat3 turned = Mat3::Identity();
        if (move.kind == MoveKind::Quarter) {
            turned = step;
        } else if (const Link& link = links_[n++]; move.kind == MoveKind::Slide) {
            const double x = left[move.axis];
            left[move.axis] = 0;
            add(Vec3::Zero(), axes.col(move.axis));
            if (link.q >= 0) q[link.q] = x;
        } else if (move.kind == MoveKind::Turn) {
            double angle = turn_of(R, limb.moves, k, step);
            const Vec3 z = axes.col(2), lever = axes * left;
            add(z, z.cross(lever) + move.lead * z);
            if (move.lead != 0) {
                angle += 2 * EIGEN_PI * std::round((left[2] / move.lead - angle) / (2 * EIGEN_PI));
                left[2] -= move.lead * angle;
            }
            if (!last) turned = about_z(angle);
            if (link.q >= 0) q[link.q] = angle;
        } else if (move.kind == MoveKind::Ball) {
            turned = R;
            const Vec3 lever = axes * left;
            for (int c = 0; c < 3; ++c) add(axes.col(c), axes.col(c).cross(lever));
            const Eigen::Quaterniond p(R);
            q[link.q] = p.w(), q[link.q + 1] = p.x(), q[link.q + 2] = p.y(), q[link.q + 3] = p.z();
        }
        if (!last) R = turned.transpose() * R, left = turned.transpose() * left, axes = axes * turned;
    }
    double found[6];
    solve_columns(columns, count, moved, found);
    int at = 0;
    for (int k = limb.first; k < limb.first + limb.count; ++k) {
        const Link& link = links_[k];
        const int size = freedom_of(link.kind);
        for (int c = 0; c < size && link.u >= 0; ++c) u[link.u + c] = found[at + c];
        at += size;
    }
}

void Tree::write(double* y) const {
    for (int b = 0; b < system_.ground(); ++b) {
        const Place& place = places_[place_of_[b]];
        double* x = y + body_size * b;
        const Vec3 r = vec(place.R * links_[place_of_[b] - 1].centre), w = vec(place.w), v = vec(place.v) + w.cross(r), p = vec(place.p) + r;
        const Eigen::Quaterniond turned(Mat3(matrix(place.R) * body_axes_[b]));
        x[at_p] = turned.w(), x[at_p + 1] = turned.x(), x[at_p + 2] = turned.y(), x[at_p + 3] = turned.z();
        for (int c = 0; c < 3; ++c) x[at_r + c] = p[c], x[at_v + c] = v[c], x[at_w + c] = w[c];
    }
}

void Tree::write_places(std::vector<BodyPlace>& places, Twists& velocities) const {
    for (int b = 0; b < system_.ground(); ++b) {
        const Place& place = places_[place_of_[b]];
        const Vec3 r = vec(place.R * links_[place_of_[b] - 1].centre), w = vec(place.w);
        places[b] = {matrix(place.R) * body_axes_[b], vec(place.p) + r};
        velocities[b] = {vec(place.v) + w.cross(r), w};
    }
}

}  // namespace vincolo::tree
