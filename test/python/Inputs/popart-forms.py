# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms in which public programs call popart: arguments of several kinds, constructors, and texts
of objects."""

import os
import tempfile
import unittest

import libpvti
import numpy as np
import popart
import popdist
import popxl
import pva

FLOATS = popart.TensorInfo("FLOAT", [2, 3])


def run(build, inputs, **options):
    """What `build(builder, ids)` makes, computed."""
    b = popart.Builder(**options)
    ids = [b.addInputTensor(popart.TensorInfo(x)) for x in inputs]
    outputs = build(b, ids)
    for output in outputs:
        b.addOutputTensor(output)
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, outputs),
                                      popart.DeviceManager().createCpuDevice())
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(dict(zip(ids, inputs)), anchors))
    return [anchors[output] for output in outputs]


class Operators(unittest.TestCase):
    def test_constants(self):
        x = np.float32([3, 4])

        def build(b, ids):
            ai = b.aiOnnxOpset11
            return [ai.add([ids[0], ai.constant(np.float32([1, 2]), False)]),
                    ai.add([ids[0], ai.constant(np.float32([1, 2]), "named")]),
                    ai.add([ids[0], ai.constant(np.float32([1, 2]), is_value_sparse=False,
                                                debugPrefix="named")])]

        for got in run(build, [x]):
            self.assertEqual(got.tolist(), [4, 6])
        with self.assertRaisesRegex(popart.popart_exception, "sparse"):
            popart.Builder().aiOnnxOpset11.constant(x, True)

    def test_annotations_of_new_operators(self):
        """Operators that are newer than the distribution's ONNX are placed, too."""
        x = np.float32([3, 4])

        def build(b, ids):
            with b.virtualGraph(0), b.pipelineStage(0):
                return b.customOp("Identity", 26, "ai.onnx", ids, {}, 1)

        self.assertEqual(run(build, [x])[0].tolist(), [3, 4])

    def test_medians(self):
        """The values, and the places in what is reduced: the lower one of two in the middle."""
        x = np.float32([[3, 1, 2], [9, 7, 8]])
        for axes, keepdims in (([1], 0), ([0], 1), (None, 0)):
            values, places = run(lambda b, ids: b.aiGraphcore.reducemedian(ids, axes, keepdims),
                                 [x])
            rows = x.reshape(1, -1) if axes is None else np.moveaxis(x, axes[0], -1)
            order = np.argsort(rows, axis=-1)[..., (rows.shape[-1] - 1) // 2]
            wanted = np.take_along_axis(rows, order[..., None], -1)[..., 0]
            np.testing.assert_array_equal(values.ravel(), wanted.ravel())
            np.testing.assert_array_equal(places.ravel(), order.ravel())
            self.assertEqual(values.shape, places.shape)
            self.assertEqual(places.dtype, np.int32)

    def test_convolutions_with_a_bias(self):
        rng = np.random.default_rng(0)
        x, w = (rng.standard_normal(s).astype(np.float32) for s in ((1, 2, 4, 4), (3, 2, 1, 1)))
        bias = np.float32([1, 2, 3])
        wanted = np.einsum("nihw,oi->nohw", x, w[:, :, 0, 0])
        for has_bias in ((False, True), (True, False), (True, True)):
            got = run(lambda b, ids: b.aiGraphcore.multiconv(
                [[ids[0], b.addInitializedInputTensor(w),
                  *([b.addInitializedInputTensor(bias)] if has else [])] for has in has_bias]),
                [x])
            for result, has in zip(got, has_bias):
                np.testing.assert_allclose(result, wanted + has * bias[:, None, None], rtol=1e-4,
                                           atol=1e-5)
        b = popart.Builder()
        i = b.addInputTensor(FLOATS)
        with self.assertRaisesRegex(popart.popart_exception, "not 1 tensors"):
            b.aiGraphcore.multiconv([[i]])

    def test_reductions_of_no_axes_are_of_all(self):
        """That is what ONNX's shape inference makes of an empty list."""
        x = np.float32([[1, -2, 3], [4, 5, -6]])
        for name, wanted in (("reducel2", np.sqrt((x * x).sum())), ("reducel1", np.abs(x).sum()),
                             ("reducesum", x.sum()), ("reducemax", x.max()),
                             ("reducemean", x.mean()), ("reduceprod", x.prod())):
            got, = run(lambda b, ids: [getattr(b.aiOnnxOpset11, name)(ids, axes=[], keepdims=0)],
                       [x])
            self.assertEqual(got.shape, ())
            np.testing.assert_allclose(got, wanted, rtol=1e-6)

    def test_flatten(self):
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        for axis, shape in ((-1, (6, 4)), (-2, (2, 12)), (-3, (1, 24)), (3, (24, 1))):
            got, = run(lambda b, ids: [b.aiOnnxOpset11.flatten(ids, axis)], [x])
            np.testing.assert_array_equal(got, x.reshape(shape))

    def test_reshape_const(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        for shape in ([3, 4 / 2], (-1, np.int64(2)), np.array([3, 2])):
            got, = run(lambda b, ids: [b.reshape_const(b.aiOnnx, ids, shape)], [x])
            np.testing.assert_array_equal(got, x.reshape(3, 2))
        b = popart.Builder()
        with self.assertRaises(popart.popart_exception):
            b.reshape_const(b.aiOnnx, [b.addInputTensor(FLOATS)], [2.5, 2])

    def test_all_reduce(self):
        x = np.float32([1, 2])
        group = popart.CommGroup(popart.CommGroupType.All, 4)
        got = run(lambda b, ids: [b.aiGraphcore.replicatedallreduce(ids, commGroup=group),
                                  b.aiGraphcore.replicatedallreduce(ids, "named")], [x])
        self.assertEqual([g.tolist() for g in got], [[1, 2], [1, 2]])

    def test_opset_without_a_number(self):
        """It is the one that was used with a number first."""
        x = np.arange(48, dtype=np.float32).reshape(1, 8, 2, 3)

        def build(b, ids):
            deep = b.aiOnnxOpset11.depthtospace(ids, blocksize=2, mode="DCR")
            return [b.aiOnnx.spacetodepth([deep], blocksize=2)]

        got, = run(build, [x])
        self.assertEqual(got.shape, x.shape)
        self.assertIs(type(popart.Builder(opsets={"ai.onnx": 9}).aiOnnx), popart.AiOnnxOpset9)
        b = popart.Builder()
        i = b.addInputTensor(FLOATS)
        b.aiOnnx.relu([i])
        with self.assertRaises(RuntimeError):
            b.aiOnnxOpset11.relu([i])

    def test_types_have_to_agree(self):
        b = popart.Builder()
        i = [b.addInputTensor(popart.TensorInfo(t, [2])) for t in ("FLOAT", "FLOAT16")]
        b.addOutputTensor(b.aiOnnx.mul(i))
        with self.assertRaisesRegex(popart.popart_exception, "float16"):
            popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, []),
                                    popart.DeviceManager().createCpuDevice())


