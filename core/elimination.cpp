#include "elimination.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace vincolo {

namespace {

// Blocks on each moving body, by body
using Attached = std::map<int, std::vector<int>>;

Attached attached(const BlockSet& set) {
    Attached out;
    for (std::size_t k = 0; k < set.blocks.size(); ++k)
        for (int e = 0; e < set.blocks[k].ends; ++e) out[set.ends[set.blocks[k].first_end + e].body].push_back(static_cast<int>(k));
    return out;
}

// Work of one step, in operations with columns: a pivot of `rows`, and updates between all that is coupled with it
double work_of(int rows, int tiles, double coupled) { return 40 + rows * (6.0 * tiles + coupled + 0.5 * coupled * (tiles + 1)); }

// Bodies joined by the rows eliminated so far, each group with what of it is held: a hub not yet eliminated, the ground, nothing
class Groups {
  public:
    static constexpr int free = -1, ground = -2;
    Groups(int bodies) : parent_(bodies), held_(bodies, free) {
        for (int b = 0; b < bodies; ++b) parent_[b] = b;
    }
    void hold(int body) { held_[body] = body; }
    void release(int body) { held_[find(body)] = free; }
    int find(int body) {
        while (parent_[body] != body) body = parent_[body] = parent_[parent_[body]];
        return body;
    }
    // The two things held that a block would join; the second is free where it joins no two
    std::pair<int, int> joined(const BlockSet& set, const Block& block) {
        int held = block.grounded ? ground : free;
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const int other = held_[find(set.ends[e].body)];
            if (held == free) held = other;
            else if (other != free && other != held) return {held, other};
        }
        return {held, free};
    }
    void join(const BlockSet& set, const Block& block) {
        int held = block.grounded ? ground : free, last = -1;
        for (int e = block.first_end; e < block.first_end + block.ends; ++e) {
            const int root = find(set.ends[e].body);
            if (held_[root] != free) held = held_[root];
            if (last >= 0) parent_[last] = root;
            last = root;
        }
        if (last >= 0) held_[last] = held;
    }

  private:
    std::vector<int> parent_, held_;
};

// Minimum degree on the graph of blocks that share a body, and of hubs with the blocks on them
class MinimumDegree {
  public:
    using Nodes = std::vector<int>;

    MinimumDegree(const BlockSet& set, const Attached& on, const std::vector<char>& first, std::vector<int> hubs)
        : set_(set), first_(first), blocks_(static_cast<int>(set.blocks.size())), hubs_(std::move(hubs)),
          groups_(on.empty() ? 0 : on.rbegin()->first + 1), near_(blocks_ + hubs_.size()), degree_(near_.size(), 0),
          state_(near_.size(), taken), waiting_(hubs_.size()) {
        for (const auto& [body, blocks] : on) connect(body, blocks);
        for (Nodes& nodes : near_) {
            std::sort(nodes.begin(), nodes.end());
            nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        }
        touching_ = near_;
        for (std::size_t k = 0; k < near_.size(); ++k) {
            degree_[k] = rows_of(near_[k]);
            insert(static_cast<int>(k));
        }
    }

    // The order; nothing where its work is above a limit
    bool run(double limit, Elimination& out) {
        while (!queue_.empty() && work <= limit) eliminate(next());
        if (work > limit) return false;
        out = {hubs_, order_};
        return true;
    }
    double work = 0;

  private:
    using Key = std::pair<std::pair<int, int>, int>;
    enum State : char { queued, changing, waiting, taken };

    int rows(int node) const { return node < blocks_ ? set_.blocks[node].all : block_rows; }
    Key key(int k) const { return {{k < blocks_ && first_[k] ? 0 : 1, degree_[k]}, k}; }
    void insert(int k) { queue_.insert(key(k)), state_[k] = queued; }
    void erase(int k) { queue_.erase(key(k)), state_[k] = taken; }
    bool touches(int a, int b) const { return std::binary_search(touching_[a].begin(), touching_[a].end(), b); }
    int rows_of(const Nodes& nodes) const {
        int sum = 0;
        for (int k : nodes) sum += rows(k);
        return sum;
    }
    int hub_of(int body) const {
        const auto at = std::lower_bound(hubs_.begin(), hubs_.end(), body);
        return at != hubs_.end() && *at == body ? static_cast<int>(at - hubs_.begin()) : -1;
    }

    void connect(int body, const std::vector<int>& blocks) {
        const int hub = hub_of(body);
        if (hub >= 0) groups_.hold(body);
        for (int a : blocks) {
            if (hub >= 0) near_[a].push_back(blocks_ + hub), near_[blocks_ + hub].push_back(a);
            else
                for (int b : blocks)
                    if (a != b) near_[a].push_back(b);
        }
    }

