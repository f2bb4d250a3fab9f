#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

// The pool that random teams are drawn from: keys, and for each its complete sets with their exact probabilities in
// every context that the rest of the team can put it in. A key is one line of the generator's pool; what players see
// of it is a forme: some keys have several formes that differ by looks alone, and a few formes are of two keys (with
// and without Gigantamax).
namespace tengen::pokemon {

inline constexpr std::size_t kTeamSize = 6;
inline constexpr std::size_t kTypeCount = 18;  // in alphabetical order

// What earlier members of a team mean for the sets of later ones, as bits.
enum Detail : std::uint8_t {
  kScreens = 1,
  kStickyWeb = 2,
  kStealthRock = 4,
  kHazardRemoval = 8,
  kToxicSpikes = 16,
  kSpikes = 32,  // of a set: it has them; of a team: two members have them
  kStatusCure = 64,
  kDynamaxUser = 128,
};

struct Spread {
  std::array<std::uint8_t, 6> evs;  // HP, Attack, Defense, Special Attack, Special Defense, Speed
  std::array<std::uint8_t, 6> ivs;
};

struct PoolKey {
  enum Flag : std::uint8_t {
    kFreezeDry = 1,
    kFireByAbility = 2,
    kOnlyDynamaxUser = 4,
    kGigantamax = 8,
    kLevel100 = 16
  };

  std::uint16_t base;  // keys of one base species are never in one team
  std::uint8_t level;
  std::uint8_t gender;  // 0 none, 1 male, 2 female, 3 either, equally likely
  std::uint8_t flags;
  std::uint8_t notices;  // details that its sets depend on
  std::uint8_t set_count;
  std::uint16_t first_set;
  std::uint16_t first_context;  // as lead; then one for each combination of the details it notices
  std::uint32_t types;          // as bits
  std::uint32_t weak;
  std::uint32_t doubly_weak;
  std::array<std::uint8_t, 6> stats;  // base stats of the key's own forme

  bool has(Flag flag) const { return (flags & flag) != 0; }
};

struct SetRow {
  std::array<std::int16_t, 4> moves;  // sorted by name; -1 none
  std::uint8_t ability;
  std::uint8_t item;
  std::uint8_t spread;
  std::uint8_t gives;  // details
};

struct FormeOfKey {
  std::uint16_t forme;
  std::uint16_t key;
};

struct KeyPair {
  std::uint16_t first;
  std::uint16_t second;
};

// Some of the sets of one forme: bit i stands for its set number i. No forme has more than 128.
struct SetMask {
  std::array<std::uint64_t, 2> words{};

  static constexpr SetMask all() { return {{~0ULL, ~0ULL}}; }
  constexpr bool has(std::size_t i) const { return (words[i >> 6] >> (i & 63) & 1) != 0; }
  constexpr void add(std::size_t i) { words[i >> 6] |= 1ULL << (i & 63); }
  constexpr bool empty() const { return (words[0] | words[1]) == 0; }
  constexpr int count() const { return std::popcount(words[0]) + std::popcount(words[1]); }
  friend constexpr SetMask operator&(SetMask a, SetMask b) {
    return {{a.words[0] & b.words[0], a.words[1] & b.words[1]}};
  }
  friend constexpr bool operator==(const SetMask&, const SetMask&) = default;
};

// Names are the simulator's identifiers.
std::span<const std::string_view> forme_names();
std::span<const std::string_view> key_names();
std::span<const std::string_view> move_names();
std::span<const std::string_view> item_names();
std::span<const std::string_view> ability_names();
// -1 for a name that no set has.
int find_forme(std::string_view name);

std::span<const PoolKey> keys();
// Keys that are never in one team.
std::span<const KeyPair> incompatible_pairs();
std::span<const SetRow> sets();
const Spread& spread_of(const SetRow& set);
// The keys that a forme may be of, one or two; the sets of the first come first in its numbering.
std::span<const std::uint16_t> keys_of(std::size_t forme);
// How many formes a key may show; each is equally likely.
int forme_count(std::size_t key);
std::size_t forme_of(std::size_t key, std::size_t which);
std::size_t set_count_of(std::size_t forme);
// Weights of a key's sets, summing to about 65535.
std::span<const std::uint16_t> weights_of(std::size_t key, unsigned details, bool is_lead);

}  // namespace tengen::pokemon
