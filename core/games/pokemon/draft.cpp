#include "games/pokemon/draft.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace tengen::pokemon {

namespace {

constexpr int kMaxOfType = 2;
constexpr int kMaxWeak = 3;
constexpr int kMaxFreezeDry = 4;
constexpr std::size_t kFire = 6;

bool has_fiery_ability(const SetRow& set) {
  const std::string_view name = ability_names()[set.ability];
  return name == "dryskin" || name == "fluffy";
}

}  // namespace

Pool::Pool() : incompatible(keys().size()), weight(keys().size()), bit(keys().size()) {
  weigh();
  place();
  for (std::size_t i = 0; i < keys().size(); ++i) {
    const PoolKey& key = keys()[i];
    for (std::size_t type = 0; type < kTypeCount; ++type) {
      if ((key.types >> type & 1) != 0) put(of_type[type], i);
      if ((key.weak >> type & 1) != 0) put(weak[type], i);
      if ((key.doubly_weak >> type & 1) != 0) put(doubly_weak[type], i);
    }
    if (key.has(PoolKey::kFireByAbility)) put(weak[kFire], i);
    if (key.has(PoolKey::kFreezeDry)) put(freeze_dry, i);
    if (key.has(PoolKey::kLevel100)) put(level_100, i);
    if (key.has(PoolKey::kOnlyDynamaxUser)) put(only_dynamax_user, i);
    if (key_names()[i] == "zoroark") put(illusion, i);
    put(same_base[key.base], i);
  }
  for (const KeyPair& pair : incompatible_pairs()) {
    put(incompatible[pair.first], pair.second);
    put(incompatible[pair.second], pair.first);
  }
}

void Pool::weigh() {
  for (std::size_t i = 0; i < keys().size(); ++i) {
    const std::size_t base = keys()[i].base;
    if (formes.size() <= base) formes.resize(base + 1);
    formes[base].push_back(static_cast<std::uint16_t>(i));
  }
  same_base.resize(formes.size());
  for (std::size_t base = 0; base < formes.size(); ++base) {
    const std::size_t copies = std::min<std::size_t>((formes[base].size() + 2) / 3, 3);
    for (std::size_t i = 0; i < copies; ++i) entries.push_back(static_cast<std::uint16_t>(base));
    for (const std::uint16_t key : formes[base]) {
      weight[key] = static_cast<double>(copies) / static_cast<double>(formes[base].size());
    }
  }
}

void Pool::place() {
  std::map<double, std::vector<std::size_t>> classes;
  for (std::size_t i = 0; i < keys().size(); ++i) classes[weight[i]].push_back(i);
  std::size_t next = 0;
  for (const auto& [value, members] : classes) {
    for (const std::size_t key : members) {
      if (next >= 64 * kKeyWords) throw std::logic_error("the pool of species has too many weights");
      bit[key] = static_cast<std::uint16_t>(next++);
      word_weight[bit[key] >> 6U] = value;
      total += value;
    }
    next = (next + 63) / 64 * 64;
  }
}

const Pool& pool() {
  static const Pool built;
  return built;
}

void Draft::count_types(const PoolKey& key, bool is_fire_weak) {
  const Pool& all = pool();
  for (unsigned rest = key.types; rest != 0; rest &= rest - 1) {
    const auto type = static_cast<std::size_t>(std::countr_zero(rest));
    if (++types_[type] == kMaxOfType) add_all(excluded_, all.of_type[type]);
  }
  for (unsigned rest = key.weak | (is_fire_weak ? 1U << kFire : 0U); rest != 0; rest &= rest - 1) {
    const auto type = static_cast<std::size_t>(std::countr_zero(rest));
    if (++weak_[type] == kMaxWeak) add_all(excluded_, all.weak[type]);
  }
  for (unsigned rest = key.doubly_weak; rest != 0; rest &= rest - 1) {
    add_all(excluded_, all.doubly_weak[static_cast<std::size_t>(std::countr_zero(rest))]);
  }
}

void Draft::add(std::size_t key, const SetRow& set) {
  const Pool& all = pool();
  const PoolKey& row = keys()[key];
  const KeySet before = excluded_;
  count_types(row, row.has(PoolKey::kFireByAbility) && has_fiery_ability(set));
  if (row.has(PoolKey::kFreezeDry) && ++freeze_dry_ == kMaxFreezeDry) add_all(excluded_, all.freeze_dry);
  if (row.has(PoolKey::kLevel100)) add_all(excluded_, all.level_100);
  add_all(excluded_, all.same_base[row.base]);
  add_all(excluded_, all.incompatible[key]);
  details_ |= set.gives & ~static_cast<unsigned>(kSpikes);
  if ((set.gives & kSpikes) != 0 && ++spikes_ == 2) details_ |= kSpikes;
  if ((details_ & kDynamaxUser) != 0) add_all(excluded_, all.only_dynamax_user);
  // Illusion would show nobody in the last place.
  if (++size_ + 1 == kTeamSize) add_all(excluded_, all.illusion);
  KeySet closed{};
  for (std::size_t i = 0; i < kKeyWords; ++i) closed[i] = excluded_[i] & ~before[i];
  open_ -= all.weight_of(closed);
}

int Draft::draw_key(const KeySet& also_excluded, Rng& rng) const {
  const Pool& all = pool();
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    const auto& formes = all.formes[all.entries[rng.below(static_cast<std::uint32_t>(all.entries.size()))]];
    const std::size_t key =
        formes.size() == 1 ? formes[0] : formes[rng.below(static_cast<std::uint32_t>(formes.size()))];
    if (is_open(key) && !all.has(also_excluded, key)) return static_cast<int>(key);
  }
  return -1;
}

}  // namespace tengen::pokemon
