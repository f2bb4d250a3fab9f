#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "convnet/network.hpp"

using namespace tengen::convnet;

namespace {

std::mt19937 rng(7);

std::vector<float> drawn(std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> found(count);
  for (float& x : found) x = normal(rng);
  return found;
}

struct Size {
  std::size_t width, height;
};

// [outputs][points], as the definition has it.
std::vector<double> plain_conv(const float* board, const float* weights, const FilterShape& f, const Size& size) {
  std::vector<double> found;
  const auto at = [](std::size_t x, std::size_t offset, std::size_t side, std::size_t dilation) {
    return static_cast<std::ptrdiff_t>(x + offset * dilation) - static_cast<std::ptrdiff_t>(side / 2 * dilation);
  };
  for (std::size_t output = 0; output < f.outputs; ++output) {
    for (std::size_t y = 0; y < size.height; ++y) {
      for (std::size_t x = 0; x < size.width; ++x) {
        double sum = 0;
        for (std::size_t input = 0; input < f.inputs; ++input) {
          for (std::size_t i = 0; i < f.height; ++i) {
            for (std::size_t j = 0; j < f.width; ++j) {
              const std::ptrdiff_t row = at(y, i, f.height, f.dilation_y), column = at(x, j, f.width, f.dilation_x);
              if (row < 0 || column < 0 || row >= static_cast<std::ptrdiff_t>(size.height) ||
                  column >= static_cast<std::ptrdiff_t>(size.width)) {
                continue;
              }
              const auto point = static_cast<std::size_t>(row) * size.width + static_cast<std::size_t>(column);
              sum += static_cast<double>(board[input * size.width * size.height + point]) *
                     static_cast<double>(weights[((output * f.inputs + input) * f.height + i) * f.width + j]);
            }
          }
        }
        found.push_back(sum);
      }
    }
  }
  return found;
}

double worst(const std::vector<float>& found, const std::vector<double>& wanted) {
  CHECK(found.size() == wanted.size());
  double error = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    error = std::max(error, std::abs(static_cast<double>(found[i]) - wanted[i]));
  return error;
}

struct Way {
  bool is_behind_a_layer = false;  // what comes from outside is convolved in another way
  Precision precision = Precision::kFloat32;
};

void check_conv(const Kernels& kernels, const Size& size, const FilterShape& filters, std::size_t rows, int threads,
                const Way& way = {}) {
  const std::vector<float> weights = drawn(filters.outputs * filters.inputs * filters.height * filters.width);
  const std::vector<float> bias = drawn(filters.outputs);
  const std::size_t points = size.width * size.height;
  const std::vector<float> input = drawn(rows * filters.inputs * points), zeros(filters.outputs * filters.outputs);

  Network network(size.width, size.height, threads, kernels, way.precision);
  const std::vector<float> ones(filters.inputs, 1.0F);
  const auto given = network.board_input(filters.inputs);
  const auto x = way.is_behind_a_layer ? network.scale(given, ones) : given;
  const auto y =
      network.conv(x, weights.data(), filters, bias);  // read twice: neither the sum nor the relu can be folded in
  const std::array outputs{
      network.conv(x, weights.data(), filters, {}), y,
      network.activate(network.conv(x, weights.data(), filters, bias), Activation::kRelu),
      network.activate(network.add(network.conv(x, weights.data(), filters, {}), y), Activation::kRelu)};
  for (const auto& output : outputs) network.output({&output, 1});
  network.finish();
  std::vector<std::vector<float>> found(outputs.size(), std::vector<float>(rows * filters.outputs * points));
  std::vector<float*> to;
  for (auto& each : found) to.push_back(each.data());
  const std::array<const float*, 1> from{input.data()};
  network.run(rows, from, to);

  std::vector<std::vector<double>> wanted(outputs.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<double> plain =
        plain_conv(input.data() + row * filters.inputs * points, weights.data(), filters, size);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const double biased = plain[i] + static_cast<double>(bias[i / points]);
      wanted[0].push_back(plain[i]);
      wanted[1].push_back(biased);
      wanted[2].push_back(std::max(0.0, biased));
      wanted[3].push_back(std::max(0.0, plain[i] + biased));
    }
  }
  const double scale = std::sqrt(static_cast<double>(filters.inputs * filters.height * filters.width));
  const double allowed = network.precision() == Precision::kInt16 ? 1e-2 : 2e-5;
  for (std::size_t i = 0; i < outputs.size(); ++i) CHECK(worst(found[i], wanted[i]) < allowed * scale);
}

}  // namespace

