"""Gradients of random graphs: values with several readers, operators that read a value
twice, broadcasts in both directions, paths of different lengths and ends that do not reach
the loss. Each graph is one case, computed as a whole by ONNX's reference evaluator."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import harness

UNARY = ["Tanh", "Sigmoid", "Sin", "Neg", "Softplus", "Cos", "Softmax"]
BINARY = ["Add", "Sub", "Mul", "Add", "Mul", "MatMul"]
FOLD = ["ReduceMean", "ReduceSum", "ReduceLogSumExp", "Transpose", "Reshape"]


class RandomGraph(harness.Case):
    def __init__(self, seed, steps=14):
        self.random = np.random.default_rng(seed)
        shapes = [(3, 4), (4,), (3, 1), (2, 3, 4), ()]
        super().__init__("Graph", *[self.random.standard_normal(s) for s in shapes], rtol=1e-3,
                         atol=1e-4)
        self.label = f"Graph{seed}"
        self.nodes, self.lists = [], {}
        self.shapes = {f"x{i}": s for i, s in enumerate(shapes)}
        for _ in range(steps):
            self.grow()
        read = {name for node in self.nodes for name in node.input}
        ends = [node.output[0] for node in self.nodes if node.output[0] not in read]
        # Not all of what nobody reads reaches the loss.
        self.outputs = ends[1:] if len(ends) > 2 else ends
        self.results = len(self.outputs)
        self.used = range(self.results)
        self.absent = self.inputs_without_path()

    def inputs_without_path(self):
        reached = set(self.outputs)
        for node in reversed(self.nodes):
            if node.output[0] in reached:
                reached.update(node.input)
        return [i for i in range(len(self.inputs)) if f"x{i}" not in reached]

    def pick(self):
        # Recent values are picked more often.
        names = list(self.shapes)
        place = len(names) - 1 - int(self.random.exponential(3))
        return names[max(place, 0)]

    def grow(self):
        kind = self.random.integers(0, 3)
        a, b = self.pick(), self.pick()
        shape, attributes, inputs = self.shapes[a], {}, [a]
        if kind == 0:
            op = self.random.choice(UNARY)
            if op == "Softmax" and not shape:
                return
        elif kind == 1:
            op, inputs, other = self.random.choice(BINARY), [a, b], self.shapes[b]
            if self.random.integers(0, 4) == 0 and op != "MatMul":
                inputs, other = [a, a], shape
            try:
                shape = (np.matmul if op == "MatMul" else np.add)(
                    np.zeros(shape), np.zeros(other)).shape
            except ValueError:
                return
        else:
            op = self.random.choice(FOLD)
            if not shape:
                return
            if op == "Transpose":
                order = self.random.permutation(len(shape))
                attributes["perm"] = [int(i) for i in order]
                shape = tuple(shape[i] for i in order)
            elif op == "Reshape":
                size = int(np.prod(shape))
                divisor = self.random.choice([d for d in (1, 2, 3, 4) if size % d == 0])
                shape = (int(divisor), size // int(divisor))
                inputs = [a, self.integers(list(shape))]
            else:
                axis = int(self.random.integers(0, len(shape)))
                attributes["keepdims"] = int(self.random.integers(0, 2))
                inputs = [a, self.integers([axis])]
                kept = (1,) if attributes["keepdims"] else ()
                shape = shape[:axis] + kept + shape[axis + 1:]
        name = f"v{len(self.shapes)}"
        self.nodes.append(helper.make_node(str(op), inputs, [name], **attributes))
        self.shapes[name] = shape

    def integers(self, values):
        name = f"i{len(self.lists)}"
        self.lists[name] = numpy_helper.from_array(np.array(values, np.int64), name)
        return name

    def evaluate(self, values):
        if not hasattr(self, "evaluator"):
            graph = helper.make_graph(
                self.nodes, "graph",
                [helper.make_tensor_value_info(f"x{i}", TensorProto.DOUBLE, x.shape)
                 for i, x in enumerate(values)],
                [helper.make_tensor_value_info(name, TensorProto.DOUBLE, None)
                 for name in self.outputs], list(self.lists.values()))
            self.evaluator = ReferenceEvaluator(helper.make_model(
                graph, opset_imports=[helper.make_opsetid("", 18)]))
        return self.evaluator.run(None, {f"x{i}": x for i, x in enumerate(values)})

    def model_nodes(self, prefix):
        """The graph's nodes, with its results called as those of other cases."""
        names = {name: f"{prefix}_y{i}" for i, name in enumerate(self.outputs)}
        result = [helper.make_node("Constant", [], [f"{prefix}_{name}"], value=value)
                  for name, value in self.lists.items()]
        for node in self.nodes:
            copy = type(node)()
            copy.CopyFrom(node)
            for list_ in copy.input, copy.output:
                for i, name in enumerate(list_):
                    list_[i] = names.get(name, f"{prefix}_{name}")
            result.append(copy)
        return result


harness.main([RandomGraph(seed) for seed in range(10)], opset=18)
