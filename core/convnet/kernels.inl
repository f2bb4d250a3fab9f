// Included by one file for each instruction set, which defines in this place:
//   kWidth    floats in a vector
//   kVectors  vectors in a panel
//   kRows     rows of a product that are computed together; kRows * kVectors sums stay in registers
//
// Nothing here may call functions that other files share: the linker keeps one copy of those, for any processor.

using Vector __attribute__((vector_size(kWidth * sizeof(float)))) = float;
using LooseVector __attribute__((vector_size(kWidth * sizeof(float)), aligned(sizeof(float)), may_alias)) = float;

constexpr std::size_t kPanel = kWidth * kVectors;

inline Vector load(const float* from) { return *reinterpret_cast<const LooseVector*>(from); }
inline void store(float* to, Vector x) { *reinterpret_cast<LooseVector*>(to) = x; }

template <std::size_t Rows, bool IsFirst>
void multiply_rows(const float* a, std::size_t a_step, const float* b, std::size_t depth, float* c,
                   std::size_t c_step) {
  constexpr std::size_t kLine = 16;
  Vector sums[Rows][kVectors] = {};
  for (std::size_t i = 0; i < depth; ++i, b += kPanel) {
    if constexpr (IsFirst) {  // the next product's b, which lies behind this one's and comes from far
#pragma GCC unroll 4
      for (std::size_t ahead = 0; ahead < kPanel; ahead += kLine) __builtin_prefetch(b + depth * kPanel + ahead);
    }
    Vector right[kVectors];
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) right[v] = load(b + v * kWidth);
#pragma GCC unroll 16
    for (std::size_t row = 0; row < Rows; ++row) {
      const Vector left = a[row * a_step + i] - Vector{};
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) sums[row][v] += left * right[v];
    }
  }
#pragma GCC unroll 16
  for (std::size_t row = 0; row < Rows; ++row) {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) store(c + row * c_step + v * kWidth, sums[row][v]);
  }
}

template <std::size_t Count, class Function>
struct Table {
  Function by[Count];
};

using MultiplyRows = void (*)(const float*, std::size_t, const float*, std::size_t, float*, std::size_t);

template <bool IsFirst, std::size_t... Rows>
constexpr Table<sizeof...(Rows), MultiplyRows> rows_table(std::index_sequence<Rows...>) {
  return {{multiply_rows<Rows + 1, IsFirst>...}};
}

void multiply(const float* a, std::size_t a_step, const float* b, std::size_t depth, float* c, std::size_t c_step,
              std::size_t rows) {
  static constexpr auto kFirst = rows_table<true>(std::make_index_sequence<kRows>{});
  static constexpr auto kOthers = rows_table<false>(std::make_index_sequence<kRows>{});
  const std::size_t blocks = (rows + kRows - 1) / kRows;
  for (std::size_t block = 0, from = 0; block < blocks; ++block) {
    const std::size_t to = rows * (block + 1) / blocks;
    (block == 0 ? kFirst : kOthers).by[to - from - 1](a + from * a_step, a_step, b, depth, c + from * c_step, c_step);
    from = to;
  }
}

// y = matrix x, without the matrix's zeros.
template <const auto& kMatrix, std::size_t kOut, std::size_t kIn>
inline void apply(const Vector (&x)[kIn], Vector (&y)[kOut]) {
  const auto row = [&]<std::size_t R, std::size_t... C>(std::index_sequence<C...>) {
    Vector sum{};
    const auto term = [&]<std::size_t I>() {
      constexpr auto factor = static_cast<float>(kMatrix[R][I]);
      if constexpr (factor == 1.0F) {
        sum += x[I];
      } else if constexpr (factor == -1.0F) {
        sum -= x[I];
      } else if constexpr (factor != 0.0F) {
        sum += factor * x[I];
      }
    };
    (term.template operator()<C>(), ...);
    y[R] = sum;
  };
  [&]<std::size_t... R>(std::index_sequence<R...>) {
    (row.template operator()<R>(std::make_index_sequence<kIn>{}), ...);
  }(std::make_index_sequence<kOut>{});
}

template <std::size_t M>
void transform(const float* board, const BoardShape& shape, const float* zeros, float* patches, std::size_t step) {
  constexpr std::size_t kPatch = M + 2;
  for (std::size_t top = 0; top < shape.height; top += M) {
    for (std::size_t left = 0; left < shape.width; left += M, patches += shape.stride) {
      const float* points[kPatch][kPatch];
      for (std::size_t i = 0; i < kPatch; ++i) {
        for (std::size_t j = 0; j < kPatch; ++j) {
          const std::size_t y = top + i, x = left + j;  // of the board with a border of one
          const bool is_inside = y >= 1 && x >= 1 && y <= shape.height && x <= shape.width;
          points[i][j] = is_inside ? board + ((y - 1) * shape.width + x - 1) * shape.stride : zeros;
        }
      }
      for (std::size_t channel = 0; channel < shape.stride; channel += kWidth) {
        Vector across[kPatch][kPatch];
        for (std::size_t i = 0; i < kPatch; ++i) {
          Vector row[kPatch];
          for (std::size_t j = 0; j < kPatch; ++j) row[j] = load(points[i][j] + channel);
          apply<kTransforms<M>.input>(row, across[i]);
        }
        for (std::size_t j = 0; j < kPatch; ++j) {
          Vector column[kPatch], found[kPatch];
          for (std::size_t i = 0; i < kPatch; ++i) column[i] = across[i][j];
          apply<kTransforms<M>.input>(column, found);
          for (std::size_t i = 0; i < kPatch; ++i) store(patches + (i * kPatch + j) * step + channel, found[i]);
        }
      }
    }
  }
}

