#include "games/pokemon/data.hpp"

#include <algorithm>

namespace tengen::pokemon {

const std::array<MoveData, index_of(Move::Count)> kMoves{{
    {},
#include "games/pokemon/data/moves.inc"
}};

const std::array<SpeciesData, index_of(Species::Count)> kSpecies{{
    {},
#include "games/pokemon/data/species.inc"
}};

const std::array<AbilityData, index_of(Ability::Count)> kAbilities{{
    {},
#include "games/pokemon/data/abilities.inc"
}};

const std::array<ItemData, index_of(Item::Count)> kItems{{
    {},
#include "games/pokemon/data/items.inc"
}};

const std::array<std::string_view, kTypes + 1> kTypeNames{
#include "games/pokemon/data/types.inc"
    "???"};

namespace {

constexpr std::int8_t kSimulatorChart[kTypes][kTypes] = {
#include "games/pokemon/data/type_chart.inc"
};

// The simulator writes 1 for double, 2 for half, 3 for none.
constexpr auto make_chart() {
  std::array<std::array<std::int8_t, kTypes + 1>, kTypes + 1> chart{};
  for (std::size_t attack = 0; attack < kTypes; ++attack) {
    for (std::size_t defend = 0; defend < kTypes; ++defend) {
      const std::int8_t written = kSimulatorChart[attack][defend];
      chart[attack][defend] = written == 2 ? std::int8_t{-1} : written;
    }
  }
  return chart;
}

// Tables are sorted by id, behind the empty first row.
template <class Id, class Table>
Id find(const Table& table, std::string_view id) {
  const auto row = std::lower_bound(table.begin() + 1, table.end(), id,
                                    [](const auto& entry, std::string_view wanted) { return entry.id < wanted; });
  return row == table.end() || row->id != id ? Id::None : static_cast<Id>(row - table.begin());
}

}  // namespace

const std::array<std::array<std::int8_t, kTypes + 1>, kTypes + 1> kTypeChart = make_chart();

Species find_species(std::string_view id) { return find<Species>(kSpecies, id); }
Move find_move(std::string_view id) { return find<Move>(kMoves, id); }
Ability find_ability(std::string_view id) { return find<Ability>(kAbilities, id); }
Item find_item(std::string_view id) { return find<Item>(kItems, id); }

Type find_type(std::string_view name) {
  const auto at = std::find(kTypeNames.begin(), kTypeNames.end(), name);
  return at == kTypeNames.end() ? Type::None : static_cast<Type>(at - kTypeNames.begin());
}

const std::array<std::string_view, kVolatiles> kVolatileIds{
    "attract",    "banefulbunker", "bounce",     "gmaxchistrike", "choicelock",    "confusion",        "counter",
    "curse",      "destinybond",   "disable",    "dynamax",       "encore",        "flashfire",        "flinch",
    "fly",        "focusenergy",   "focuspunch", "geomancy",      "kingsshield",   "leechseed",        "lockedmove",
    "magnetrise", "maxguard",      "meteorbeam", "mirrorcoat",    "noretreat",     "partiallytrapped", "phantomforce",
    "protect",    "roost",         "smackdown",  "solarbeam",     "sparklingaria", "spikyshield",      "stall",
    "substitute", "taunt",         "throatchop", "torment",       "trapped",       "trapper",          "twoturnmove",
    "unburden",   "yawn"};

const std::array<std::string_view, kSideConditions> kSideConditionIds{
    "spikes",      "toxicspikes", "stealthrock",   "stickyweb",    "gmaxsteelsurge", "reflect",
    "lightscreen", "auroraveil",  "gmaxcannonade", "gmaxvinelash", "gmaxvolcalith",  "gmaxwildfire"};

const std::array<std::string_view, 7> kStatusIds{"", "brn", "par", "slp", "frz", "psn", "tox"};
const std::array<std::string_view, 5> kWeatherIds{"", "sunnyday", "raindance", "sandstorm", "hail"};
const std::array<std::string_view, 5> kTerrainIds{"", "electricterrain", "grassyterrain", "mistyterrain",
                                                  "psychicterrain"};

}  // namespace tengen::pokemon
