#pragma once

#include <array>
#include <cstddef>

namespace tengen::convnet {

// Where F(m, 3) evaluates polynomials, besides infinity. These points lose fewest digits in float32: F(4, 3) is wrong
// by 0.8e-6 of values around 1, and by twice that at the usual 0, ±1, ±2. Their powers are exact.
template <std::size_t M>
struct Points;
template <>
struct Points<2> {
  static constexpr std::array<double, 3> kAt{0, 1, -1};
};
template <>
struct Points<3> {
  static constexpr std::array<double, 4> kAt{0.5, -0.5, 1.25, -1.25};
};
template <>
struct Points<4> {
  static constexpr std::array<double, 5> kAt{0, 0.75, -0.75, 1.5, -1.5};
};

// The matrices of F(m, 3) by Toom and Cook: m outputs are output ((filter g) · (input d)), with · number by number, of
// a filter g of 3 and m + 2 inputs d.
template <std::size_t M>
struct Transforms {
  static constexpr std::size_t kPatch = M + 2;
  static constexpr std::size_t kInfinity = M + 1;
  template <std::size_t Rows, std::size_t Columns>
  using Matrix = std::array<std::array<double, Columns>, Rows>;

  Matrix<kPatch, kPatch> input{};
  Matrix<kPatch, 3> filter{};
  Matrix<M, kPatch> output{};

  constexpr Transforms() {
    constexpr auto& at = Points<M>::kAt;
    for (std::size_t j = 0; j < kPatch; ++j) {
      // The polynomial that is 0 at all other points, by multiplying with (x - point) for each of them.
      auto& row = input[j];
      row[0] = 1;
      for (std::size_t k = 0, degree = 0; k < at.size(); ++k) {
        if (k == j) continue;
        ++degree;
        for (std::size_t i = degree + 1; i-- > 0;) row[i] = (i > 0 ? row[i - 1] : 0) - at[k] * row[i];
      }
    }
    for (std::size_t j = 0; j < at.size(); ++j) {
      double others = 1;
      for (std::size_t k = 0; k < at.size(); ++k) others *= k == j ? 1 : at[j] - at[k];
      double power = 1;
      for (std::size_t i = 0; i < M || i < 3; ++i, power *= at[j]) {
        if (i < 3) filter[j][i] = power / others;
        if (i < M) output[i][j] = power;
      }
    }
    filter[kInfinity][2] = 1;
    output[M - 1][kInfinity] = 1;
  }
};

template <std::size_t M>
inline constexpr Transforms<M> kTransforms{};

}  // namespace tengen::convnet
