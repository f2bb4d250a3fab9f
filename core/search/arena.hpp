#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace tengen {

// Memory of one tree: handed out from growing blocks, freed all at once. Arrays that are outgrown go to a free list of
// their size, so that a growing tree does not leave its past behind.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&&) noexcept = default;
  Arena& operator=(Arena&&) noexcept = default;

  template <class T>
  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlign);
    return static_cast<T*>(take(count * sizeof(T)));
  }

  template <class T>
  void release(T* array, std::size_t count) {
    const std::size_t bytes = round(count * sizeof(T));
    const std::size_t lane = bytes / kAlign;
    if (lane >= free_.size()) return;
    auto* link = reinterpret_cast<Link*>(array);
    link->next = free_[lane];
    free_[lane] = link;
  }

  // Bytes taken from the system.
  std::size_t reserved() const { return reserved_; }

 private:
  struct Link {
    Link* next;
  };
  static constexpr std::size_t kAlign = 8;
  static constexpr std::size_t kFirstBlock = 2048;
  static constexpr std::size_t kLargestBlock = std::size_t{1} << 20;

  static constexpr std::size_t round(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

  void* take(std::size_t bytes) {
    bytes = round(std::max(bytes, sizeof(Link)));
    const std::size_t lane = bytes / kAlign;
    if (lane < free_.size() && free_[lane] != nullptr) {
      Link* link = free_[lane];
      free_[lane] = link->next;
      return link;
    }
    if (bytes > static_cast<std::size_t>(end_ - next_)) grow(bytes);
    return std::exchange(next_, next_ + bytes);
  }

  void grow(std::size_t bytes) {
    const std::size_t wanted = std::max(bytes, std::min(kLargestBlock, std::max(kFirstBlock, reserved_)));
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(wanted));
    next_ = blocks_.back().get();
    end_ = next_ + wanted;
    reserved_ += wanted;
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t reserved_ = 0;
  std::array<Link*, 128> free_{};
};

}  // namespace tengen
