#include "games/pokemon/encode.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

#include "games/pokemon/set_ids.hpp"
#include "games/pokemon/views.hpp"

namespace tengen::pokemon {

namespace {

// Writes a row from its first number on.
class Row {
 public:
  Row(std::span<float> out, int row) : out_(out), row_(index_of(row)) {}

  void put(double number) {
    assert(next_ < kRowFeatures);
    out_[next_++ * kRows + row_] = static_cast<float>(number);
  }
  void put(bool flag) { put(flag ? 1.0 : 0.0); }
  // `count` numbers, one of them 1; none if there is no such.
  void put_one_of(std::size_t index, int count) {
    for (int i = 0; i < count; ++i) put(index_of(i) == index);
  }

 private:
  std::span<float> out_;
  std::size_t row_;
  std::size_t next_ = 0;
};

struct LikelyMove {
  Move id = Move::None;
  double likelihood = 0.0;
  double pp = 1.0;
};

constexpr std::array kItemsShown{Item::ChoiceBand,  Item::ChoiceScarf,    Item::ChoiceSpecs, Item::Leftovers,
                                 Item::LifeOrb,     Item::HeavyDutyBoots, Item::AssaultVest, Item::FocusSash,
                                 Item::BlackSludge, Item::RockyHelmet,    Item::Eviolite,    Item::None};
constexpr std::array kAbilitiesShown{
    Ability::Levitate,    Ability::FlashFire,    Ability::WaterAbsorb, Ability::StormDrain,
    Ability::VoltAbsorb,  Ability::LightningRod, Ability::SapSipper,   Ability::Intimidate,
    Ability::Regenerator, Ability::MagicGuard,   Ability::Unaware,     Ability::Multiscale,
    Ability::NaturalCure, Ability::MagicBounce,  Ability::MoldBreaker, Ability::SpeedBoost};

// Adds to the share of one of those that are shown; others have none.
template <class Id, std::size_t kCount>
void add(std::array<double, kCount>& shares, const std::array<Id, kCount>& ids, Id id, double share) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (ids[i] == id) shares[i] += share;
  }
}

// A Pokémon as far as the viewer knows it; of items and abilities how likely each is.
struct Known {
  bool is_known = false;
  bool is_active = false;
  bool is_fainted = false;
  double hp = 0.0;  // as a share
  int level = 0;
  Species species = Species::None;
  std::array<Type, 2> types{Type::None, Type::None};
  std::array<double, kStats> stats{};  // with the stages of one on the field
  double max_hp = 1.0;
  Status status = Status::None;
  double status_count = 0.0;
  std::array<double, kItemsShown.size()> items{};
  std::array<double, kAbilitiesShown.size()> abilities{};
  std::array<LikelyMove, kMoveSlots> moves{};
};

double staged(double stat, int stage) { return stage >= 0 ? stat * (2 + stage) / 2.0 : stat * 2.0 / (2 - stage); }

void apply_stages(Known& known, const Active& field) {
  for (std::size_t i = 0; i < kStats; ++i) known.stats[i] = staged(known.stats[i], field.boosts[i]);
}

Known own_pokemon(const Side& side, int slot) {
  const Pokemon& p = side.team[index_of(slot)];
  Known known;
  known.is_known = p.species != Species::None;
  known.is_active = slot == side.active;
  known.is_fainted = p.fainted;
  known.max_hp = std::max<double>(1, p.max_hp);
  known.hp = p.hp / known.max_hp;
  known.level = p.level;
  known.species = p.species;
  known.types = known.is_active && !p.fainted ? side.field.types : data(p.species).types;
  std::copy(p.stats.begin(), p.stats.end(), known.stats.begin());
  if (known.is_active && !p.fainted) {
    std::copy(side.field.stats.begin(), side.field.stats.end(), known.stats.begin());
    apply_stages(known, side.field);
  }
  known.status = p.status;
  known.status_count = p.status == Status::Slp ? p.sleep_length - p.status_count : p.status_count;
  add(known.items, kItemsShown, p.item, 1.0);
  add(known.abilities, kAbilitiesShown, p.ability, 1.0);
  for (std::size_t i = 0; i < kMoveSlots; ++i) {
    const MoveSlot& move = p.moves[i];
    if (move.id == Move::None) continue;
    known.moves[i] = {move.id, 1.0, move.max_pp > 0 ? static_cast<double>(move.pp) / move.max_pp : 0.0};
  }
  return known;
}

