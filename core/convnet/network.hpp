#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "convnet/kernels.hpp"
#include "convnet/memory.hpp"
#include "workers.hpp"

namespace tengen::convnet {

// The number format of products in 3x3 convolutions. Integers are multiples of a step that is computed for each board;
// instruction sets that have no products of them compute with floats.
enum class Precision { kFloat32, kInt16 };

// Throw a std::invalid_argument if a weight is NaN or infinite.
void check_finite(std::span<const float> weights);

// A convolutional network for boards of one size: built layer by layer, then evaluated.
//
// Values flow between layers: boards, with a number for each point and channel, or rows, with a number for each
// channel. What does not fit throws a std::invalid_argument.
class Network {
 public:
  using Value = std::size_t;

  Network(std::size_t width, std::size_t height, int threads, const Kernels& kernels = best_kernels(),
          Precision precision = Precision::kFloat32);
  ~Network();

  Value board_input(std::size_t channels);
  Value row_input(std::size_t channels);
  // `weights` [outputs][inputs][height][width]; `bias` may be empty.
  Value conv(Value board, const float* weights, const FilterShape& filters, std::span<const float> bias);
  // A filter as high as the board: one answer a column, the same at all of its points. `weights`
  // [outputs][inputs][height].
  Value conv_columns(Value board, const float* weights, std::size_t inputs, std::size_t outputs,
                     std::span<const float> bias);
  // `weights` [inputs][outputs].
  Value linear(Value row, const float* weights, std::size_t inputs, std::size_t outputs, std::span<const float> bias);
  Value activate(Value x, Activation kind);
  Value add(Value a, Value b);  // boards, or rows
  Value add_everywhere(Value board, Value row);
  Value scale_everywhere(Value board, Value row);  // multiplies each channel by its number in the row
  Value scale(Value board, std::span<const float> factors);
  Value shift(Value board, std::span<const float> terms);
  Value pool(Value board);  // means, then maxima
  Value mean(Value board);
  Value flatten(Value board);  // a row, [channels][points]
  // [channels][points] of a board, [channels] of a row, [channels][points + 1] of both.
  void output(std::span<const Value> parts);
  // After the last layer.
  void finish();

  std::size_t input_size(std::size_t input) const;  // floats, for one board
  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_size(std::size_t output) const;
  std::size_t output_count() const { return outputs_.size(); }
  const Kernels& kernels() const { return kernels_; }
  std::size_t height() const { return height_; }
  Precision precision() const { return precision_; }

  // Inputs and outputs are in the order in which they were made, inputs [rows][channels][points] or [rows][channels].
  // Threads share the rows; callers take turns. A number that is not finite throws a std::runtime_error: weights of a
  // damaged network may be finite and still too large.
  void run(std::size_t rows, std::span<const float* const> inputs, std::span<float* const> outputs);

 private:
  struct Shape {
    bool is_board;
    std::size_t channels;
    std::size_t stride;      // of a point, or of the row
    std::size_t buffer = 0;  // where values lie; known once the network is finished
  };
  struct Workspace;
  struct Step;
  using Run = std::function<void(Workspace&, const Step&)>;
  enum class Kind { kConv, kRelu, kAdd, kOther };
  struct Step {
    Kind kind;
    std::vector<Value> reads;
    Value writes;
    Run run;
    bool relu = false;        // of a convolution: what followed it
    bool has_addend = false;  // likewise: the last of `reads`
  };

  const Shape& get(Value value, bool is_board) const;
  std::size_t padded(std::size_t channels) const;
  std::size_t points() const { return width_ * height_; }
  std::size_t floats(const Shape& shape) const { return shape.is_board ? points() * shape.stride : shape.stride; }
  Value input(std::size_t channels, bool is_board);
  using PerChannel = void (*)(const float* x, const float* numbers, float* y, std::size_t rows, std::size_t stride);
  Value combine(Value board, Value row, PerChannel operation);
  Value append(Kind kind, std::vector<Value> reads, bool is_board, std::size_t channels, Run run);
  Run winograd(const float* weights, const FilterShape& filters, const float* bias);
  Run winograd_int16(const float* weights, const FilterShape& filters, const float* bias);
  void transform_boards(Workspace& space, const Step& step, const BoardShape& in) const;
  void gather_panel(Workspace& space, const Step& step, const BoardShape& out, std::size_t channel,
                    Finish finish) const;
  Run points_product(const float* weights, const FilterShape& filters, const float* bias);
  Run sparse(const float* weights, const FilterShape& filters, const float* bias);
  std::vector<float> panels(const float* weights, std::size_t depth, std::size_t outputs) const;
  const float* per_channel(std::span<const float> given, std::size_t channels);  // padded; null if there are none
  Finish finish_of(const Workspace& space, const Step& step, const float* bias) const;
  void fold_into_convolutions();
  void place_values();
  std::size_t max_boards() const;
  std::size_t group_size(std::size_t rows) const;
  void run_group(Workspace& space, std::size_t first, std::span<const float* const> inputs,
                 std::span<float* const> outputs) const;

  std::size_t width_, height_;
  const Kernels& kernels_;
  Precision precision_;
  int tile_;           // side of Winograd's tiles
  std::size_t tiles_;  // of a board
  Memory weights_;
  std::vector<Shape> values_;
  std::vector<Value> inputs_;
  std::vector<Step> steps_;
  std::vector<std::vector<Value>> outputs_;
  std::vector<std::size_t> buffers_;  // their floats, for one board
  std::size_t patch_floats_ = 0;      // for one board
  std::size_t product_floats_ = 0;
  bool has_integers_ = false;
  bool is_finished_ = false;
  std::mutex mutex_;
  Workers workers_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;  // one for each thread, made when it is first needed
};

}  // namespace tengen::convnet
