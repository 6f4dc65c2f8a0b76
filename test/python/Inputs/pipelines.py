#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of two and three stages, with and without a pipeline, in inference and training."""

import json
import os
import subprocess
import sys
import unittest

import popart

import numpy as np

All = popart.AnchorReturnType("All")
Pipeline = popart.RecomputationType.Pipeline


def ipus(count):
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": count, "tilesPerIPU": 4})


class Model:
    """Layers in stages of IPUs of their own, and a loss in the last one."""

    def __init__(self, stages, dtype=np.float32, dropout=False):
        self.stages, self.dtype = stages, dtype
        rng = np.random.RandomState(1)
        b = self.builder = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo(dtype, [2, 6]), "x")
        self.labels = b.addInputTensor(popart.TensorInfo("INT32", [2]), "labels")
        self.weights, self.activations = [], []
        for stage in range(stages):
            with b.virtualGraph(stage), b.pipelineStage(stage):
                w = b.addInitializedInputTensor((rng.normal(size=(6, 6)) / 2).astype(dtype),
                                                f"w{stage}")
                x = b.aiOnnx.tanh([b.aiOnnx.matmul([x, w])])
                x = b.aiOnnx.mul([x, b.aiOnnx.sigmoid([x])])
                if dropout:
                    x = b.aiOnnx.dropout([x], 1, 0.25)[0]
                self.weights.append(w)
                self.activations.append(x)
        self.out = x
        with b.virtualGraph(stages - 1), b.pipelineStage(stages - 1):
            self.loss = b.aiGraphcore.nllloss([b.aiOnnx.softmax([x]), self.labels])
        b.addOutputTensor(self.out)

    def options(self, is_pipelined=True, accumulation=1):
        options = popart.SessionOptions()
        options.virtualGraphMode = popart.VirtualGraphMode.Manual
        options.enablePipelining = is_pipelined
        if accumulation > 1:
            options.enableGradientAccumulation = True
            options.accumulationFactor = accumulation
        return options

    def training(self, options, steps, anchors=None, device=None, optimizer=None):
        return popart.TrainingSession(
            self.builder.getModelProto(), popart.DataFlow(steps, anchors or {self.loss: All}),
            self.loss, optimizer or popart.ConstSGD(0.1), device or ipus(self.stages),
            userOptions=options)

    def inference(self, options, steps, anchor=All, device=None):
        return popart.InferenceSession(
            self.builder.getModelProto(), popart.DataFlow(steps, {self.out: anchor}),
            device or ipus(self.stages), userOptions=options)

    def data(self, batches, seed=0):
        rng = np.random.RandomState(seed)
        return {"x": rng.normal(size=(batches, 2, 6)).astype(self.dtype),
                "labels": rng.randint(0, 6, (batches, 2)).astype(np.int32)}


def trained(model, options, steps, optimizer, kind="All"):
    """Anchors of three steps, and the weights after them."""
    kind = popart.AnchorReturnType(kind)
    gradient = popart.reservedGradientPrefix() + model.weights[0]
    session = model.training(options, steps, {model.loss: kind, model.out: kind, gradient: kind},
                             optimizer=optimizer)
    session.prepareDevice()
    session.setRandomSeed(3)
    session.weightsFromHost()
    anchors, results = session.initAnchorArrays(), []
    for step in range(3):
        session.run(popart.PyStepIO(model.data(steps * options.accumulationFactor, step), anchors))
        results += [anchors[name].copy() for name in (model.loss, model.out, gradient)]
    weights = {w: np.empty((6, 6), model.dtype) for w in model.weights}
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO(weights))
    return results + list(weights.values())


