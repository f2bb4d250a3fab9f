// The end of a turn: everything that acts or ends then, in the simulator's order.
#include <algorithm>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/seeing.hpp"

namespace tengen::pokemon {

namespace {

enum Kind : std::uint8_t {
  kWeather,
  kFutureSight,
  kWish,
  kGMaxDamage,
  kGrassyTerrain,
  kShedSkin,
  kLeftovers,
  kLeechSeed,
  kPoison,
  kBurn,
  kVolatile,
  kSide,
  kTrickRoom,
  kGravity,
  kTerrainEnds,
  kAbility,
  kOrb,
  kForme,
  kWhiteHerb,
  kIonDeluge,
  kDynamaxCount
};

constexpr int kNoOrder = 99;

// Where a volatile's place is among the residuals.
int order_of_volatile(Volatile v) {
  switch (v) {
    case Volatile::LeechSeed:
      return 8;
    case Volatile::Curse:
      return 12;
    case Volatile::PartiallyTrapped:
      return 13;
    case Volatile::Taunt:
      return 15;
    case Volatile::Encore:
      return 16;
    case Volatile::Disable:
      return 17;
    case Volatile::MagnetRise:
      return 18;
    case Volatile::ThroatChop:
      return 22;
    case Volatile::Yawn:
      return 23;
    case Volatile::Roost:
      return 25;
    default:
      return kNoOrder;
  }
}

constexpr std::uint64_t bit(Volatile v) { return std::uint64_t{1} << index_of(v); }

// Those that do something or end by themselves at the end of a turn.
constexpr std::uint64_t kResiduals =
    bit(Volatile::Flinch) | bit(Volatile::Protect) | bit(Volatile::KingsShield) | bit(Volatile::BanefulBunker) |
    bit(Volatile::SpikyShield) | bit(Volatile::MaxGuard) | bit(Volatile::Counter) | bit(Volatile::MirrorCoat) |
    bit(Volatile::FocusPunch) | bit(Volatile::Roost) | bit(Volatile::LockedMove) | bit(Volatile::TwoTurnMove) |
    bit(Volatile::Stall) | bit(Volatile::Fly) | bit(Volatile::Bounce) | bit(Volatile::PhantomForce) |
    bit(Volatile::ThroatChop) | bit(Volatile::Yawn) | bit(Volatile::Encore) | bit(Volatile::Taunt) |
    bit(Volatile::Disable) | bit(Volatile::MagnetRise) | bit(Volatile::PartiallyTrapped) | bit(Volatile::Torment) |
    bit(Volatile::LeechSeed) | bit(Volatile::Curse) | bit(Volatile::Dynamax);

struct Handler {
  std::uint8_t order = kNoOrder;
  std::int8_t priority = 0;
  std::uint8_t sub = 0;
  std::int8_t side = -1;
  std::int16_t speed = 0;
  Kind kind = kWeather;
  std::uint8_t what = 0;  // a Volatile or a SideCondition

  bool is_before(const Handler& other) const {
    if (order != other.order) return order < other.order;
    if (priority != other.priority) return priority > other.priority;
    if (speed != other.speed) return speed > other.speed;
    return sub < other.sub;
  }
};

class Handlers {
 public:
  void add(int order, int sub, int side, int speed, Kind kind, std::size_t what = 0) {
    if (count_ == static_cast<int>(list_.size())) return;
    Handler& h = list_[index_of(count_++)];
    h.order = static_cast<std::uint8_t>(order);
    h.priority = kind == kDynamaxCount ? std::int8_t{-100} : std::int8_t{0};
    h.sub = static_cast<std::uint8_t>(sub);
    h.side = static_cast<std::int8_t>(side);
    h.speed = static_cast<std::int16_t>(speed);
    h.kind = kind;
    h.what = static_cast<std::uint8_t>(what);
  }

  // Equals of both sides are in an order that is drawn once: `second_first`.
  void sort(bool second_first) {
    std::stable_sort(list_.begin(), list_.begin() + count_, [&](const Handler& a, const Handler& b) {
      if (a.is_before(b)) return true;
      if (b.is_before(a) || a.side < 0 || b.side < 0) return false;
      return second_first ? a.side > b.side : a.side < b.side;
    });
  }

  const Handler* begin() const { return list_.data(); }
  const Handler* end() const { return list_.data() + count_; }