    // The cheapest that need not wait; among equals one that does not touch the last: neighbours in the order can then be worked
    // on together
    int next() {
        for (;;) {
            auto best = queue_.begin();
            for (auto other = best; !order_.empty() && other != queue_.end() && other->first == best->first; ++other)
                if (!touches(other->second, order_.back())) {
                    best = other;
                    break;
                }
            const int k = best->second;
            erase(k);
            if (k >= blocks_ || hubs_.empty()) return k;
            const auto [one, other] = groups_.joined(set_, set_.blocks[k]);
            if (other == Groups::free) return k;
            state_[k] = waiting;
            for (int hub : {one, other})
                if (hub != Groups::ground) waiting_[hub_of(hub)].push_back(k);
        }
    }

    // Neighbours of k become those of its neighbour a
    void couple(int a, int k) {
        merged_.clear();
        std::set_union(near_[a].begin(), near_[a].end(), near_[k].begin(), near_[k].end(), std::back_inserter(merged_));
        near_[a].clear();
        for (int b : merged_)
            if (b != a && b != k) near_[a].push_back(b);
        degree_[a] = rows_of(near_[a]);
    }

    void eliminate(int k) {
        order_.push_back(k);
        work += work_of(rows(k), static_cast<int>(near_[k].size()), degree_[k]);
        for (int a : near_[k]) {
            if (state_[a] == queued) erase(a), state_[a] = changing;
            couple(a, k);
        }
        for (int a : near_[k])
            if (state_[a] == changing) insert(a);
        if (hubs_.empty()) return;
        if (k < blocks_) return groups_.join(set_, set_.blocks[k]);
        groups_.release(hubs_[k - blocks_]);
        for (int a : waiting_[k - blocks_])
            if (state_[a] == waiting) insert(a);
    }

    const BlockSet& set_;
    const std::vector<char>& first_;
    const int blocks_;
    const std::vector<int> hubs_;  // bodies, ascending
    Groups groups_;
    std::vector<Nodes> near_, touching_;  // ascending
    Nodes merged_;
    std::vector<int> degree_;
    std::vector<State> state_;
    std::vector<std::vector<int>> waiting_;  // by hub: blocks
    std::set<Key> queue_;
    std::vector<int> order_;
};

// Bodies with at least so many blocks
std::vector<int> bodies_with(const Attached& on, std::size_t least) {
    std::vector<int> out;
    for (const auto& item : on)
        if (item.second.size() >= least) out.push_back(item.first);
    return out;
}

// Least work of an order without hubs: the blocks on a body are all coupled with each other
double clique_work(const BlockSet& set, const Attached& on) {
    double most = 0;
    for (const auto& item : on) {
        double tiles = 0, coupled = 0, sum = 0;
        for (int k : item.second) {
            sum += work_of(set.blocks[k].all, static_cast<int>(tiles), coupled);
            tiles += 1, coupled += set.blocks[k].all;
        }
        most = std::max(most, sum);
    }
    return most;
}

}  // namespace

bool holds_to_ground(const System& system, const Quantity& q) {
    for (int t = q.first; t < q.first + q.count; ++t) {
        const Measure& m = system.measures[system.terms[t].measure];
        if (m.kind == MeasureKind::World || system.frames[m.a].body == system.ground() || system.frames[m.b].body == system.ground()) return true;
    }
    return false;
}

bool comes_apart(const System& system, const BlockShape& joint) {
    int pins = 0;
    bool apart = false;
    for (int r = joint.first; r < joint.first + joint.count; ++r) {
        const Row& row = system.rows[r];
        const Quantity& q = system.quantities[row.quantity];
        bool pinned = false;
        for (int t = q.first; t < q.first + q.count; ++t) pinned = pinned || system.measures[system.terms[t].measure].kind == MeasureKind::Pin;
        if (!pinned) continue;
        ++pins;
        apart = apart || row.level != Level::Position || row.function >= 0 || row.gate >= 0 || row.latch >= 0 || q.count > 1 || q.formula >= 0;
    }
    return apart || pins % 3 != 0;
}

Elimination elimination(const BlockSet& set, const std::vector<char>& first) {
    const Attached on = attached(set);
    Elimination best;
    double least = HUGE_VAL;
    std::vector<int> last;
    for (std::size_t joints : {4, 6, 12}) {  // a hub pays by its number of joints
        const std::vector<int> hubs = bodies_with(on, joints);
        if (hubs == last || hubs.empty()) continue;
        last = hubs;
        MinimumDegree order(set, on, first, hubs);
        if (order.run(least, best)) least = order.work;
    }
    const double worth = 1.2 * least;  // what is nearly alike stays without hubs
    if (clique_work(set, on) < worth) MinimumDegree(set, on, first, {}).run(worth, best);
    return best;
}

}  // namespace vincolo