// The comparison is written such that NaN stays NaN.
inline Vector relu(Vector x) { return x < 0 ? Vector{} : x; }

inline Vector finished(Vector x, const Finish& finish, std::size_t channel, std::size_t at) {
  if (finish.bias != nullptr) x += load(finish.bias + channel);
  if (finish.addend != nullptr) x += load(finish.addend + at);
  if (finish.relu) x = relu(x);
  return x;
}

template <std::size_t M>
void gather(const float* products, std::size_t step, const BoardShape& shape, float* board, const Finish& finish) {
  constexpr std::size_t kPatch = M + 2;
  for (std::size_t top = 0; top < shape.height; top += M) {
    const std::size_t rows = shape.height - top < M ? shape.height - top : M;
    for (std::size_t left = 0; left < shape.width; left += M, products += kPanel) {
      const std::size_t columns = shape.width - left < M ? shape.width - left : M;
      for (std::size_t channel = 0; channel < kPanel; channel += kWidth) {
        Vector across[kPatch][M];
        for (std::size_t i = 0; i < kPatch; ++i) {
          Vector row[kPatch];
          for (std::size_t j = 0; j < kPatch; ++j) row[j] = load(products + (i * kPatch + j) * step + channel);
          apply<kTransforms<M>.output>(row, across[i]);
        }
        for (std::size_t j = 0; j < columns; ++j) {
          Vector column[kPatch], found[M];
          for (std::size_t i = 0; i < kPatch; ++i) column[i] = across[i][j];
          apply<kTransforms<M>.output>(column, found);
          for (std::size_t i = 0; i < rows; ++i) {
            const std::size_t at = ((top + i) * shape.width + left + j) * shape.stride + channel;
            store(board + at, finished(found[i], finish, channel, at));
          }
        }
      }
    }
  }
}

template <std::size_t Vectors>
void convolve_sparse_block(const SparseBoard& board, const FilterShape& filters, const float* weights,
                           const BoardShape& shape, float* out) {
  for (std::size_t y = 0; y < shape.height; ++y) {
    for (std::size_t x = 0; x < shape.width; ++x, out += shape.stride) {
      Vector sums[Vectors] = {};
      const float* filter = weights;
      for (std::size_t i = 0; i < filters.height; ++i) {
        // A row of the board with a border as wide as the filter reaches.
        const std::size_t row = y + i * filters.dilation_y - filters.height / 2 * filters.dilation_y;
        for (std::size_t j = 0; j < filters.width; ++j, filter += filters.inputs * shape.stride) {
          const std::size_t column = x + j * filters.dilation_x - filters.width / 2 * filters.dilation_x;
          if (row >= shape.height || column >= shape.width) continue;  // below 0 is far above
          const std::size_t point = row * shape.width + column;
          for (std::uint32_t at = board.starts[point]; at < board.starts[point + 1]; ++at) {
            const float* by = filter + board.entries[at].channel * shape.stride;
            const Vector value = board.entries[at].value - Vector{};
#pragma GCC unroll 16
            for (std::size_t v = 0; v < Vectors; ++v) sums[v] += value * load(by + v * kWidth);
          }
        }
      }
#pragma GCC unroll 16
      for (std::size_t v = 0; v < Vectors; ++v) store(out + v * kWidth, sums[v]);
    }
  }
}

using ConvolveSparse = void (*)(const SparseBoard&, const FilterShape&, const float*, const BoardShape&, float*);

template <std::size_t... Panels>
constexpr Table<sizeof...(Panels), ConvolveSparse> sparse_table(std::index_sequence<Panels...>) {
  return {{convolve_sparse_block<(Panels + 1) * kVectors>...}};
}

void convolve_sparse(const SparseBoard& board, const FilterShape& filters, const float* weights,
                     const BoardShape& shape, float* out) {
  constexpr std::size_t kMax = 12 / kVectors;  // panels, so that their sums stay in registers
  static constexpr auto kTable = sparse_table(std::make_index_sequence<kMax>{});
  for (std::size_t channel = 0; channel < shape.stride; channel += kMax * kPanel) {
    const std::size_t left = (shape.stride - channel) / kPanel;
    kTable.by[(left < kMax ? left : kMax) - 1](board, filters, weights + channel, shape, out + channel);
  }
}

