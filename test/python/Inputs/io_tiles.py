#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""I/O tiles: results are those without them, and transfers take place beside computation."""

import os
import tempfile
import unittest

import numpy as np
import popart
import popxl
import popxl.ops as ops
import pva

IO, Compute = popart.TileSet.IO, popart.TileSet.Compute
JustInTime = popart.ExchangeStrategy.JustInTime
InnerLoop = popart.ExchangeStrategy.OverlapInnerLoop
Loops = popart.ExchangeStrategy.OverlapLoops
OnChip, OffChip = popart.TensorStorage.OnChip, popart.TensorStorage.OffChip
WIDTH = 16


def device(tiles=64, count=1, is_model=True):
    if is_model:
        return popart.DeviceManager().createIpuModelDevice(
            {"numIPUs": count, "tilesPerIPU": tiles})
    return popart.DeviceManager().acquireAvailableDevice(count, tiles)


def options(io_tiles=32, accumulation=1):
    result = popart.SessionOptions()
    result.numIOTiles = io_tiles
    result.useHostCopyOps = result.enableExplicitMainLoops = True
    result.virtualGraphMode = popart.VirtualGraphMode.Auto
    if accumulation > 1:
        result.enableGradientAccumulation = True
        result.accumulationFactor = accumulation
    return result


class Model:
    """A layer and a loss; inputs and anchors move as `exchange` says."""

    def __init__(self, *exchange):
        rng = np.random.RandomState(1)
        self.exchange = exchange
        b = self.builder = popart.Builder()
        settings = [popart.InputSettings(*exchange)] if exchange else []
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [4, WIDTH]), *settings, "x")
        self.weight = b.addInitializedInputTensor(
            rng.normal(size=(WIDTH, WIDTH)).astype(np.float32) / 4, "w")
        self.out = b.aiOnnx.tanh([b.aiOnnx.matmul([x, self.weight])])
        self.loss = b.aiGraphcore.l1loss([self.out], 0.1)
        b.addOutputTensor(self.out)

    def anchors(self, *kind):
        return popart.AnchorReturnType(*(kind or ("All",)), *self.exchange)

    def train(self, given, batches=5, kind=(), where=None):
        session = popart.TrainingSession(
            self.builder.getModelProto(),
            popart.DataFlow(batches, {self.out: self.anchors(*kind), self.loss: self.anchors()}),
            self.loss, popart.Adam({"defaultLearningRate": (0.01, False)}), where or device(),
            userOptions=given)
        session.prepareDevice()
        session.weightsFromHost()
        anchors, rng, results = session.initAnchorArrays(), np.random.RandomState(2), []
        for _ in range(2):
            x = rng.normal(size=(batches * given.accumulationFactor, 4, WIDTH))
            session.run(popart.PyStepIO({"x": x.astype(np.float32)}, anchors))
            results += [anchors[self.loss].copy(), anchors[self.out].copy()]
        weights = {"w": np.empty((WIDTH, WIDTH), np.float32)}
        session.weightsToHost()
        session.readWeights(popart.PyWeightsIO(weights))
        return results + list(weights.values())


