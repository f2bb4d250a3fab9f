#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "convnet/memory.hpp"
#include "convnet/network.hpp"

namespace tengen::convnet {

// Of Winograd's patches.
inline std::size_t patch_points(int m) { return static_cast<std::size_t>((m + 2) * (m + 2)); }

// One thread's memory, for a group of boards.
struct Network::Workspace {
  std::size_t boards = 0;  // of this group
  std::vector<float*> buffers;
  float* patches = nullptr;
  float* products = nullptr;
  std::int16_t* quantized = nullptr;  // patches
  float* factors = nullptr;           // of the rows of `quantized`
  const float* zeros = nullptr;       // a point's
  float* scratch = nullptr;           // two points'
  std::vector<SparseBoard::Entry> entries;
  std::vector<std::uint32_t> starts;

  Workspace(const Network& network, std::size_t max_boards) : values_(network.values_) {
    std::size_t widest = 0;
    for (const Shape& shape : values_) widest = std::max(widest, shape.stride);
    for (const std::size_t size : network.buffers_) buffers.push_back(memory_.take(size * max_boards));
    patches = memory_.take(network.patch_floats_ * max_boards);
    products = memory_.take(network.product_floats_ * max_boards);
    if (network.has_integers_) {
      quantized = reinterpret_cast<std::int16_t*>(memory_.take((network.patch_floats_ * max_boards + 1) / 2));
      factors = memory_.take(patch_points(network.tile_) * network.tiles_ * max_boards);
    }
    zeros = memory_.take(widest);
    scratch = memory_.take(2 * widest);
  }

  float* data(Value value) const { return buffers[values_[value].buffer]; }

 private:
  Memory memory_;
  const std::vector<Shape>& values_;
};

}  // namespace tengen::convnet