// What the sets that are left have, each as likely as the others; the four likeliest moves in front.
void add_sets(Known& known, const Seen& seen) {
  const SetMask possible = (seen.sets & all_sets(seen.forme)).empty() ? all_sets(seen.forme) : seen.sets;
  std::vector<LikelyMove> moves;
  std::size_t number = 0;
  int count = 0;
  for (const std::uint16_t key : keys_of(seen.forme)) {
    known.level = keys()[key].level;
    for (const SetRow& row : sets().subspan(keys()[key].first_set, keys()[key].set_count)) {
      if (!possible.has(number++)) continue;
      ++count;
      add(known.items, kItemsShown, item_of(row), 1.0);
      add(known.abilities, kAbilitiesShown, ability_of(row), 1.0);
      for (const Move id : moves_of(row)) {
        if (id == Move::None) continue;
        const auto at = std::find_if(moves.begin(), moves.end(), [&](const LikelyMove& one) { return one.id == id; });
        if (at == moves.end()) {
          moves.push_back({id, 1.0, 1.0});
        } else {
          at->likelihood += 1.0;
        }
      }
    }
  }
  for (double& share : known.items) share /= std::max(1, count);
  for (double& share : known.abilities) share /= std::max(1, count);
  std::sort(moves.begin(), moves.end(), [](const LikelyMove& a, const LikelyMove& b) {
    return a.likelihood != b.likelihood ? a.likelihood > b.likelihood : a.id < b.id;
  });
  for (std::size_t i = 0; i < std::min<std::size_t>(kMoveSlots, moves.size()); ++i) {
    known.moves[i] = moves[i];
    known.moves[i].likelihood /= count;
  }
}

// As sets of random battles mostly have it: 85 effort and 31 individual values.
double usual_stat(int base, int level, bool is_hp) {
  const int inner = (2 * base + 31 + 85 / 4) * level / 100;
  return is_hp ? inner + level + 10 : inner + 5;
}

// `side` and `knowledge` are of a view: see seen() in views.hpp.
Known other_pokemon(const Side& side, const Knowledge& knowledge, int slot) {
  Known known;
  if (slot >= knowledge.count) return known;
  const Pokemon& p = side.team[index_of(slot)];
  const Seen& seen = knowledge.seen[index_of(slot)];
  known.is_known = true;
  known.is_active = slot == side.active;
  known.is_fainted = p.fainted;
  known.hp = p.hp / 100.0;
  const bool is_in_field = known.is_active && !p.fainted;
  const bool has_forme = is_in_field && side.field.forme != Species::None;
  const Species usual = p.species != Species::None ? p.species : species_of(seen.forme);
  known.species = has_forme ? side.field.forme : usual;
  const bool has_types = is_in_field && side.field.types[0] != Type::None;
  known.types = has_types ? side.field.types : data(known.species).types;
  add_sets(known, seen);
  const auto& base = data(known.species).stats;
  known.max_hp = usual_stat(base[0], known.level, true);
  for (std::size_t i = 0; i < kStats; ++i) known.stats[i] = usual_stat(base[i + 1], known.level, false);
  if (is_in_field) apply_stages(known, side.field);
  known.status = p.status;
  known.status_count = p.status == Status::Slp ? p.sleep_length - p.status_count : p.status_count;
  if (p.used != 0) {  // what it holds now is known
    known.items.fill(0.0);
    add(known.items, kItemsShown, p.item, 1.0);
  }
  if (p.ability != Ability::None) {
    known.abilities.fill(0.0);
    add(known.abilities, kAbilitiesShown, p.ability, 1.0);
  }
  for (LikelyMove& move : known.moves) {
    const auto at = std::find_if(p.moves.begin(), p.moves.end(), [&](const MoveSlot& m) { return m.id == move.id; });
    if (at != p.moves.end() && at->max_pp > 0) move.pp = static_cast<double>(at->pp) / at->max_pp;
  }
  return known;
}

// Damage is multiplied by it.
double effectiveness(Type type, const Known& target) {
  double factor = 1.0;
  for (const Type defence : target.types) {
    if (defence == Type::None) continue;
    const int doublings = kTypeChart[index_of(type)][index_of(defence)];
    factor *= doublings == kImmune ? 0.0 : std::exp2(doublings);
  }
  return factor;
}

bool has_type(const Known& known, Type type) { return known.types[0] == type || known.types[1] == type; }

// A hit of a move as a share of the target's hit points, roughly.
double damage_share(const Known& user, const MoveData& move, const Known& target) {
  if (move.category == Category::Status || !target.is_known) return 0.0;
  const double factor = effectiveness(move.type, target);
  if (move.has(kTraitFixedDamage)) return factor == 0.0 ? 0.0 : user.level / target.max_hp;
  const bool is_physical = move.category == Category::Physical;
  const double attack = user.stats[is_physical ? kAtk : kSpa];
  const double defence = target.stats[is_physical || move.has(kTraitHitsDefence) ? kDef : kSpd];
  const double hits = move.hits.denominator == 0 ? 1.0 : (move.hits.numerator + move.hits.denominator) / 2.0;
  const double power = (move.power == 0 ? 60.0 : move.power) * hits;
  double damage = ((2.0 * user.level / 5 + 2) * power * attack / std::max(1.0, defence) / 50 + 2) * 0.925 * factor;
  if (has_type(user, move.type)) damage *= 1.5;
  if (is_physical && user.status == Status::Brn) damage *= 0.5;
  return std::min(2.0, damage / target.max_hp);
}