class Values(unittest.TestCase):
    def same(self, found, wanted):
        for a, b in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(a, b)

    def test_strategies(self):
        for is_model, accumulation in ((True, 1), (True, 3), (False, 3)):
            given = options(accumulation=accumulation)
            wanted = Model().train(given, where=device(is_model=is_model))
            for strategy in (JustInTime, InnerLoop, Loops):
                with self.subTest(strategy=strategy, accumulation=accumulation, model=is_model):
                    self.same(Model(IO, strategy).train(given, where=device(is_model=is_model)),
                              wanted)

    def test_few_batches(self):
        for batches in (1, 2, 3):
            for accumulation in (1, 2):
                given = options(accumulation=accumulation)
                self.same(Model(IO, Loops).train(given, batches),
                          Model().train(given, batches))

    def test_returns(self):
        for kind in (("Final",), ("Sum",), ("EveryN", 2)):
            self.same(Model(IO, Loops).train(options(), 4, kind),
                      Model().train(options(), 4, kind))

    def test_pipeline(self):
        results = []
        for exchange in ((), (IO, InnerLoop)):
            model = Model(*exchange)
            given = options(accumulation=4)
            given.enablePipelining = given.explicitRecomputation = True
            results.append(model.train(given, where=device(count=2)))
        self.same(*results)

    def test_cpu_has_none(self):
        cpu = popart.DeviceManager().createCpuDevice()
        self.same(Model(IO, Loops).train(options(), where=cpu),
                  Model().train(options(0), where=cpu))

    def test_locations(self):
        wanted = Model().train(options(accumulation=2))
        for storage, load, keep in ((OffChip, IO, IO), (OffChip, IO, Compute), (OnChip, Compute, IO),
                                    (OffChip, Compute, IO)):
            given = options(accumulation=2)
            for kind in ("weight", "optimizerState", "accumulator"):
                setattr(given, f"{kind}TensorLocationSettings", popart.TensorLocationSettings(
                    popart.TensorLocation(storage, load, keep,
                                          popart.ReplicatedTensorSharding.Off), 2, 8192))
            with self.subTest(storage=storage, load=load, keep=keep):
                self.same(Model().train(given), wanted)


class Refusals(unittest.TestCase):
    def refused(self, text, model, given, where=None):
        with self.assertRaises(popart.popart_exception) as raised:
            model.train(given, where=where)
        self.assertIn(text, str(raised.exception))

    def test_numbers(self):
        for count in (30, 33, 64, 66):
            self.refused("I/O tiles (numIOTiles)", Model(), options(count))
        self.refused("numIOTiles is -2", Model(), options(-2))

    def test_requirements(self):
        model = Model(IO, InnerLoop)
        self.refused("numIOTiles has to be above 0", model, options(0))
        given = options()
        given.virtualGraphMode = popart.VirtualGraphMode.Off
        self.refused("virtualGraphMode must not be Off", model, given)
        given = options()
        given.enableExplicitMainLoops = False
        self.refused("enableExplicitMainLoops has to be true", model, given)
        self.refused("ExchangeStrategy::OverlapStep is not yet supported.",
                     Model(IO, popart.ExchangeStrategy.OverlapStep), options())
        given = options(0)
        given.weightTensorLocationSettings.location.loadTileSet = IO
        self.refused("weightTensorLocationSettings", Model(), given)


class Time(unittest.TestCase):
    """The time of a batch, of which transfers and computation are long."""

    def of_batch(self, layers, strategy=None):
        """Cycles of a batch in the middle of a step."""
        b = popart.Builder()
        settings = [] if strategy is None else [popart.InputSettings(IO, strategy)]
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [256, 1000]), *settings, "x")
        y = x
        for _ in range(layers):
            y = b.aiOnnx.erf([y])
        y = b.aiOnnx.reducesum([y], axes=[0, 1], keepdims=False)
        b.addOutputTensor(y)
        kind = popart.AnchorReturnType("All", *([] if strategy is None else [IO, strategy]))
        cycles = []
        for batches in (4, 8):
            given = options(256)
            given.instrumentWithHardwareCycleCounter = True
            session = popart.InferenceSession(
                b.getModelProto(), popart.DataFlow(batches, {y: kind}), device(512),
                userOptions=given)
            session.prepareDevice()
            session.run(popart.PyStepIO({"x": np.ones((batches, 256, 1000), np.float32)},
                                        session.initAnchorArrays()))
            cycles.append(session.getCycleCount())
        return (cycles[1] - cycles[0]) / 4

    def test_the_longer_of_the_two(self):
        # Two syncs and round trips, and the bytes on the link (docs/machine.md#time).
        transfer = 2 * (600 + 1330) + 256 * 1000 * 4 * 4324 / 51200
        self.within(self.of_batch(1, InnerLoop), transfer)
        self.within(self.of_batch(12, InnerLoop), self.of_batch(12) - transfer)

    def within(self, found, expected):
        """Within 2 %, of which most is the exchange between the tiles."""
        self.assertGreaterEqual(found, expected)
        self.assertLess(found, 1.02 * expected)


