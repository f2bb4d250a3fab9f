#include <cstdio>

#include "check.hpp"
#include "games/pokemon/audit.hpp"
#include "games/pokemon/battle.hpp"
#include "games/pokemon/data.hpp"
#include "games/pokemon/teams.hpp"

using namespace tengen;
using namespace tengen::check;
using namespace tengen::pokemon;

namespace {

TEST(pokemon_tables_are_sorted_and_found) {
  for (std::size_t i = 1; i < kMoves.size(); ++i) CHECK(index_of(find_move(kMoves[i].id)) == i);
  for (std::size_t i = 1; i < kSpecies.size(); ++i) CHECK(index_of(find_species(kSpecies[i].id)) == i);
  for (std::size_t i = 1; i < kAbilities.size(); ++i) CHECK(index_of(find_ability(kAbilities[i].id)) == i);
  for (std::size_t i = 1; i < kItems.size(); ++i) CHECK(index_of(find_item(kItems[i].id)) == i);
  CHECK(find_move("nothing") == Move::None && find_species("") == Species::None);
}

TEST(pokemon_type_chart) {
  const auto effect = [](Type attack, Type defend) { return kTypeChart[index_of(attack)][index_of(defend)]; };
  CHECK(effect(Type::Water, Type::Fire) == 1 && effect(Type::Fire, Type::Water) == -1);
  CHECK(effect(Type::Ground, Type::Flying) == kImmune && effect(Type::None, Type::Ghost) == 0);
}

// 100,000 battles of this are the soak: tests/soak/pokemon_battles.py.
TEST(pokemon_random_battles_stay_sound) {
  const Audit sum = audit(1, 400);
  if (sum.faults > 0) std::fprintf(stderr, "%s\n", sum.fault.c_str());
  CHECK(sum.faults == 0 && sum.battles == 400 && sum.turns > 10'000);
  CHECK(sum.first_wins > 150 && sum.first_wins < 250 && sum.ties < 5);
}

TEST(pokemon_battles_repeat) {
  const Audit once = audit(7, 20);
  const Audit again = audit(7, 20);
  CHECK(once.choices == again.choices && once.turns == again.turns && once.first_wins == again.first_wins);
}

TEST(pokemon_state_is_a_small_value) { CHECK(sizeof(State) <= 2048); }

}  // namespace
