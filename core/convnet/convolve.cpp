#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "convnet/network.hpp"
#include "convnet/workspace.hpp"

// The ways of a convolution.
namespace tengen::convnet {

namespace {

// How a product's factors become integers of which no sum needs more than 32 bits.
struct Rounding {
  float limit;  // the largest integer on the left
  float step;   // what 1 stands for on the right
};

// Return the rounding for weights [depth][outputs] on the right; both sides get the same number of bits.
Rounding rounding_of(const float* weights, std::size_t depth, std::size_t outputs) {
  double largest = 0, heaviest = 0;
  for (std::size_t j = 0; j < outputs; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      const double weight = std::fabs(static_cast<double>(weights[i * outputs + j]));
      largest = std::max(largest, weight);
      sum += weight;
    }
    heaviest = std::max(heaviest, sum);
  }
  if (largest == 0) return {1, 1};
  constexpr double kMaxSum = std::numeric_limits<std::int32_t>::max(), kMax = std::numeric_limits<std::int16_t>::max();
  // Rounding adds half a step to each weight at most.
  double limit = std::floor(std::min(kMax, std::sqrt(kMaxSum / (heaviest / largest))));
  while (limit > 1 && limit * (limit * heaviest / largest + 0.5 * static_cast<double>(depth)) > kMaxSum) --limit;
  return {static_cast<float>(limit), static_cast<float>(largest / limit)};
}

}  // namespace

Network::Value Network::conv(Value board, const float* weights, const FilterShape& filters,
                             std::span<const float> bias) {
  if (get(board, true).channels != filters.inputs) throw std::invalid_argument("filters for other channels");
  if (filters.height % 2 == 0 || filters.width % 2 == 0) throw std::invalid_argument("sides of filters must be odd");
  check_finite({weights, filters.outputs * filters.inputs * filters.height * filters.width});
  const bool is_input = std::ranges::find(inputs_, board) != inputs_.end();
  const bool is_plain = filters.dilation_x == 1 && filters.dilation_y == 1 && filters.width == filters.height;
  const float* terms = per_channel(bias, filters.outputs);
  return append(Kind::kConv, {board}, true, filters.outputs,
                filters.width == 1 && filters.height == 1 ? points_product(weights, filters, terms)
                : is_plain && filters.width == 3 && !is_input
                    ? (precision_ == Precision::kInt16 ? winograd_int16(weights, filters, terms)
                                                       : winograd(weights, filters, terms))
                    : sparse(weights, filters, terms));
}

void Network::transform_boards(Workspace& space, const Step& step, const BoardShape& in) const {
  for (std::size_t board = 0; board < space.boards; ++board) {
    kernels_.tile(tile_).transform(space.data(step.reads[0]) + board * points() * in.stride, in, space.zeros,
                                   space.patches + board * tiles_ * in.stride, space.boards * tiles_ * in.stride);
  }
}

void Network::gather_panel(Workspace& space, const Step& step, const BoardShape& out, std::size_t channel,
                           Finish finish) const {
  if (finish.bias != nullptr) finish.bias += channel;
  for (std::size_t board = 0; board < space.boards; ++board) {
    const std::size_t at = board * points() * out.stride + channel;
    Finish here = finish;
    if (here.addend != nullptr) here.addend += at;
    kernels_.tile(tile_).gather(space.products + board * tiles_ * kernels_.panel,
                                space.boards * tiles_ * kernels_.panel, out, space.data(step.writes) + at, here);
  }
}