class Popxl(unittest.TestCase):
    def run_ir(self, io_tiles, where, batches=6):
        """Loads, computes and stores in a loop; the cycles of a run are None without a profile."""
        ir = popxl.Ir()
        session_options = ir._pb_ir.getSessionOptions()
        session_options.numIOTiles = io_tiles
        ir.num_host_transfers = batches
        folder = tempfile.mkdtemp()
        session_options.engineOptions = {"autoReport.all": "true", "autoReport.directory": folder}
        with ir.main_graph:
            h2d = popxl.h2d_stream((32, 100), popxl.float32, "in")
            d2h = popxl.d2h_stream((32, 100), popxl.float32, "out")
            w = popxl.variable(np.full((32, 100), 3, np.float32), name="w")

            def body(w):
                with popxl.io_tiles():
                    x_io = ops.host_load(h2d, "x")
                x = ops.io_tile_copy(x_io)
                self.assertEqual((x_io.tile_set, x.tile_set), ("io", "compute"))
                y = ops.tanh(x) * w
                with popxl.io_tiles():
                    y_io = ops.io_tile_copy(y)
                    self.assertEqual(y_io.tile_set, "io")
                    ops.host_store(d2h, y_io)

            ops.repeat(ir.create_graph(body, w), batches, w)
        data = np.random.RandomState(1).normal(size=(batches, 32, 100)).astype(np.float32)
        with popxl.Session(ir, where) as session:
            return session.run({h2d: data})[d2h], data, folder

    def cycles(self, overlaps, batches):
        """Of a loop that loads the next batch before it computes with the last one."""
        ir = popxl.Ir()
        session_options = ir._pb_ir.getSessionOptions()
        session_options.numIOTiles = 256
        ir.num_host_transfers = batches
        folder = tempfile.mkdtemp()
        session_options.engineOptions = {"autoReport.all": "true", "autoReport.directory": folder}
        with ir.main_graph:
            h2d = popxl.h2d_stream((256, 1000), popxl.float32, "in")
            d2h = popxl.d2h_stream((), popxl.float32, "out")

        def load():
            if not overlaps:
                return ops.host_load(h2d)
            with popxl.io_tiles():
                return ops.host_load(h2d)

        def body(x, total):
            loaded = load()
            for _ in range(8):
                x = ops.tanh(x)
            total = total + ops.sum(x)
            return (ops.io_tile_copy(loaded) if overlaps else loaded), total

        with ir.main_graph, popxl.in_sequence():
            x = load()
            x = ops.io_tile_copy(x) if overlaps else x
            total = popxl.variable(0, popxl.float32)
            x, total = ops.repeat(ir.create_graph(body, x, total), batches - 1, x, total)
            ops.host_store(d2h, total)
        data = np.ones((batches, 256, 1000), np.float32)
        with popxl.Session(ir, device(512)) as session:
            session.run({h2d: data})
        report = pva.openReport(os.path.join(folder, "profile.pop"))
        return report.execution.totalCycles.total

    def test_time(self):
        each = {overlaps: (self.cycles(overlaps, 8) - self.cycles(overlaps, 4)) / 4
                for overlaps in (False, True)}
        self.assertLess(each[True], 0.75 * each[False])

    def test_values(self):
        for where in ("cpu", device(), device(is_model=False)):
            for io_tiles in (0, 32):
                found, data, _ = self.run_ir(io_tiles, where)
                np.testing.assert_allclose(found, np.tanh(data) * 3, rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
