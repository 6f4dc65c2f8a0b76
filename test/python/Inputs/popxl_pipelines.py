#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines that programs of PopXL write themselves: loops whose bodies run on several IPUs."""

import os
import tempfile
import unittest

import numpy as np
import popart
import popart._internal.ir as _ir
import popxl
import popxl.ops as ops
import pva

STAGES, WIDTH, ROWS = 3, 64, 48


def device(is_model=True, tiles=16, count=4):
    if is_model:
        return popart.DeviceManager().createIpuModelDevice(
            {"numIPUs": count, "tilesPerIPU": tiles})
    return popart.DeviceManager().acquireAvailableDevice(count, tiles)


class Model:
    """A layer for each IPU, over micro-batches that come from the host; or all on one IPU."""

    def __init__(self, micro_batches, is_spread=True):
        self.is_spread = is_spread
        self.ir = popxl.Ir()
        self.ir.num_host_transfers = self.micro_batches = micro_batches
        rng = np.random.RandomState(1)
        self.weights = [rng.normal(size=(WIDTH, WIDTH)).astype(np.float32) / 4
                        for _ in range(STAGES)]
        self.data = rng.normal(size=(micro_batches, ROWS, WIDTH)).astype(np.float32)
        with self.ir.main_graph:
            self.h2d = popxl.h2d_stream((ROWS, WIDTH), popxl.float32, "in")
            self.d2h = popxl.d2h_stream((ROWS, WIDTH), popxl.float32, "out")
            self.tensors = []
            for stage, weight in enumerate(self.weights):
                with popxl.ipu(stage if is_spread else 0):
                    self.tensors.append(popxl.variable(weight, name=f"w{stage}"))

    def layer(self, x, weight):
        for _ in range(4):
            x = ops.tanh(x @ weight)
        return x

    def stage(self, number, x, weights):
        """The result, on the IPU of the next stage once it is copied."""
        with popxl.ipu(number if self.is_spread else 0):
            if number == 0:
                x = ops.host_load(self.h2d)
            y = self.layer(x, weights[number])
            if number == STAGES - 1:
                ops.host_store(self.d2h, y)
            return y

    def sequential(self):
        """One micro-batch after the other through all IPUs."""
        def body(*weights):
            x = None
            for number in range(STAGES):
                if number != 0 and self.is_spread:
                    x = ops.ipu_copy(x, number)
                x = self.stage(number, x, weights)

        with self.ir.main_graph, popxl.in_sequence():
            ops.repeat(self.ir.create_graph(body, *self.tensors), self.micro_batches,
                       *self.tensors)

    def copies(self, results):
        """The results of all stages but the last one, for the next cycle."""
        return [ops.ipu_copy(y, number + 1) for number, y in results if number != STAGES - 1]

    def pipelined(self):
        """Cycles in which each IPU works on another micro-batch."""
        def cycle(*values):
            between, weights = values[:STAGES - 1], values[STAGES - 1:]
            with popxl.in_sequence(False):
                results = [(number, self.stage(number, between[number - 1], weights))
                           for number in range(STAGES)]
            return tuple(self.copies(results))

        with self.ir.main_graph, popxl.in_sequence():
            flight = []
            for filled in range(1, STAGES):
                flight = self.copies([(number, self.stage(
                    number, flight[number - 1] if number else None, self.tensors))
                    for number in range(filled)])
            graph = self.ir.create_graph(cycle, *flight, *self.tensors)
            flight = list(ops.repeat(graph, self.micro_batches - STAGES + 1, *flight,
                                     *self.tensors))
            for first in range(1, STAGES):
                results = [(number, self.stage(number, flight[number - first], self.tensors))
                           for number in range(first, STAGES)]
                flight = self.copies(results)

    def run(self, where):
        """The results, and the cycles."""
        folder = tempfile.mkdtemp()
        self.ir._pb_ir.getSessionOptions().engineOptions = {
            "autoReport.all": "true", "autoReport.directory": folder}
        with popxl.Session(self.ir, where) as session:
            result = session.run({self.h2d: self.data})[self.d2h]
        name = os.path.join(folder, "profile.pop")
        return result, pva.openReport(name).execution.totalCycles.total

    def expected(self):
        x = self.data.astype(np.float64)
        for weight in self.weights:
            for _ in range(4):
                x = np.tanh(x @ weight)
        return x


def run(kind, micro_batches, where, is_spread=True):
    model = Model(micro_batches, is_spread)
    getattr(model, kind)()
    result, cycles = model.run(where)
    np.testing.assert_allclose(result, model.expected(), rtol=2e-4, atol=2e-5)
    return result, cycles


class Pipeline(unittest.TestCase):
    def test_values(self):
        for is_model in (True, False):
            wanted, _ = run("sequential", 5, device(is_model))
            found, _ = run("pipelined", 5, device(is_model))
            np.testing.assert_array_equal(found, wanted)

    def test_time(self):
        """Stages overlap: micro-batches in the middle take the time of one stage. The same model
        on one IPU takes that of three."""
        each = {}
        for kind, is_spread in (("sequential", False), ("pipelined", True)):
            cycles = [run(kind, count, device(), is_spread)[1] for count in (4, 8)]
            each[kind] = (cycles[1] - cycles[0]) / 4
        self.assertGreater(each["sequential"], 2.4 * each["pipelined"])