class Results(unittest.TestCase):
    def same(self, model, accumulation, steps, optimizer, kind="All", change=lambda o: None):
        piped, plain = model.options(True, accumulation), model.options(False, accumulation)
        change(piped)
        for a, b in zip(trained(model, piped, steps, optimizer(), kind),
                        trained(model, plain, steps, optimizer(), kind), strict=True):
            self.assertEqual(a.shape, b.shape)
            np.testing.assert_array_equal(a, b)

    @staticmethod
    def momentum():
        return popart.SGD({"defaultLearningRate": (0.1, False), "defaultMomentum": (0.9, True)})

    def test_training(self):
        for stages, accumulation, kind in ((2, 3, "All"), (3, 5, "Final"), (3, 6, "Sum")):
            with self.subTest(stages=stages, kind=kind):
                self.same(Model(stages), accumulation, 2, self.momentum, kind)

    def test_training_without_accumulation(self):
        self.same(Model(2), 1, 4, lambda: popart.Adam({"defaultLearningRate": (0.01, False)}))

    def test_halves(self):
        self.same(Model(3, np.float16), 5, 1, self.momentum)

    def test_recomputation(self):
        for kind in (Pipeline, popart.RecomputationType.Standard):
            self.same(Model(3, dropout=True), 5, 1, self.momentum,
                      change=lambda o, k=kind: setattr(o, "autoRecomputation", k))

    def test_explicit(self):
        self.same(Model(2), 4, 1, self.momentum, change=lambda o: o.enableExplicitIR(True))

    def test_inference(self):
        for stages in (2, 3):
            for kind in ("All", "Final", "Sum"):
                model, results = Model(stages), []
                for is_pipelined in (True, False):
                    session = model.inference(model.options(is_pipelined), 4,
                                              popart.AnchorReturnType(kind))
                    session.prepareDevice()
                    anchors = session.initAnchorArrays()
                    session.run(popart.PyStepIO(model.data(4), anchors))
                    results.append(anchors[model.out])
                np.testing.assert_array_equal(*results)

    def test_emulated(self):
        model, results = Model(2), []
        for is_pipelined in (True, False):
            device = popart.DeviceManager().acquireAvailableDevice(2, 4)
            session = model.training(model.options(is_pipelined, 3), 1, device=device)
            session.prepareDevice()
            session.weightsFromHost()
            anchors = session.initAnchorArrays()
            session.run(popart.PyStepIO(model.data(3), anchors))
            results.append(anchors[model.loss])
        np.testing.assert_array_equal(*results)

    def test_phases(self):
        results = []
        for phases in (0, 4):
            b = popart.Builder()
            x = b.addInputTensor(popart.TensorInfo("FLOAT", [2, 6]), "x")
            for phase in range(4):
                with b.executionPhase(phase):
                    w = b.addInitializedInputTensor(np.eye(6, dtype=np.float32) + phase / 3)
                    x = b.aiOnnx.tanh([b.aiOnnx.matmul([x, w])])
            b.addOutputTensor(x)
            options = popart.SessionOptions()
            if phases:
                options.virtualGraphMode = popart.VirtualGraphMode.ExecutionPhases
                options.executionPhaseSettings.phases = phases
                options.weightTensorLocationSettings.location.storage = (
                    popart.TensorStorage.OffChip)
            session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [x]), ipus(2),
                                              userOptions=options)
            if phases:
                ops = json.loads(session._serializeIr(popart.IrSerializationFormat.JSON))
                self.assertEqual([op["attributes"]["__ipu_number"] for op in ops["maingraph"]
                                  if op["type"] == "MatMul"], ["0", "1", "0", "1"])
            session.prepareDevice()
            anchors = session.initAnchorArrays()
            session.run(popart.PyStepIO({"x": np.ones((2, 6), np.float32)}, anchors))
            results.append(anchors[x])
        np.testing.assert_allclose(*results, rtol=1e-6)


def stages_of(session):
    ops = json.loads(session._serializeIr(popart.IrSerializationFormat.JSON))["maingraph"]
    return {(op["type"], op["attributes"].get("__pipeline_stage")) for op in ops}


