#pragma once

#include <cstdint>
#include <vector>

#include "search/node.hpp"

namespace tengen {

// Answers to rows seen before. A fixed number of places; a newer answer takes the place of an older one.
template <Game G>
class Cache {
 public:
  struct Entry {
    std::uint64_t key = 0;
    Values<G> values;
    std::vector<float> priors;
    std::vector<float> aux;
  };

  explicit Cache(std::int64_t entries) : entries_(static_cast<std::size_t>(entries)) {}

  bool is_on() const { return !entries_.empty(); }
  const Entry* find(std::uint64_t key) const {
    const Entry& entry = entries_[key % entries_.size()];
    return entry.key == key && !entry.priors.empty() ? &entry : nullptr;
  }
  Entry& place(std::uint64_t key) { return entries_[key % entries_.size()]; }
  void clear() { entries_.assign(entries_.size(), Entry{}); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace tengen
