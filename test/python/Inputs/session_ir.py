#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The IR as JSON, as programs look at it, the shapes of anchors, random seeds, and the log."""

import json
import subprocess
import sys
import unittest

import popart

import numpy as np


def cpu():
    return popart.DeviceManager().createCpuDevice()


def ipus(count):
    return popart.DeviceManager().createIpuModelDevice({"numIPUs": count})


def minimal():
    return popart.Patterns(popart.PatternsLevel.Minimal)


def ir_of(session):
    return json.loads(session._serializeIr(popart.IrSerializationFormat.JSON))


def ops_of(builder, out, device=None, patterns=None, options=None, graph="maingraph"):
    session = popart.InferenceSession(
        builder.getModelProto(), popart.DataFlow(1, [out]), device or cpu(),
        patterns=patterns or minimal(), userOptions=options or popart.SessionOptions())
    return ir_of(session)[graph]


class Json(unittest.TestCase):
    def setUp(self):
        self.b = popart.Builder()
        self.x = self.b.addInputTensor(popart.TensorInfo("FLOAT", [2, 3]), "x")

    def test_form(self):
        with self.b.nameScope("outer"):
            y = self.b.aiOnnx.relu([self.x], debugContext="mine")
        z = self.b.aiOnnx.transpose([y], [1, 0])
        relu, transpose = ops_of(self.b, z)
        self.assertEqual(relu["type"], "Relu")
        self.assertEqual(relu["name"], "outer/mine")
        self.assertEqual(relu["inputs"], [{"name": "x", "shape": "[2 3]", "type": "FLOAT",
                                           "index": 0}])
        self.assertEqual(relu["outputs"][0]["name"], "outer/Relu:0")
        self.assertEqual(relu["attributes"], {"scope": "outer/", "recompute": "NO",
                                              "schedulePriority": "0"})
        self.assertEqual(transpose["attributes"]["perm"], "[1 0]")

    def test_name_of_the_graph(self):
        self.b.setGraphName("bob")
        self.assertEqual(len(ops_of(self.b, self.b.aiOnnx.relu([self.x]), graph="bob")), 1)

    def test_unused_operators_are_not_there(self):
        self.b.aiOnnx.sin([self.x])
        self.assertEqual(len(ops_of(self.b, self.b.aiOnnx.relu([self.x]))), 1)

    def test_in_place(self):
        patterns = popart.Patterns([]).enableRuntimeAsserts(False)
        patterns.InPlace = True
        y = self.b.aiOnnx.add([self.b.aiOnnx.relu([self.b.aiOnnx.sin([self.x])]), self.x])
        self.assertEqual([op["type"] for op in ops_of(self.b, y, patterns=patterns)],
                         ["Sin", "ReluInplace", "AddLhsInplace"])

    def test_excluded_from_in_place(self):
        patterns = popart.Patterns([]).enableRuntimeAsserts(False)
        patterns.InPlace = True
        y = self.b.aiOnnx.relu([self.b.aiOnnx.sin([self.x])])
        z = self.b.aiOnnx.relu([y])
        self.b.excludePatterns(y, ["InPlace"])
        self.assertEqual([op["type"] for op in ops_of(self.b, z, patterns=patterns)],
                         ["Sin", "Relu", "ReluInplace"])

    def test_identity_losses(self):
        loss = self.b.aiGraphcore.identityloss([self.x], popart.ReductionType.NoReduction)
        y = self.b.aiOnnx.relu([loss])
        patterns = popart.Patterns([]).enableRuntimeAsserts(False)
        for is_on, count in ((False, 1), (True, 0)):
            patterns.OpToIdentity = is_on
            types = [op["type"] for op in ops_of(self.b, y, patterns=patterns)]
            self.assertEqual(types.count("IdentityLoss"), count)

    def test_ipus(self):
        y = self.b.aiOnnx.relu([self.x])
        z = self.b.aiOnnx.sin([y])
        self.b.virtualGraph(y, 0)
        self.b.virtualGraph(z, 1)
        options = popart.SessionOptions()
        options.virtualGraphMode = popart.VirtualGraphMode.Manual
        relu, copy, sin = ops_of(self.b, z, ipus(2), options=options)
        self.assertEqual([relu["attributes"]["__ipu_number"], copy["type"]], ["0", "IpuCopy"])
        self.assertEqual(sin["inputs"][0]["name"], "Relu:0_c1")

    def test_annotations_without_the_mode(self):
        plain = ops_of(self.b, self.b.aiOnnx.relu([self.x]), options=popart.SessionOptions())
        b = popart.Builder()
        y = b.aiOnnx.relu([b.addInputTensor(popart.TensorInfo("FLOAT", [2, 3]), "x")])
        b.virtualGraph(y, 7)
        b.pipelineStage(y, 3)
        self.assertEqual(ops_of(b, y), plain)

    def test_compiler_chooses_ipus(self):
        y = self.x
        for _ in range(4):
            y = self.b.aiOnnx.sin([y])
        options = popart.SessionOptions()
        options.virtualGraphMode = popart.VirtualGraphMode.Auto
        ops = ops_of(self.b, y, ipus(2), options=options)
        self.assertEqual([op["attributes"]["__ipu_number"] for op in ops if op["type"] == "Sin"],
                         ["0", "0", "1", "1"])

    def test_recomputation(self):
        w = self.b.addInitializedInputTensor(np.ones((2, 3), np.float32))
        y = self.b.aiOnnx.sin([self.b.aiOnnx.mul([self.x, w])])
        self.b.recomputeOutputInBackwardPass(y)
        loss = self.b.aiGraphcore.identityloss([self.b.aiOnnx.exp([y])])
        ops = ir_of(popart.TrainingSession(self.b.getModelProto(), popart.DataFlow(1), loss,
                                           popart.ConstSGD(0.1), cpu(),
                                           patterns=minimal()))["maingraph"]
        self.assertEqual([op["attributes"]["recompute"] for op in ops[:3]], ["NO", "YES", "NO"])


    def test_automatic_recomputation(self):
        options = popart.SessionOptions()
        for kind, count in (("NoRecompute", 0), ("Standard", 2)):
            options.autoRecomputation = getattr(popart.RecomputationType, kind)
            ops = self.training(lambda b, y: b.aiOnnx.relu([b.aiOnnx.relu([y])]),
                                options=options)
            again = [op["type"] for op in ops if op["attributes"]["recompute"] == "YES"]
            self.assertEqual(again.count("Relu"), count)

    def training(self, build, options=None):
        """The operators of a model that is trained."""
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2, 3]), "x")
        w = b.addInitializedInputTensor(np.ones((3, 3), np.float32), "w")
        y = build(b, b.aiOnnx.matmul([x, w]))
        loss = b.aiGraphcore.l1loss([y], 0.1)
        patterns = popart.Patterns()
        patterns.InPlace = False
        return ir_of(popart.TrainingSession(
            b.getModelProto(), popart.DataFlow(1, [loss]), loss, popart.ConstSGD(0.1), cpu(),
            userOptions=options or popart.SessionOptions(), patterns=patterns))["maingraph"]

    def test_gradients(self):
        """An operator and its gradient are one each, but for those that patterns rewrite."""
        for name in ("relu", "sigmoid", "tanh", "softmax", "elu"):
            ops = {op["type"]: op
                   for op in self.training(lambda b, y: getattr(b.aiOnnx, name)([y]))}
            forward = next(kind for kind in ops if kind.lower() == name)
            gradient = ops[forward + "Grad"]
            self.assertEqual([t["name"] for t in gradient["outputs"]], ["Gradient___MatMul:0"])
            self.assertIn("Gradient___" + forward + ":0",
                          [t["name"] for t in gradient["inputs"]])
            self.assertEqual([t["name"] for t in ops["L1Grad"]["outputs"]],
                             ["Gradient___" + forward + ":0"])
        ops = self.training(lambda b, y: b.aiOnnx.exp([y]))
        types = [op["type"] for op in ops]
        self.assertNotIn("ExpGrad", types)
        self.assertEqual(types.count("MatMul"), 2)
        self.assertIn("Gradient___w", [t["name"] for op in ops for t in op["outputs"]])

    def test_outlining(self):
        y = self.x
        for index in range(4):
            w = self.b.addInitializedInputTensor(np.full((3, 3), index, np.float32))
            y = self.b.aiOnnx.relu([self.b.aiOnnx.matmul([y, w])])
        options = popart.SessionOptions()
        options.outlineThreshold = -1.0
        session = popart.InferenceSession(self.b.getModelProto(), popart.DataFlow(1, [y]), cpu(),
                                          userOptions=options)
        ir = ir_of(session)
        self.assertEqual([op["type"] for op in ir["maingraph"]].count("Call"), 4)
        self.assertIn("MatMul", [op["type"] for op in ir["call_subgraph(0)"]])
        options.enableOutlining = False
        session = popart.InferenceSession(self.b.getModelProto(), popart.DataFlow(1, [y]), cpu(),
                                          userOptions=options)
        self.assertEqual(list(ir_of(session)), ["maingraph"])


