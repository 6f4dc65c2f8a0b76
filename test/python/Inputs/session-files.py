#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sessions and models have in files, and what sessions tell of their programs: elements of
initializers outside of a model, executables, maps of tensors, states of generators."""

import ctypes
import os
import signal
import tempfile
import threading
import unittest

import popart

import numpy as np
import onnx
from onnx import numpy_helper

DEVICES = popart.DeviceManager()


def model(model_device=True):
    return DEVICES.createIpuModelDevice({}) if model_device else DEVICES.createCpuDevice()


def product():
    """x @ w + b, with its names."""
    b = popart.Builder()
    x = b.addInputTensor(popart.TensorInfo("FLOAT", [1, 3]), "x")
    w = b.addInitializedInputTensor(np.arange(6, dtype=np.float32).reshape(3, 2), "w")
    bias = b.addInitializedInputTensor(np.float32([10, 20]), "bias")
    y = b.aiOnnx.add([b.aiOnnx.matmul([x, w]), bias])
    b.addOutputTensor(y)
    return b, x, w, bias, y


def run(session, y, **inputs):
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(inputs, anchors))
    return anchors[y]


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)


class ExternalData(InFolder):
    def places(self, proto):
        """By initializer, the file, offset and length."""
        return {t.name: {e.key: e.value for e in t.external_data}
                for t in onnx.load_model_from_string(proto).graph.initializer
                if t.data_location == onnx.TensorProto.EXTERNAL}

    def check(self, proto, y):
        session = popart.InferenceSession(proto, popart.DataFlow(1, [y]), model())
        np.testing.assert_allclose(run(session, y, x=np.ones((1, 3), np.float32)), [[16, 29]])

    def test_builder(self):
        b, x, w, bias, y = product()
        path = self.path("weights.bin")
        b.saveInitializersExternally([w, bias], path)
        proto = b.getModelProto()
        self.assertEqual(self.places(proto), {
            w: {"location": path, "offset": "0", "length": "24"},
            bias: {"location": path, "offset": "24", "length": "8"}})
        np.testing.assert_array_equal(np.fromfile(path, np.float32), [0, 1, 2, 3, 4, 5, 10, 20])
        self.assertEqual(b.getTensorShape(y), [1, 2])
        self.check(proto, y)
        for ids in ([w], ["other"]):
            with self.assertRaises(popart.popart_exception):
                b.saveInitializersExternally(ids, path)

    def test_one_after_the_other(self):
        b, x, w, bias, y = product()
        path = self.path("weights.bin")
        with open(path, "wb") as old:
            old.write(b"x" * 100)
        b.saveInitializersExternally([bias], path)
        b.saveInitializersExternally([w], path)
        self.assertEqual(os.path.getsize(path), 32)
        self.check(b.getModelProto(), y)

    def test_transformer(self):
        b, x, w, bias, y = product()
        transformer = popart.GraphTransformer(b.getModelProto())
        transformer.saveInitializersExternally([w], self.path("w.bin"))
        self.check(transformer.getModelProto(), y)
        # Other elements are in the model again.
        halves = popart.GraphTransformer(transformer.getModelProto())
        halves.convertFloatsToHalfs()
        self.assertEqual(self.places(halves.getModelProto()), {})

    def test_missing_file(self):
        b, x, w, bias, y = product()
        b.saveInitializersExternally([w], self.path("w.bin"))
        os.remove(self.path("w.bin"))
        with self.assertRaisesRegex(popart.popart_exception, "w.bin"):
            self.check(b.getModelProto(), y)
        with self.assertRaises(popart.popart_exception):
            b.saveInitializersExternally([bias], self.path("missing/w.bin"))

    def test_training(self):
        """Weights that were trained are in the file, or in another one."""
        b = popart.Builder()
        w = b.addInitializedInputTensor(np.float32([1, 2]), "w")
        loss = b.aiGraphcore.l1loss([w], 1.0, popart.ReductionType.Sum)
        first, second, saved = map(self.path, ("first.bin", "second.bin", "saved.onnx"))
        b.saveInitializersExternally([w], first)
        session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1), loss,
                                         popart.ConstSGD(0.5), model())
        session.prepareDevice()
        session.weightsFromHost()
        session.run(popart.PyStepIO({}, {}))
        session.modelToHost(saved)
        np.testing.assert_array_equal(np.fromfile(first, np.float32), [0.5, 1.5])
        with open(saved, "rb") as file:
            self.assertEqual(self.places(file.read())[w]["location"], first)
        session.updateExternallySavedTensorLocations(first, second)
        session.run(popart.PyStepIO({}, {}))
        session.modelToHost(saved)
        np.testing.assert_array_equal(np.fromfile(first, np.float32), [0.5, 1.5])
        np.testing.assert_array_equal(np.fromfile(second, np.float32), [0, 1])
        with self.assertRaises(popart.popart_exception):
            session.updateExternallySavedTensorLocations(first, second)
        again = popart.TrainingSession(saved, popart.DataFlow(1), loss, popart.ConstSGD(0.5),
                                       model())
        values = {w: np.zeros(2, np.float32)}
        again.readWeights(popart.PyWeightsIO(values))
        np.testing.assert_array_equal(values[w], [0, 1])


class Fields(unittest.TestCase):
    def test_small_types(self):
        for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.bool_):
            b = popart.Builder()
            values = np.array([1, 0, 1], dtype)
            x = b.addInitializedInputTensor(values)
            y = b.aiOnnx.cast([x], "FLOAT")
            b.addOutputTensor(y)
            tensor = onnx.load_model_from_string(b.getModelProto()).graph.initializer[0]
            self.assertEqual(list(tensor.int32_data), [1, 0, 1])
            np.testing.assert_array_equal(numpy_helper.to_array(tensor), values)
            session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), model())
            np.testing.assert_array_equal(run(session, y), [1, 0, 1])


class Executables(InFolder):
    def session(self, w=None, device=None, batches=1):
        b, x, w, bias, self.y = product()
        options = popart.SessionOptions()
        options.constantWeights = False
        return popart.InferenceSession(b.getModelProto(), popart.DataFlow(batches, [self.y]),
                                       device or model(), userOptions=options)

    def test_saved(self):
        first = self.session()
        first.prepareDevice()
        first.writeWeights(popart.PyWeightsIO({"bias": np.float32([1, 2])}))
        first.saveExecutable(self.path("one"))
        first.saveExecutable(self.folder.name, saveVariables=False)
        ones = np.ones((1, 3), np.float32)
        for path, wanted in (("one", [[7, 11]]), ("", [[16, 29]])):
            session = self.session()
            seen = []
            session.loadExecutable(self.path(path))
            np.testing.assert_allclose(run(session, self.y, x=ones), wanted)

    def test_refused(self):
        first = self.session()
        first.saveExecutable(self.path("one"))
        with self.assertRaisesRegex(popart.popart_exception, "another model, device or options"):
            self.session(batches=2).loadExecutable(self.path("one"))
        with open(self.path("other"), "w", encoding="utf-8") as file:
            file.write("12\nhello")
        for path in ("other", "missing"):
            with self.assertRaisesRegex(popart.popart_exception, "is no executable"):
                self.session().loadExecutable(self.path(path))
        with self.assertRaises(popart.popart_exception) as caught:
            self.session(device=model(False)).saveExecutable(self.path("cpu"))
        self.assertEqual(str(caught.exception), "Executables for device type Cpu cannot be saved")

    def test_variables(self):
        session = self.session()
        session.saveVariables(self.path("weights.onnx"))
        names = [t.name for t in onnx.load(self.path("weights.onnx")).graph.initializer]
        self.assertEqual(names, ["w", "bias"])

    def test_cache(self):
        b, x, w, bias, y = product()
        options = popart.SessionOptions()
        options.enableEngineCaching = True
        options.cachePath = self.path("cache")
        session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), model(),
                                          userOptions=options)
        session.updateEngineCache()
        self.assertEqual(len(os.listdir(self.path("cache"))), 1)

    def test_graph(self):
        session = self.session()
        self.assertGreater(len(session.getSerializedGraph()), 1000)


class Tells(unittest.TestCase):
    def setUp(self):
        b, self.x, self.w, self.bias, self.y = product()
        self.session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [self.y]),
                                               model())

    def test_tile_map(self):
        tiles = self.session.getTensorTileMap()
        self.assertEqual(len(tiles[self.x]), 4)
        self.assertEqual(sum(end - begin for intervals in tiles[self.x]
                             for begin, end in intervals), 3)

    def test_ir(self):
        ir = self.session.getIr()
        types = [op.opType() for op in ir.getMainGraph().getOps()]
        self.assertIn("MatMul", types)
        self.assertIn("MatMul", self.session._repr_html_())
        self.assertEqual(ir.getSessionOptions().constantWeights, True)

    def test_flags(self):
        session = self.session
        self.assertFalse(session.areHostWeightsInSync())
        session.markHostWeightsInSync()
        self.assertTrue(session.areHostWeightsInSync())
        session.markHostWeightsOutOfSync()
        self.assertFalse(session.areHostWeightsInSync())
        session.checkInplacingAmbiguity()
        session.broadcastWeights()
        session.prepareDevice()
        session.copyDeviceWeightsToHost()
        self.assertTrue(session.areHostWeightsInSync())

    def test_stream(self):
        """A function of the program serves a stream."""
        session = self.session
        with self.assertRaises(popart.popart_exception):
            session.connectStreamToCallback(self.x, lambda buffer: None)
        session.prepareDevice()
        address = ctypes.pythonapi.PyCapsule_GetPointer
        address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

        def fill(buffer):
            ctypes.memmove(address(buffer, None), np.float32([1, 1, 1]).tobytes(), 12)

        session.connectStreamToCallback(self.x, fill)
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({self.x: np.zeros((1, 3), np.float32)}, anchors))
        np.testing.assert_allclose(anchors[self.y], [[16, 29]])


class Generators(unittest.TestCase):
    def sums(self, session, y, count=3):
        """What rounding at random makes of numbers that are no halves."""
        anchors = session.initAnchorArrays()
        found = []
        for _ in range(count):
            session.run(popart.PyStepIO({"x": np.full(64, 1, np.float16)}, anchors))
            found.append(anchors[y].copy())
        return found

    def session(self, **fields):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT16", [64]), "x")
        small = b.aiOnnx.constant(np.full(64, 0.0003, np.float16))
        y = b.aiOnnx.add([x, small])
        b.addOutputTensor(y)
        options = popart.SessionOptions()
        for name, value in fields.items():
            setattr(options, name, value)
        session = popart.InferenceSession(
            b.getModelProto(), popart.DataFlow(1, [y]),
            DEVICES.createSimDevice({"tilesPerIPU": 4}), userOptions=options)
        return session, y

    def test_without_the_option(self):
        session, y = self.session()
        session.prepareDevice()
        for attempt in (session.getRNGState, lambda: session.setRNGState([1])):
            with self.assertRaisesRegex(popart.popart_exception, "^Trying to [gs]et the RNG state, "
                                        "but "):
                attempt()

    def test_states(self):
        session, y = self.session(enableStochasticRounding=True,
                                  enableLoadAndOffloadRNGState=True)
        session.prepareDevice()
        session.setRandomSeed(7)
        state = session.getRNGState()
        self.assertEqual(len(state), 4 * 6 * 4)
        first = self.sums(session, y)
        later = session.getRNGState()
        self.assertNotEqual(state, later)
        self.assertFalse(np.array_equal(first[0], first[1]))
        session.setRNGState(state)
        np.testing.assert_array_equal(self.sums(session, y), first)
        self.assertEqual(session.getRNGState(), later)
        session.setRandomSeed(7)
        self.assertEqual(session.getRNGState(), state)
        with self.assertRaises(popart.popart_exception) as caught:
            session.setRNGState(state[1:])
        self.assertTrue(str(caught.exception).startswith(
            "Devicex::setRngStateValue received rngState of size"))


class Interrupts(unittest.TestCase):
    def test_lowering(self):
        """Ctrl-C ends the making of a large session, too."""
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [16, 16]))
        for i in range(2000):
            x = b.aiOnnx.sin([b.aiOnnx.matmul([x, x])])
        b.addOutputTensor(x)
        options = popart.SessionOptions()
        options.enableOutlining = False
        session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [x]), model(),
                                          userOptions=options)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            session.prepareDevice()
        timer.join()


class Module(InFolder):
    def test_definitions(self):
        definitions = popart.getSupportedOperationsDefinition(False)
        conv = definitions[popart.OperatorIdentifier("ai.onnx", "Conv", 11)]
        self.assertEqual([i.name for i in conv.inputs], ["X", "W", "B"])
        self.assertIn(popart.DataType.FLOAT, conv.inputs[0].supportedTensors)
        self.assertEqual(conv.outputs[0].name, "Y")
        self.assertEqual(conv.attributes["group"].supportedValuesRegex, "*")
        reshape = definitions[popart.OperatorIdentifier("ai.onnx", "Reshape", 5)]
        self.assertEqual([i.constant for i in reshape.inputs], [False, True])
        self.assertEqual(set(definitions), set(popart.getSupportedOperations(False)))

    def test_numerics(self):
        def weights(name, values):
            b = popart.Builder()
            b.addOutputTensor(b.aiOnnx.identity([
                b.addInitializedInputTensor(np.float32(values), "w")]))
            b.saveModelProto(self.path(name))
            return self.path(name)

        report = popart.NumericsReport(weights("a0", [0, 0]), weights("a1", [3, 4]),
                                       weights("b0", [0, 0]), weights("b1", [6, 8]))
        self.assertEqual(report.getRelativeErrors(), {"w": 0.5})
        self.assertIn("w", report.report("w"))
        self.assertEqual(report.fullReport(), report.report("w"))
        with self.assertRaises(popart.popart_exception):
            report.report("other")

    def test_debug(self):
        info = popart.DebugInfo(popart.DebugContext("part"), "mine")
        self.assertTrue(info.setValue("rows", 3))
        self.assertFalse(info.setValue("rows", 4))
        place = popart.SourceLocation("f", "file.py", 7)
        self.assertEqual((place.getFunctionName(), place.getFileName(), place.getLineNumber()),
                         ("f", "file.py", 7))

    def test_devices(self):
        device = DEVICES.createOfflineIpuFromDeviceInfo(
            DEVICES.createIpuModelDevice({"numIPUs": 2, "tilesPerIPU": 8}))
        self.assertEqual((device.numIpus, device.tilesPerIPU, device.type),
                         (2, 8, popart.DeviceType.OfflineIpu))
        device = DEVICES.createOfflineIpuFromSystemString("ipu2", 1)
        self.assertEqual((device.numIpus, device.tilesPerIPU), (1, 1472))
        with self.assertRaises(popart.popart_exception):
            DEVICES.createOfflineIpuFromSystemString("abacus", 1)

    def test_offline_devices_have_links(self):
        options = {"numIPUs": 1, "tilesPerIPU": 4, "syncPattern": "full", "gatewayMode": False}
        self.assertEqual(DEVICES.createOfflineIPUDevice(options).tilesPerIPU, 4)
        with self.assertRaises(popart.popart_exception):
            DEVICES.createIpuModelDevice(options)

    def test_variable_settings(self):
        Group, Kind, Mode = popart.CommGroup, popart.CommGroupType, popart.VariableRetrievalMode
        whole = popart.VariableSettings()
        pairs = popart.VariableSettings(Group(Kind.Consecutive, 2))
        across = popart.VariableSettings(Group(Kind.Orthogonal, 2), Mode.AllReplicas)
        strided = popart.VariableSettings(2, 2, Mode.OnePerGroup)
        alone = popart.VariableSettings(Group(getattr(Kind, "None"), 0))
        for settings, groups in ((whole, [[0, 1, 2, 3]]), (pairs, [[0, 1], [2, 3]]),
                                 (across, [[0, 2], [1, 3]]), (strided, [[0, 2], [1, 3]]),
                                 (alone, [[0], [1], [2], [3]])):
            settings.verify()
            self.assertEqual(settings.groups(4), groups)
            self.assertEqual(settings.getGroupCount(4), len(groups))
            self.assertEqual(settings.getRealGroupSize(4), len(groups[0]))
            for i, group in enumerate(groups):
                self.assertEqual(settings.getGroupRepresentative(i), group[0])
        self.assertEqual([s.numReplicasReturningVariable(4) for s in (whole, pairs, across)],
                         [1, 2, 4])
        self.assertEqual(pairs.shapeOnReplica([2, 3], 4, "w"), [3])
        self.assertEqual(whole.shapeOnReplica([2, 3], 4, "w"), [2, 3])
        self.assertEqual(across.shapeOnHost([3], 4), [4, 3])
        self.assertEqual(whole.shapeOnHost([3], 4), [3])
        for attempt in (lambda: pairs.shapeOnReplica([3, 3], 4, "w"),
                        popart.VariableSettings(Group(Kind.Consecutive, 0)).verify):
            with self.assertRaises(popart.popart_exception):
                attempt()

    def test_options_keep_what_they_are_given(self):
        options = popart.SessionOptions()
        options.useLoopCandidateCreator = True
        options.replicatedCollectivesSettings.mergeAllReduceCollectives = True
        self.assertTrue(options.useLoopCandidateCreator)
        self.assertTrue(options.replicatedCollectivesSettings.mergeAllReduceCollectives)
        self.assertFalse(popart.SessionOptions().useLoopCandidateCreator)
        self.assertFalse(
            popart.SessionOptions().replicatedCollectivesSettings.mergeAllReduceCollectives)

    def test_maps_write_through(self):
        options = popart.SessionOptions()
        options.bufferingDepthMap["x"] = 3
        self.assertEqual(options.bufferingDepthMap["x"], 3)
        options.bufferingDepthMap = {"y": 4}
        self.assertEqual(dict(options.bufferingDepthMap.items()), {"y": 4})
        off_chip = popart.TensorLocation(popart.TensorStorage.OffChip)
        options.tensorLocationSettingsOverride["w"] = off_chip
        self.assertEqual(options.tensorLocationSettingsOverride["w"].storage,
                         popart.TensorStorage.OffChip)

    def test_cache_of_results(self):
        b, x, w, bias, y = product()
        b.cacheOutput(y, popart.CacheType.Uncached)
        self.assertEqual(b.getInt64NodeAttribute("__cache_output", {y}), 1)


unittest.main()
