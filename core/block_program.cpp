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

// Two nodes that are coupled by themselves, by their steps: blocks through a body, or a block and a hub
struct Shared {
    int early, later;
    int end_later, end_early, body;
    int end;  // on a hub, else -1
};

struct Coupled {
    std::vector<Shared> pairs;   // sorted
    std::vector<int> owner;    // of each end, the step of its block
    std::vector<Steps> later;  // of each step, with fill
};

Coupled coupled(const BlockSet& set, const std::vector<int>& hubs, const std::vector<int>& order) {
    const int blocks = static_cast<int>(set.blocks.size());
    const std::vector<int> hub_of_body = hubs_by_body(set, hubs);
    Coupled out{{}, std::vector<int>(set.ends.size()), std::vector<Steps>(order.size())};
    std::vector<int> place(order.size());
    for (std::size_t s = 0; s < order.size(); ++s) place[order[s]] = static_cast<int>(s);
    std::vector<std::vector<int>> ends_on_body(hub_of_body.size());
    for (int k = 0; k < blocks; ++k)
        for (int e = set.blocks[k].first_end; e < set.blocks[k].first_end + set.blocks[k].ends; ++e) {
            const int body = set.ends[e].body, h = hub_of_body[body];
            out.owner[e] = place[k];
            if (h < 0) ends_on_body[body].push_back(e);
            if (h < 0) continue;
            const int hub = place[blocks + h];
            out.pairs.push_back({std::min(place[k], hub), std::max(place[k], hub), 0, 0, 0, e});
        }
    for (std::size_t body = 0; body < ends_on_body.size(); ++body)
        for (int x : ends_on_body[body])
            for (int y : ends_on_body[body])
                if (out.owner[x] < out.owner[y]) out.pairs.push_back({out.owner[x], out.owner[y], y, x, static_cast<int>(body), -1});
    std::stable_sort(out.pairs.begin(), out.pairs.end(),
                     [](const Shared& a, const Shared& b) { return a.early != b.early ? a.early < b.early : a.later < b.later; });
    for (const Shared& pair : out.pairs) out.later[pair.early].push_back(pair.later);
    add_fill(out.later);
    return out;
}

}  // namespace

void BlockSolver::lay_out(const BlockSet& set, const Elimination& elimination, Store store) {
    Coupled found = coupled(set, elimination.hubs, elimination.order);
    Panelled steps{elimination.order, {}, static_cast<int>(elimination.order.size())};
    if (store == Store::Panels && hubs_.empty()) steps = panelled(steps.order, found.later);
    if (!steps.first.empty()) {
        found = coupled(set, elimination.hubs, steps.order);
        panels_ = Panels(set, steps, found.later);
    }
    const std::vector<Shared>& pairs = found.pairs;
    const std::vector<int>& owner = found.owner;
    const std::vector<Steps>& later = found.later;
    auto pair = pairs.begin();
    const auto add_parts = [&](int early, int behind, int& first, int& count) {
        int end = -1;
        first = static_cast<int>(parts_.size());
        for (; pair != pairs.end() && pair->early == early && pair->later == behind; ++pair) {
            if (pair->end >= 0) end = pair->end;
            else parts_.push_back({pair->end_later, pair->end_early, pair->body});
        }
        count = static_cast<int>(parts_.size()) - first;
        return end;
    };
    for (int s = 0; s < steps.before; ++s) {
        const int node = steps.order[s];
        Step step{node, static_cast<int>(tiles_.size()), static_cast<int>(later[s].size()), 0, 0, 0, 0, false, !is_hub(node)};
        const bool second = s > 0 && steps_[s - 1].paired;
        step.paired = !second && s + 1 < steps.before && (later[s].empty() || later[s][0] != s + 1);
        for (int j : later[s]) {
            Tile tile{};
            tile.later = steps.order[j];
            tile.end = add_parts(s, j, tile.first_part, tile.parts);
            tiles_.push_back(tile);
        }
        steps_.push_back(step);
    }
    for (const Shared& on_hub : pairs) {
        if (on_hub.end < 0) continue;
        const int own = owner[on_hub.end];
        roles_[on_hub.end] = own == on_hub.early ? Role::Held : Role::Moving;
        steps_[own].plain = false;
    }
    for (int s = 0; s < steps.before; ++s) add_updates(s, later);
    for (const Step& step : steps_)
        if (step.plain) untouched_[step.node] = 1;
    for (const Update& update : updates_)
        if (update.target < 0 && !is_hub(-1 - update.target)) untouched_[-1 - update.target] = 0;
    for (std::size_t s = steps.before; s < steps.order.size(); ++s) {
        const int step = static_cast<int>(s), node = steps.order[s];
        couplings_.push_back({node, node, 0, 0, panels_.place_of(step, step)});
        while (pair != pairs.end() && pair->early == step) {
            const int behind = pair->later;
            Coupling coupling{node, steps.order[behind], 0, 0, panels_.place_of(step, behind)};
            add_parts(step, behind, coupling.first_part, coupling.parts);
            couplings_.push_back(coupling);
        }
    }
}

// What step s takes from each pair of the nodes it is coupled with
void BlockSolver::add_updates(int s, const std::vector<std::vector<int>>& later) {
    Step& step = steps_[s];
    step.first_update = static_cast<int>(updates_.size());
    step.first_outward = static_cast<int>(outwards_.size());
    for (int i = 0; i < step.tiles; ++i) {
        const int a = step.first_tile + i, first = later[s][i];
        if (first >= static_cast<int>(steps_.size())) {
            for (int j = i; j < step.tiles; ++j) outwards_.push_back({step.first_tile + j, a, panels_.place_of(first, later[s][j])});
            continue;
        }
        updates_.push_back({a, a, -1 - tiles_[a].later});
        std::size_t at = 0;
        for (int j = i + 1; j < step.tiles; ++j) {
            while (later[first][at] != later[s][j]) ++at;
            updates_.push_back({step.first_tile + j, a, steps_[first].first_tile + static_cast<int>(at)});
        }
    }
    step.updates = static_cast<int>(updates_.size()) - step.first_update;
    step.outwards = static_cast<int>(outwards_.size()) - step.first_outward;
}

double BlockSolver::work(const BlockSet& set) const {
    double sum = panels_.work();
    for (const Step& step : steps_) {
        const double own = rows(set, step.node);
        double coupled = 0;
        for (int q = step.first_tile; q < step.first_tile + step.tiles; ++q) coupled += rows(set, tiles_[q].later);
        sum += own * coupled * (coupled + 2 * own + 5);
    }
    return sum;
}

}  // namespace vincolo
