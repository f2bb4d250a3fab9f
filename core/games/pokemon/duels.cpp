#include "games/pokemon/duels.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "games/pokemon/matchup.hpp"
#include "rng.hpp"

namespace tengen::pokemon {

namespace {

// What the best physical and the best special attack take of a healthy target.
struct Blows {
  float physical = 0.0F;
  float special = 0.0F;
};

// Everything that blows go by, in a number.
std::uint64_t key_of(const Pokemon& mon) {
  std::uint64_t key = static_cast<std::uint64_t>(mon.species) | static_cast<std::uint64_t>(mon.level) << 16U |
                      static_cast<std::uint64_t>(mon.ability) << 24U | static_cast<std::uint64_t>(mon.item) << 40U |
                      static_cast<std::uint64_t>(mon.status) << 56U;
  std::uint64_t moves = 0;
  for (const MoveSlot& slot : mon.moves) moves = moves << 16U | static_cast<std::uint64_t>(slot.id);
  key = mix64(key ^ mix64(moves));
  std::uint64_t stats = static_cast<std::uint16_t>(mon.base_max_hp);
  for (const std::int16_t stat : mon.stats) stats = stats << 11U ^ static_cast<std::uint16_t>(stat);
  return mix64(key ^ stats);
}

Blows find_blows(const State& scene, const Fighter& source, const Fighter& target, int target_side) {
  Blows blows;
  for (const MoveSlot& slot : source.mon->moves) {
    if (slot.id == Move::None) continue;
    float& best = data(slot.id).category == Category::Physical ? blows.physical : blows.special;
    best = std::max(best, expected_damage(scene, source, target, target_side, slot.id, false));
  }
  return blows;
}

std::array<Blows, 2> find_blows(const State& scene) {
  const Fighter first = make_fighter(scene, 0, 0);
  const Fighter second = make_fighter(scene, 1, 0);
  return {find_blows(scene, first, second, 1), find_blows(scene, second, first, 0)};
}

Pokemon healthy(const Pokemon& mon) {
  Pokemon one = mon;
  one.hp = one.max_hp = one.base_max_hp;
  return one;
}

class BlowTable {
 public:
  // Those of the first and of the second on each other.
  const std::array<Blows, 2>& of(const Pokemon& first, std::uint64_t first_key, const Pokemon& second,
                                 std::uint64_t second_key) {
    const std::uint64_t key = (first_key ^ (second_key << 1U | second_key >> 63U)) | 1U;
    Entry& entry = entries_[key >> kShift];
    if (entry.key != key) {
      scene_.sides[0].team[0] = healthy(first);
      scene_.sides[1].team[0] = healthy(second);
      entry = {key, find_blows(scene_)};
    }
    return entry.blows;
  }

