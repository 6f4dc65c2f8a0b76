"""Gradients of loops and branches that stay operators: they are longer than what the
import unrolls, or depend on what is computed. References are programs of NumPy."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

import harness

CHAIN = 18  # so that 120 iterations are too many to be unrolled


def info(name, shape=(), kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def chain(source, target, bias):
    """Nodes: alternately a hyperbolic tangent and a sum with `bias`."""
    nodes, last = [], source
    for i in range(CHAIN):
        name = target if i == CHAIN - 1 else f"{target}_{i}"
        inputs = [last, bias] if i % 2 else [last]
        nodes.append(helper.make_node("Add" if i % 2 else "Tanh", inputs, [name]))
        last = name
    return nodes


def chained(x, bias):
    for i in range(CHAIN):
        x = x + bias if i % 2 else np.tanh(x)
    return x


class Control(harness.Case):
    """A case whose nodes are a function of their names."""

    def __init__(self, label, nodes, *inputs, **more):
        super().__init__(label, *inputs, **more)
        self.nodes = nodes

    def model_nodes(self, prefix):
        return self.nodes(
            prefix, [f"{prefix}_x{i}" for i in range(len(self.inputs))],
            [f"{prefix}_y{i}" for i in range(self.results)])


def scan_nodes(prefix, inputs, outputs):
    """h = chain(h + x W, b), from the last step to the first."""
    h, x, w, b = inputs
    body = helper.make_graph(
        [helper.make_node("MatMul", ["xt", w], ["xw"]), helper.make_node("Add", ["h", "xw"], ["s"]),
         *chain("s", "next", b), helper.make_node("Mul", ["next", "h"], ["row"])],
        f"{prefix}_body", [info("h", (2, 3)), info("xt", (2, 2))],
        [info("next", (2, 3)), info("row", (2, 3))])
    return [helper.make_node("Scan", [h, x], outputs, body=body, num_scan_inputs=1,
                             scan_input_axes=[1], scan_input_directions=[1],
                             scan_output_axes=[1], scan_output_directions=[1])]


def scan(h, x, w, b):
    rows = []
    for t in reversed(range(x.shape[1])):
        following = chained(h + x[:, t] @ w, b)
        rows.insert(0, following * h)
        h = following
    return h, np.stack(rows, 1)


def loop_nodes(prefix, inputs, outputs):
    """Two values that change places, a branch in each iteration, and what goes in is read
    besides."""
    x, y, w = inputs
    small = helper.make_graph([helper.make_node("Mul", ["p", w], ["less"])], "small", [],
                              [info("less", (3,))])
    large = helper.make_graph(chain("p", "more", w), "large", [], [info("more", (3,))])
    three = numpy_helper.from_array(np.array(3, np.int64), "three")
    zero = numpy_helper.from_array(np.array(0, np.int64), "zero")
    body = helper.make_graph(
        [helper.make_node("Mod", ["i", "three"], ["rest"]),
         helper.make_node("Equal", ["rest", "zero"], ["third"]),
         helper.make_node("If", ["third"], ["r"], then_branch=small, else_branch=large),
         helper.make_node("Add", ["r", y], ["q_next"]),
         helper.make_node("ReduceSum", ["p"], ["row"], keepdims=0),
         helper.make_node("Identity", ["go"], ["go_on"])],
        f"{prefix}_body",
        [info("i", (), TensorProto.INT64), info("go", (), TensorProto.BOOL), info("p", (3,)),
         info("q", (3,))],
        [info("go_on", (), TensorProto.BOOL), info("q", (3,)), info("q_next", (3,)), info("row")],
        initializer=[three, zero])
    count = numpy_helper.from_array(np.array(120, np.int64))
    return [helper.make_node("Constant", [], [f"{prefix}_count"], value=count),
            helper.make_node("Loop", [f"{prefix}_count", "", x, y], outputs, body=body)]


def loop(x, y, w):
    p, q, rows = x, y, []
    for i in range(120):
        rows.append(np.sum(p))
        r = p * w if i % 3 == 0 else chained(p, w)
        p, q = q, r + y
    return p, q, np.array(rows)


def if_nodes(prefix, inputs, outputs):
    """A scan in one branch; the other one reads other values, and one of the same."""
    condition, h, x, w, b = inputs
    scanning = scan_nodes(f"{prefix}_then", [h, x, w, b], ["last", "rows"])
    yes = helper.make_graph(scanning, "yes", [], [info("last", (2, 3))])
    no = helper.make_graph(
        [*chain(h, "c", b), helper.make_node("Mul", ["c", h], ["other"])], "no", [],
        [info("other", (2, 3))])
    return [helper.make_node("If", [condition], outputs, then_branch=yes, else_branch=no)]


def branch(condition, h, x, w, b):
    return scan(h, x, w, b)[0] if condition else chained(h, b) * h


samples = harness.Samples(3)


def sequence():
    return samples.normal(2, 3), samples.normal(2, 120, 2), samples.normal(2, 3)


CASES = [
    Control("Scan", scan_nodes, *sequence(), 0.1 * samples.normal(3), ref=scan, results=2),
    Control("Loop", loop_nodes, samples.normal(3), samples.normal(3), 0.3 * samples.normal(3),
            ref=loop, results=3),
    Control("Then", if_nodes, harness.fixed(np.array(True)), *sequence(),
            0.1 * samples.normal(3), ref=branch),
    Control("Else", if_nodes, harness.fixed(np.array(False)), *sequence(),
            0.1 * samples.normal(3), ref=branch),
]

harness.main(CASES)