TEST(convolutions_are_those_of_the_definition) {
  for (const Kernels* kernels : usable_kernels()) {
    for (const Size& size : {Size{19, 19}, Size{9, 9}, Size{2, 2}, Size{7, 5}, Size{3, 13}, Size{1, 4}}) {
      check_conv(*kernels, size, {17, 5, 3, 3}, 3, 1);
      check_conv(*kernels, size, {33, 22, 5, 5}, 2, 1);
    }
    check_conv(*kernels, {9, 9}, {40, 40, 3, 3}, 20, 3);
    check_conv(*kernels, {9, 9}, {1, 30, 1, 1}, 4, 2);
    check_conv(*kernels, {6, 6}, {7, 3, 3, 3, 2, 1}, 2, 1);
    check_conv(*kernels, {6, 4}, {7, 3, 3, 1}, 2, 1);
  }
}

TEST(convolutions_by_winograds_method_are_those_of_the_definition) {
  for (const Kernels* kernels : usable_kernels()) {
    for (const Precision precision : {Precision::kFloat32, Precision::kInt16}) {
      for (const Size& size : {Size{19, 19}, Size{9, 9}, Size{2, 2}, Size{7, 5}, Size{3, 13}, Size{1, 4}}) {
        check_conv(*kernels, size, {17, 5, 3, 3}, 3, 1, {true, precision});
      }
      check_conv(*kernels, {9, 9}, {40, 41, 3, 3}, 20, 3, {true, precision});
      check_conv(*kernels, {4, 4}, {8, 100, 3, 3}, 2, 1, {true, precision});
    }
  }
}

// [rows][outputs][points] of one convolution behind a layer that changes nothing, with the same weight everywhere.
std::vector<float> convolve_alike(const Kernels& kernels, const std::vector<float>& boards, std::size_t rows,
                                  std::size_t channels, float weight) {
  Network network(4, 4, 1, kernels, Precision::kInt16);
  const std::vector<float> ones(channels, 1.0F), weights(channels * 9, weight);
  const auto y =
      network.conv(network.scale(network.board_input(channels), ones), weights.data(), {1, channels, 3, 3}, {});
  network.output({&y, 1});
  network.finish();
  std::vector<float> found(rows * 16);
  const std::array<const float*, 1> from{boards.data()};
  const std::array<float*, 1> to{found.data()};
  network.run(rows, from, to);
  return found;
}

TEST(sums_of_integers_fit_whatever_the_board) {
  // All products are the largest that there are, and of one sign.
  for (const Kernels* kernels : usable_kernels()) {
    for (const std::size_t channels : std::array<std::size_t, 4>{1, 2, 384, 1000}) {
      const std::vector<float> boards(channels * 16, 1e6F);
      const std::vector<float> found = convolve_alike(*kernels, boards, 1, channels, -0.25F);
      const double wanted = -0.25e6 * 9 * static_cast<double>(channels);  // in the middle of the board
      CHECK(std::abs(static_cast<double>(found[5]) / wanted - 1) < 2e-3);
    }
    CHECK(convolve_alike(*kernels, std::vector<float>(16 * 16), 1, 16, 1)[5] == 0);
    CHECK(convolve_alike(*kernels, std::vector<float>(16 * 16, 1.0F), 1, 16, 0)[5] == 0);
  }
}

TEST(rounding_does_not_depend_on_other_boards) {
  for (const Kernels* kernels : usable_kernels()) {
    const std::vector<float> board = drawn(24 * 16);
    std::vector<float> both = board;
    for (const float x : board) both.push_back(x * 1000);
    const std::vector<float> alone = convolve_alike(*kernels, board, 1, 24, 0.7F);
    const std::vector<float> beside = convolve_alike(*kernels, both, 2, 24, 0.7F);
    CHECK(std::equal(alone.begin(), alone.end(), beside.begin()));
  }
}

