#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "convnet/network.hpp"
#include "convnet/workspace.hpp"

// Preparation and evaluation of a network whose layers are all known.
namespace tengen::convnet {

namespace {

// Products of so many rows take what a core's cache holds of them, and weights are read once for all of them.
constexpr std::size_t kTilesTogether = 64;

// Without an early return, so that it is vectorized.
bool are_finite(std::span<const float> numbers) {
  bool result = true;
  for (const float number : numbers) result &= std::fabs(number) <= std::numeric_limits<float>::max();
  return result;
}

}  // namespace

void Network::finish() {
  if (is_finished_) throw std::invalid_argument("the network is finished");
  fold_into_convolutions();
  place_values();
  is_finished_ = true;
}

// Sums and relus that alone follow a convolution become a part of it.
void Network::fold_into_convolutions() {
  std::vector<int> readers(values_.size());
  for (const Step& step : steps_) {
    for (const Value value : step.reads) ++readers[value];
  }
  for (const auto& output : outputs_) {
    for (const Value value : output) ++readers[value];
  }
  std::vector<Step> kept;
  kept.reserve(steps_.size());
  std::map<Value, std::size_t> convolutions;  // by what they write
  for (Step& step : steps_) {
    const auto found = step.reads.empty() ? convolutions.end() : convolutions.find(step.reads[0]);
    const bool is_alone = found != convolutions.end() && readers[step.reads[0]] == 1;
    if (is_alone && (step.kind == Kind::kRelu || step.kind == Kind::kAdd)) {
      Step& conv = kept[found->second];
      const bool is_made_before = step.kind == Kind::kRelu || step.reads[1] < conv.writes;
      if (!conv.relu && is_made_before && !(step.kind == Kind::kAdd && conv.has_addend)) {
        if (step.kind == Kind::kAdd) conv.reads.push_back(step.reads[1]);
        (step.kind == Kind::kAdd ? conv.has_addend : conv.relu) = true;
        convolutions[step.writes] = found->second;
        conv.writes = step.writes;
        continue;
      }
    }
    if (step.kind == Kind::kConv) convolutions[step.writes] = kept.size();
    kept.push_back(std::move(step));
  }
  steps_ = std::move(kept);
}

// A value's buffer is free after its last reader.
void Network::place_values() {
  std::vector<std::size_t> last(values_.size(), 0);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const Value value : steps_[i].reads) last[value] = i;
  }
  for (const auto& output : outputs_) {
    for (const Value value : output) last[value] = steps_.size();
  }
  std::multimap<std::size_t, std::size_t> free;  // buffers by their sizes
  const auto place = [&](Value value) {
    const std::size_t size = floats(values_[value]);
    const auto found = free.find(size);
    if (found == free.end()) {
      values_[value].buffer = buffers_.size();
      buffers_.push_back(size);
    } else {
      values_[value].buffer = found->second;
      free.erase(found);
    }
  };
  for (const Value input : inputs_) place(input);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    place(steps_[i].writes);
    std::vector<Value> reads = steps_[i].reads;
    std::ranges::sort(reads);
    const auto same = std::ranges::unique(reads);
    reads.erase(same.begin(), same.end());
    for (const Value value : reads) {
      if (last[value] == i) free.emplace(floats(values_[value]), values_[value].buffer);
    }
  }
}

std::size_t Network::input_size(std::size_t input) const {
  const Shape& shape = values_[inputs_.at(input)];
  return shape.channels * (shape.is_board ? points() : 1);
}

std::size_t Network::output_size(std::size_t output) const {
  std::size_t columns = 0;
  for (const Value part : outputs_.at(output)) columns += values_[part].is_board ? points() : 1;
  return values_[outputs_[output][0]].channels * columns;
}

// Boards that go through the network together: as many as pays, and as even as can be.
std::size_t Network::group_size(std::size_t rows) const {
  const std::size_t threads = std::min(rows, workers_.size());
  const std::size_t share = (rows + threads - 1) / threads;
  const std::size_t groups = (share + max_boards() - 1) / max_boards();
  return (share + groups - 1) / groups;
}

std::size_t Network::max_boards() const { return std::max<std::size_t>(1, kTilesTogether / tiles_); }

void Network::run(std::size_t rows, std::span<const float* const> inputs, std::span<float* const> outputs) {
  if (!is_finished_) throw std::invalid_argument("the network is not finished");
  if (rows == 0) return;
  const std::lock_guard lock(mutex_);
  const std::size_t group = group_size(rows);
  std::atomic<std::size_t> next = 0;
  const std::function<void(std::size_t, std::size_t)> work = [&](std::size_t, std::size_t worker) {
    for (std::size_t first = next.fetch_add(group); first < rows; first = next.fetch_add(group)) {
      if (!workspaces_[worker]) workspaces_[worker] = std::make_unique<Workspace>(*this, max_boards());
      workspaces_[worker]->boards = std::min(group, rows - first);
      run_group(*workspaces_[worker], first, inputs, outputs);
    }
  };
  if (group >= rows) {
    work(0, 0);
  } else {
    workers_.share(workers_.size(), work);
  }
}

void Network::run_group(Workspace& space, std::size_t first, std::span<const float* const> inputs,
                        std::span<float* const> outputs) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Shape& shape = values_[inputs_[i]];
    const float* from = inputs[i] + first * input_size(i);
    float* to = space.data(inputs_[i]);
    const std::size_t count = shape.is_board ? points() : 1;
    for (std::size_t board = 0; board < space.boards; ++board, to += count * shape.stride) {
      for (std::size_t point = 0; point < count; ++point) std::fill_n(to + point * shape.stride, shape.stride, 0.0F);
      for (std::size_t channel = 0; channel < shape.channels; ++channel, from += count) {
        for (std::size_t point = 0; point < count; ++point) to[point * shape.stride + channel] = from[point];
      }
    }
  }
  for (const Step& step : steps_) step.run(space, step);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    float* const start = outputs[i] + first * output_size(i);
    float* to = start;
    for (std::size_t board = 0; board < space.boards; ++board) {
      for (std::size_t channel = 0; channel < values_[outputs_[i][0]].channels; ++channel) {
        for (const Value part : outputs_[i]) {
          const Shape& shape = values_[part];
          const std::size_t count = shape.is_board ? points() : 1;
          const float* from = space.data(part) + board * count * shape.stride + channel;
          for (std::size_t point = 0; point < count; ++point) *to++ = from[point * shape.stride];
        }
      }
    }
    if (!are_finite({start, to})) {
      throw std::runtime_error("output " + std::to_string(i) + " of the network is not finite: it is damaged");
    }
  }
}

}  // namespace tengen::convnet