class Stages(unittest.TestCase):
    def chain(self, places):
        """Sines on IPUs, in stages."""
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2]), "x")
        for ipu, stage in places:
            x = b.aiOnnx.sin([x])
            if ipu is not None:
                b.virtualGraph(x, ipu)
            if stage is not None:
                b.pipelineStage(x, stage)
        b.addOutputTensor(x)
        return b, x

    def session(self, places, steps=8, mode=popart.VirtualGraphMode.Manual, device=None):
        b, out = self.chain(places)
        options = popart.SessionOptions()
        options.enablePipelining = True
        options.virtualGraphMode = mode
        return popart.InferenceSession(b.getModelProto(), popart.DataFlow(steps, [out]),
                                       device or ipus(2), userOptions=options)

    def stages(self, *arguments, **keywords):
        """Of the operators, in order."""
        text = self.session(*arguments, **keywords)._serializeIr(popart.IrSerializationFormat.JSON)
        return [int(op["attributes"]["__pipeline_stage"]) for op in json.loads(text)["maingraph"]
                if op["type"].startswith("Sin")]

    def refuses(self, text, attempt, begins=True):
        with self.assertRaises(popart.popart_exception) as raised:
            attempt()
        (self.assertTrue(str(raised.exception).startswith(text), str(raised.exception)) if begins
         else self.assertRegex(str(raised.exception), text))

    def test_numbers(self):
        self.assertEqual(self.stages([(0, None), (1, None)]), [0, 1])
        self.assertEqual(self.stages([(0, 0), (1, 1), (0, 2)]), [0, 1, 2])
        # Neighbours on one IPU are one stage.
        self.assertEqual(self.stages([(0, 0), (0, 1), (1, 2)], steps=2), [0, 0, 1])
        self.assertEqual(self.stages([(None, None)] * 4, mode=popart.VirtualGraphMode.Auto),
                         [0, 0, 1, 1])

    def test_backward_stages(self):
        model = Model(2)
        stages = stages_of(model.training(model.options(True, 3), 1))
        self.assertIn(("MatMul", "0"), stages)
        self.assertIn(("MatMul", "1"), stages)
        self.assertTrue(any(stage == "2" for _, stage in stages))
        # Without a pipeline there are no stages.
        self.assertEqual({stage for _, stage in stages_of(
            model.training(model.options(False, 3), 1))}, {None})

    def test_order(self):
        self.refuses("Tensor Sin:0/1 is consumed in an earlier pipeline stage than it is produced",
                     lambda: self.session([(0, 0), (1, 1), (0, 0)]))
        self.refuses("Only some ops have had their pipeline stage set.",
                     lambda: self.session([(0, 0), (1, None)]))
        self.refuses("Ops .* have the same pipeline stage 1,.*",
                     lambda: self.session([(0, 0), (1, 1), (0, 1)]), begins=False)
        self.refuses("the pipeline stages of the operators are 0, 2",
                     lambda: self.session([(0, 0), (1, 2)]))

    def test_depth(self):
        self.refuses("For pipelining, depth (batchesPerStep) must",
                     lambda: self.session([(0, 0), (1, 1), (0, 2)], steps=2))
        model = Model(3)
        self.refuses("For pipelining, depth (batchesPerStep) must",
                     lambda: model.training(model.options(), 4))
        self.refuses("For pipelining, depth (gradient accumulation factor)",
                     lambda: model.training(model.options(True, 4), 8))
        model.training(model.options(True, 5), 1)

    def test_machines(self):
        for mode, device in ((popart.VirtualGraphMode.Off, None),
                             (popart.VirtualGraphMode.Auto, ipus(1))):
            self.refuses("Pipelining requires more than", lambda m=mode, d=device: self.session(
                [(0, 0)], mode=m, device=d))

    def test_anchors(self):
        model = Model(2)
        every = popart.AnchorReturnType("EveryN", 2)
        self.refuses("AnchorReturnType::EVERYN is not valid for pipelined models",
                     lambda: model.training(model.options(True, 3), 4, {model.out: every}))
        options = model.options(True, 3)
        options.enableExplicitIR(True)
        self.refuses("[Explicit Pipeline] Cannot execute when an anchor has AnchorReturnType "
                     "'EveryN'", lambda: model.training(options, 4, {model.out: every}))

    def test_stashes(self):
        model = Model(2)
        name = "Tanh:0"
        anchors = {prefix + name: All for prefix in (
            "", popart.reservedRestoredPrefix(), popart.reservedStashedPrefix())}
        session = model.training(model.options(True, 3), 2, anchors)
        session.prepareDevice()
        session.weightsFromHost()
        results = session.initAnchorArrays()
        session.run(popart.PyStepIO(model.data(6), results))
        self.assertEqual(results[name].shape, (2, 3, 2, 6))
        for value in results.values():
            np.testing.assert_array_equal(value, results[name])
        last = popart.reservedRestoredPrefix() + model.out
        self.refuses(f"Anchor tensor `{last}' not in Ir Tensors.",
                     lambda: model.training(model.options(True, 3), 1, {last: All}))
        self.refuses(f"Anchor tensor `{popart.reservedRestoredPrefix() + name}'",
                     lambda: model.training(model.options(False, 3), 1, anchors))

    def test_options(self):
        model = Model(2)

        def attempt(is_pipelined=True, accumulation=1, **changes):
            options = model.options(is_pipelined, accumulation)
            for name, value in changes.items():
                setattr(options, name, value)
            model.training(options, 8)

        forward = "Implicit pipelining forward-only program is not supported "
        only = {"createImplicitPipeliningFwdOnlyProgram": True}
        explicit = {"enableExplicitMainLoops": True, "useHostCopyOps": True}
        self.refuses(forward + "without implicit pipelining.", lambda: attempt(False, **only))
        self.refuses(forward + "without gradient accumulation.", lambda: attempt(**only))
        self.refuses(forward + "with explicit pipelining.", lambda: attempt(**only, **explicit))
        self.refuses("the session option createImplicitPipeliningFwdOnlyProgram",
                     lambda: attempt(True, 3, **only))
        self.refuses("SessionOption 'useHostCopyOps' must be true.",
                     lambda: attempt(enableExplicitMainLoops=True))
        self.refuses("SessionOption 'explicitRecomputation' must be true.",
                     lambda: attempt(**explicit))
        clipping = popart.SGD({}, [popart.ClipNormSettings.clipAllWeights(1)])
        options = model.options(True, 3)
        options.accumulateOuterFragmentSettings.schedule = (
            popart.AccumulateOuterFragmentSchedule.Serial)
        self.refuses("Incompatible accumulateOuterFragmentSchedule used with gradient clipping",
                     lambda: model.training(options, 1, optimizer=clipping))

    def test_recomputation_of_programs(self):
        model = Model(2)
        model.builder.recomputeOutputInBackwardPass(model.out)
        self.refuses("When pipelining is enabled, user annotation for recomputation is not allowed",
                     lambda: model.training(model.options(True, 3), 1))

    def test_recomputed(self):
        model = Model(2)
        options = model.options(True, 3)
        options.autoRecomputation = Pipeline
        ops = json.loads(model.training(options, 1)._serializeIr(
            popart.IrSerializationFormat.JSON))["maingraph"]
        tanhs = [op for op in ops if op["type"].startswith("Tanh") and "Grad" not in op["type"]]
        self.assertEqual([op["attributes"]["recompute"] for op in tanhs[:2]], ["YES", "NO"])

    def test_log(self):
        if os.environ.get("POPART_LOG_LEVEL"):
            model = Model(2)
            model.inference(model.options(), 4)
            model.training(model.options(True, 3), 1)
            model.training(model.options(), 4)
            return
        log = subprocess.run([sys.executable, __file__, "Stages.test_log"],
                             env={**os.environ, "POPART_LOG_LEVEL": "WARN"}, check=True,
                             stderr=subprocess.PIPE, text=True).stderr
        self.assertEqual(log.count("the stages run one after the other"), 1, log)
        self.assertIn("'w0' is changed in stage 2", log)

    def test_restored(self):
        """The first stage keeps four micro-batches for the backward pass, the second one two."""
        model = Model(3)
        ops = json.loads(model.training(model.options(True, 5), 1)._serializeIr(
            popart.IrSerializationFormat.JSON))["maingraph"]
        depths = {(op["attributes"]["__pipeline_stage"], op["attributes"]["depth"])
                  for op in ops if op["type"] == "Restore"}
        self.assertEqual(depths, {("3", "2"), ("4", "4")})