class Split:
    """The operators of a finished graph, copied into a graph for each IPU."""

    def __init__(self, graph):
        self.source = graph
        self.stages = [graph.ir.create_empty_graph(f"stage{i}") for i in range(STAGES)]
        self.inputs = [{} for _ in range(STAGES)]  # by id in the graph, the stage's input
        self.made = {}  # by id in the graph, its stage and the tensor there
        for op in graph._pb_graph.getOpSchedule():
            if isinstance(op, _ir.op.IpuCopyOp):
                self.made[op.outId(0)] = self.made[op.inId(0)]
            else:
                self.copy(op, op.getVirtualGraphId())

    def operand(self, tensor, number):
        owner, made = self.made.get(tensor.id, (None, None))
        if owner == number:
            return made
        if tensor.id not in self.inputs[number]:
            with self.stages[number]:
                self.inputs[number][tensor.id] = popxl.graph_input(
                    tensor.shape, tensor.dtype, tensor.name)
            if owner is not None:
                with self.stages[owner]:
                    popxl.graph_output(made)
        return self.inputs[number][tensor.id]

    def copy(self, op, number):
        stage = self.stages[number]
        copy = op.cloneIntoGraph(stage._pb_graph)
        for index, tensor in op.getInputIndexMap().items():
            copy.connectInTensor(
                index, self.operand(popxl.Tensor._from_pb_tensor(tensor), number).id)
        for index, tensor in op.getOutputIndexMap().items():
            tensor = popxl.Tensor._from_pb_tensor(tensor)
            copy.createAndConnectOutTensor(index, stage._create_tensor_id(tensor.name))
            self.made[tensor.id] = number, popxl.Tensor._from_pb_tensor(copy.outTensor(index))
        copy.setup()

    def call(self, number, between, weights):
        """A stage, of what the one before returned, and of those weights that it reads."""
        names = {t.id: weight for t, weight in zip(self.source.inputs, weights)}
        with popxl.ipu(number):
            return ops.call(self.stages[number],
                            *[names.get(i, between) for i in self.inputs[number]])


class OfFinishedGraph(unittest.TestCase):
    def test_split(self):
        """Stages that were copied from a graph are a pipeline with the results of the graph."""
        model = Model(6)

        def body(*weights):
            x = None
            for number in range(STAGES):
                x = x if number == 0 else ops.ipu_copy(x, number)
                x = model.stage(number, x, weights)

        with model.ir.main_graph, popxl.in_sequence():
            split = Split(model.ir.create_graph(body, *model.tensors))
            model.stage = lambda number, x, weights: (
                list(split.call(number, x, weights)) or [None])[0]
            model.pipelined()
        found, _ = model.run(device())
        wanted, _ = run("sequential", 6, device())
        np.testing.assert_array_equal(found, wanted)

    def test_kinds_of_operators(self):
        """Copies of views, writes, calls, loops, branches and random numbers."""
        ir = popxl.Ir()
        rng = np.random.default_rng(3)

        def inner(t):
            return ops.tanh(t) + 1

        def body(x, total: popxl.TensorByRef, seed):
            y = x.reshape((3, 2)).T
            y = ops.concat([y[:1], y[1:]]).reshape((2, 3))
            ops.var_updates.accumulate_(total, y)
            half = popxl.gcg().ir.create_graph(inner, y)
            y, = ops.call(half, y)
            y, = ops.repeat(half, 2, y)
            y, = ops.conditional(ops.greater(ops.sum(y), popxl.constant(np.float32(0))), half,
                                 popxl.gcg().ir.create_graph(lambda t: -t, y), [y], [y])
            y = ops.dropout(y, seed, 0.5)
            return ops.scaled_add_(y, popxl.constant(np.ones((2, 3), np.float32)), b=2.0)

        with ir.main_graph, popxl.in_sequence():
            x = popxl.variable(rng.normal(size=(2, 3)).astype(np.float32))
            totals = [popxl.variable(np.zeros((2, 3), np.float32)) for _ in range(2)]
            seed = popxl.constant(np.uint32([1, 2]))
            graph = ir.create_graph(body, x, totals[0], seed)
            copied = ir.create_empty_graph("copied")
            with copied:
                made = {t.id: popxl.graph_input(t.shape, t.dtype, t.name,
                                                by_ref=t.name == "total") for t in graph.inputs}
                for op in graph._pb_graph.getOpSchedule():
                    copy = op.cloneIntoGraph(copied._pb_graph)
                    for index, tensor in op.getInputIndexMap().items():
                        if tensor.id not in made:  # a constant
                            constant = graph.get_tensor(tensor.id)
                            made[tensor.id] = popxl.constant(constant._host, constant.dtype)
                        copy.connectInTensor(index, made[tensor.id].id)
                    for index, tensor in op.getOutputIndexMap().items():
                        copy.createAndConnectOutTensor(index, copied._create_tensor_id("copy"))
                        made[tensor.id] = copied.get_tensor(copy.outId(index))
                    copy.setup()
                    self.assertEqual(copy.opType(), op.opType())
                popxl.graph_output(made[graph.outputs[0].id])
            streams = []
            for called, total in zip((graph, copied), totals):
                y, = ops.call(called, x, total, seed)
                streams.append(popxl.d2h_stream(y.shape, y.dtype))
                ops.host_store(streams[-1], y)
        with popxl.Session(ir, device(count=1)) as session:
            results = session.run()
        np.testing.assert_array_equal(results[streams[1]], results[streams[0]])
        self.assertGreater(np.abs(results[streams[0]]).max(), 1)
        data = [session.get_tensor_data(total) for total in totals]
        np.testing.assert_array_equal(data[1], data[0])
        self.assertGreater(np.abs(data[0]).max(), 0.1)

    def test_errors(self):
        ir = popxl.Ir()
        with ir.main_graph:
            x = popxl.constant(np.float32([1, 2]))
            y = x + x
            op = y._pb_tensor.getProducer()
            graph = ir.create_empty_graph("other")
            with graph:
                wrong = popxl.graph_input((3,), popxl.float32, "wrong")
            copy = op.cloneIntoGraph(graph._pb_graph)
            for call, message in (
                    (lambda: copy.setup(), "has no input 0, 1 yet; call connectInTensor"),
                    (lambda: copy.connectInTensor(2, wrong.id), "has no input 2"),
                    (lambda: copy.connectInTensor(0, wrong.id), "Input 0 of Add is"),
                    (lambda: op.connectInTensor(0, x.id), "connectInTensor is not supported")):
                with self.assertRaisesRegex(popart.popart_exception, message):
                    call()
        other = popxl.Ir()
        with self.assertRaisesRegex(popart.popart_exception, "graph of another Ir"):
            op.cloneIntoGraph(other.create_empty_graph("far")._pb_graph)


