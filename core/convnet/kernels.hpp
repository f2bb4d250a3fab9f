#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// The inner loops of convolutional networks, compiled once for each instruction set.
//
// A board of activations is [points][stride], a point's channels beside each other. Strides are whole panels; the
// channels that fill up the last panel are 0.
namespace tengen::convnet {

enum class Activation { kRelu, kMish, kSilu, kTanh, kSigmoid };

// What is done to the outputs of a layer while they are at hand.
struct Finish {
  const float* bias = nullptr;    // [channels]
  const float* addend = nullptr;  // laid out as the outputs
  bool relu = false;
};

struct BoardShape {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t stride = 0;
};

struct FilterShape {
  std::size_t outputs = 0;
  std::size_t inputs = 0;
  std::size_t height = 1;
  std::size_t width = 1;
  std::size_t dilation_y = 1;
  std::size_t dilation_x = 1;
};

// The numbers of a board that are not 0.
struct SparseBoard {
  struct Entry {
    std::uint32_t channel;
    float value;
  };
  const Entry* entries;         // of one point after the other
  const std::uint32_t* starts;  // [points + 1]
};

// Winograd's convolution F(m x m, 3 x 3): a board is covered by tiles of m x m outputs, each from a patch of n x n
// inputs, n = m + 2. Patches and filters are transformed, multiplied point by point (over the channels: a matrix
// product for each of the n x n points), and transformed back: n * n multiplications instead of 9 * m * m.
struct Winograd {
  // patches[n * n][tiles][stride] of one board, with `step` floats from a point to the next; outside the board is 0, as
  // are the floats of `zeros` [stride].
  void (*transform)(const float* board, const BoardShape& shape, const float* zeros, float* patches, std::size_t step);
  // From products [n * n][tiles][panel] to one panel of a board.
  void (*gather)(const float* products, std::size_t step, const BoardShape& shape, float* board, const Finish& finish);
};

constexpr int kSmallestTile = 2;
constexpr int kLargestTile = 4;

// Products of integers, twice as many at once as of floats; null where an instruction set has none.
struct Int16Products {
  // c[row] = factors[row] a[row] b, with b [depth / 2][panel][2]; the depth is even. Sums must fit 32 bits.
  void (*multiply)(const std::int16_t* a, std::size_t a_step, const std::int16_t* b, std::size_t depth,
                   const float* factors, float* c, std::size_t c_step, std::size_t rows) = nullptr;
  // Rounds numbers to multiples of a step, of which the largest is `limit`; returns the step.
  float (*quantize)(const float* x, std::size_t count, float limit, std::int16_t* y) = nullptr;
};

struct Kernels {
  const char* name;
  std::size_t panel;  // outputs that are computed together

  // c[rows][panel] = a[rows][depth] b[depth][panel]; of a and c, rows are `a_step` and `c_step` floats apart.
  void (*multiply)(const float* a, std::size_t a_step, const float* b, std::size_t depth, float* c, std::size_t c_step,
                   std::size_t rows);
  Int16Products int16;
  Winograd winograd[kLargestTile - kSmallestTile + 1];
  // A convolution with weights [height][width][inputs][stride] of a board that is mostly 0; `shape` is the output's.
  void (*convolve_sparse)(const SparseBoard& board, const FilterShape& filters, const float* weights,
                          const BoardShape& shape, float* out);
  // In place, on rows of `channels` that are `stride` floats apart.
  void (*finish)(float* x, std::size_t rows, std::size_t channels, std::size_t stride, const Finish& finish);
  void (*add)(const float* a, const float* b, float* sum, std::size_t count);
  // Rows of `stride`, by one row.
  void (*scale)(const float* x, const float* factors, float* y, std::size_t rows, std::size_t stride);
  void (*shift)(const float* x, const float* terms, float* y, std::size_t rows, std::size_t stride);
  void (*activate)(Activation kind, const float* x, float* y, std::size_t count);
  void (*pool)(const float* board, std::size_t points, std::size_t stride, float* mean, float* largest);

  const Winograd& tile(int m) const { return winograd[m - kSmallestTile]; }
};

// Those of this processor, the best last. The environment's TENGEN_MAX_CPU_ISA (generic, avx2 or avx512) leaves out
// better ones.
std::span<const Kernels* const> usable_kernels();
const Kernels& best_kernels();

// Filters [outputs][inputs][3][3] for tiles of m x m: [n * n][inputs][outputs].
std::vector<float> transform_filters(const float* filters, std::size_t outputs, std::size_t inputs, int m);

}  // namespace tengen::convnet