bool raises_own(const MoveData& move) {
  const auto is_up = [](const Boosts& boosts) {
    return std::ranges::any_of(boosts, [](int stage) { return stage > 0; });
  };
  return is_up(move.self.boosts) || (move.target == Target::Self && is_up(move.hit.boosts));
}

void put_move(Row& row, const Known& user, const LikelyMove& slot, const Known& target) {
  const MoveData& move = data(slot.id);
  const bool is_there = slot.id != Move::None;
  const bool hits = is_there && move.category != Category::Status;
  const double factor = hits ? effectiveness(move.type, target) : 1.0;
  row.put(slot.likelihood);
  row.put(is_there ? slot.pp : 0.0);
  row.put(is_there && move.category == Category::Physical);
  row.put(is_there && move.category == Category::Special);
  row.put(move.power / 150.0);
  row.put(is_there ? (move.accuracy == 0 ? 1.0 : move.accuracy / 100.0) : 0.0);
  row.put(move.priority / 5.0);
  row.put(factor == 0.0 ? -2.0 : std::log2(factor) / 2.0);
  row.put(hits && has_type(user, move.type));
  row.put(is_there ? damage_share(user, move, target) : 0.0);
  row.put(move.heal.numerator != 0 || move.drain.numerator != 0);
  row.put(is_there && raises_own(move));
  row.put(move.hit.status != Status::None || move.hit.condition != Volatile::None);
  row.put(is_there && index_of(move.side_condition) < kHazards);
  row.put(is_there && (move.has(kTraitSelfSwitch) || move.has(kTraitForceSwitch)));
  row.put(is_there && move.has(kTraitStalling));
  row.put_one_of(is_there ? index_of(move.type) : index_of(kTypes), kTypes);
}

void put_pokemon(Row row, const Known& known, const Known& target) {
  row.put(known.is_known);
  if (!known.is_known) return;
  row.put(known.is_active);
  row.put(known.is_fainted);
  row.put(known.hp);
  row.put(known.level / 100.0);
  for (int type = 0; type < kTypes; ++type) row.put(has_type(known, static_cast<Type>(type)));
  row.put(known.max_hp / 500.0);
  for (const double stat : known.stats) row.put(stat / 500.0);
  // The first status is none at all.
  row.put_one_of(index_of(known.status) - 1, 6);
  row.put(known.status_count / 8.0);
  for (const double share : known.items) row.put(share);
  for (const double share : known.abilities) row.put(share);
  row.put(target.is_known && known.stats[kSpe] > target.stats[kSpe]);
  for (const LikelyMove& move : known.moves) put_move(row, known, move, target);
}

// The field of one side, with what is common to both.
void put_field(Row row, const State& view, int index) {
  const Side& side = view.sides[index_of(index)];
  const Active& field = side.field;
  for (const int stage : field.boosts) row.put(stage / 6.0);
  for (int v = 0; v < kVolatiles; ++v) row.put(field.has(static_cast<Volatile>(v)));
  for (const std::uint8_t count : side.conditions) row.put(count / 4.0);
  row.put(side.left / 6.0);
  row.put(side.dynamax_used);
  row.put(field.dynamax_turns / 3.0);
  row.put(side.request == Request::Move);
  row.put(side.request == Request::Switch);
  row.put(side.wish_hp != 0);
  row.put(side.future_source != kNoSlot);
  row.put(side.healing_wish);
  row.put(std::min(8, static_cast<int>(field.active_turns)) / 8.0);
  row.put_one_of(index_of(view.weather) - 1, 4);
  row.put(view.weather_turns / 8.0);
  row.put_one_of(index_of(view.terrain) - 1, 4);
  row.put(view.terrain_turns / 8.0);
  row.put(view.trick_room / 5.0);
  row.put(view.gravity / 5.0);
  row.put(view.mid_turn);
  row.put(std::min(1.0, view.turn / 100.0));
}

}  // namespace

void encode(const State& state, int viewer, std::span<float> out) {
  assert(out.size() == index_of(kRows * kRowFeatures));
  std::ranges::fill(out, 0.0F);
  const State view = seen(state, viewer);
  const Side& own = view.sides[index_of(viewer)];
  const Side& other = view.sides[index_of(1 - viewer)];
  const Knowledge& knowledge = view.known[index_of(viewer)];
  const Known mine = own_pokemon(own, own.active);
  const Known theirs = other_pokemon(other, knowledge, other.active);
  for (int slot = 0; slot < kTeam; ++slot) {
    put_pokemon(Row(out, slot), own_pokemon(own, slot), theirs);
    put_pokemon(Row(out, kTeam + slot), other_pokemon(other, knowledge, slot), mine);
  }
  put_field(Row(out, 2 * kTeam), view, viewer);
  put_field(Row(out, 2 * kTeam + 1), view, 1 - viewer);
}

}  // namespace tengen::pokemon
