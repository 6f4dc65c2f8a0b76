#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors in the host's memory: the same bits as on the chip, and less memory of the tiles."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import popart
import popxl
import popxl.ops as ops

All = popart.AnchorReturnType("All")
Off = popart.TensorLocationSettings(popart.TensorLocation(popart.TensorStorage.OffChip), 2, 8192)
Kinds = ("weight", "optimizerState", "accumulator")
WIDTH = 64


def settings(least):
    return popart.TensorLocationSettings(popart.TensorLocation(popart.TensorStorage.OffChip),
                                         least, 8192)


def device(count=1, tiles=4, is_model=True):
    if is_model:
        return popart.DeviceManager().createIpuModelDevice(
            {"numIPUs": count, "tilesPerIPU": tiles})
    return popart.DeviceManager().acquireAvailableDevice(count, tiles)


class Model:
    """Layers with biases, and a loss; on `ipus` IPUs as a pipeline."""

    def __init__(self, layers=3, ipus=1, width=WIDTH):
        rng = np.random.RandomState(1)
        self.ipus, self.width = ipus, width
        b = self.builder = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2, width]), "x")
        for layer in range(layers):
            with b.virtualGraph(layer * ipus // layers), b.pipelineStage(layer * ipus // layers):
                w = rng.normal(size=(width, width)).astype(np.float32) / 8
                w = b.addInitializedInputTensor(w, f"w{layer}")
                bias = b.addInitializedInputTensor(np.zeros(width, np.float32), f"b{layer}")
                x = b.aiOnnx.tanh([b.aiOnnx.add([b.aiOnnx.matmul([x, w]), bias])])
        with b.virtualGraph(ipus - 1), b.pipelineStage(ipus - 1):
            self.loss = b.aiGraphcore.l1loss([x], 0.1)
        self.out = x
        b.addOutputTensor(x)

    def options(self, kinds=(), least=2, accumulation=1):
        options = popart.SessionOptions()
        for kind in kinds:
            setattr(options, f"{kind}TensorLocationSettings", settings(least))
        if accumulation > 1:
            options.enableGradientAccumulation = True
            options.accumulationFactor = accumulation
        if self.ipus > 1:
            options.virtualGraphMode = popart.VirtualGraphMode.Manual
            options.enablePipelining = True
        return options

    def training(self, options, where=None):
        session = popart.TrainingSession(
            self.builder.getModelProto(), popart.DataFlow(2, {self.loss: All}), self.loss,
            popart.Adam({"defaultLearningRate": (0.01, False)}), where or device(self.ipus),
            userOptions=options)
        session.prepareDevice()
        session.weightsFromHost()
        return session

    def train(self, session, options, steps=2):
        anchors, rng, losses = session.initAnchorArrays(), np.random.RandomState(2), []
        for _ in range(steps):
            x = rng.normal(size=(2 * options.accumulationFactor, 2, self.width))
            session.run(popart.PyStepIO({"x": x.astype(np.float32)}, anchors))
            losses.append(anchors[self.loss].copy())
        weights = {"w0": np.empty((self.width, self.width), np.float32),
                   "b1": np.empty(self.width, np.float32)}
        session.weightsToHost()
        session.readWeights(popart.PyWeightsIO(weights))
        return losses + list(weights.values())


def remote_bytes(session):
    return json.loads(session.getSummaryReport() and session.getGraphReport())[
        "optimizationInfo"].get("remoteBufferBytes", 0)


def tile_bytes(session):
    report = json.loads(session.getGraphReport())
    return sum(report["memory"]["byTile"]["total"])


class Training(unittest.TestCase):
    def same(self, model, kinds, accumulation=1, is_model=True):
        """Compares with the chip; returns the tiles' memory of both, and the remote memory."""
        results, memory = [], []
        for chosen in ((), kinds):
            options = model.options(chosen, accumulation=accumulation)
            session = model.training(options, device(model.ipus, is_model=is_model))
            results.append(model.train(session, options))
            memory.append(tile_bytes(session))
        for a, b in zip(*results, strict=True):
            np.testing.assert_array_equal(a, b)
        return *memory, remote_bytes(session)

    def test_kinds(self):
        matrices = 3 * (WIDTH * WIDTH + WIDTH) * 4
        for kinds, tensors in ((("weight",), 1), (("optimizerState",), 2), (("accumulator",), 1),
                               (Kinds, 4)):
            with self.subTest(kinds=kinds):
                on, off, remote = self.same(Model(), kinds, accumulation=2)
                self.assertEqual(remote, tensors * matrices)
                self.assertLess(off, on)

    def test_emulated(self):
        self.same(Model(2), Kinds, accumulation=2, is_model=False)

    def test_activations(self):
        """Those that the backward pass reads late; of small tensors none."""
        model = Model(12)
        results, memory, remote = [], [], []
        for least in (None, 2, WIDTH * WIDTH + 1):
            options = model.options(accumulation=2)
            if least:
                options.activationTensorLocationSettings = settings(least)
            session = model.training(options)
            results.append(model.train(session, options))
            memory.append(tile_bytes(session))
            remote.append(remote_bytes(session))
        for other in results[1:]:
            for a, b in zip(results[0], other, strict=True):
                np.testing.assert_array_equal(a, b)
        self.assertGreater(remote[1], 5 * 2 * WIDTH * 4)
        self.assertEqual(remote[2], 0)

    def test_activations_save_memory(self):
        """Activations of many layers."""
        peaks = []
        for is_off in (False, True):
            peaks.append(self.peak_of(is_off))
        self.assertLess(peaks[1], 0.9 * peaks[0])

    def peak_of(self, is_off):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [64, 64]), "x")
        w = b.addInitializedInputTensor(np.eye(64, dtype=np.float32), "w")
        y = x
        for _ in range(24):
            y = b.aiOnnx.tanh([b.aiOnnx.matmul([y, w])])
        loss = b.aiGraphcore.l1loss([y], 0.1)
        options = popart.SessionOptions()
        options.enableOutlining = False
        if is_off:
            options.activationTensorLocationSettings = settings(2)
        session = popart.TrainingSession(
            b.getModelProto(), popart.DataFlow(1, {loss: All}), loss, popart.ConstSGD(0.1),
            device(), userOptions=options)
        session.prepareDevice()
        report = json.loads(session.getGraphReport())
        return sum(report["memory"]["byTile"]["total"])

    def test_activations_in_a_pipeline(self):
        model = Model(2, ipus=2)
        options = model.options(("activation",), accumulation=4)
        with self.assertRaises(popart.popart_exception) as raised:
            model.training(options)
        self.assertIn("activationTensorLocationSettings", str(raised.exception))

    def test_without_accumulation(self):
        self.same(Model(), ("weight", "optimizerState"))

    def test_pipelined(self):
        self.same(Model(2, ipus=2), Kinds, accumulation=4)

    def test_small_tensors_stay(self):
        model = Model()
        session = model.training(model.options(("weight",), least=WIDTH + 1))
        self.assertEqual(remote_bytes(session), 3 * WIDTH * WIDTH * 4)

    def test_override(self):
        model = Model()
        options = model.options()
        options.tensorLocationSettingsOverride["w1"] = popart.TensorLocation(
            popart.TensorStorage.OffChip)
        self.assertEqual(remote_bytes(model.training(options)), WIDTH * WIDTH * 4)

    def test_what_fits_only_off_chip(self):
        """Adam's state is twice the weights."""
        model = Model(4, width=256)
        with self.assertRaises(popart.popart_exception) as raised:
            model.training(model.options(), device(tiles=7))
        self.assertIn("out of memory", str(raised.exception))
        options = model.options(("optimizerState",))
        session = model.training(options, device(tiles=7))
        losses = model.train(session, options)[:2]
        wide = model.options()
        session = model.training(wide, device(tiles=16))
        for off, on in zip(losses, model.train(session, wide)[:2]):
            np.testing.assert_allclose(off, on, rtol=1e-5)

    def test_export(self):
        """A file has the initial values of tensors off chip: its losses are the session's."""
        x = np.random.RandomState(3).normal(size=(2, 2, WIDTH)).astype(np.float32)
        model, results = Model(), []
        for kinds in ((), Kinds):
            session = model.training(model.options(kinds))
            with tempfile.TemporaryDirectory() as folder:
                program = os.path.join(folder, "program.ipux")
                session.compileAndExport(program)
                np.save(os.path.join(folder, "x.npy"), x)
                subprocess.run(["ipu-run", "--allow-native", program, "--output-dir", folder,
                                "--input", f"x={folder}/x.npy"],
                               check=True, stdout=subprocess.DEVNULL)
                results.append(np.load(os.path.join(folder, f"{model.loss}.npy")))
            anchors = session.initAnchorArrays()
            session.run(popart.PyStepIO({"x": x}, anchors))
            results.append(anchors[model.loss].copy())
        for found in results[1:]:
            np.testing.assert_array_equal(found, results[0])