class Anchors(unittest.TestCase):
    """Values and shapes by batches of a step, micro-batches and what is returned."""

    def test_all_kinds(self):
        for kind, period, batches, micro, shape in (
                ("All", 0, 4, 1, (4, 2)), ("All", 0, 1, 1, (2,)), ("All", 0, 4, 3, (4, 3, 2)),
                ("All", 0, 1, 3, (3, 2)), ("Final", 0, 4, 3, (2,)), ("Sum", 0, 4, 3, (2,)),
                ("EveryN", 2, 4, 1, (2, 2)), ("EveryN", 2, 4, 3, (2, 3, 2)),
                ("EveryN", 4, 4, 3, (3, 2)), ("EveryN", 1, 2, 2, (2, 2, 2))):
            with self.subTest(kind=kind, period=period, batches=batches, micro=micro):
                self.check(popart.AnchorReturnType(kind, period) if period
                           else popart.AnchorReturnType(kind), kind, period, batches, micro, shape)

    def check(self, kind, name, period, batches, micro, shape):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2]), "x")
        w = b.addInitializedInputTensor(np.ones(2, np.float32))
        y = b.aiOnnx.mul([x, w])
        options = popart.SessionOptions()
        options.enableGradientAccumulation = micro > 1
        options.accumulationFactor = micro
        session = self.session(b, y, kind, batches, options)
        data = np.arange(batches * micro * 2, dtype=np.float32).reshape(batches, micro, 2)
        anchors = session.initAnchorArrays()
        self.assertEqual(anchors[y].shape, shape)
        session.run(popart.PyStepIO({"x": data}, anchors))
        wanted = {"All": data, "Final": data[-1, -1], "Sum": data.sum((0, 1)),
                  "EveryN": data[period - 1::period] if period else None}[name]
        np.testing.assert_allclose(anchors[y], wanted.reshape(shape), rtol=1e-5)

    def test_inputs(self):
        b = popart.Builder()
        ids = [b.addInputTensor(popart.TensorInfo("FLOAT", [2])) for _ in range(2)]
        y = b.aiOnnx.add(ids)
        data = {name: np.random.rand(3, 2).astype(np.float32) for name in ids}
        wanted = {"All": lambda a: a, "Final": lambda a: a[-1], "Sum": lambda a: a.sum(0)}
        for kind, value in wanted.items():
            session = popart.InferenceSession(
                b.getModelProto(), popart.DataFlow(3, ids + [y], popart.AnchorReturnType(kind)),
                cpu())
            session.prepareDevice()
            anchors = session.initAnchorArrays()
            session.run(popart.PyStepIO(data, anchors))
            for name in ids:
                np.testing.assert_allclose(anchors[name], value(data[name]), rtol=1e-6)
            np.testing.assert_allclose(anchors[y], value(sum(data.values())), rtol=1e-6)

    @staticmethod
    def session(b, y, kind, batches, options):
        loss = b.aiGraphcore.identityloss([y])
        session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(batches, {y: kind}),
                                         loss, popart.ConstSGD(1e-9), cpu(), userOptions=options)
        session.prepareDevice()
        session.weightsFromHost()
        return session


