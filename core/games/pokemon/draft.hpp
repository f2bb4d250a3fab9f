#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "games/pokemon/sets.hpp"
#include "rng.hpp"

// A team that is being drawn, and which keys may come next by the rules of whole teams.
namespace tengen::pokemon {

// Keys as bits. Those of equal weight are neighbors, and no two weights share a word, so that a set is weighed word by
// word.
inline constexpr std::size_t kKeyWords = 13;
using KeySet = std::array<std::uint64_t, kKeyWords>;

inline void add_all(KeySet& to, const KeySet& more) {
  for (std::size_t i = 0; i < kKeyWords; ++i) to[i] |= more[i];
}

// Sets of keys that rules exclude together, and how likely a key is to come up at all.
class Pool {
 public:
  Pool();

  std::array<KeySet, kTypeCount> of_type{};
  std::array<KeySet, kTypeCount> weak{};  // Fire: those too that may have Dry Skin or Fluffy
  std::array<KeySet, kTypeCount> doubly_weak{};
  KeySet freeze_dry{};
  KeySet level_100{};
  KeySet only_dynamax_user{};
  KeySet illusion{};
  std::vector<KeySet> same_base;     // by base
  std::vector<KeySet> incompatible;  // by key
  std::vector<double> weight;        // by key
  std::vector<std::uint16_t> bit;    // by key: its place in sets of keys
  std::array<double, kKeyWords> word_weight{};
  double total = 0;                                // of all keys
  std::vector<std::uint16_t> entries;              // bases; those with many formes stand more than once
  std::vector<std::vector<std::uint16_t>> formes;  // keys, by base

  // The weight of the keys in a set.
  double weight_of(const KeySet& set) const {
    double sum = 0;
    for (std::size_t i = 0; i < kKeyWords; ++i) {
      if (set[i] != 0) sum += word_weight[i] * std::popcount(set[i]);
    }
    return sum;
  }
  bool has(const KeySet& set, std::size_t key) const { return (set[bit[key] >> 6U] >> (bit[key] & 63U) & 1U) != 0; }

 private:
  void weigh();
  void place();
  void put(KeySet& to, std::size_t key) const { to[bit[key] >> 6U] |= 1ULL << (bit[key] & 63U); }
};

const Pool& pool();

class Draft {
 public:
  bool is_open(std::size_t key) const { return !pool().has(excluded_, key); }
  // The weight of the keys that may come next; and of those among some.
  double open_weight() const { return open_; }
  double open_weight(const KeySet& among) const {
    KeySet rest{};
    for (std::size_t i = 0; i < kKeyWords; ++i) rest[i] = among[i] & ~excluded_[i];
    return pool().weight_of(rest);
  }
  std::size_t size() const { return size_; }
  std::span<const std::uint16_t> weights(std::size_t key) const { return weights_of(key, details_, size_ == 0); }
  void add(std::size_t key, const SetRow& set);
  // A key that may come next and is not in `also_excluded`; -1 if there is none.
  int draw_key(const KeySet& also_excluded, Rng& rng) const;

 private:
  void count_types(const PoolKey& key, bool is_fire_weak);

  KeySet excluded_{};
  double open_ = pool().total;
  std::array<std::uint8_t, kTypeCount> types_{};
  std::array<std::uint8_t, kTypeCount> weak_{};
  std::uint8_t freeze_dry_ = 0;
  std::uint8_t spikes_ = 0;
  unsigned details_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tengen::pokemon
