"""Small random networks in other programs' formats, as ONNX files."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BATCH = "batch"


class Maker:
    """A graph of which every layer has random weights."""

    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)
        self.nodes, self.weights = [], []

    def array(self, *shape, scale=0.1):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(self.rng.normal(0, scale, shape).astype(np.float32), name))
        return name

    def constant(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def node(self, op, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], f"{op}{len(self.nodes)}", **attributes))
        return name

    def conv(self, x, outputs, inputs, height=1, width=1, pads=None):
        pads = [height // 2, width // 2] * 2 if pads is None else pads
        weights, bias = self.array(outputs, inputs, height, width), self.array(outputs)
        return self.node("Conv", x, weights, bias, kernel_shape=[height, width], pads=pads)

    def silu(self, x):
        return self.node("Mul", x, self.node("Sigmoid", x))

    def linear(self, x, inputs, outputs):
        return self.node("Gemm", x, self.array(outputs, inputs), self.array(outputs), transB=1)

    def output(self, value, name):
        self.nodes.append(helper.make_node("Identity", [value], [name], f"to {name}"))

    def save(self, path, inputs, outputs, batch=BATCH):
        def ports(shapes):
            return [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, [batch, *shape])
                for name, shape in shapes.items()
            ]

        graph = helper.make_graph(self.nodes, "small", ports(inputs), ports(outputs), self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, path)
        return path


def write_miniosl(path, *, planes=176, values=4, seed=0):
    """With everything that miniosl's own graph has: columns, global pooling, gates."""
    m = Maker(seed)
    x = m.node("Relu", m.conv("input", 16, planes, 3, 3))
    inner = m.node("Relu", m.conv(x, 8, 16))
    column = m.conv(inner, 8, 8, 9, 1, pads=[0, 0, 0, 0])
    inner = m.silu(m.node("Add", m.node("Add", inner, column), m.conv(inner, 8, 8, 3, 3)))
    x = m.silu(m.node("Add", x, m.conv(inner, 16, 8)))
    top = m.node("MaxPool", x, kernel_shape=[9, 9], strides=[9, 9])
    mean = m.node("AveragePool", x, kernel_shape=[9, 9], strides=[9, 9])
    axis = m.constant([2])
    pooled = m.node("Squeeze", m.node("Squeeze", m.node("Concat", top, mean, axis=1), axis), axis)
    row = m.node("Unsqueeze", m.node("Unsqueeze", m.linear(pooled, 32, 16), axis), m.constant([3]))
    x = m.node("Add", x, row)
    m.output(m.node("Flatten", m.conv(x, 27, 16)), "move")
    head = m.node("Flatten", m.node("Relu", m.conv(x, 1, 16)))
    m.output(m.node("Tanh", m.linear(m.node("Relu", m.linear(head, 81, 8)), 8, values)), "value")
    m.output(m.node("Flatten", m.conv(x, 22, 16)), "aux")
    shapes = {"move": [2187], "value": [values], "aux": [1782]}
    return m.save(path, {"input": [planes, 9, 9]}, shapes)


NAMES = ("input1", "input2", "output_policy", "output_value")


def write_dlshogi(path, *, hands=57, board=62, batch=BATCH, names=NAMES, odd=False, seed=0):
    """`odd` has a layer that the core does not compute."""
    m = Maker(seed)
    x = m.node("Add", m.conv(names[0], 16, board, 3, 3), m.conv(names[0], 16, board))
    x = m.node("Relu", m.node("Add", x, m.conv(names[1], 16, hands)))
    norm = (m.array(16, scale=1.0), m.array(16), m.array(16))
    variance = m.node("Abs", m.array(16, scale=1.0)) if odd else None
    if variance is None:
        m.weights.append(numpy_helper.from_array(m.rng.uniform(0.5, 2, 16).astype(np.float32), "variance"))
        variance = "variance"
    y = m.silu(m.node("BatchNormalization", m.conv(x, 16, 16, 3, 3), *norm, variance))
    x = m.node("Relu", m.node("Add", m.conv(y, 16, 16, 3, 3), x))
    policy = m.node("Reshape", m.conv(x, 27, 16), m.constant([-1, 2187]))
    m.output(m.node("Add", policy, m.array(2187)), names[2])
    head = m.node("Flatten", m.node("Relu", m.conv(x, 4, 16)))
    m.output(m.node("Sigmoid", m.linear(m.node("Relu", m.linear(head, 324, 8)), 8, 1)), names[3])
    inputs = {names[0]: [board, 9, 9], names[1]: [hands, 9, 9]}
    return m.save(path, inputs, {names[2]: [2187], names[3]: [1]}, batch)


def write_tutorial(path):
    """One input of 104 planes."""
    m = Maker()
    x = m.node("Relu", m.conv("input", 8, 104, 3, 3))
    m.output(m.node("Flatten", m.conv(x, 27, 8)), "output_policy")
    m.output(m.node("Sigmoid", m.linear(m.node("Flatten", x), 648, 1)), "output_value")
    return m.save(path, {"input": [104, 9, 9]}, {"output_policy": [2187], "output_value": [1]})
