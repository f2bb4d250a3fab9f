#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/any_game.hpp"
#include "bindings/bound_game.hpp"
#include "bindings/conversions.hpp"
#include "games/go/go.hpp"
#include "nets/katago/outputs.hpp"

// What is done to every batch before and after one of KataGo's networks sees it.
namespace tengen {

namespace {

template <class T, std::size_t N>
using View = nb::ndarray<const T, nb::ndim<N>, nb::device::cpu>;  // of any strides
template <class T, std::size_t N>
using Rows = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
template <std::size_t N>
using Floats = nb::ndarray<nb::numpy, float, nb::ndim<N>>;

constexpr float kMinPolicy = 1e-30F;

// What of a root's context a network's answer and its worth depend on, as numbers in a row.
enum Column {
  kPassingHacks,
  kOptimism,
  kTemperature,
  kSymmetries,
  kStaticFactor,
  kDynamicFactor,
  kCenter,
  kScale,
  kWinFactor,
  kWhiteNoResult,
  kColumnCount,
};

void put_context(const go::Context& context, bool is_root, std::span<float> row) {
  row[kPassingHacks] = context.passing_hacks ? 1.0F : 0.0F;
  row[kOptimism] = is_root ? context.root_policy_optimism : context.policy_optimism;
  row[kTemperature] = context.policy_temperature;
  row[kSymmetries] = is_root ? static_cast<float>(context.root_symmetries) : 1.0F;
  row[kStaticFactor] = context.static_factor;
  row[kDynamicFactor] = context.dynamic_factor;
  row[kCenter] = context.center;
  row[kScale] = context.scale;
  row[kWinFactor] = context.win_factor;
  row[kWhiteNoResult] = context.white_no_result;
}

go::Context utility_context(const float* row) {
  go::Context context;
  context.static_factor = row[kStaticFactor];
  context.dynamic_factor = row[kDynamicFactor];
  context.center = row[kCenter];
  context.scale = row[kScale];
  context.win_factor = row[kWinFactor];
  context.white_no_result = row[kWhiteNoResult];
  return context;
}

Floats<2> contexts_of_roots(const std::vector<go::Context>& contexts) {
  auto table = OwnedArray<float>(contexts.size() * kColumnCount, 0.0F);
  for (std::size_t row = 0; row < contexts.size(); ++row) {
    put_context(contexts[row], true, table.span().subspan(row * kColumnCount, kColumnCount));
  }
  return table.release<Floats<2>>({contexts.size(), kColumnCount});
}

Floats<2> contexts_of_rows(AnyPool& pool) {
  const BusyGuard guard(pool);
  if (pool.rules().game != RulesId("Go", "").game) throw nb::type_error("the pool searches another game");
  const auto rows = pool.rows();
  auto table = OwnedArray<float>(rows.size() * kColumnCount, 0.0F);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    put_context(static_cast<const Go*>(rows[row].game)->context(), rows[row].depth == 0,
                table.span().subspan(row * kColumnCount, kColumnCount));
  }
  return table.release<Floats<2>>({rows.size(), kColumnCount});
}

template <class Array>
void check_shape(const Array& array, std::size_t axis, std::size_t wanted, const char* name) {
  if (array.shape(axis) == wanted) return;
  throw nb::value_error((std::string(name) + " has " + std::to_string(array.shape(axis)) + " along axis " +
                         std::to_string(axis) + " and must have " + std::to_string(wanted))
                            .c_str());
}

void check_symmetry(std::int64_t symmetry, std::size_t width, std::size_t height) {
  const int count = width == height ? 8 : 4;
  if (symmetry >= 0 && symmetry < count) return;
  throw nb::value_error(("symmetry " + std::to_string(symmetry) + " on a board of " + std::to_string(width) + "x" +
                         std::to_string(height) + ", which has 0 … " + std::to_string(count - 1))
                            .c_str());
}

Floats<4> transform_boards(const View<float, 4>& boards, const View<std::int64_t, 1>& symmetry) {
  const std::size_t rows = boards.shape(0);
  const std::size_t planes = boards.shape(1);
  const std::size_t height = boards.shape(2);
  const std::size_t width = boards.shape(3);
  check_shape(symmetry, 0, rows, "symmetry");
  for (std::size_t row = 0; row < rows; ++row) check_symmetry(symmetry(row), width, height);
  auto transformed = OwnedArray<float>(rows * planes * height * width, 0.0F);
  katago::TransformedCells cells(static_cast<int>(width), static_cast<int>(height));
  float* out = transformed.span().data();
  for (std::size_t row = 0; row < rows; ++row) {
    const auto to = cells.by(static_cast<int>(symmetry(row)));
    for (std::size_t plane = 0; plane < planes; ++plane, out += to.size()) {
      const std::size_t* place = to.data();
      for (std::size_t y = 0; y < height; ++y) {
        const float* from = &boards(row, plane, y, 0);
        for (std::size_t x = 0; x < width; ++x) out[*place++] = from[static_cast<std::int64_t>(x) * boards.stride(3)];
      }
    }
  }
  return transformed.release<Floats<4>>({rows, planes, height, width});
}

// Appends one bit for each number that is not 0.
template <class T>
void append_bits(std::string& out, const T* from, std::size_t count) {
  for (; count >= 8; from += 8, count -= 8) {
    unsigned byte = 0;
    for (std::size_t i = 0; i < 8; ++i) byte |= static_cast<unsigned>(from[i] != T{}) << i;
    out.push_back(static_cast<char>(byte));
  }
  for (; count > 0; ++from, --count) out.push_back(*from != T{} ? '1' : '0');
}

void append_floats(std::string& out, const float* from, std::size_t count) {
  out.append(reinterpret_cast<const char*>(from), count * sizeof(float));
}

// Everything that an answer depends on, a string of bytes a row. Planes are 0 or 1, and each row's lie together.
std::vector<nb::bytes> input_keys(const View<float, 4>& planes, const Rows<float, 2>& globals,
                                  const Rows<bool, 2>& legal, const View<bool, 1>& white_to_move,
                                  const Rows<float, 2>& contexts) {
  const std::size_t rows = planes.shape(0);
  check_shape(globals, 0, rows, "globals"), check_shape(legal, 0, rows, "legal");
  check_shape(white_to_move, 0, rows, "white_to_move"), check_shape(contexts, 0, rows, "contexts");
  check_shape(contexts, 1, kColumnCount, "contexts");
  const auto area = static_cast<std::int64_t>(planes.shape(2) * planes.shape(3));
  if (planes.stride(3) != 1 || planes.stride(2) != static_cast<std::int64_t>(planes.shape(3)) ||
      planes.stride(1) != area) {
    throw nb::value_error("planes of a row must lie together");
  }
  std::vector<nb::bytes> keys;
  std::string key;
  for (std::size_t row = 0; row < rows; ++row) {
    key.assign(1, white_to_move(row) ? 'w' : 'b');
    append_bits(key, legal.data() + row * legal.shape(1), legal.shape(1));
    append_bits(key, &planes(row, 0, 0, 0), planes.shape(1) * extent(static_cast<int>(area)));
    append_floats(key, globals.data() + row * globals.shape(1), globals.shape(1));
    append_floats(key, contexts.data() + row * kColumnCount, kTemperature + 1);
    keys.emplace_back(key.data(), key.size());
  }
  return keys;
}

void check_asked(const katago::ReadSettings& asked, bool has_optimistic) {
  if (std::find(asked.legal.begin(), asked.legal.end(), true) == asked.legal.end()) {
    throw nb::value_error("legal must be truth values, with a legal move in every row");
  }
  if (!(asked.optimism >= 0.0 && asked.optimism <= 1.0)) {
    throw nb::value_error(("optimism is " + std::to_string(asked.optimism) + " and must be from 0 to 1").c_str());
  }
  if (asked.optimism != 0.0 && !has_optimistic) {
    throw nb::value_error("the network has no optimistic policy: optimism must be 0");
  }
  if (!(asked.temperature > 0.0)) {
    throw nb::value_error(("temperature is " + std::to_string(asked.temperature) + " and must be above 0").c_str());
  }
}

using Arrays = std::tuple<Floats<2>, Floats<2>, Floats<2>>;

Arrays read_outputs(const Rows<float, 3>& policy, const Rows<float, 2>& value, const Rows<float, 2>& score,
                    const Rows<float, 2>& ownership, const Rows<bool, 2>& legal, const View<bool, 1>& white_to_move,
                    const View<bool, 1>& may_lack_result, const View<std::int64_t, 1>& symmetry,
                    const View<float, 1>& optimism, const View<float, 1>& temperature,
                    const View<bool, 1>& passing_hacks, int width, const katago::PostProcess& post) {
  const std::size_t rows = policy.shape(0);
  const std::size_t moves = policy.shape(2);
  const std::size_t points = ownership.shape(1);
  if (moves != points + 1 || width < 1 || points % extent(width) != 0 || points > extent(go::kMaxPoints)) {
    throw nb::value_error("a policy must have a move more than a board of 19x19 or less has points");
  }
  const std::size_t height = points / extent(width);
  const auto each_row = [&](const char* name, const auto& array) { check_shape(array, 0, rows, name); };
  each_row("value", value), each_row("score", score), each_row("ownership", ownership), each_row("legal", legal);
  each_row("white_to_move", white_to_move), each_row("may_lack_result", may_lack_result);
  each_row("symmetry", symmetry), each_row("optimism", optimism), each_row("temperature", temperature);
  each_row("passing_hacks", passing_hacks);
  check_shape(value, 1, 3, "value");
  check_shape(legal, 1, moves, "legal");
  if (score.shape(1) < (post.version >= 9 ? 6U : 4U)) throw nb::value_error("score lacks numbers of its version");
  katago::TransformedCells cells(width, static_cast<int>(height));
  auto odds = OwnedArray<float>(rows * moves, 0.0F);
  auto numbers = OwnedArray<float>(rows * katago::kNumberCount, 0.0F);
  auto owners = OwnedArray<float>(rows * points, 0.0F);
  for (std::size_t row = 0; row < rows; ++row) {
    check_symmetry(symmetry(row), extent(width), height);
    const float* from = policy.data() + row * policy.shape(1) * moves;
    const katago::Outputs outputs{{from, moves},
                                  {from + (policy.shape(1) > 1 ? moves : 0), moves},
                                  {value.data() + row * 3, 3},
                                  {score.data() + row * score.shape(1), score.shape(1)},
                                  {ownership.data() + row * points, points}};
    const katago::ReadSettings asked{cells.by(static_cast<int>(symmetry(row))),
                                     {legal.data() + row * moves, moves},
                                     white_to_move(row),
                                     may_lack_result(row),
                                     passing_hacks(row),
                                     static_cast<double>(optimism(row)),
                                     static_cast<double>(temperature(row))};
    check_asked(asked, policy.shape(1) > 1);
    const katago::Numbers found = katago::read_outputs(outputs, asked, post, odds.span().subspan(row * moves, moves),
                                                       owners.span().subspan(row * points, points));
    for (std::size_t i = 0; i < found.size(); ++i) numbers.span()[i * rows + row] = found[i];
  }
  return {odds.release<Floats<2>>({rows, moves}), numbers.release<Floats<2>>({katago::kNumberCount, rows}),
          owners.release<Floats<2>>({rows, points})};
}

// Log-odds, utilities and aux, as a search takes them.
Arrays evaluate_outputs(const Rows<float, 2>& policy, const View<float, 2>& numbers, const Rows<float, 2>& ownership,
                        const Rows<float, 2>& contexts) {
  const std::size_t rows = policy.shape(0);
  const std::size_t points = ownership.shape(1);
  check_shape(numbers, 0, katago::kNumberCount, "numbers");
  check_shape(numbers, 1, rows, "numbers");
  check_shape(ownership, 0, rows, "ownership");
  check_shape(contexts, 0, rows, "contexts");
  check_shape(contexts, 1, kColumnCount, "contexts");
  const auto area = static_cast<float>(points);
  const std::size_t aux_count = Go::kScalars + points;
  auto logits = OwnedArray<float>(rows * policy.shape(1), 0.0F);
  auto values = OwnedArray<float>(rows * 2, 0.0F);
  auto aux = OwnedArray<float>(rows * aux_count, 0.0F);
  for (std::size_t i = 0; i < logits.span().size(); ++i) {
    logits.span()[i] = std::log(std::max(policy.data()[i], kMinPolicy));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    katago::Numbers own{};
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = numbers(i, row);
    const double worth =
        katago::utility(own, static_cast<int>(points), utility_context(contexts.data() + row * kColumnCount));
    values.span()[2 * row] = static_cast<float>(worth);
    values.span()[2 * row + 1] = static_cast<float>(-worth);
    float* row_aux = aux.span().data() + row * aux_count;
    row_aux[0] = own[katago::kWhiteLoss] - own[katago::kWhiteWin];
    row_aux[1] = own[katago::kNoResultShare];
    row_aux[2] = -own[katago::kWhiteScoreMean] / area;
    row_aux[3] = own[katago::kWhiteScoreMeanSq] / (area * area);
    row_aux[4] = -own[katago::kWhiteLead] / area;
    for (std::size_t i = 0; i < points; ++i) row_aux[Go::kScalars + i] = -ownership.data()[row * points + i];
  }
  return {logits.release<Floats<2>>({rows, policy.shape(1)}), values.release<Floats<2>>({rows, 2}),
          aux.release<Floats<2>>({rows, aux_count})};
}

}  // namespace

