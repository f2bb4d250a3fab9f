#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "convnet/network.hpp"
#include "convnet/workspace.hpp"

// The three ways of a convolution.
namespace tengen::convnet {

Network::Value Network::conv(Value board, const float* weights, const FilterShape& filters,
                             std::span<const float> bias) {
  if (get(board, true).channels != filters.inputs) throw std::invalid_argument("filters for other channels");
  if (filters.height % 2 == 0 || filters.width % 2 == 0) throw std::invalid_argument("sides of filters must be odd");
  const bool is_input = std::ranges::find(inputs_, board) != inputs_.end();
  const bool is_plain = filters.dilation_x == 1 && filters.dilation_y == 1 && filters.width == filters.height;
  const float* terms = per_channel(bias, filters.outputs);
  return append(Kind::kConv, {board}, true, filters.outputs,
                filters.width == 1 && filters.height == 1     ? points_product(weights, filters, terms)
                : is_plain && filters.width == 3 && !is_input ? winograd(weights, filters, terms)
                                                              : sparse(weights, filters, terms));
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
    const Winograd& tile = kernels_.tile(tile_);
    const std::size_t width = kernels_.panel, rows = space.boards * tiles_;
    for (std::size_t board = 0; board < space.boards; ++board) {
      tile.transform(space.data(step.reads[0]) + board * points() * in.stride, in, space.zeros,
                     space.patches + board * tiles_ * in.stride, rows * in.stride);
    }
    const Finish finish = finish_of(space, step, bias);
    const float* right = packed;
    for (std::size_t channel = 0; channel < out.stride; channel += width) {
      for (std::size_t k = 0; k < count; ++k, right += depth * width) {
        kernels_.multiply(space.patches + k * rows * in.stride, in.stride, right, depth,
                          space.products + k * rows * width, width, rows);
      }
      for (std::size_t board = 0; board < space.boards; ++board) {
        const std::size_t at = board * points() * out.stride + channel;
        Finish here = finish;
        if (here.bias != nullptr) here.bias += channel;
        if (here.addend != nullptr) here.addend += at;
        tile.gather(space.products + board * tiles_ * width, rows * width, out, space.data(step.writes) + at, here);
      }
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