class Throughput(unittest.TestCase):
    """Cycles of the emulated IPU: four balanced stages against the same model on one IPU."""

    def matmuls(self, b, x, rng, layer, is_training):
        # In training the last stage has the loss, too.
        width = 32 if is_training and layer == 7 else 64
        w = rng.normal(size=(64, width)).astype(np.float32) / 8
        return b.aiOnnx.relu([b.aiOnnx.matmul([x, b.addInitializedInputTensor(w)])])

    def residual(self, b, x, rng, _layer, _is_training):
        y = x
        for _ in range(2):
            w = rng.normal(size=(32, 32, 3, 3)).astype(np.float32) / 32
            y = b.aiOnnx.conv([b.aiOnnx.relu([y]), b.addInitializedInputTensor(w)],
                              pads=[1, 1, 1, 1])
        return b.aiOnnx.add([x, y])

    def transformer(self, b, x, rng, _layer, _is_training):
        def dense(t, rows, columns):
            w = rng.normal(size=(rows, columns)).astype(np.float32) / 8
            return b.aiOnnx.matmul([t, b.addInitializedInputTensor(w)])

        q, k, v = (dense(x, 32, 32) for _ in range(3))
        scores = b.aiOnnx.softmax([b.aiOnnx.matmul([q, b.aiOnnx.transpose([k], [0, 2, 1])])])
        x = b.aiOnnx.add([x, dense(b.aiOnnx.matmul([scores, v]), 32, 32)])
        return b.aiOnnx.add([x, dense(b.aiGraphcore.gelu([dense(x, 32, 64)]), 64, 32)])

    def cycles(self, ipus, is_training, micro_batches, network, shape, layers, machine):
        rng = np.random.RandomState(1)
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", shape), "x")
        for layer in range(layers):
            stage = layer * 4 // layers * (ipus > 1)
            with b.virtualGraph(stage), b.pipelineStage(stage):
                x = network(b, x, rng, layer, is_training)
        with b.virtualGraph(ipus - 1), b.pipelineStage(ipus - 1):
            loss = b.aiGraphcore.l1loss([x], 0.1)
        b.addOutputTensor(x)
        options = popart.SessionOptions()
        options.instrumentWithHardwareCycleCounter = True
        if ipus > 1:
            options.virtualGraphMode = popart.VirtualGraphMode.Manual
            options.enablePipelining = True
        if is_training:
            options.enableGradientAccumulation = True
            options.accumulationFactor = micro_batches
            session = popart.TrainingSession(
                b.getModelProto(), popart.DataFlow(1, {loss: All}), loss, popart.ConstSGD(0.01),
                machine(ipus), userOptions=options)
        else:
            session = popart.InferenceSession(
                b.getModelProto(), popart.DataFlow(micro_batches, {x: All}), machine(ipus),
                userOptions=options)
        session.prepareDevice()
        if is_training:
            session.weightsFromHost()
        anchors = session.initAnchorArrays()
        data = rng.normal(size=(micro_batches, *shape)).astype(np.float32)
        session.run(popart.PyStepIO({"x": data}, anchors))
        return session.getCycleCount(), anchors[loss if is_training else x]

    def compare(self, *how):
        one, wanted = self.cycles(1, *how)
        four, found = self.cycles(4, *how)
        np.testing.assert_array_equal(found, wanted)
        self.assertGreaterEqual(one / four, 3.2)

    def test_four_stages(self):
        def machine(ipus):
            return popart.DeviceManager().acquireAvailableDevice(ipus, 4)
        for is_training, micro_batches in ((False, 64), (True, 48)):
            with self.subTest(is_training=is_training):
                self.compare(is_training, micro_batches, self.matmuls, [32, 64], 8, machine)

    def test_networks(self):
        def machine(ipus):
            return popart.DeviceManager().createIpuModelDevice({"numIPUs": ipus, "tilesPerIPU": 4})
        for network, shape in ((self.residual, [1, 32, 8, 8]), (self.transformer, [2, 16, 32])):
            for is_training in (False, True):
                with self.subTest(network=network.__name__, is_training=is_training):
                    self.compare(is_training, 40, network, shape, 4, machine)


if __name__ == "__main__":
    unittest.main()
