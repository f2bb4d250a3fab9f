#include "search/pool.hpp"

#include <stdexcept>
#include <string>

namespace tengen::refusal {

namespace {

std::string at(std::size_t row) { return " in row " + std::to_string(row); }

}  // namespace

void no_root(int root) { throw std::out_of_range("no root " + std::to_string(root) + " in this pool"); }

void not_idle(const char* what) {
  throw std::logic_error(std::string(what) + ": a batch still waits for supply() or abandon()");
}

void not_the_viewer(int actor, int viewer) {
  throw std::invalid_argument("player " + std::to_string(actor) + " is to act, not the viewer, player " +
                              std::to_string(viewer));
}

void policy_of(Action action, std::size_t row, float logit) {
  throw std::invalid_argument("supply: the policy of action " + std::to_string(action) + at(row) + " is " +
                              std::to_string(logit));
}

void no_policy(std::size_t row) {
  throw std::invalid_argument("supply: the policy gives every legal action" + at(row) + " no chance");
}

void value_of(std::size_t player, std::size_t row, float value) {
  throw std::invalid_argument("supply: the value of player " + std::to_string(player) + at(row) + " is " +
                              std::to_string(value));
}

void aux(float value) { throw std::invalid_argument("supply: an auxiliary value is " + std::to_string(value)); }

void no_choice(int player) {
  throw std::logic_error("choose: player " + std::to_string(player) + " has no searched action here");
}

}  // namespace tengen::refusal