class Seeds(unittest.TestCase):
    def test_the_seed_is_a_checkpoint(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [256]), "x")
        w = b.addInitializedInputTensor(np.ones(256, np.float32))
        y = b.aiOnnx.dropout([b.aiOnnx.mul([x, w])], 1, 0.5)[0]
        loss = b.aiGraphcore.identityloss([y])
        session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(3, [y]), loss,
                                         popart.ConstSGD(1e-9), cpu())
        session.prepareDevice()
        session.weightsFromHost()
        anchors = session.initAnchorArrays()

        def run():
            session.run(popart.PyStepIO({"x": np.ones((3, 256), np.float32)}, anchors))
            return anchors[y] != 0

        for seed in (7, (5 << 32) + 3):
            session.setRandomSeed(seed)
            self.assertEqual(session.getRandomSeed(), seed)
            first = run()
            now = session.getRandomSeed()
            second = run()
            self.assertTrue((first != second).any())
            session.setRandomSeed(now)
            self.assertTrue((run() == second).all())
            session.setRandomSeed(seed)
            self.assertTrue((run() == first).all())


class Log(unittest.TestCase):
    PROGRAM = """
import popart
popart.getLogger({0!r}).setLevel("INFO")
b = popart.Builder()
y = b.aiOnnx.relu([b.addInputTensor(popart.TensorInfo("FLOAT", [2]))])
popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]),
                        popart.DeviceManager().createCpuDevice()).prepareDevice()
"""

    def test_progress(self):
        for module, others in (("ir", ["devicex"]), ("devicex", ["ir"]), ("all", [])):
            lines = subprocess.run([sys.executable, "-c", self.PROGRAM.format(module)],
                                   stderr=subprocess.PIPE, text=True, check=True).stderr
            for name in ("ir", "devicex"):
                self.assertEqual("popart:" + name in lines, name not in others, lines)


if __name__ == "__main__":
    unittest.main()