class Inference(unittest.TestCase):
    def test_weights(self):
        model, results = Model(), []
        for kinds in ((), ("weight",)):
            session = popart.InferenceSession(
                model.builder.getModelProto(), popart.DataFlow(1, {model.out: All}), device(),
                userOptions=model.options(kinds))
            session.prepareDevice()
            anchors = session.initAnchorArrays()
            session.run(popart.PyStepIO({"x": np.ones((2, WIDTH), np.float32)}, anchors))
            results.append(anchors[model.out])
        np.testing.assert_allclose(*results, rtol=1e-6)


class Phases(unittest.TestCase):
    def cycles(self, where, schedule):
        """Phase 0 on IPU 0, and a product with a weight on IPU 1."""
        b, rng = popart.Builder(), np.random.RandomState(0)
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [64, 128]), "x")
        with b.executionPhase(0):
            w = rng.normal(size=(128, 128)).astype(np.float32) / 10
            w = b.addInitializedInputTensor(w, "w0")
            for _ in range(4):
                x = b.aiOnnx.tanh([b.aiOnnx.matmul([x, w])])
        with b.executionPhase(1):
            w = rng.normal(size=(128, 128)).astype(np.float32)
            y = b.aiOnnx.matmul([x, b.addInitializedInputTensor(w, "w1")])
        options = popart.SessionOptions()
        options.virtualGraphMode = popart.VirtualGraphMode.ExecutionPhases
        options.executionPhaseSettings.phases = 2
        options.executionPhaseSettings.weightIOSchedule = schedule
        options.instrumentWithHardwareCycleCounter = True
        options.tensorLocationSettingsOverride = {"w1": popart.TensorLocation(where)}
        session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), device(2),
                                          userOptions=options)
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({"x": np.ones((64, 128), np.float32)}, anchors))
        return session.getCycleCount(), anchors[y].copy()

    def test_schedules(self):
        """A weight comes while the IPU before computes, whatever the schedule is."""
        schedules = popart.ExecutionPhaseIOSchedule
        on, wanted = self.cycles(popart.TensorStorage.OnChip, schedules.Preload)
        for schedule in (schedules.Preload, schedules.OnDemand):
            off, found = self.cycles(popart.TensorStorage.OffChip, schedule)
            np.testing.assert_array_equal(found, wanted)
            self.assertLess(off, 1.005 * on)

    def test_refusals(self):
        options = popart.SessionOptions()
        options.virtualGraphMode = popart.VirtualGraphMode.ExecutionPhases
        options.executionPhaseSettings.phases = 2
        options.executionPhaseSettings.schedule = popart.ExecutionPhaseSchedule.BatchClusteredIO
        model = Model(1)
        with self.assertRaisesRegex(popart.popart_exception,
                                    "ExecutionPhaseSchedule::BatchClusteredIO is not supported"):
            model.training(options)


class Buffers(unittest.TestCase):
    def test_larger_than_the_chip(self):
        """Entries of a buffer that has more bytes than the tiles."""
        ir = popxl.Ir()
        with ir.main_graph:
            buffer = popxl.remote_buffer((1 << 16,), popxl.float32, 5000)
            number = popxl.variable(4321, popxl.uint32)
            ops.remote_store(buffer, number, popxl.variable(
                np.arange(1 << 16, dtype=np.float32)))
            loaded = ops.remote_load(buffer, 4321)
            out = popxl.d2h_stream(loaded.shape, loaded.dtype)
            ops.host_store(out, loaded)
        with popxl.Session(ir, "ipu_model") as session:
            result = session.run()[out]
        np.testing.assert_array_equal(result, np.arange(1 << 16, dtype=np.float32))


if __name__ == "__main__":
    unittest.main()