class SeveralIpus(unittest.TestCase):
    """Graphs on several IPUs that other operators run."""

    def ir_of(self, build):
        ir = popxl.Ir()
        with ir.main_graph, popxl.in_sequence():
            result = build(ir)
            self.d2h = popxl.d2h_stream(result.shape, result.dtype)
            ops.host_store(self.d2h, result)
        return ir

    def check(self, build, expected):
        for where in (device(count=2), device(False, count=2)):
            with popxl.Session(self.ir_of(build), where) as session:
                np.testing.assert_allclose(session.run()[self.d2h], expected, rtol=1e-6)

    def test_call(self):
        def body(x, y):
            with popxl.ipu(0):
                a = x + 1
            with popxl.ipu(1):
                return ops.ipu_copy(a, 1) * y

        def build(ir):
            with popxl.ipu(0):
                x = popxl.variable(np.arange(4, dtype=np.float32))
            with popxl.ipu(1):
                y = popxl.variable(np.full(4, 3, np.float32))
            graph = ir.create_graph(body, x, y)
            first, = ops.call(graph, x, y)
            with popxl.ipu(0):
                second, = ops.call(graph, ops.ipu_copy(first, 0), y)
            with popxl.ipu(1):
                return second * 2

        x = np.arange(4)
        self.check(build, (((x + 1) * 3) + 1) * 3 * 2)

    def test_written_operands(self):
        def body(x: popxl.TensorByRef, y: popxl.TensorByRef):
            with popxl.ipu(0):
                x += 1
            with popxl.ipu(1):
                y += ops.ipu_copy(x, 1)

        def build(ir):
            with popxl.ipu(0):
                x = popxl.variable(np.zeros(4, np.float32))
            with popxl.ipu(1):
                y = popxl.variable(np.ones(4, np.float32))
            ops.repeat(ir.create_graph(body, x, y), 4, x, y)
            with popxl.ipu(1):
                return y * 1

        self.check(build, np.full(4, 1 + 1 + 2 + 3 + 4))

    def test_conditional(self):
        def on(ipu, factor):
            def branch(x):
                with popxl.ipu(ipu):
                    return ops.ipu_copy(x, ipu, 0) * factor
            return branch

        def build(ir):
            with popxl.ipu(0):
                x = popxl.variable(np.arange(4, dtype=np.float32))
                yes = popxl.variable(True, popxl.bool)
            results = []
            for condition in (yes, ops.logical_not(yes)):
                result, = ops.conditional(
                    condition, ir.create_graph(on(0, 2.0), x), ir.create_graph(on(1, 3.0), x),
                    then_inputs=[x], else_inputs=[x])
                results.append(result)
            with popxl.ipu(0):
                return results[0] + results[1]

        self.check(build, 5.0 * np.arange(4))


if __name__ == "__main__":
    unittest.main()