void finish_rows(float* x, std::size_t rows, std::size_t channels, std::size_t stride, const Finish& finish) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t channel = 0; channel < channels; channel += kWidth) {
      const std::size_t at = row * stride + channel;
      store(x + at, finished(load(x + at), finish, channel, at));
    }
  }
}

void add(const float* a, const float* b, float* sum, std::size_t count) {
  for (std::size_t i = 0; i < count; i += kWidth) store(sum + i, load(a + i) + load(b + i));
}

template <class Operation>
inline void by_row(const float* x, const float* by, float* y, std::size_t rows, std::size_t stride,
                   Operation operation) {
  for (std::size_t row = 0; row < rows; ++row, x += stride, y += stride) {
    for (std::size_t i = 0; i < stride; i += kWidth) store(y + i, operation(load(x + i), load(by + i)));
  }
}

void scale(const float* x, const float* factors, float* y, std::size_t rows, std::size_t stride) {
  by_row(x, factors, y, rows, stride, [](Vector a, Vector b) { return a * b; });
}

void shift(const float* x, const float* terms, float* y, std::size_t rows, std::size_t stride) {
  by_row(x, terms, y, rows, stride, [](Vector a, Vector b) { return a + b; });
}

using Whole __attribute__((vector_size(kWidth * sizeof(float)))) = int;

// To 1e-7 of the result, for x from -87 to 88.
inline Vector exp(Vector x) {
  constexpr float kLog2E = 1.44269504F, kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to whole numbers
  const Vector power = (x * kLog2E + kRounder) - kRounder;
  const Vector rest = (x - power * kLn2High) - power * kLn2Low;
  Vector sum = 1.9875691500e-4F * rest + 1.3981999507e-3F;
  sum = sum * rest + 8.3334519073e-3F;
  sum = sum * rest + 4.1665795894e-2F;
  sum = sum * rest + 1.6666665459e-1F;
  sum = sum * rest + 5.0000001201e-1F;
  sum = sum * rest * rest + rest + 1.0F;
  const Whole bits = (__builtin_convertvector(power, Whole) + 127) << 23;
  return sum * __builtin_bit_cast(Vector, bits);
}

// Clamp to a range; NaN stays NaN.
inline Vector held(Vector x, float low, float high) {
  x = x < low ? low - Vector{} : x;
  return x > high ? high - Vector{} : x;
}

inline Vector mish(Vector x) {
  // tanh(softplus(x)) is n / (n + 2) with n = e (e + 2) and e = exp(x); from 20 on it is 1.
  const Vector e = exp(held(x, -80.0F, 20.0F));
  const Vector n = e * (e + 2.0F);
  return x * (n / (n + 2.0F));
}

inline Vector silu(Vector x) { return x / (exp(-held(x, -80.0F, 80.0F)) + 1.0F); }

inline Vector sigmoid(Vector x) { return 1.0F / (exp(-held(x, -80.0F, 80.0F)) + 1.0F); }

inline Vector tanh(Vector x) {
  const Vector e = exp(held(x, -20.0F, 20.0F) * 2.0F);
  return (e - 1.0F) / (e + 1.0F);
}

template <class Function>
inline void each(const float* x, float* y, std::size_t count, Function function) {
  for (std::size_t i = 0; i < count; i += kWidth) store(y + i, function(load(x + i)));
}

void activate(Activation kind, const float* x, float* y, std::size_t count) {
  switch (kind) {
    case Activation::kRelu:
      return each(x, y, count, [](Vector v) { return relu(v); });
    case Activation::kMish:
      return each(x, y, count, [](Vector v) { return mish(v); });
    case Activation::kSilu:
      return each(x, y, count, [](Vector v) { return silu(v); });
    case Activation::kTanh:
      return each(x, y, count, [](Vector v) { return tanh(v); });
    case Activation::kSigmoid:
      return each(x, y, count, [](Vector v) { return sigmoid(v); });
  }
}

void pool(const float* board, std::size_t points, std::size_t stride, float* mean, float* largest) {
  for (std::size_t channel = 0; channel < stride; channel += kWidth) {
    Vector sum{}, top = load(board + channel);
    for (std::size_t point = 0; point < points; ++point) {
      const Vector x = load(board + point * stride + channel);
      sum += x;
      top = x > top ? x : top;
    }
    store(mean + channel, sum / static_cast<float>(points));
    store(largest + channel, top);
  }
}

constexpr Kernels make_kernels(const char* name, const Int16Products& int16 = {}) {
  return {name,
          kPanel,
          multiply,
          int16,
          {{transform<2>, gather<2>}, {transform<3>, gather<3>}, {transform<4>, gather<4>}},
          convolve_sparse,
          finish_rows,
          add,
          scale,
          shift,
          activate,
          pool};
}
