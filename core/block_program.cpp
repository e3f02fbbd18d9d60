// The program of a block solver: steps in the order of elimination, what each is coupled with, and what it changes
#include <map>

#include "block_solver.hpp"

namespace vincolo {

void BlockSolver::lay_out(const BlockSet& set, const Elimination& elimination) {
    const std::vector<int>& order = elimination.order;
    const int nodes = static_cast<int>(order.size());
    std::vector<int> place(nodes);
    for (int s = 0; s < nodes; ++s) place[order[s]] = s;
    std::map<int, std::vector<int>> ends_on_body;
    std::vector<int> owner(set.ends.size());
    for (int k = 0; k < blocks_; ++k)
        for (int e = set.blocks[k].first_end; e < set.blocks[k].first_end + set.blocks[k].ends; ++e) {
            owner[e] = k;
            ends_on_body[set.ends[e].body].push_back(e);
        }
    // structure with fill, columns of nodes in order of elimination
    struct Coupling {
        std::vector<Part> parts;
        int end = -1;
    };
    std::vector<std::map<int, Coupling>> column(nodes);  // by step: later step -> coupling
    for (std::size_t h = 0; h < hubs_.size(); ++h) {
        const int hub = place[blocks_ + h];
        for (int e : ends_on_body[hubs_[h].body]) {
            const int block = place[owner[e]];
            roles_[e] = block < hub ? Role::Held : Role::Moving;
            column[std::min(block, hub)][std::max(block, hub)].end = e;
        }
        ends_on_body.erase(hubs_[h].body);
    }
    for (const auto& item : ends_on_body)
        for (int x : item.second)
            for (int y : item.second)
                if (place[owner[x]] < place[owner[y]]) column[place[owner[x]]][place[owner[y]]].parts.push_back({y, x, item.first});
    for (int s = 0; s < nodes; ++s)
        for (auto a = column[s].begin(); a != column[s].end(); ++a)
            for (auto b = std::next(a); b != column[s].end(); ++b) column[a->first][b->first];

    std::map<std::pair<int, int>, int> tile_of;
    for (int s = 0; s < nodes; ++s) {
        Step step{order[s], static_cast<int>(tiles_.size()), static_cast<int>(column[s].size()), 0, 0, false, !is_hub(order[s])};
        const bool second = s > 0 && steps_[s - 1].paired;
        step.paired = !second && s + 1 < nodes && column[s].count(s + 1) == 0;
        for (const auto& [later, coupling] : column[s]) {
            tile_of[{s, later}] = static_cast<int>(tiles_.size());
            Tile tile{};
            tile.later = order[later];
            tile.first_part = static_cast<int>(parts_.size());
            tile.parts = static_cast<int>(coupling.parts.size());
            tile.end = coupling.end;
            parts_.insert(parts_.end(), coupling.parts.begin(), coupling.parts.end());
            tiles_.push_back(tile);
        }
        if (step.plain)
            for (int e = set.blocks[order[s]].first_end; e < set.blocks[order[s]].first_end + set.blocks[order[s]].ends; ++e)
                step.plain = step.plain && roles_[e] == Role::Plain;
        steps_.push_back(step);
    }
    for (int s = 0; s < nodes; ++s) {
        steps_[s].first_update = static_cast<int>(updates_.size());
        for (auto i = column[s].begin(); i != column[s].end(); ++i)
            for (auto j = i; j != column[s].end(); ++j) {
                const int target = i == j ? -1 - order[i->first] : tile_of.at({i->first, j->first});
                updates_.push_back({tile_of.at({s, j->first}), tile_of.at({s, i->first}), target});
            }
        steps_[s].updates = static_cast<int>(updates_.size()) - steps_[s].first_update;
    }
}

}  // namespace vincolo