 private:
  static constexpr unsigned kBits = 14;
  static constexpr unsigned kShift = 64 - kBits;
  struct Entry {
    std::uint64_t key = 0;  // 0: empty
    std::array<Blows, 2> blows;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << kBits);
  State scene_;  // nobody is on the field
};

// One who is left, as far as duels go.
struct Duelist {
  const Pokemon* mon = nullptr;
  std::uint64_t key = 0;
  float frailty = 0.0F;  // 1 over the share of max HP that is left; Dynamax does not change what a share is
  float speed = 0.0F;
  std::array<float, 2> attack{1.0F, 1.0F};
  std::array<float, 2> weakness{1.0F, 1.0F};  // 1 over defences
};

float boost_factor(int stage) {
  return stage >= 0 ? (2.0F + static_cast<float>(stage)) / 2.0F : 2.0F / (2.0F - static_cast<float>(stage));
}

Duelist make_duelist(const Side& side, int slot) {
  Duelist one;
  const Pokemon& mon = side.team[index_of(slot)];
  one.mon = &mon;
  one.key = key_of(mon);
  one.frailty = static_cast<float>(mon.base_max_hp) / static_cast<float>(mon.hp);
  one.speed = static_cast<float>(mon.stats[kSpe]);
  if (mon.item == Item::ChoiceScarf) one.speed *= 1.5F;
  if (mon.status == Status::Par) one.speed *= 0.5F;
  if (slot == side.active && side.field.on_field) {
    const auto& boosts = side.field.boosts;
    one.attack = {boost_factor(boosts[kAtk]), boost_factor(boosts[kSpa])};
    one.weakness = {boost_factor(-boosts[kDef]), boost_factor(-boosts[kSpd])};
    one.speed *= boost_factor(boosts[kSpe]);
  }
  return one;
}

// What one takes in a turn of what the other has left, at most all.
float blow(const Blows& blows, const Duelist& source, const Duelist& target) {
  constexpr float kLeast = 0.05F;
  const float damage = std::max(blows.physical * source.attack[0] * target.weakness[0],
                                blows.special * source.attack[1] * target.weakness[1]);
  return std::clamp(damage * target.frailty, kLeast, 1.0F);
}

// Who would win if two fought it out, from -1 to 1, by how many hits each needs and who is faster.
float duel(BlowTable& table, const Duelist& one, const Duelist& other, bool is_reversed) {
  constexpr float kFirstBlow = 0.15F;
  const auto& blows = table.of(*one.mon, one.key, *other.mon, other.key);
  const float first = blow(blows[0], one, other);
  const float second = blow(blows[1], other, one);
  const float lead = is_reversed ? other.speed - one.speed : one.speed - other.speed;
  const float order = lead > 0.0F ? kFirstBlow : lead < 0.0F ? -kFirstBlow : 0.0F;
  return std::clamp((first - second) / (first + second) + order * std::max(first, second), -1.0F, 1.0F);
}

struct Roster {
  std::array<Duelist, kTeam> members;
  int count = 0;
  int active = -1;
};

Roster make_roster(const Side& side) {
  Roster team;
  for (int slot = 0; slot < kTeam; ++slot) {
    if (side.team[index_of(slot)].hp <= 0) continue;
    if (slot == side.active) team.active = team.count;
    team.members[index_of(team.count++)] = make_duelist(side, slot);
  }
  return team;
}

float mean(std::span<const float> numbers) {
  float sum = 0.0F;
  for (const float number : numbers) sum += number;
  return sum / static_cast<float>(numbers.size());
}

// How each of a team does against its worst foe, and how the other team's best does against it.
struct Extremes {
  std::array<float, kTeam> worst;
  std::array<float, kTeam> met;

  Extremes() {
    worst.fill(1.0F);
    met.fill(-1.0F);
  }
  void add(int member, float won) {
    worst[index_of(member)] = std::min(worst[index_of(member)], won);
    met[index_of(member)] = std::max(met[index_of(member)], -won);
  }
};

}  // namespace

Duels find_duels(const State& state) {
  thread_local BlowTable table;
  const Roster first = make_roster(state.sides[0]);
  const Roster second = make_roster(state.sides[1]);
  if (first.count == 0 || second.count == 0) return {};
  Extremes of_first;
  Extremes of_second;
  Duels duels;
  float sum = 0.0F;
  float first_active = 0.0F;
  float second_active = 0.0F;
  for (int i = 0; i < first.count; ++i) {
    for (int j = 0; j < second.count; ++j) {
      const float won = duel(table, first.members[index_of(i)], second.members[index_of(j)], state.trick_room != 0);
      sum += won;
      of_first.add(i, won);
      of_second.add(j, -won);
      if (i == first.active && j != second.active) first_active += won;
      if (j == second.active && i != first.active) second_active -= won;
    }
  }
  const auto first_count = index_of(first.count);
  const auto second_count = index_of(second.count);
  duels.mean = sum / static_cast<float>(first.count * second.count);
  duels.answers = mean(std::span(of_second.met).first(second_count)) - mean(std::span(of_first.met).first(first_count));
  duels.sweep = *std::max_element(of_first.worst.begin(), of_first.worst.begin() + first.count) -
                *std::max_element(of_second.worst.begin(), of_second.worst.begin() + second.count);
  duels.active = first_active / static_cast<float>(std::max(1, second.count - 1)) -
                 second_active / static_cast<float>(std::max(1, first.count - 1));
  return duels;
}

}  // namespace tengen::pokemon
