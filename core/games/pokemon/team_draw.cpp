#include "games/pokemon/team_draw.hpp"

#include <algorithm>
#include <utility>

#include "games/pokemon/draft.hpp"

namespace tengen::pokemon {

namespace {

// Whom a candidate has to hold.
struct Wanted {
  SetMask mask;
  std::uint16_t forme = 0;
  std::uint8_t seen = kNone;
  std::uint8_t place = kNone;  // in the team, if that is known
};

struct Order {
  std::array<Wanted, kTeamSize> wanted{};
  std::size_t count = 0;
  std::uint8_t disguised = kNone;  // among the wanted

  void add(const Wanted& one) {
    if (count < kTeamSize) wanted[count++] = one;
  }
};

std::size_t draw_set(std::size_t key, std::span<const std::uint16_t> weights, Rng& rng) {
  std::uint32_t sum = 0;
  for (const std::uint16_t weight : weights) sum += weight;
  std::uint32_t left = rng.below(sum);
  std::size_t i = 0;
  while (left >= weights[i]) left -= weights[i++];
  return keys()[key].first_set + i;
}

std::size_t draw_any_set(std::size_t key, Rng& rng) {
  const PoolKey& row = keys()[key];
  return row.first_set + rng.below(row.set_count);
}

Member finish(std::size_t key, std::size_t set, int forme, std::uint8_t seen, Rng& rng) {
  Member member;
  member.key = static_cast<std::uint16_t>(key);
  member.set = static_cast<std::uint16_t>(set);
  if (forme < 0) {
    const auto count = static_cast<std::uint32_t>(forme_count(key));
    forme = static_cast<int>(forme_of(key, count == 1 ? 0 : rng.below(count)));
  }
  member.forme = static_cast<std::uint16_t>(forme);
  const std::uint8_t gender = keys()[key].gender;
  member.gender = gender == 3 ? static_cast<std::uint8_t>(1 + rng.below(2)) : gender;
  member.seen = seen;
  return member;
}

// How likely each set of a wanted Pokémon is as the next member, and all of them together.
class Likelihood {
 public:
  Likelihood(const Draft& draft, const Wanted& wanted, bool by_rules, SetOdds odds) : wanted_(wanted) {
    std::size_t number = 0;
    for (const std::uint16_t key : keys_of(wanted.forme)) {
      const double each = by_rules && !draft.is_open(key) ? 0.0 : pool().weight[key] / forme_count(key) / 65535.0;
      const double alike = 65535.0 / keys()[key].set_count;
      for (const std::uint16_t weight : draft.weights(key)) {
        // Without rules every set counts alike: some come up only behind certain others.
        const double share = !by_rules ? 1.0 : odds == SetOdds::Uniform ? alike : weight;
        value_[number] = wanted.mask.has(number) ? each * share : 0.0;
        sum_ += value_[number++];
      }
    }
    count_ = number;
  }

  double sum() const { return sum_; }

  std::pair<std::size_t, std::size_t> draw(Rng& rng) const {
    double left = rng.uniform() * sum_;
    std::size_t number = 0;
    std::size_t last = 0;
    for (; number < count_; ++number) {
      if (value_[number] <= 0.0) continue;
      last = number;
      if (left < value_[number]) break;
      left -= value_[number];
    }
    for (const std::uint16_t key : keys_of(wanted_.forme)) {
      const PoolKey& row = keys()[key];
      if (last < row.set_count) return {key, row.first_set + last};
      last -= row.set_count;
    }
    return {keys_of(wanted_.forme)[0], keys()[keys_of(wanted_.forme)[0]].first_set};
  }

