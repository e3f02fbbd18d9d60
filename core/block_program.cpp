// The program of a block solver: steps in the order of elimination, what each is coupled with, and what it changes
#include <algorithm>
#include <iterator>

#include "block_solver.hpp"

namespace vincolo {

namespace {

using Steps = std::vector<int>;

void sort_once(Steps& x) {
    std::sort(x.begin(), x.end());
    x.erase(std::unique(x.begin(), x.end()), x.end());
}

// Fill: what a step is coupled with, the first of these is coupled with after it
void add_fill(std::vector<Steps>& later) {
    Steps merged;
    for (Steps& steps : later) sort_once(steps);
    for (const Steps& now : later) {
        if (now.empty()) continue;
        Steps& next = later[now[0]];
        merged.clear();
        std::set_union(now.begin() + 1, now.end(), next.begin(), next.end(), std::back_inserter(merged));
        next = merged;
    }
}

// The place of each body among the hubs, or -1
std::vector<int> hubs_by_body(const BlockSet& set, const std::vector<int>& hubs) {
    std::vector<int> out;
    for (const End& end : set.ends) out.resize(std::max<std::size_t>(out.size(), end.body + 1), -1);
    for (std::size_t h = 0; h < hubs.size(); ++h) out[hubs[h]] = static_cast<int>(h);
    return out;
}

}  // namespace

void BlockSolver::lay_out(const BlockSet& set, const Elimination& elimination) {
    const std::vector<int>& order = elimination.order;
    const int nodes = static_cast<int>(order.size());
    const std::vector<int> hub_of_body = hubs_by_body(set, elimination.hubs);
    std::vector<int> place(nodes);
    for (int s = 0; s < nodes; ++s) place[order[s]] = s;

    // pairs of nodes that are coupled by themselves: blocks through a body, or a block and a hub
    struct Pair {
        int early, later;
        Part part;
        int end;  // on a hub, else -1
    };
    std::vector<Pair> pairs;
    std::vector<std::vector<int>> ends_on_body(hub_of_body.size());
    std::vector<int> owner(set.ends.size());
    for (int k = 0; k < blocks_; ++k)
        for (int e = set.blocks[k].first_end; e < set.blocks[k].first_end + set.blocks[k].ends; ++e) {
            const int body = set.ends[e].body, h = hub_of_body[body];
            owner[e] = place[k];
            if (h < 0) ends_on_body[body].push_back(e);
            if (h < 0) continue;
            const int hub = place[blocks_ + h];
            roles_[e] = place[k] < hub ? Role::Held : Role::Moving;
            pairs.push_back({std::min(place[k], hub), std::max(place[k], hub), {}, e});
        }
    for (std::size_t body = 0; body < ends_on_body.size(); ++body)
        for (int x : ends_on_body[body])
            for (int y : ends_on_body[body])
                if (owner[x] < owner[y]) pairs.push_back({owner[x], owner[y], {y, x, static_cast<int>(body)}, -1});
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.early != b.early ? a.early < b.early : a.later < b.later; });

    std::vector<Steps> later(nodes);
    for (const Pair& pair : pairs) later[pair.early].push_back(pair.later);
    add_fill(later);
    auto pair = pairs.begin();
    for (int s = 0; s < nodes; ++s) {
        Step step{order[s], static_cast<int>(tiles_.size()), static_cast<int>(later[s].size()), 0, 0, false, !is_hub(order[s])};
        const bool second = s > 0 && steps_[s - 1].paired;
        step.paired = !second && s + 1 < nodes && (later[s].empty() || later[s][0] != s + 1);
        for (int j : later[s]) {
            Tile tile{};
            tile.later = order[j];
            tile.first_part = static_cast<int>(parts_.size());
            tile.end = -1;
            for (; pair != pairs.end() && pair->early == s && pair->later == j; ++pair) {
                if (pair->end >= 0) tile.end = pair->end;
                else parts_.push_back(pair->part);
            }
            tile.parts = static_cast<int>(parts_.size()) - tile.first_part;
            tiles_.push_back(tile);
        }
        steps_.push_back(step);
    }
    for (std::size_t e = 0; e < roles_.size(); ++e)
        if (roles_[e] != Role::Plain) steps_[owner[e]].plain = false;
    for (int s = 0; s < nodes; ++s) add_updates(s, later);
}

// What step s takes from each pair of the nodes it is coupled with
void BlockSolver::add_updates(int s, const std::vector<std::vector<int>>& later) {
    Step& step = steps_[s];
    step.first_update = static_cast<int>(updates_.size());
    for (int i = 0; i < step.tiles; ++i) {
        const int a = step.first_tile + i, first = later[s][i];
        updates_.push_back({a, a, -1 - tiles_[a].later});
        std::size_t at = 0;
        for (int j = i + 1; j < step.tiles; ++j) {
            while (later[first][at] != later[s][j]) ++at;
            updates_.push_back({step.first_tile + j, a, steps_[first].first_tile + static_cast<int>(at)});
        }
    }
    step.updates = static_cast<int>(updates_.size()) - step.first_update;
}

}  // namespace vincolo
