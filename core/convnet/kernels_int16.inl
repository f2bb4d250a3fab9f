// Included after kernels.inl by files for instruction sets with products of integers, which define in this place:
//   kInt16Rows  rows of a product that are computed together
//   Sums        a vector of kWidth integers of 32 bits
//   add_pairs   sums + a * b, for the two integers of 16 bits in each place of a and b

using LooseSums __attribute__((vector_size(kWidth * sizeof(int)), aligned(sizeof(std::int16_t)), may_alias)) = int;
using LoosePair __attribute__((aligned(sizeof(std::int16_t)), may_alias)) = int;

template <std::size_t Rows, bool IsFirst>
void multiply_int16_rows(const std::int16_t* a, std::size_t a_step, const std::int16_t* b, std::size_t depth,
                         const float* factors, float* c, std::size_t c_step) {
  constexpr std::size_t kLine = 32;
  Sums sums[Rows][kVectors] = {};
  for (std::size_t i = 0; i < depth; i += 2, b += 2 * kPanel) {
    if constexpr (IsFirst) {
#pragma GCC unroll 4
      for (std::size_t ahead = 0; ahead < 2 * kPanel; ahead += kLine) __builtin_prefetch(b + depth * kPanel + ahead);
    }
    Sums right[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) right[v] = *reinterpret_cast<const LooseSums*>(b + 2 * v * kWidth);
#pragma GCC unroll 16
    for (std::size_t row = 0; row < Rows; ++row) {
      const Sums left = *reinterpret_cast<const LoosePair*>(a + row * a_step + i) - Sums{};
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) sums[row][v] = add_pairs(sums[row][v], left, right[v]);
    }
  }
#pragma GCC unroll 16
  for (std::size_t row = 0; row < Rows; ++row) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      store(c + row * c_step + v * kWidth, factors[row] * __builtin_convertvector(sums[row][v], Vector));
    }
  }
}

using MultiplyInt16Rows = void (*)(const std::int16_t*, std::size_t, const std::int16_t*, std::size_t, const float*,
                                   float*, std::size_t);

template <bool IsFirst, std::size_t... Rows>
constexpr Table<sizeof...(Rows), MultiplyInt16Rows> int16_rows_table(std::index_sequence<Rows...>) {
  return {{multiply_int16_rows<Rows + 1, IsFirst>...}};
}

void multiply_int16(const std::int16_t* a, std::size_t a_step, const std::int16_t* b, std::size_t depth,
                    const float* factors, float* c, std::size_t c_step, std::size_t rows) {
  static constexpr auto kFirst = int16_rows_table<true>(std::make_index_sequence<kInt16Rows>{});
  static constexpr auto kOthers = int16_rows_table<false>(std::make_index_sequence<kInt16Rows>{});
  const std::size_t blocks = (rows + kInt16Rows - 1) / kInt16Rows;
  for (std::size_t block = 0, from = 0; block < blocks; ++block) {
    const std::size_t to = rows * (block + 1) / blocks;
    (block == 0 ? kFirst : kOthers)
        .by[to - from - 1](a + from * a_step, a_step, b, depth, factors + from, c + from * c_step, c_step);
    from = to;
  }
}

using Shorts __attribute__((vector_size(kWidth * sizeof(std::int16_t)))) = std::int16_t;
using LooseShorts
    __attribute__((vector_size(kWidth * sizeof(std::int16_t)), aligned(sizeof(std::int16_t)), may_alias)) =
        std::int16_t;

// Round numbers to multiples of a step, and return the step: NaN if a number is not finite. Without their signs, the
// bits of floats are in the order of the numbers, with infinity and then NaN above all others.
float quantize(const float* x, std::size_t count, float limit, std::int16_t* y) {
  Sums top{};
  for (std::size_t i = 0; i < count; i += kWidth) {
    const Sums bits = __builtin_bit_cast(Sums, load(x + i)) & 0x7fffffff;
    top = bits > top ? bits : top;
  }
  int highest = 0;
  for (std::size_t i = 0; i < kWidth; ++i) highest = top[i] > highest ? top[i] : highest;
  const auto largest = __builtin_bit_cast(float, highest);
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: the last bits of a sum with it are the whole number
  const float by = largest > 0 ? limit / largest : 0.0F;
  for (std::size_t i = 0; i < count; i += kWidth) {
    const Sums bits = __builtin_bit_cast(Sums, load(x + i) * by + kRounder);
    *reinterpret_cast<LooseShorts*>(y + i) = __builtin_convertvector(bits, Shorts);
  }
  return largest / limit + (largest - largest);
}

constexpr Int16Products kInt16Products{multiply_int16, quantize};
