#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "check.hpp"
#include "games/pokemon/battle.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/redeal.hpp"
#include "games/pokemon/set_ids.hpp"
#include "games/pokemon/sight.hpp"
#include "games/pokemon/teams.hpp"
#include "games/pokemon/views.hpp"

using namespace tengen;
using namespace tengen::pokemon;

namespace {

State start_battle(Rng& rng) {
  std::array<std::array<Set, kTeam>, 2> teams{};
  for (auto& team : teams) {
    const Team drawn = draw_team(rng);
    for (std::size_t i = 0; i < kTeam; ++i) team[i] = to_set(drawn.members[i]);
  }
  State state = make_state(teams[0], teams[1]);
  Chance chance(rng);
  Battle(state, chance).start();
  return state;
}

int random_choice(const State& state, int side, Rng& rng) {
  std::uint16_t choices = legal_choices(state, side);
  if (choices == 0) return -1;
  for (auto i = rng.below(static_cast<std::uint32_t>(std::popcount(choices))); i > 0; --i) {
    choices = static_cast<std::uint16_t>(choices & (choices - 1));
  }
  return std::countr_zero(choices);
}

void step(State& state, Rng& rng) {
  Chance chance(rng);
  const int first = random_choice(state, 0, rng);
  Battle(state, chance).choose(first, random_choice(state, 1, rng));
}

template <class Body>
void along_battles(int battles, Body body) {
  for (int i = 0; i < battles; ++i) {
    Rng rng(static_cast<std::uint64_t>(i) + 17);
    State state = start_battle(rng);
    for (int steps = 0; state.winner == Winner::Nobody && steps < 400; ++steps) {
      for (int viewer = 0; viewer < 2; ++viewer) body(state, viewer, rng);
      step(state, rng);
    }
  }
}

// The opponent's Pokémon that the viewer has seen, in the order of their first appearance.
struct Sight {
  std::vector<int> numbers;
  friend bool operator==(const Sight&, const Sight&) = default;
};

Sight observe(const State& state, int viewer) {
  Sight sight;
  const Side& side = state.sides[index_of(1 - viewer)];
  const Knowledge& known = state.known[index_of(viewer)];
  const auto add = [&](auto value) { sight.numbers.push_back(static_cast<int>(value)); };
  for (std::uint8_t i = 0; i < known.count; ++i) {
    const bool is_active = i == known.active;
    const Pokemon& p = is_active ? side.pokemon() : side.team[known.seen[i].slot];
    add(known.seen[i].forme);
    add(is_active ? shown_percent(p.hp, p.max_hp) : int{known.seen[i].percent});
    add(p.status);
    add(p.fainted);
    add(p.item == p.set_item ? Item::None : p.item);
  }
  for (const auto stage : side.field.boosts) add(stage);
  add(side.field.volatiles & ~(std::uint64_t{1} << index_of(Volatile::ChoiceLock)));
  for (const auto count : side.conditions) add(count);
  add(side.dynamax_used);
  add(side.left);
  return sight;
}

// Changes what the viewer cannot know.
void disturb(State& state, int viewer, Rng& rng) {
  for (Side& side : state.sides) {
    if (side.field.has(Volatile::Confusion)) {
      side.field.confusion_count = static_cast<std::uint8_t>(side.field.confusion_count + 3);
      side.field.confusion_length = static_cast<std::uint8_t>(side.field.confusion_length + 3);
    }
    if (side.field.has(Volatile::LockedMove)) {
      ++side.field.locked_turns;
      ++side.field.locked_length;
    }
    for (int slot = 0; slot < kTeam; ++slot) {
      Pokemon& p = side.team[index_of(slot)];
      const int p_side = &side == &state.sides[0] ? 0 : 1;
      if (p.status != Status::Slp || p.status_source == who_at(p_side, slot)) continue;
      ++p.status_count;
      ++p.sleep_length;
    }
  }
  Side& other = state.sides[index_of(1 - viewer)];
  std::swap(other.order[4], other.order[5]);
  for (Pokemon& p : other.team) {
    for (auto& ev : p.evs) ev = static_cast<std::uint8_t>(rng.below(86));
    for (auto& stat : p.stats) ++stat;
  }
  if (!other.field.transformed) {
    for (auto& stat : other.field.stats) --stat;
  }
  ++other.field.speed;
  for (int i = 0; i < state.queued; ++i) {
    Action& action = state.queue[index_of(i)];
    if (action.side == 1 - viewer && action.step == Step::Move && action.move != Move::Struggle) ++action.speed;
  }
}

}  // namespace

