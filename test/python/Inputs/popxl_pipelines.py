#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipelines that programs of PopXL write themselves: loops whose bodies run on several IPUs."""

import os
import tempfile
import unittest

import numpy as np
import popart
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