Network::Run Network::winograd(const float* weights, const FilterShape& filters, const float* bias) {
  const std::size_t count = patch_points(tile_), depth = filters.inputs, panel = kernels_.panel;
  const BoardShape in{width_, height_, padded(depth)}, out{width_, height_, padded(filters.outputs)};
  const std::vector<float> plain = transform_filters(weights, filters.outputs, depth, tile_);
  // [panels][count][depth][panel]: in the order in which they are read.
  float* packed = weights_.take(out.stride * count * depth);
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<float> part = panels(plain.data() + k * depth * filters.outputs, depth, filters.outputs);
    for (std::size_t p = 0; p < out.stride / panel; ++p) {
      std::copy_n(part.data() + p * depth * panel, depth * panel, packed + (p * count + k) * depth * panel);
    }
  }
  patch_floats_ = std::max(patch_floats_, count * tiles_ * in.stride);
  product_floats_ = std::max(product_floats_, count * tiles_ * panel);
  return [this, in, out, depth, count, packed, bias](Workspace& space, const Step& step) {
    const std::size_t width = kernels_.panel, rows = space.boards * tiles_;
    transform_boards(space, step, in);
    const float* right = packed;
    for (std::size_t channel = 0; channel < out.stride; channel += width) {
      for (std::size_t k = 0; k < count; ++k, right += depth * width) {
        kernels_.multiply(space.patches + k * rows * in.stride, in.stride, right, depth,
                          space.products + k * rows * width, width, rows);
      }
      gather_panel(space, step, out, channel, finish_of(space, step, bias));
    }
  };
}

// Winograd with rounded patches and filters; each point of a patch has its own step. A processor multiplies twice as
// many integers of 16 bits as floats. Patches are rounded per board, so that results do not depend on the batch.
Network::Run Network::winograd_int16(const float* weights, const FilterShape& filters, const float* bias) {
  const std::size_t count = patch_points(tile_), depth = (filters.inputs + 1) / 2 * 2, panel = kernels_.panel;
  const BoardShape in{width_, height_, padded(filters.inputs)}, out{width_, height_, padded(filters.outputs)};
  const std::vector<float> plain = transform_filters(weights, filters.outputs, filters.inputs, tile_);
  // [panels][count][depth / 2][panel][2]
  auto* packed = reinterpret_cast<std::int16_t*>(weights_.take(out.stride * count * depth / 2));
  std::vector<Rounding> roundings;
  for (std::size_t k = 0; k < count; ++k) {
    const float* part = plain.data() + k * filters.inputs * filters.outputs;
    roundings.push_back(rounding_of(part, filters.inputs, filters.outputs));
    for (std::size_t i = 0; i < filters.inputs; ++i) {
      for (std::size_t j = 0; j < filters.outputs; ++j) {
        const std::size_t at = (j / panel * count + k) * depth * panel + i / 2 * 2 * panel + j % panel * 2 + i % 2;
        const float rounded = std::round(part[i * filters.outputs + j] / roundings[k].step);
        packed[at] = static_cast<std::int16_t>(rounded);
      }
    }
  }
  patch_floats_ = std::max(patch_floats_, count * tiles_ * in.stride);
  product_floats_ = std::max(product_floats_, count * tiles_ * panel);
  has_integers_ = true;
  return [this, in, out, depth, count, packed, roundings, bias](Workspace& space, const Step& step) {
    const std::size_t width = kernels_.panel, rows = space.boards * tiles_, size = tiles_ * in.stride;
    transform_boards(space, step, in);
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t board = 0; board < space.boards; ++board) {
        const std::size_t at = k * space.boards + board;
        const float found =
            kernels_.int16.quantize(space.patches + at * size, size, roundings[k].limit, space.quantized + at * size);
        std::fill_n(space.factors + at * tiles_, tiles_, found * roundings[k].step);
      }
    }
    const std::int16_t* right = packed;
    for (std::size_t channel = 0; channel < out.stride; channel += width) {
      for (std::size_t k = 0; k < count; ++k, right += depth * width) {
        kernels_.int16.multiply(space.quantized + k * rows * in.stride, in.stride, right, depth,
                                space.factors + k * rows, space.products + k * rows * width, width, rows);
      }
      gather_panel(space, step, out, channel, finish_of(space, step, bias));
    }
  };
}

Network::Run Network::points_product(const float* weights, const FilterShape& filters, const float* bias) {
  const std::size_t depth = filters.inputs, in = padded(depth), out = padded(filters.outputs);
  std::vector<float> turned(depth * filters.outputs);
  for (std::size_t i = 0; i < depth; ++i) {
    for (std::size_t j = 0; j < filters.outputs; ++j) turned[i * filters.outputs + j] = weights[j * depth + i];
  }
  return [this, depth, in, out, packed = weights_.keep(panels(turned.data(), depth, filters.outputs)), bias](
             Workspace& space, const Step& step) {
    const std::size_t rows = space.boards * points();
    for (std::size_t channel = 0; channel < out; channel += kernels_.panel) {
      kernels_.multiply(space.data(step.reads[0]), in, packed + channel * depth, depth,
                        space.data(step.writes) + channel, out, rows);
    }
    kernels_.finish(space.data(step.writes), rows, out, out, finish_of(space, step, bias));
  };
}