TEST(redeals_look_alike) {
  int redeals = 0;
  along_battles(30, [&](const State& state, int viewer, Rng& rng) {
    const State dealt = redeal(state, viewer, rng);
    CHECK(observe(dealt, viewer) == observe(state, viewer));
    CHECK(view_key(dealt, viewer) == view_key(state, viewer));
    CHECK(tree_key(dealt, viewer) == tree_key(state, viewer));
    CHECK(offered_choices(dealt, viewer) == offered_choices(state, viewer));
    for (int slot = 0; slot < kTeam; ++slot) {
      const Pokemon& before = state.sides[index_of(viewer)].team[index_of(slot)];
      const Pokemon& after = dealt.sides[index_of(viewer)].team[index_of(slot)];
      CHECK(set_of(before) == set_of(after) && before.hp == after.hp && before.moves == after.moves);
    }
    ++redeals;
  });
  CHECK(redeals > 500);
}

TEST(what_is_hidden_shows_nowhere) {
  int redeals = 0;
  along_battles(30, [&](const State& state, int viewer, Rng& rng) {
    const std::uint64_t seed = rng.next();
    Rng first(seed), second(seed), other(rng.next());
    State changed = redeal(state, viewer, other);
    for (Knowledge& known : changed.known) known.is_settled = 0;
    disturb(changed, viewer, other);
    CHECK(view_key(changed, viewer) == view_key(state, viewer));
    const bool is_equal = redeal(state, viewer, first) == redeal(changed, viewer, second);
    CHECK(is_equal);
    ++redeals;
  });
  CHECK(redeals > 500);
}

TEST(views_tell_apart_what_is_seen) {
  int differing = 0, steps = 0;
  along_battles(10, [&](const State& state, int viewer, Rng& rng) {
    State next = state;
    if (next.winner != Winner::Nobody) return;
    step(next, rng);
    differing += view_key(next, viewer) != view_key(state, viewer);
    ++steps;
    State hurt = state;
    Pokemon& other = hurt.sides[index_of(1 - viewer)].pokemon();
    if (other.hp * 2 <= other.max_hp) return;
    other.hp = static_cast<std::int16_t>(other.hp / 2);
    CHECK(view_key(hurt, viewer) != view_key(state, viewer));
    CHECK(tree_key(hurt, viewer) != tree_key(state, viewer));
  });
  CHECK(differing == steps);
}

TEST(redeals_can_be_played_to_their_end) {
  along_battles(6, [&](const State& state, int viewer, Rng& rng) {
    State dealt = redeal(state, viewer, rng);
    for (int steps = 0; dealt.winner == Winner::Nobody && steps < 500; ++steps) {
      for (const Side& side : dealt.sides) {
        for (const Pokemon& p : side.team) {
          if (!CHECK(p.hp >= 0 && p.hp <= p.max_hp && (p.hp == 0) == p.fainted)) return;
        }
      }
      step(dealt, rng);
    }
  });
}

TEST(the_truth_can_be_drawn) {
  along_battles(30, [&](const State& state, int viewer, Rng&) {
    const Knowledge& known = state.known[index_of(viewer)];
    const Side& side = state.sides[index_of(1 - viewer)];
    for (std::uint8_t i = 0; i < known.count; ++i) {
      const Seen& seen = known.seen[i];
      const Pokemon& p = side.team[seen.slot];
      const bool may_be_another = i == known.active && side.field.illusion != kNoSlot;
      const SetMask fits = sets_with(seen.forme, p.set_item) & sets_with(seen.forme, p.set_ability);
      CHECK(may_be_another || !(seen.sure & fits).empty());
    }
  });
}

TEST(fainted_pokemon_stay_fainted_without_knowledge) {
  int fainted = 0;
  along_battles(10, [&](const State& played, int viewer, Rng& rng) {
    State state = played;
    state.known = {};
    State noted = state;
    for (int side = 0; side < 2; ++side) note_met(noted, side);
    for (const State& given : {state, noted}) {
      const State dealt = redeal(given, viewer, rng);
      for (std::size_t side = 0; side < 2; ++side) {
        int left = 0;
        for (const Pokemon& p : dealt.sides[side].team) left += p.fainted ? 0 : 1;
        CHECK(left == played.sides[side].left && left == dealt.sides[side].left);
        fainted += kTeam - left;
      }
    }
    const State dealt = redeal(noted, viewer, rng);
    CHECK(view_key(dealt, viewer) == view_key(noted, viewer));
  });
  CHECK(fainted > 1000);
}

TEST(percents_are_as_shown) {
  Rng rng(3);
  for (int most = 1; most < 720; ++most) {
    for (int hp = 1; hp <= most; ++hp)
      CHECK(shown_percent(draw_hp(shown_percent(hp, most), most, rng), most) == shown_percent(hp, most));
  }
  CHECK(shown_percent(0, 300) == 0 && shown_percent(1, 300) == 1 && shown_percent(299, 300) == 99);
}