 private:
  const Wanted& wanted_;
  std::array<double, 128> value_;  // of the first count_
  std::size_t count_ = 0;
  double sum_ = 0.0;
};

// Who stands where: the wanted in their known places or at random, kNone where the pool decides.
std::array<std::uint8_t, kTeamSize> draw_places(const Order& order, Rng& rng) {
  std::array<std::uint8_t, kTeamSize> at{};
  at.fill(kNone);
  std::array<std::uint8_t, kTeamSize> free{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < order.count; ++i) {
    if (order.wanted[i].place != kNone) at[order.wanted[i].place] = static_cast<std::uint8_t>(i);
  }
  for (std::uint8_t place = 0; place < kTeamSize; ++place) {
    if (at[place] == kNone) free[count++] = place;
  }
  for (std::size_t i = 0; i < order.count; ++i) {
    if (order.wanted[i].place != kNone) continue;
    const std::size_t pick = rng.below(static_cast<std::uint32_t>(count));
    at[free[pick]] = static_cast<std::uint8_t>(i);
    free[pick] = free[--count];
  }
  return at;
}

KeySet bases_of(const Order& order) {
  KeySet bases{};
  for (std::size_t i = 0; i < order.count; ++i) {
    for (const std::uint16_t key : keys_of(order.wanted[i].forme)) add_all(bases, pool().same_base[keys()[key].base]);
  }
  return bases;
}

// Fills the team by the rules; the answer is how likely the generator is to do so, up to a factor. 0: it never would.
double build(const Order& order, const KeySet& bases, Team& team, Rng& rng, SetOdds odds) {
  const auto at = draw_places(order, rng);
  Draft draft;
  double likelihood = 1.0;
  for (std::size_t place = 0; place < kTeamSize; ++place) {
    const double open = draft.open_weight();
    if (at[place] != kNone) {
      const Wanted& wanted = order.wanted[at[place]];
      const Likelihood next(draft, wanted, true, odds);
      if (next.sum() <= 0.0) return 0.0;
      likelihood *= next.sum() / open;
      const auto [key, set] = next.draw(rng);
      team.members[place] = finish(key, set, wanted.forme, wanted.seen, rng);
      if (at[place] == order.disguised) team.disguised = static_cast<std::uint8_t>(place);
      draft.add(key, sets()[set]);
    } else {
      const int key = draft.draw_key(bases, rng);
      if (key < 0) return 0.0;
      likelihood *= 1.0 - draft.open_weight(bases) / open;
      const auto known = static_cast<std::size_t>(key);
      const std::size_t set =
          odds == SetOdds::Uniform ? draw_any_set(known, rng) : draw_set(known, draft.weights(known), rng);
      team.members[place] = finish(known, set, -1, kNone, rng);
      draft.add(known, sets()[set]);
    }
  }
  return likelihood;
}

// What is known contradicts the generator's rules: keep to what was seen, and to the rules for nobody else.
Team force(const Order& order, const KeySet& bases, Rng& rng) {
  Team team;
  team.is_forced = true;
  const auto at = draw_places(order, rng);
  KeySet taken = bases;
  const Draft rules;
  for (std::size_t place = 0; place < kTeamSize; ++place) {
    if (at[place] != kNone) {
      const Wanted& wanted = order.wanted[at[place]];
      const auto [key, set] = Likelihood(rules, wanted, false, SetOdds::Generator).draw(rng);
      team.members[place] = finish(key, set, wanted.forme, wanted.seen, rng);
      if (at[place] == order.disguised) team.disguised = static_cast<std::uint8_t>(place);
    } else {
      const auto key = static_cast<std::size_t>(std::max(rules.draw_key(taken, rng), 0));
      team.members[place] = finish(key, draw_set(key, weights_of(key, 0, false), rng), -1, kNone, rng);
      add_all(taken, pool().same_base[keys()[key].base]);
    }
  }
  return team;
}

// How often a disguise is believed that nothing speaks against: about one team in 70 has a Zoroark, and it would have
// to look like just the Pokémon that is shown.
constexpr double kDisguiseChance = 0.01;

SetMask or_all(SetMask mask) { return mask.empty() ? SetMask::all() : mask; }

Order without_disguise(const Knowledge& known, bool is_sure) {
  Order order;
  for (std::size_t i = 0; i < known.count; ++i) {
    const Seen& seen = known.seen[i];
    const auto number = static_cast<std::uint8_t>(i);
    const SetMask mask = or_all(is_sure ? seen.sure : seen.sets.empty() ? seen.sure : seen.sets);
    order.add({mask, seen.forme, number, number == known.lead ? std::uint8_t{0} : kNone});
  }
  return order;
}

// The active one is Zoroark: whom it looks like is the last of the team, as far as the battle's beginning goes.
Order with_disguise(const Knowledge& known) {
  Order order = without_disguise(known, true);
  const bool leads = known.since_start != 0 && known.lead == known.active;
  for (std::size_t i = 0; i < order.count; ++i) {
    Wanted& one = order.wanted[i];
    if (leads && one.seen == known.active) one.place = kTeamSize - 1;
  }
  order.disguised = static_cast<std::uint8_t>(order.count);
  const auto forme = static_cast<std::uint16_t>(find_forme("zoroark"));
  order.add({known.disguise, forme, kNone, leads ? std::uint8_t{0} : kNone});
  return order;
}

bool can_be_disguised(const Knowledge& known) {
  if (known.disguise.empty() || known.count >= kTeamSize || known.active >= known.count) return false;
  const auto zoroark = find_forme("zoroark");
  return std::ranges::none_of(std::span(known.seen).first(known.count),
                              [&](const Seen& one) { return one.forme == zoroark; });
}

Order choose_order(const Knowledge& known, Rng& rng) {
  const double chance = rng.uniform();
  if (can_be_disguised(known) && (known.seen[known.active].sets.empty() || chance < kDisguiseChance)) {
    return with_disguise(known);
  }
  // Somebody who came and went may have been Zoroark as well.
  return without_disguise(known, chance > 1.0 - kDisguiseChance);
}

}  // namespace

Team draw_team(Rng& rng) {
  Team team;
  const Order nobody;
  while (build(nobody, KeySet{}, team, rng, SetOdds::Generator) <= 0.0) {
  }
  return team;
}

Team draw_team(const Knowledge& known, Rng& rng, SetOdds odds) {
  constexpr int kCandidates = 8;
  constexpr int kRounds = 4;
  const Order order = choose_order(known, rng);
  const KeySet bases = bases_of(order);
  Team chosen;
  double sum = 0.0;
  for (int round = 0; round < kRounds && sum <= 0.0; ++round) {
    for (int i = 0; i < kCandidates; ++i) {
      Team team;
      const double likelihood = build(order, bases, team, rng, odds);
      sum += likelihood;
      if (likelihood > 0.0 && rng.uniform() * sum < likelihood) chosen = team;
    }
  }
  return sum > 0.0 ? chosen : force(order, bases, rng);
}

double likelihood(const Team& team) {
  Draft draft;
  double product = 1.0;
  for (const Member& member : team.members) {
    if (!draft.is_open(member.key)) return 0.0;
    const std::size_t set = member.set - std::size_t{keys()[member.key].first_set};
    product *= pool().weight[member.key] / draft.open_weight() * draft.weights(member.key)[set] / 65535;
    draft.add(member.key, sets()[member.set]);
  }
  return product;
}

}  // namespace tengen::pokemon
