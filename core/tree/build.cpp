// Which joints the tree is made of, and what it leaves to rows
#include <algorithm>
#include <numeric>

#include "quaternion.hpp"
#include "tree/tree.hpp"

namespace vincolo::tree {

namespace {

// What of a rotation between frames rows leave undecided: the sign of parallel axes or, where nothing turns, which axes match
Mat3 undecided(const Mat3& R, const std::vector<Move>& moves) {
    int turns = 0;
    for (const Move& move : moves) {
        if (move.kind == MoveKind::Ball || move.kind == MoveKind::Quarter) return Mat3::Identity();
        turns += move.kind == MoveKind::Turn;
    }
    Mat3 out = Mat3::Identity();
    if (turns > 0) {
        if (R(2, 2) < 0) out(1, 1) = out(2, 2) = -1;
        return out;
    }
    out.setZero();
    for (int c = 0; c < 3; ++c) {
        int largest;
        R.col(c).cwiseAbs().maxCoeff(&largest);
        out(largest, c) = R(largest, c) < 0 ? -1 : 1;
    }
    return out;
}

bool switches(const System& system, const BlockShape& block) {
    for (int r = block.first; r < block.first + block.count; ++r)
        if (system.rows[r].gate >= 0 || system.rows[r].latch >= 0) return true;
    return false;
}

// Trees within the bodies, by the number of their root
struct Forest {
    std::vector<int> root;
    explicit Forest(int n) : root(n) { std::iota(root.begin(), root.end(), 0); }
    int of(int n) {
        while (root[n] != n) n = root[n] = root[root[n]];
        return n;
    }
    bool join(int a, int b) {
        a = of(a), b = of(b);
        root[a] = b;
        return a != b;
    }
};

}  // namespace

Tree::Tree(const System& system, const Jet* auxiliaries)
    : system_(system), place_of_(system.bodies.size() + 1, 0), left_(system.rows.size(), 1), auxiliaries_(auxiliaries) {
    body_axes_.assign(system.bodies.size() + 1, Mat3::Identity());
    centres_.assign(system.bodies.size() + 1, Vec3::Zero());
    choose_limbs();
    find_drives();
    for (Link& link : links_) {
        if (link.kind == MoveKind::None || link.row >= 0) continue;
        link.q = positions_, link.u = velocities_;
        link.freedom = freedom_of(link.kind);
        positions_ += coordinates_of(link.kind);
        velocities_ += link.freedom;
    }
    places_.resize(links_.size() + 1, Place{});
    places_[0].R = scaled(1);
    places_[0].av = -point(system.gravity);
    given_.assign(links_.size(), Jet{});
    jets_.resize(system.scratch);
    taken_off_.assign(driven_.size(), 0);
}

// Joints that hold most come first, so that few rows are left over; then outwards from the ground, and where no joint leads on, a
// body moves freely.
void Tree::choose_limbs() {
    const int ground = system_.ground();
    const auto body = [&](int frame) { return system_.frames[frame].body; };
    std::vector<int> order(system_.freedoms.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
        return system_.blocks[system_.freedoms[x].block].count > system_.blocks[system_.freedoms[y].block].count;
    });
    Forest forest(ground + 1);
    std::vector<std::vector<int>> at(ground + 1);
    for (int n : order) {
        const BlockShape& block = system_.blocks[system_.freedoms[n].block];
        if (switches(system_, block)) continue;  // left to rows, which can let go
        if (!forest.join(body(block.a), body(block.b))) continue;
        at[body(block.a)].push_back(n);
        at[body(block.b)].push_back(n);
    }
    std::vector<char> used(system_.freedoms.size(), 0);
    std::vector<int> branches{ground};
    const auto follow = [&] {  // depth first: a chain stays together in memory
        while (!branches.empty()) {
            const int from = branches.back();
            int next = -1;
            for (int n : at[from])
                if (!used[n]) next = n;
            if (next < 0) {
                branches.pop_back();
                continue;
            }
            used[next] = 1;
            const BlockShape& block = system_.blocks[system_.freedoms[next].block];
            const bool backwards = body(block.b) == from;
            add_limb(system_.freedoms[next], backwards);
            branches.push_back(backwards ? body(block.a) : body(block.b));
        }
    };
    follow();
    for (int b = 0; b < ground; ++b) {
        if (place_of_[b] > 0) continue;
        add_free(b);
        branches.push_back(b);
        follow();
    }
}

void Tree::add_limb(const Freedom& freedom, bool backwards) {
    const BlockShape& block = system_.blocks[freedom.block];
    Limb limb{static_cast<int>(links_.size()), 0, backwards ? block.b : block.a, backwards ? block.a : block.b, backwards, Mat3::Identity(), freedom.moves};
    for (int r = block.first; r < block.first + block.count; ++r) left_[r] = 0;
    if (backwards) std::reverse(limb.moves.begin(), limb.moves.end());
    const auto moves = std::count_if(limb.moves.begin(), limb.moves.end(), [](const Move& m) { return m.kind != MoveKind::Quarter; });
    if (moves == 0) limb.moves.push_back({MoveKind::None});
    int parent = place_of_[system_.frames[limb.parent_frame].body];
    for (const Move& move : limb.moves) {
        if (move.kind == MoveKind::Quarter) continue;
        Link link;
        link.parent = parent, link.kind = move.kind, link.axis = move.axis, link.lead = move.lead;
        links_.push_back(link);
        parent = static_cast<int>(links_.size());
        ++limb.count;
    }
    links_.back().body = system_.frames[limb.child_frame].body;
    place_of_[links_.back().body] = parent;
    limbs_.push_back(std::move(limb));
}

