#include "games/pokemon/sets.hpp"

#include <algorithm>
#include <vector>

#include "games/pokemon/set_table.inc"

namespace tengen::pokemon {

namespace {

// What follows from the table, put together once.
struct Index {
  Index() : keys_of(table::kFormes.size()), formes_of(table::kKeys.size()) {
    for (const FormeOfKey& row : table::kFormeKeys) {
      keys_of[row.forme].push_back(row.key);
      formes_of[row.key].push_back(row.forme);
    }
  }

  std::vector<std::vector<std::uint16_t>> keys_of;
  std::vector<std::vector<std::uint16_t>> formes_of;
};

const Index& index() {
  static const Index built;
  return built;
}

}  // namespace

std::span<const std::string_view> forme_names() { return table::kFormes; }
std::span<const std::string_view> key_names() { return table::kKeyNames; }
std::span<const std::string_view> move_names() { return table::kMoves; }
std::span<const std::string_view> item_names() { return table::kItems; }
std::span<const std::string_view> ability_names() { return table::kAbilities; }

int find_forme(std::string_view name) {
  const auto found = std::ranges::lower_bound(table::kFormes, name);
  return found == table::kFormes.end() || *found != name ? -1 : static_cast<int>(found - table::kFormes.begin());
}

std::span<const PoolKey> keys() { return table::kKeys; }
std::span<const KeyPair> incompatible_pairs() { return table::kIncompatible; }
std::span<const SetRow> sets() { return table::kSets; }
const Spread& spread_of(const SetRow& set) { return table::kSpreads[set.spread]; }
std::span<const std::uint16_t> keys_of(std::size_t forme) { return index().keys_of[forme]; }
int forme_count(std::size_t key) { return static_cast<int>(index().formes_of[key].size()); }
std::size_t forme_of(std::size_t key, std::size_t which) { return index().formes_of[key][which]; }

std::size_t set_count_of(std::size_t forme) {
  std::size_t count = 0;
  for (const std::uint16_t key : keys_of(forme)) count += table::kKeys[key].set_count;
  return count;
}

std::span<const std::uint16_t> weights_of(std::size_t key, unsigned details, bool is_lead) {
  const PoolKey& row = table::kKeys[key];
  std::size_t context = row.first_context;
  if (!is_lead) {
    ++context;
    std::size_t place = 1;
    for (unsigned rest = row.notices; rest != 0; rest &= rest - 1, place <<= 1) {
      if ((details & rest & (~rest + 1U)) != 0) context += place;
    }
  }
  return std::span<const std::uint16_t>(table::kWeights).subspan(table::kContexts[context], row.set_count);
}

}  // namespace tengen::pokemon
