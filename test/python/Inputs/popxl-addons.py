#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A library over popxl in the style of public ones — modules that name their variables, trees of
named tensors, graphs with named arguments, gradient graphs that accumulate, made by way of the
internals that such libraries reach — and a training step with it, which takes the path that
PyTorch takes."""

import sys

import numpy as np
import popart._internal.ir as _ir
import popxl
import torch
from popxl import ops, transforms


class NamedTensors:
    """A tree of tensors: `t.fc1.w`."""

    def __init__(self, tensors):
        self._map = {}
        for name, value in tensors.items():
            self._insert(name, value)

    def _insert(self, name, value):
        head, _, rest = name.partition(".")
        if rest:
            self._map.setdefault(head, NamedTensors({}))._insert(rest, value)
        else:
            self._map[head] = value

    def __getattr__(self, name):
        if name not in self.__dict__["_map"]:
            raise AttributeError(name)
        return self._map[name]

    def to_dict(self, prefix=""):
        found = {}
        for name, value in self._map.items():
            if isinstance(value, NamedTensors):
                found.update(value.to_dict(f"{prefix}{name}."))
            else:
                found[prefix + name] = value
        return found


class Factories(dict):
    """By name, the data of a variable as a function."""

    def init(self):
        return NamedTensors({name: popxl.variable(data(), name=name)
                             for name, data in self.items()})


class GraphWithNamedArgs:
    def __init__(self, graph, args, info=None):
        self.graph, self.args, self.info = graph, NamedTensors(args), info

    def bind(self, tensors):
        given = tensors.to_dict()
        bound = {tensor: given[name] for name, tensor in self.args.to_dict().items()}
        return lambda *inputs, **more: ops.call_with_info(
            self.graph, *inputs, inputs_dict={**bound, **more.get("inputs_dict", {})})


class Module(popxl.Module):
    def __init__(self):
        self._factories, self._args, self._parts = Factories(), {}, []

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if isinstance(value, Module):
            self._parts.append(name)

    def __call__(self, *inputs):
        return self.build(*inputs)

    def add_variable_input(self, name, data):
        self._factories[name] = data
        self._args[name] = popxl.graph_input(np.shape(data()), popxl.float32, name)
        return self._args[name]

    def _collect(self):
        factories, args = Factories(self._factories), dict(self._args)
        for part in self._parts:
            inner, inner_args = getattr(self, part)._collect()
            factories.update({f"{part}.{name}": f for name, f in inner.items()})
            args.update({f"{part}.{name}": t for name, t in inner_args.items()})
        return factories, args

    def create_graph(self, *inputs):
        graph = popxl.gir().create_graph(self, *inputs)
        factories, args = self._collect()
        return factories, GraphWithNamedArgs(graph, args)


class Linear(Module):
    def __init__(self, features, seed):
        super().__init__()
        self.features, self.seed = features, seed

    def build(self, x):
        rng = np.random.RandomState(self.seed)
        values = (0.3 * rng.randn(x.shape[-1], self.features)).astype(np.float32)
        w = self.add_variable_input("w", lambda: values)
        b = self.add_variable_input("b", lambda: np.zeros(self.features, np.float32))
        return x @ w + b


class Net(Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = Linear(16, 0), Linear(4, 1)

    def build(self, x):
        return self.fc2(ops.gelu(self.fc1(x)))


def autodiff_with_accumulation(graph, tensors, grads_required):
    """Gradients of `tensors` become a running mean in variables; the others are outputs."""
    info = transforms.autodiff(graph.graph, grads_required=[*tensors, *grads_required])
    names = {tensor: name for name, tensor in graph.args.to_dict().items()}
    factories, args = Factories(), {}

    def add(name, shape):
        args[name] = popxl.graph_input(shape, popxl.float32, name, by_ref=True)
        factories[name] = lambda: np.zeros(shape, np.float32)
        return args[name]

    gradients = list(info.graph.outputs)
    with info.graph, popxl.in_sequence():
        counter = add("mean_accum_counter", ())
        for tensor, gradient in zip(tensors, gradients):
            accumulator = add(f"accum.{names[tensor]}", tensor.shape)
            ops.var_updates.accumulate_mean_(accumulator, gradient, counter)
        ops.var_updates.accumulate_(counter, popxl.constant(1.0))
    for _ in tensors:
        info.graph._pb_graph.removeOutput(0)
    rest = info.expected_outputs[len(tensors):]
    info = transforms.GradGraphInfo._from_pb(
        popxl.gir()._pb_ir, graph.graph._pb_graph,
        _ir.BwdGraphInfo(info.graph._pb_graph.id, [c._pb_ec for c in info.expected_inputs],
                         [c._pb_ec for c in rest]))
    return factories, GraphWithNamedArgs(info.graph, args, info)


BATCHES, SIZE, RATE, STEPS = 3, 8, 0.5, 4


def train(device, data, labels):
    """Losses, the last weights, and how the variables began."""
    ir = popxl.Ir()
    ir.num_host_transfers = BATCHES
    with ir.main_graph, popxl.in_sequence():
        x_stream = popxl.h2d_stream(data.shape[1:], popxl.float32)
        label_stream = popxl.h2d_stream(labels.shape[1:], popxl.int32)
        loss_stream = popxl.d2h_stream((), popxl.float32)
        factories, graph = Net().create_graph(popxl.TensorSpec(data.shape[1:], popxl.float32))
        variables = factories.init()
        forward = graph.bind(variables)
        weights = list(graph.args.to_dict().values())
        grad_factories, grad = autodiff_with_accumulation(graph, weights, graph.graph.inputs[:1])
        accumulators = grad_factories.init()
        backward = grad.bind(accumulators)
        for _ in range(BATCHES):
            x, y = ops.host_load(x_stream), ops.host_load(label_stream)
            call = forward(x)
            loss, gradient = ops.nll_loss_with_softmax_grad(
                ops.softmax(call.outputs[0], -1), y, popxl.constant(1.0))
            ops.host_store(loss_stream, loss)
            results = backward(gradient, inputs_dict=grad.info.inputs_dict(call)).outputs
            assert len(results) == 1 and results[0].shape == x.shape
        for name, variable in variables.to_dict().items():
            ops.scaled_add_(variable, accumulators.accum.to_dict()[name], b=-RATE)
        for accumulator in accumulators.to_dict().values():
            ops.var_updates.accumulator_zero_(accumulator)
    with popxl.Session(ir, device) as session:
        losses = [session.run({x_stream: data, label_stream: labels})[loss_stream]
                  for _ in range(STEPS)]
    return losses, session.get_tensor_data(variables.fc1.w), {
        name: data() for name, data in factories.items()}


def train_with_torch(data, labels, begin):
    weights = {name: torch.tensor(value, requires_grad=True) for name, value in begin.items()}
    losses = []
    for _ in range(STEPS):
        row = []
        for x, y in zip(data, labels):
            hidden = torch.tensor(x) @ weights["fc1.w"] + weights["fc1.b"]
            hidden = torch.nn.functional.gelu(hidden, approximate="tanh")
            loss = torch.nn.functional.cross_entropy(
                hidden @ weights["fc2.w"] + weights["fc2.b"], torch.tensor(y).long())
            (loss / BATCHES).backward()
            row.append(loss.item())
        losses.append(row)
        with torch.no_grad():
            for weight in weights.values():
                weight -= RATE * weight.grad
                weight.grad = None
    return losses, weights["fc1.w"].detach().numpy()


def main():
    rng = np.random.RandomState(3)
    data = rng.randn(BATCHES, SIZE, 5).astype(np.float32)
    labels = rng.randint(0, 4, (BATCHES, SIZE)).astype(np.int32)
    for device in sys.argv[1:]:
        losses, weight, begin = train(device, data, labels)
        assert sorted(begin) == ["fc1.b", "fc1.w", "fc2.b", "fc2.w"]
        wanted, wanted_weight = train_with_torch(data, labels, begin)
        np.testing.assert_allclose(losses, wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(weight, wanted_weight, rtol=1e-4, atol=1e-6)
        print(device, "agrees:", losses[-1][0] < losses[0][0])


main()