class Attributes(unittest.TestCase):
    def test_all_outputs_of_a_node(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2, 1, 3]))
        w, r = (b.addInitializedInputTensor(np.ones(s, np.float32))
                for s in ((1, 8, 3), (1, 8, 2)))
        outputs = set(b.aiOnnx.lstm([x, w, r], 3))
        b.setAvailableMemoryProportion(outputs, 0.5)
        b.virtualGraph(outputs, 1)
        b.addNodeAttribute("mine", 3, outputs)
        for output in outputs:
            self.assertEqual(b.getFloatNodeAttribute("__available_memory", output), 0.5)
            self.assertEqual(b.getVirtualGraph(output), 1)
        with self.assertRaisesRegex(popart.popart_exception, "already"):
            b.virtualGraph(outputs, 1)
        b.removeNodeAttribute("mine", outputs)
        self.assertFalse(b.nodeHasAttribute("mine", outputs))

    def test_partials_types(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT16", [2, 2]))
        for given, kept in (("half", "HALF"), ("HALF", "HALF"), ("float", "FLOAT")):
            y = b.aiOnnx.matmul([x, x])
            b.setPartialsType(y, given)
            self.assertEqual(b.getPartialsType(y), kept)
        with self.assertRaises(popart.popart_exception):
            b.setPartialsType(b.aiOnnx.matmul([x, x]), "quarter")


class Objects(unittest.TestCase):
    def test_locations(self):
        """Which tiles load and store a tensor has no effect."""
        OffChip, On = popart.TensorStorage.OffChip, popart.ReplicatedTensorSharding.On
        IO, group = popart.TileSet.IO, popart.CommGroup(popart.CommGroupType.Ungrouped, 0)
        for location in (popart.TensorLocation(storage=OffChip, loadTileSet=IO, storageTileSet=IO,
                                               replicatedTensorSharding=On),
                         popart.TensorLocation(OffChip, IO, IO, On, group),
                         popart.TensorLocation(OffChip, On)):
            self.assertEqual((location.storage, location.replicatedTensorSharding), (OffChip, On))

    def test_debug_contexts(self):
        info = popart.DebugInfo(popart.DebugContext("a"), "layer")
        self.assertEqual(popart.DebugContext(info, "b").getPathName(), "a/b")
        self.assertEqual(popart.DebugContext(info).getPathName(), "a")
        self.assertEqual(popart.DebugContext(popart.DebugContext("a"), "b").getPathName(), "a/b")

    def test_exports_to_folders(self):
        b = popart.Builder()
        x = b.addInputTensor(FLOATS)
        y = b.aiOnnx.relu([x])
        device = popart.DeviceManager().createIpuModelDevice({})
        with tempfile.TemporaryDirectory() as folder:
            for path in (folder, os.path.join(folder, "new", "")):
                session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]),
                                                  device)
                session.compileAndExport(path)
                self.assertGreater(os.path.getsize(os.path.join(path, "executable.popef")), 0)
            file = os.path.join(folder, "other", "name.popef")
            session.compileAndExport(file)
            self.assertGreater(os.path.getsize(file), 0)

    def test_version(self):
        for module in (popart, popxl, pva, libpvti, popdist):
            self.assertEqual(module.__version__, popart.versionString())
        self.assertRegex(popart.__version__, r"^\d+\.\d+\.\d+$")

    def test_texts_of_settings(self):
        options = popart.SessionOptions()
        self.assertEqual(repr(options), "SessionOptions()")
        options.enablePipelining = True
        options.engineOptions = {"debug.trace": "true"}
        options.executionPhaseSettings.phases = 2
        options.dotChecks = {"FINAL"}
        self.assertEqual(
            repr(options),
            "SessionOptions(dotChecks={'FINAL'}, engineOptions={'debug.trace': 'true'}, "
            "enablePipelining=True, executionPhaseSettings=ExecutionPhaseSettings(phases=2))")

    def test_docstrings_of_options(self):
        for name, field in vars(popart.SessionOptions).items():
            if not name.startswith("_"):
                self.assertTrue(field.__doc__ and field.__doc__.strip().endswith("."), name)

    def test_texts(self):
        b = popart.Builder()
        x = b.addInputTensor(FLOATS, "x")
        w = b.addInitializedInputTensor(np.zeros(3, np.float32), "w")
        b.addOutputTensor(b.aiOnnx.add([x, w]))
        self.assertEqual(repr(b), "Builder(inputs=['x'], weights=['w'], outputs=['Add:0'])")
        shapes = popart.InputShapeInfo()
        shapes.add("x", FLOATS)
        value = popart.OptimizerValue(0.5, False)
        for made, wanted in (
                (popart.DataFlow(2, {"Add:0": popart.AnchorReturnType("All")}),
                 """DataFlow(2, {'Add:0': AnchorReturnType("All")})"""),
                (shapes, f"InputShapeInfo({{'x': {FLOATS!r}}})"),
                (value, "OptimizerValue(0.5, False)"),
                (popart.ConstSGD(0.5),
                 'ConstSGD({"defaultLearningRate": (0.5, True), "defaultWeightDecay": (0, True), '
                 '"defaultMomentum": (0, True), "defaultDampening": (0, True), '
                 '"defaultVelocityScaling": (1, True), "nesterov": (0, True), "lossScaling": 1})')):
            self.assertEqual(repr(made), wanted)
        for optimizer in (popart.SGD({"defaultLearningRate": (0.25, False)}),
                          popart.Adam({"defaultLearningRate": (0.25, False)}),
                          popart.Adaptive({"defaultLearningRate": (0.25, False)})):
            self.assertTrue(repr(optimizer).startswith(
                f'{type(optimizer).__name__}({{"defaultLearningRate": (0.25, False), '))


if __name__ == "__main__":
    unittest.main()
