#include "games/pokemon/set_ids.hpp"

#include <algorithm>
#include <vector>

namespace tengen::pokemon {

namespace {

struct Ids {
  Ids() : by_species(index_of(Species::Count), -1) {
    for (const std::string_view name : forme_names()) {
      const bool is_crowned = name.ends_with("crowned");
      formes.push_back(find_species(is_crowned ? name.substr(0, name.size() - 7) : name));
      if (!is_crowned) by_species[index_of(formes.back())] = static_cast<int>(formes.size()) - 1;
    }
    for (const std::string_view name : move_names()) moves.push_back(find_move(name));
    for (const std::string_view name : item_names()) items.push_back(find_item(name));
    for (const std::string_view name : ability_names()) abilities.push_back(find_ability(name));
  }

  std::vector<Species> formes;
  std::vector<int> by_species;
  std::vector<Move> moves;
  std::vector<Item> items;
  std::vector<Ability> abilities;
};

const Ids& ids() {
  static const Ids built;
  return built;
}

template <class Holds>
SetMask sets_where(std::size_t forme, Holds holds) {
  SetMask mask;
  std::size_t number = 0;
  for (const std::uint16_t key : keys_of(forme)) {
    for (const SetRow& row : sets().subspan(keys()[key].first_set, keys()[key].set_count)) {
      if (holds(row)) mask.add(number);
      ++number;
    }
  }
  return mask;
}

}  // namespace

Set to_set(const Member& member) {
  const SetRow& row = sets()[member.set];
  const PoolKey& key = keys()[member.key];
  Set set;
  set.species = ids().formes[member.forme];
  set.level = key.level;
  set.gender = static_cast<Gender>(member.gender);
  set.ability = ability_of(row);
  set.item = item_of(row);
  set.moves = moves_of(row);
  set.evs = spread_of(row).evs;
  set.ivs = spread_of(row).ivs;
  set.gigantamax = key.has(PoolKey::kGigantamax);
  return set;
}

int forme_of(Species species, Item item) {
  if (species == Species::Zacian && item == Item::RustedSword) return find_forme("zaciancrowned");
  if (species == Species::Zamazenta && item == Item::RustedShield) return find_forme("zamazentacrowned");
  return ids().by_species[index_of(species)];
}

Species species_of(std::size_t forme) { return ids().formes[forme]; }

std::array<Move, kMoveSlots> moves_of(const SetRow& row) {
  std::array<Move, kMoveSlots> moves{};
  for (std::size_t i = 0; i < kMoveSlots; ++i) {
    if (row.moves[i] >= 0) moves[i] = ids().moves[static_cast<std::size_t>(row.moves[i])];
  }
  return moves;
}

Item item_of(const SetRow& row) { return ids().items[row.item]; }

Ability ability_of(const SetRow& row) { return ids().abilities[row.ability]; }

SetMask all_sets(std::size_t forme) {
  return sets_where(forme, [](const SetRow&) { return true; });
}

SetMask sets_with(std::size_t forme, Move move) {
  return sets_where(forme, [&](const SetRow& row) {
    return std::ranges::any_of(
        row.moves, [&](std::int16_t one) { return one >= 0 && ids().moves[static_cast<std::size_t>(one)] == move; });
  });
}

SetMask sets_with(std::size_t forme, Item item) {
  return sets_where(forme, [&](const SetRow& row) { return ids().items[row.item] == item; });
}

SetMask sets_with(std::size_t forme, Ability ability) {
  return sets_where(forme, [&](const SetRow& row) { return ids().abilities[row.ability] == ability; });
}

}  // namespace tengen::pokemon
