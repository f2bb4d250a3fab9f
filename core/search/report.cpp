#include "search/report.hpp"

#include <algorithm>

template class std::vector<tengen::MoveReport>;

namespace tengen {

void order_moves(std::vector<MoveReport>& moves, int player, Action best) {
  const auto p = static_cast<std::size_t>(player);
  std::stable_sort(moves.begin(), moves.end(), [&](const MoveReport& a, const MoveReport& b) {
    if ((a.action == best) != (b.action == best)) return a.action == best;
    if (a.weight != b.weight) return a.weight > b.weight;
    if (a.visits != b.visits) return a.visits > b.visits;
    return a.values[p] != b.values[p] ? a.values[p] > b.values[p] : a.action < b.action;
  });
}

void order_choices(std::vector<MoveReport>& moves) {
  std::stable_sort(moves.begin(), moves.end(), [](const MoveReport& a, const MoveReport& b) {
    return a.player != b.player ? a.player < b.player : a.policy > b.policy;
  });
}

void order_replies(MoveReport& report) {
  std::stable_sort(report.replies.begin(), report.replies.end(),
                   [](const auto& a, const auto& b) { return std::get<1>(a) > std::get<1>(b); });
}

}  // namespace tengen