 private:
  std::array<Handler, 48> list_{};
  int count_ = 0;
};

}  // namespace

static void add_ability(Handlers& list, int p, int speed, Ability own) {
  switch (own) {
    case Ability::ShedSkin:
      list.add(5, 3, p, speed, kShedSkin);
      break;
    case Ability::SpeedBoost:
    case Ability::Harvest:
    case Ability::SlowStart:
      list.add(28, 2, p, speed, kAbility);
      break;
    case Ability::HungerSwitch:
    case Ability::PowerConstruct:
    case Ability::Schooling:
      list.add(29, 7, p, speed, kForme);
      break;
    default:
      break;
  }
}

static void add_item(Handlers& list, int p, int speed, Item held) {
  switch (held) {
    case Item::Leftovers:
    case Item::BlackSludge:
      list.add(5, 4, p, speed, kLeftovers);
      break;
    case Item::FlameOrb:
    case Item::ToxicOrb:
      list.add(28, 3, p, speed, kOrb);
      break;
    case Item::WhiteHerb:
      list.add(29, 8, p, speed, kWhiteHerb);
      break;
    default:
      break;
  }
}

static void add_field(Handlers& list, const State& s) {
  if (s.weather != Weather::None) list.add(1, 0, -1, 0, kWeather);
  if (s.trick_room != 0) list.add(27, 1, -1, 0, kTrickRoom);
  if (s.gravity != 0) list.add(27, 2, -1, 0, kGravity);
  if (s.terrain != Terrain::None) list.add(27, 7, -1, 0, kTerrainEnds);
  if (s.ion_deluge) list.add(kNoOrder, 5, -1, 0, kIonDeluge);
}

static int sub_order(SideCondition c) {
  switch (c) {
    case SideCondition::Reflect:
      return 1;
    case SideCondition::LightScreen:
      return 2;
    case SideCondition::AuroraVeil:
      return 10;
    default:
      return 11;
  }
}

static void add_side(Handlers& list, int p, const Side& side, int speed) {
  for (std::size_t i = kHazards; i < kSideConditions; ++i) {
    if (side.conditions[i] == 0) continue;
    const auto c = static_cast<SideCondition>(i);
    list.add(26, sub_order(c), -1 - p, 0, kSide, i);
    const bool hurts = i >= index_of(SideCondition::GMaxCannonade);
    if (hurts && side.field.on_field) list.add(5, 1, p, speed, kGMaxDamage, i);
  }
  if (side.future_source != kNoSlot) list.add(3, 3, p, speed, kFutureSight);
  if (side.wish_hp != 0) list.add(4, 3, p, speed, kWish);
}

void Battle::run_residuals() {
  Handlers list;
  add_field(list, s_);
  for (int p = 0; p < 2; ++p) {
    const Active& field = act(p);
    const int speed = field.speed;
    add_side(list, p, s_.sides[index_of(p)], speed);
    if (!field.on_field) continue;
    const Status status = mon(p).status;
    if (status == Status::Psn || status == Status::Tox) list.add(9, 0, p, speed, kPoison);
    if (status == Status::Brn) list.add(10, 0, p, speed, kBurn);
    for (std::uint64_t rest = field.volatiles & kResiduals; rest != 0; rest &= rest - 1) {
      const auto v = static_cast<Volatile>(__builtin_ctzll(rest));
      const Kind kind = v == Volatile::Dynamax ? kDynamaxCount : kVolatile;
      list.add(order_of_volatile(v), 2, p, speed, kind, index_of(v));
    }
    add_ability(list, p, speed, ability(p));
    add_item(list, p, speed, item(p));
    if (s_.terrain == Terrain::Grassy) list.add(5, 2, p, speed, kGrassyTerrain);
  }
  const bool tied = act(0).on_field && act(1).on_field && act(0).speed == act(1).speed;
  list.sort(tied && chance_.swaps_tie());
  for (const Handler& handler : list) {
    if (handler.side >= 0 && !act(handler.side).on_field && handler.kind != kFutureSight && handler.kind != kWish)
      continue;
    run_residual(handler.kind, handler.side, handler.what);
    settle_faints(true);
    if (is_over()) return;
  }
}

void Battle::run_residual(std::uint8_t kind, int p, std::uint8_t what) {
  switch (kind) {
    case kFutureSight:
      land_future_sight(p);
      break;
    case kWish:
      grant_wish(p);
      break;
    case kGMaxDamage:
      g_max_residual(p, static_cast<SideCondition>(what));
      break;
    case kGrassyTerrain:
      if (s_.terrain == Terrain::Grassy && is_grounded(p) && !is_semi_invulnerable(p)) heal(p, mon(p).base_max_hp / 16);
      break;
    case kShedSkin:
      if (ability(p) == Ability::ShedSkin && mon(p).hp > 0 && mon(p).status != Status::None &&
          chance_.chance(33, 100)) {
        cure_status(mon(p));
      }
      break;
    case kLeftovers:
      leftovers(p);
      break;
    case kPoison:
      poison_residual(p);
      break;
    case kBurn:
      if (mon(p).status == Status::Brn) damage(p, mon(p).base_max_hp / 16, -1, Cause::Status);
      break;
    case kVolatile:
      volatile_residual(p, static_cast<Volatile>(what));
      break;
    case kAbility:
      ability_residual(p);
      break;
    case kOrb:
      if (item(p) == Item::FlameOrb) try_status(p, Status::Brn, who_of(p), Cause::Item);
      if (item(p) == Item::ToxicOrb) try_status(p, Status::Tox, who_of(p), Cause::Item);
      break;
    case kForme:
      forme_residual(p);
      break;
    case kWhiteHerb:
      check_white_herb(p);
      break;
    case kDynamaxCount:
      if (act(p).has(Volatile::Dynamax)) ++act(p).dynamax_turns;
      break;
    default:
      field_residual(kind, p, what);
  }
}

// Of the field and of sides; of the latter p is -1 or -2.
void Battle::field_residual(std::uint8_t kind, int p, std::uint8_t what) {
  switch (kind) {
    case kWeather:
      weather_residual();
      break;
    case kSide: {
      Side& side = s_.sides[index_of(-1 - p)];
      if (side.conditions[what] > 0) --side.conditions[what];
      break;
    }
    case kTrickRoom:
      if (s_.trick_room > 0) --s_.trick_room;
      break;
    case kGravity:
      if (s_.gravity > 0) --s_.gravity;
      break;
    case kTerrainEnds:
      if (s_.terrain != Terrain::None && --s_.terrain_turns == 0) clear_terrain();
      break;
    case kIonDeluge:
      s_.ion_deluge = false;
      break;
    default:
      break;
  }
}

}  // namespace tengen::pokemon