Network::Value Network::conv_columns(Value board, const float* weights, std::size_t inputs, std::size_t outputs,
                                     std::span<const float> bias) {
  if (get(board, true).channels != inputs) throw std::invalid_argument("filters for other channels");
  check_finite({weights, outputs * inputs * height_});
  const std::size_t in = padded(inputs), out = padded(outputs), depth = height_ * in;
  std::vector<float> turned(depth * outputs);
  for (std::size_t y = 0; y < height_; ++y) {
    for (std::size_t i = 0; i < inputs; ++i) {
      for (std::size_t j = 0; j < outputs; ++j) {
        turned[(y * in + i) * outputs + j] = weights[(j * inputs + i) * height_ + y];
      }
    }
  }
  patch_floats_ = std::max(patch_floats_, width_ * depth);
  product_floats_ = std::max(product_floats_, width_ * kernels_.panel);
  return append(
      Kind::kConv, {board}, true, outputs,
      [this, in, out, depth, packed = weights_.keep(panels(turned.data(), depth, outputs)),
       terms = per_channel(bias, outputs)](Workspace& space, const Step& step) {
        const std::size_t columns = space.boards * width_, panel = kernels_.panel;
        for (std::size_t column = 0; column < columns; ++column) {
          const float* from = space.data(step.reads[0]) + (column / width_ * points() + column % width_) * in;
          for (std::size_t y = 0; y < height_; ++y) {
            std::copy_n(from + y * width_ * in, in, space.patches + column * depth + y * in);
          }
        }
        for (std::size_t channel = 0; channel < out; channel += panel) {
          kernels_.multiply(space.patches, depth, packed + channel * depth, depth, space.products, panel, columns);
          for (std::size_t point = 0; point < space.boards * points(); ++point) {
            const std::size_t column = point / points() * width_ + point % width_;
            std::copy_n(space.products + column * panel, panel, space.data(step.writes) + point * out + channel);
          }
        }
        kernels_.finish(space.data(step.writes), space.boards * points(), out, out, finish_of(space, step, terms));
      });
}

// For inputs of the network, which are mostly 0, and for the rare filters that no other way takes.
Network::Run Network::sparse(const float* weights, const FilterShape& filters, const float* bias) {
  const std::size_t area = filters.height * filters.width, in = padded(filters.inputs);
  const BoardShape out{width_, height_, padded(filters.outputs)};
  float* turned = weights_.take(area * filters.inputs * out.stride);
  for (std::size_t k = 0; k < area; ++k) {
    for (std::size_t i = 0; i < filters.inputs; ++i) {
      for (std::size_t j = 0; j < filters.outputs; ++j) {
        turned[(k * filters.inputs + i) * out.stride + j] = weights[(j * filters.inputs + i) * area + k];
      }
    }
  }
  return [this, filters, in, out, turned, bias](Workspace& space, const Step& step) {
    for (std::size_t board = 0; board < space.boards; ++board) {
      const float* from = space.data(step.reads[0]) + board * points() * in;
      space.entries.clear();
      space.starts.assign(1, 0);
      for (std::size_t point = 0; point < points(); ++point, from += in) {
        for (std::size_t channel = 0; channel < filters.inputs; ++channel) {
          if (from[channel] != 0) space.entries.push_back({static_cast<std::uint32_t>(channel), from[channel]});
        }
        space.starts.push_back(static_cast<std::uint32_t>(space.entries.size()));
      }
      kernels_.convolve_sparse({space.entries.data(), space.starts.data()}, filters, turned, out,
                               space.data(step.writes) + board * points() * out.stride);
    }
    kernels_.finish(space.data(step.writes), space.boards * points(), out.stride, out.stride,
                    finish_of(space, step, bias));
  };
}

}  // namespace tengen::convnet