void bind_katago(nb::module_& m) {
  nb::class_<katago::PostProcess>(m, "KataGoPostProcess")
      .def(
          "__init__",
          [](katago::PostProcess* self, int version, double score_mean, double score_stdev, double lead,
             double variance_time, double shortterm_value_error, double shortterm_score_error) {
            new (self) katago::PostProcess{
                version, score_mean, score_stdev, lead, variance_time, shortterm_value_error, shortterm_score_error};
          },
          nb::kw_only(), nb::arg("version"), nb::arg("score_mean"), nb::arg("score_stdev"), nb::arg("lead"),
          nb::arg("variance_time"), nb::arg("shortterm_value_error"), nb::arg("shortterm_score_error"));
  m.def("katago_contexts_of_roots", &contexts_of_roots, nb::arg("contexts"),
        "[rows, 10]: passing hacks, optimism, temperature, symmetries; factors of the score, center, scale; what a win "
        "and no result are worth.");
  m.def("katago_contexts_of_rows", &contexts_of_rows, nb::arg("pool"), "The same of the batch.");
  m.def("katago_input_keys", &input_keys, nb::arg("planes"), nb::arg("globals"), nb::arg("legal"),
        nb::arg("white_to_move"), nb::arg("contexts"),
        "Everything that a network's answer depends on, as bytes a row.");
  m.def("katago_transform_boards", &transform_boards, nb::arg("boards"), nb::arg("symmetry"),
        "Boards [rows, planes, height, width], each by its own symmetry.");
  m.def("katago_read_outputs", &read_outputs, nb::arg("policy"), nb::arg("value"), nb::arg("score"),
        nb::arg("ownership"), nb::arg("legal"), nb::arg("white_to_move"), nb::arg("may_lack_result"),
        nb::arg("symmetry"), nb::arg("optimism"), nb::arg("temperature"), nb::arg("passing_hacks"), nb::arg("width"),
        nb::arg("post"), "What a network answered: policy [rows, moves], numbers [9, rows], ownership [rows, points].");
  m.def("katago_evaluate_outputs", &evaluate_outputs, nb::arg("policy"), nb::arg("numbers"), nb::arg("ownership"),
        nb::arg("contexts"), "What a search takes: log-odds [rows, moves], utilities [rows, 2], aux.");
}

}  // namespace tengen
