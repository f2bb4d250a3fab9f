#include "convnet/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "convnet/workspace.hpp"

namespace tengen::convnet {

namespace {

std::size_t count_tiles(std::size_t side, int m) {
  return (side + static_cast<std::size_t>(m) - 1) / static_cast<std::size_t>(m);
}

// The side of tiles with the fewest multiplications; of two, the smaller one loses fewer digits.
int best_tile(std::size_t width, std::size_t height) {
  int best = kSmallestTile;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (int m = kSmallestTile; m <= kLargestTile; ++m) {
    const std::size_t cost = patch_points(m) * count_tiles(width, m) * count_tiles(height, m);
    if (cost < least) {
      least = cost;
      best = m;
    }
  }
  return best;
}

// Far beyond all networks; with kMaxSide it keeps sizes of buffers below 2^64.
constexpr std::size_t kMaxChannels = std::size_t{1} << 20;
constexpr std::size_t kMaxSide = std::size_t{1} << 14;

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

}  // namespace

void check_finite(std::span<const float> weights) {
  for (const float weight : weights) {
    if (!std::isfinite(weight)) refuse("a weight of the network is " + std::to_string(weight) + ": it is damaged");
  }
}

Network::Network(std::size_t width, std::size_t height, int threads, const Kernels& kernels, Precision precision)
    : width_(width),
      height_(height),
      kernels_(kernels),
      precision_(kernels.int16.multiply == nullptr ? Precision::kFloat32 : precision),
      tile_(best_tile(width, height)),
      tiles_(count_tiles(width, tile_) * count_tiles(height, tile_)),
      workers_(threads),
      workspaces_(static_cast<std::size_t>(threads)) {
  if (width > kMaxSide || height > kMaxSide) refuse("the board is larger than a network's may be");
}

Network::~Network() = default;

const Network::Shape& Network::get(Value value, bool is_board) const {
  if (is_finished_) refuse("the network is finished");
  if (value >= values_.size()) refuse("no value " + std::to_string(value));
  if (values_[value].is_board != is_board) refuse("value " + std::to_string(value) + " is of the other kind");
  return values_[value];
}

std::size_t Network::padded(std::size_t channels) const {
  return (channels + kernels_.panel - 1) / kernels_.panel * kernels_.panel;
}

Network::Value Network::append(Kind kind, std::vector<Value> reads, bool is_board, std::size_t channels, Run run) {
  values_.push_back({is_board, channels, padded(channels)});
  steps_.push_back({kind, std::move(reads), values_.size() - 1, std::move(run)});
  return values_.size() - 1;
}

Network::Value Network::input(std::size_t channels, bool is_board) {
  if (is_finished_) refuse("the network is finished");
  if (channels > kMaxChannels)
    refuse("an input has " + std::to_string(channels) + " channels, more than a network may");
  values_.push_back({is_board, channels, padded(channels)});
  inputs_.push_back(values_.size() - 1);
  return values_.size() - 1;
}

Network::Value Network::board_input(std::size_t channels) { return input(channels, true); }

Network::Value Network::row_input(std::size_t channels) { return input(channels, false); }

// [panels][depth][panel]
std::vector<float> Network::panels(const float* weights, std::size_t depth, std::size_t outputs) const {
  const std::size_t panel = kernels_.panel;
  std::vector<float> found(padded(outputs) * depth);
  for (std::size_t i = 0; i < depth; ++i) {
    for (std::size_t j = 0; j < outputs; ++j) {
      found[(j / panel * depth + i) * panel + j % panel] = weights[i * outputs + j];
    }
  }
  return found;
}

const float* Network::per_channel(std::span<const float> given, std::size_t channels) {
  if (given.empty()) return nullptr;
  if (given.size() != channels) refuse("there must be a number for each channel");
  check_finite(given);
  float* found = weights_.take(padded(channels));
  std::ranges::copy(given, found);
  return found;
}

Finish Network::finish_of(const Workspace& space, const Step& step, const float* bias) const {
  return {bias, step.has_addend ? space.data(step.reads.back()) : nullptr, step.relu};
}

Network::Value Network::linear(Value row, const float* weights, std::size_t inputs, std::size_t outputs,
                               std::span<const float> bias) {
  const Shape& in = get(row, false);
  if (in.channels != inputs) refuse("the weights are for another number of channels");
  check_finite({weights, inputs * outputs});
  return append(Kind::kOther, {row}, false, outputs,
                [this, depth = in.channels, step_in = in.stride, out = padded(outputs),
                 packed = weights_.keep(panels(weights, in.channels, outputs)),
                 terms = per_channel(bias, outputs)](Workspace& space, const Step& step) {
                  for (std::size_t channel = 0; channel < out; channel += kernels_.panel) {
                    kernels_.multiply(space.data(step.reads[0]), step_in, packed + channel * depth, depth,
                                      space.data(step.writes) + channel, out, space.boards);
                  }
                  kernels_.finish(space.data(step.writes), space.boards, out, out, finish_of(space, step, terms));
                });
}

Network::Value Network::activate(Value x, Activation kind) {
  const bool is_board = x < values_.size() && values_[x].is_board;
  const Shape& shape = get(x, is_board);
  const bool is_relu = kind == Activation::kRelu;
  return append(is_relu ? Kind::kRelu : Kind::kOther, {x}, is_board, shape.channels,
                [this, kind, size = floats(shape)](Workspace& space, const Step& step) {
                  kernels_.activate(kind, space.data(step.reads[0]), space.data(step.writes), space.boards * size);
                });
}

Network::Value Network::add(Value a, Value b) {
  const bool is_board = a < values_.size() && values_[a].is_board;
  const Shape& shape = get(a, is_board);
  if (get(b, is_board).channels != shape.channels) refuse("boards or rows with other channels can't be added");
  return append(is_board ? Kind::kAdd : Kind::kOther, {a, b}, is_board, shape.channels,
                [this, size = floats(shape)](Workspace& space, const Step& step) {
                  kernels_.add(space.data(step.reads[0]), space.data(step.reads[1]), space.data(step.writes),
                               space.boards * size);
                });
}

Network::Value Network::add_everywhere(Value board, Value row) { return combine(board, row, kernels_.shift); }

Network::Value Network::scale_everywhere(Value board, Value row) { return combine(board, row, kernels_.scale); }

Network::Value Network::combine(Value board, Value row, PerChannel operation) {
  const Shape& shape = get(board, true);
  if (get(row, false).channels != shape.channels) refuse("the row is for another number of channels");
  return append(Kind::kOther, {board, row}, true, shape.channels,
                [this, operation, stride = shape.stride](Workspace& space, const Step& step) {
                  for (std::size_t i = 0; i < space.boards; ++i) {
                    const std::size_t at = i * points() * stride;
                    operation(space.data(step.reads[0]) + at, space.data(step.reads[1]) + i * stride,
                              space.data(step.writes) + at, points(), stride);
                  }
                });
}

Network::Value Network::scale(Value board, std::span<const float> factors) {
  const Shape& shape = get(board, true);
  if (factors.empty()) refuse("there must be a number for each channel");
  return append(
      Kind::kOther, {board}, true, shape.channels,
      [this, stride = shape.stride, by = per_channel(factors, shape.channels)](Workspace& space, const Step& step) {
        kernels_.scale(space.data(step.reads[0]), by, space.data(step.writes), space.boards * points(), stride);
      });
}

Network::Value Network::shift(Value board, std::span<const float> terms) {
  const Shape& shape = get(board, true);
  if (terms.empty()) refuse("there must be a number for each channel");
  return append(
      Kind::kOther, {board}, true, shape.channels,
      [this, stride = shape.stride, by = per_channel(terms, shape.channels)](Workspace& space, const Step& step) {
        kernels_.shift(space.data(step.reads[0]), by, space.data(step.writes), space.boards * points(), stride);
      });
}

Network::Value Network::pool(Value board) {
  const Shape& shape = get(board, true);
  return append(Kind::kOther, {board}, false, 2 * shape.channels,
                [this, shape, out = padded(2 * shape.channels)](Workspace& space, const Step& step) {
                  for (std::size_t i = 0; i < space.boards; ++i) {
                    float* to = space.data(step.writes) + i * out;
                    float* means = space.scratch;
                    float* largest = space.scratch + shape.stride;
                    kernels_.pool(space.data(step.reads[0]) + i * points() * shape.stride, points(), shape.stride,
                                  means, largest);
                    std::fill_n(to, out, 0.0F);
                    std::copy_n(means, shape.channels, to);
                    std::copy_n(largest, shape.channels, to + shape.channels);
                  }
                });
}

Network::Value Network::mean(Value board) {
  const Shape& shape = get(board, true);
  return append(Kind::kOther, {board}, false, shape.channels,
                [this, stride = shape.stride](Workspace& space, const Step& step) {
                  for (std::size_t i = 0; i < space.boards; ++i) {
                    kernels_.pool(space.data(step.reads[0]) + i * points() * stride, points(), stride,
                                  space.data(step.writes) + i * stride, space.scratch);
                  }
                });
}

Network::Value Network::flatten(Value board) {
  const Shape& shape = get(board, true);
  const std::size_t channels = shape.channels * points();
  return append(Kind::kOther, {board}, false, channels,
                [this, shape, out = padded(channels)](Workspace& space, const Step& step) {
                  for (std::size_t i = 0; i < space.boards; ++i) {
                    const float* from = space.data(step.reads[0]) + i * points() * shape.stride;
                    float* to = space.data(step.writes) + i * out;
                    for (std::size_t channel = 0; channel < shape.channels; ++channel) {
                      for (std::size_t point = 0; point < points(); ++point)
                        *to++ = from[point * shape.stride + channel];
                    }
                  }
                });
}

void Network::output(std::span<const Value> parts) {
  if (is_finished_ || parts.empty() || parts.size() > 2) refuse("an output is a board, a row, or a board and a row");
  const std::size_t channels = get(parts[0], parts.size() == 2 || values_.at(parts[0]).is_board).channels;
  if (parts.size() == 2 && get(parts[1], false).channels != channels)
    refuse("the row is for another number of channels");
  outputs_.emplace_back(parts.begin(), parts.end());
}

}  // namespace tengen::convnet