TEST(rows_are_pooled_and_spread) {
  for (const Kernels* kernels : usable_kernels()) {
    Network network(3, 2, 1, *kernels);
    const auto x = network.board_input(2);
    const auto row = network.row_input(1);
    const std::vector<float> weights{1, 2, 3, 4}, one{10, 20}, bias{0.5F, -0.5F};
    const auto pooled = network.pool(x);
    network.output({&pooled, 1});
    const auto mean = network.mean(x);
    const auto sum = network.linear(row, one.data(), 1, 2, bias);
    const std::array both{network.shift(network.scale(network.add_everywhere(x, sum), one), bias), mean};
    network.output(both);
    const auto scaled = network.scale_everywhere(x, sum);
    network.output({&scaled, 1});
    network.finish();
    CHECK(network.input_size(0) == 12 && network.input_size(1) == 1);
    CHECK(network.output_size(0) == 4 && network.output_size(1) == 14 && network.output_size(2) == 12);
    const std::vector<float> board{1, 2, 3, 4, 5, 9, -6, -5, -4, -3, -2, -1}, told{3};
    std::vector<float> first(4), second(14), third(12);
    const std::array<const float*, 2> from{board.data(), told.data()};
    const std::array<float*, 3> to{first.data(), second.data(), third.data()};
    network.run(1, from, to);
    for (std::size_t i = 0; i < 12; ++i) CHECK(third[i] == board[i] * (i < 6 ? 30.5F : 59.5F));
    CHECK((first == std::vector<float>{4, -3.5F, 9, -1}));
    CHECK(second[0] == (1 + 30.5F) * 10 + 0.5F);
    CHECK(second[6] == 4);
    CHECK(second[7] == (-6 + 59.5F) * 20 - 0.5F);
    CHECK(second[13] == -3.5F);
  }
}

TEST(activations_are_exact_everywhere) {
  std::vector<float> board;
  for (int i = -4000; i < 4000; ++i) board.push_back(static_cast<float>(i) * 0.03F);
  board.insert(board.end(), {-1e30F, 1e30F, 0.0F, -1e-20F, 1e-7F, 20.0F, -80.0F, 88.0F});
  for (const Kernels* kernels : usable_kernels()) {
    for (const Activation kind : {Activation::kRelu, Activation::kMish, Activation::kSilu, Activation::kTanh}) {
      Network network(board.size(), 1, 1, *kernels);
      const auto y = network.activate(network.board_input(1), kind);
      network.output({&y, 1});
      network.finish();
      std::vector<float> found(board.size());
      const std::array<const float*, 1> from{board.data()};
      const std::array<float*, 1> to{found.data()};
      network.run(1, from, to);
      for (std::size_t i = 0; i < board.size(); ++i) {
        const auto x = static_cast<double>(board[i]);
        const double wanted = kind == Activation::kRelu   ? std::max(0.0, x)
                              : kind == Activation::kMish ? x * std::tanh(std::log1p(std::exp(std::min(x, 700.0))))
                              : kind == Activation::kSilu ? x / (1 + std::exp(-std::max(x, -700.0)))
                                                          : std::tanh(x);
        CHECK(std::abs(static_cast<double>(found[i]) - wanted) <= 3e-7 * std::max(1.0, std::abs(x)));
      }
    }
  }
}

