#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tengen::convnet {

// Zeroed floats that begin on cache lines, in huge pages where the system has them: weights are read from end to end
// for every position, and finding their small pages takes a sixth of the time.
class Memory {
 public:
  float* take(std::size_t count) {
    count = (count + kLine - 1) / kLine * kLine;
    if (left_ < count) grow(count);
    float* found = next_;
    next_ += count;
    left_ -= count;
    return found;
  }

  const float* keep(std::span<const float> given) {
    float* to = take(given.size());
    std::ranges::copy(given, to);
    return to;
  }

 private:
  static constexpr std::size_t kLine = 64 / sizeof(float);
  static constexpr std::size_t kPage = std::size_t{1} << 21;   // bytes
  static constexpr std::size_t kBlock = std::size_t{1} << 23;  // bytes

  struct Free {
    void operator()(float* block) const { std::free(block); }
  };

  void grow(std::size_t count) {
    const std::size_t bytes = std::max(kBlock, (count * sizeof(float) + kPage - 1) / kPage * kPage);
    auto* block = static_cast<float*>(std::aligned_alloc(kPage, bytes));
    if (block == nullptr) throw std::bad_alloc();
    blocks_.emplace_back(block);
#ifdef __linux__
    ::madvise(block, bytes, MADV_HUGEPAGE);  // whether it is heeded does not matter
#endif
    next_ = block;
    left_ = bytes / sizeof(float);
    std::fill_n(block, left_, 0.0F);
  }

  std::vector<std::unique_ptr<float, Free>> blocks_;
  float* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace tengen::convnet
