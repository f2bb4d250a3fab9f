#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "convnet/network.hpp"

namespace tengen {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using convnet::Activation;
using convnet::Network;
template <std::size_t N>
using Weights = nb::ndarray<const float, nb::ndim<N>, nb::c_contig, nb::device::cpu>;
using Batch = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Row = nb::ndarray<nb::numpy, float, nb::ndim<2>>;

std::span<const float> span_of(const Weights<1>& array) { return {array.data(), array.shape(0)}; }

const convnet::Kernels& find_kernels(const std::string& name) {
  if (name.empty()) return convnet::best_kernels();
  std::string known;
  for (const convnet::Kernels* each : convnet::usable_kernels()) {
    if (each->name == name) return *each;
    known += std::string(known.empty() ? "" : ", ") + each->name;
  }
  throw std::invalid_argument("no instruction set '" + name + "' here: there are " + known);
}

Activation find_activation(const std::string& name) {
  if (name == "relu") return Activation::kRelu;
  if (name == "mish") return Activation::kMish;
  if (name == "silu") return Activation::kSilu;
  if (name == "tanh") return Activation::kTanh;
  if (name == "sigmoid") return Activation::kSigmoid;
  throw std::invalid_argument("no activation '" + name + "': there are relu, mish, silu, tanh and sigmoid");
}

std::size_t conv(Network& network, std::size_t board, const Weights<4>& weights, const Weights<1>& bias,
                 std::pair<std::size_t, std::size_t> dilation) {
  const convnet::FilterShape filters{weights.shape(0), weights.shape(1), weights.shape(2),
                                     weights.shape(3), dilation.first,   dilation.second};
  return network.conv(board, weights.data(), filters, span_of(bias));
}

std::vector<Row> run(Network& network, const std::vector<Batch>& inputs) {
  if (inputs.empty() || inputs.size() != network.input_count()) {
    throw std::invalid_argument("the network has " + std::to_string(network.input_count()) + " inputs");
  }
  const std::size_t rows = inputs[0].shape(0);
  std::vector<const float*> given;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].ndim() < 1 || inputs[i].shape(0) != rows || inputs[i].size() != rows * network.input_size(i)) {
      throw std::invalid_argument("input " + std::to_string(i) + " must hold " + std::to_string(network.input_size(i)) +
                                  " numbers for each row");
    }
    given.push_back(inputs[i].data());
  }
  std::vector<Row> answers;
  std::vector<float*> wanted;
  for (std::size_t i = 0; i < network.output_count(); ++i) {
    auto memory = std::make_unique<float[]>(rows * network.output_size(i));
    wanted.push_back(memory.get());
    const nb::capsule owner(memory.get(), [](void* data) noexcept { delete[] static_cast<float*>(data); });
    answers.emplace_back(memory.release(), std::initializer_list<std::size_t>{rows, network.output_size(i)}, owner);
  }
  const nb::gil_scoped_release unlocked;
  network.run(rows, given, wanted);
  return answers;
}

}  // namespace

void bind_convnet(nb::module_& m) {
  m.def(
      "instruction_sets",
      [] {
        std::vector<std::string> names;
        for (const convnet::Kernels* each : convnet::usable_kernels()) names.emplace_back(each->name);
        return names;
      },
      "That networks can use on this processor, the best last.");
  nb::class_<Network>(m, "ConvNet", "A convolutional network for boards of one size: built layer by layer, then asked.")
      .def(
          "__init__",
          [](Network* self, std::size_t width, std::size_t height, int threads, const std::string& instructions,
             bool int16) {
            if (width < 1 || height < 1 || threads < 1)
              throw std::invalid_argument("sizes and threads must be above 0");
            new (self) Network(width, height, threads, find_kernels(instructions),
                               int16 ? convnet::Precision::kInt16 : convnet::Precision::kFloat32);
          },
          "width"_a, "height"_a, "threads"_a = 1, "instructions"_a = "", "int16"_a = false)
      .def("board_input", &Network::board_input, "channels"_a)
      .def("row_input", &Network::row_input, "channels"_a)
      .def("conv", &conv, "board"_a, "weights"_a.noconvert(), "bias"_a.noconvert(), "dilation"_a = std::pair(1, 1))
      .def(
          "conv_columns",
          [](Network& network, std::size_t board, const Weights<3>& weights, const Weights<1>& bias) {
            if (weights.shape(2) != network.height()) throw std::invalid_argument("filters must be as high as boards");
            return network.conv_columns(board, weights.data(), weights.shape(1), weights.shape(0), span_of(bias));
          },
          "board"_a, "weights"_a.noconvert(), "bias"_a.noconvert(),
          "A filter as high as the board, weights [outputs, inputs, height]: an answer a column, at all its points.")
      .def(
          "linear",
          [](Network& network, std::size_t row, const Weights<2>& weights, const Weights<1>& bias) {
            return network.linear(row, weights.data(), weights.shape(0), weights.shape(1), span_of(bias));
          },
          "row"_a, "weights"_a.noconvert(), "bias"_a.noconvert())
      .def(
          "activate",
          [](Network& network, std::size_t x, const std::string& kind) {
            return network.activate(x, find_activation(kind));
          },
          "x"_a, "kind"_a)
      .def("add", &Network::add, "a"_a, "b"_a)
      .def("add_everywhere", &Network::add_everywhere, "board"_a, "row"_a)
      .def("scale_everywhere", &Network::scale_everywhere, "board"_a, "row"_a)
      .def(
          "scale",
          [](Network& network, std::size_t board, const Weights<1>& by) { return network.scale(board, span_of(by)); },
          "board"_a, "by"_a.noconvert())
      .def(
          "shift",
          [](Network& network, std::size_t board, const Weights<1>& by) { return network.shift(board, span_of(by)); },
          "board"_a, "by"_a.noconvert())
      .def("pool", &Network::pool, "board"_a, "Means, then maxima.")
      .def("mean", &Network::mean, "board"_a)
      .def("flatten", &Network::flatten, "board"_a, "A row of [channels, points].")
      .def(
          "output", [](Network& network, const std::vector<std::size_t>& parts) { network.output(parts); }, "parts"_a,
          "Of a board [channels, points], of a row [channels], of both [channels, points + 1].")
      .def("finish", &Network::finish, "After the last layer.")
      .def("run", &run, "inputs"_a, "Answers [rows, numbers] for each output; inputs are in their order.")
      .def_prop_ro("int16", [](const Network& network) { return network.precision() == convnet::Precision::kInt16; })
      .def_prop_ro("instructions", [](const Network& network) { return std::string(network.kernels().name); });
}

}  // namespace tengen