namespace {

template <class Call>
bool is_refused(Call call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace

TEST(what_does_not_fit_is_refused) {
  Network network(5, 5, 1);
  const std::vector<float> weights(9 * 4);
  const auto board = network.board_input(2);
  const auto row = network.row_input(2);
  CHECK(is_refused([&] { network.conv(row, weights.data(), {2, 2, 3, 3}, {}); }));
  CHECK(is_refused([&] { network.conv(board, weights.data(), {2, 1, 3, 3}, {}); }));
  CHECK(is_refused([&] { network.conv(board, weights.data(), {2, 2, 2, 2}, {}); }));
  CHECK(is_refused([&] { network.conv(board, weights.data(), {2, 2, 3, 3}, {weights.data(), 3}); }));
  CHECK(is_refused([&] { network.linear(row, weights.data(), 3, 2, {}); }));
  CHECK(is_refused([&] { network.linear(board, weights.data(), 2, 2, {}); }));
  CHECK(is_refused([&] { network.add(board, row); }));
  CHECK(is_refused([&] { network.activate(99, Activation::kRelu); }));
  CHECK(is_refused([&] { network.scale(board, {}); }));
  CHECK(is_refused([&] { network.scale(board, {weights.data(), 3}); }));
  CHECK(is_refused([&] { network.shift(board, {}); }));
  CHECK(is_refused([&] { network.output({}); }));
  CHECK(is_refused([&] { network.run(1, {}, {}); }));
  network.output({&board, 1});
  network.finish();
  CHECK(is_refused([&] { network.pool(board); }));
  CHECK(is_refused([&] { network.finish(); }));
  CHECK(is_refused([&] { network.board_input(1); }));
  CHECK(is_refused([&] { network.row_input(1); }));
  CHECK(network.input_count() == 2);
}

TEST(weights_must_be_finite) {
  for (const float damaged : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Network network(5, 5, 1);
    std::vector<float> weights(2 * 2 * 25, 0.5F);
    weights[3] = damaged;
    const std::span<const float> bias(weights.data() + 2, 2), fine(weights.data() + 4, 2);
    const auto board = network.board_input(2);
    const auto row = network.row_input(2);
    CHECK(is_refused([&] { network.conv(board, weights.data(), {2, 2, 1, 1}, {}); }));
    CHECK(is_refused([&] { network.conv(board, weights.data(), {2, 2, 3, 3}, {}); }));
    CHECK(is_refused([&] { network.conv(board, weights.data() + 4, {2, 2, 3, 3}, bias); }));
    CHECK(is_refused([&] { network.conv_columns(board, weights.data(), 2, 2, {}); }));
    CHECK(is_refused([&] { network.linear(row, weights.data(), 2, 2, {}); }));
    CHECK(is_refused([&] { network.scale(board, bias); }));
    CHECK(is_refused([&] { network.shift(board, bias); }));
    CHECK(!is_refused([&] { network.shift(network.conv(board, weights.data() + 4, {2, 2, 3, 3}, fine), fine); }));
  }
}

// Weights may be finite and products of them infinite; the difference of two infinities is NaN, which no layer may
// turn into a number.
TEST(overflow_is_reported_behind_every_layer) {
  for (const Kernels* kernels : usable_kernels()) {
    for (const Precision precision : {Precision::kFloat32, Precision::kInt16}) {
      for (const Activation kind :
           {Activation::kRelu, Activation::kMish, Activation::kSilu, Activation::kTanh, Activation::kSigmoid}) {
        for (const bool is_folded : {false, true}) {
          Network network(5, 5, 1, *kernels, precision);
          const std::vector<float> large(2, 3e38F), opposite{1.0F, -1.0F}, halves(2 * 9, 0.5F);
          const auto board = network.board_input(2);
          const auto infinite = network.scale(network.scale(board, large), large);
          const auto none = network.conv(infinite, opposite.data(), {1, 2, 1, 1}, {});  // inf - inf
          const auto x = network.activate(is_folded ? none : network.scale(none, {halves.data(), 1}), kind);
          const auto y = network.conv(x, halves.data(), {2, 1, 3, 3}, {});
          network.output({&y, 1});
          network.finish();
          const std::vector<float> ones(2 * 25, 1.0F);
          std::vector<float> found(2 * 25);
          const std::array<const float*, 1> from{ones.data()};
          const std::array<float*, 1> to{found.data()};
          bool is_reported = false;
          try {
            network.run(1, from, to);
          } catch (const std::runtime_error&) {
            is_reported = true;
          }
          CHECK(is_reported);
        }
      }
    }
  }
}