void Tree::add_free(int body) {
    const int first = static_cast<int>(links_.size());
    Limb limb{first, 4, -1, -1, false, Mat3::Identity(), {{MoveKind::Slide, 0}, {MoveKind::Slide, 1}, {MoveKind::Slide, 2}, {MoveKind::Ball}}};
    for (int n = 0; n < 4; ++n) {
        Link link;
        link.parent = n == 0 ? 0 : first + n, link.kind = limb.moves[n].kind, link.axis = limb.moves[n].axis;
        links_.push_back(link);
    }
    links_.back().body = body;
    place_of_[body] = first + 4;
    limbs_.push_back(std::move(limb));
}

// A drive of what is the coordinate of one link takes it out of the unknowns.
void Tree::find_drives() {
    for (std::size_t r = 0; r < system_.rows.size(); ++r) {
        const Row& row = system_.rows[r];
        const Quantity& q = system_.quantities[row.quantity];
        if (row.gate >= 0 || row.latch >= 0 || row.level != Level::Position || row.function < 0 || q.count != 1 || q.formula >= 0 || !left_[r]) continue;
        double sign;
        const int found = link_along(system_.measures[system_.terms[q.first].measure], sign);
        if (found < 0 || links_[found].row >= 0) continue;
        links_[found].row = static_cast<int>(r);
        links_[found].sign = sign / system_.terms[q.first].factor;
        links_[found].drive = static_cast<int>(driven_.size());
        driven_.push_back(found);
        left_[r] = 0;
    }
}

int Tree::link_along(const Measure& m, double& sign) const {
    const bool turn = m.kind == MeasureKind::Angle && m.j == 0, slide = m.kind == MeasureKind::Along;
    for (const Limb& limb : limbs_) {
        if ((!turn && !slide) || limb.parent_frame < 0 || m.a != limb.frame_a() || m.b != limb.frame_b()) continue;
        int found = -1, turns = 0;
        for (int n = limb.first; n < limb.first + limb.count; ++n) {
            const Link& link = links_[n];
            turns += link.kind == MoveKind::Turn ? 1 : link.kind == MoveKind::Ball ? 2 : 0;
            if (turn ? link.kind == MoveKind::Turn : link.kind == MoveKind::Slide && link.axis == m.i) found = n;
        }
        if (found < 0 || (turn && turns != 1)) continue;
        sign = limb.backwards ? -1 : 1;
        return found;
    }
    return -1;
}

void Tree::take_shape(const double* y) {
    const auto axes_of = [&](int frame) {  // in the world
        const Frame& f = system_.frames[frame];
        return f.body == system_.ground() ? f.R : Mat3(rotation_of(y + body_size * f.body + at_p) * f.R);
    };
    for (Limb& limb : limbs_) {
        Mat3 pre = Mat3::Identity(), behind = Mat3::Identity();
        Vec3 at = Vec3::Zero();
        const int body = links_[limb.first + limb.count - 1].body;
        if (limb.parent_frame >= 0) {
            const Frame &parent = system_.frames[limb.parent_frame], &child = system_.frames[limb.child_frame];
            limb.offset = undecided(axes_of(limb.frame_a()).transpose() * axes_of(limb.frame_b()), limb.moves);
            pre = body_axes_[parent.body] * parent.R;
            at = centres_[parent.body] + body_axes_[parent.body] * parent.s;
            behind = child.R.transpose();
            if (limb.backwards) pre = pre * limb.offset.transpose();
            else behind = limb.offset * behind;
            centres_[body] = -(behind * child.s);
        }
        body_axes_[body] = behind;
        int n = limb.first;
        for (const Move& move : limb.moves) {
            if (move.kind == MoveKind::Quarter) {
                pre = pre * limb.quarter();
                continue;
            }
            Link& link = links_[n++];
            link.turned = !pre.isIdentity(0);
            link.pre = mat(pre), link.at = point(at);
            pre.setIdentity(), at.setZero();
        }
        const Body& given = system_.bodies[body];
        Link& link = links_[n - 1];
        const Vec3& c = centres_[body];
        const Mat3 idle = (Mat3::Identity() - given.held) * given.ballast.asDiagonal();
        const Mat3 own = behind * given.inertia.asDiagonal() * behind.transpose();
        link.idle = !idle.isZero(0);
        light_ = light_ || given.ballast.maxCoeff() > 0 || !(given.mass > 0);
        link.ballast = mat(behind * (0.5 * (idle + idle.transpose())) * behind.transpose());
        link.mass = given.mass, link.centre = point(c);
        link.inertia = mat(own + given.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose()));
    }
    shaped_ = true;
}

}  // namespace vincolo::tree
