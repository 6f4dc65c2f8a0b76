#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the package popart promises beside numbers: names, shapes of anchors, attributes,
errors and their texts, step IO in all forms, and that nothing crashes on wrong types."""

import os
import signal
import tempfile
import threading
import time
import unittest

import popart

import numpy as np
import onnx
import onnx.numpy_helper


def cpu():
    return popart.DeviceManager().createCpuDevice()


def model_of(builder):
    return onnx.load_model_from_string(builder.getModelProto())


def relu_model(shape=(2,)):
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", list(shape)), "x")
    y = builder.aiOnnx.relu([x])
    builder.addOutputTensor(y)
    return builder, x, y


def session_of(builder, anchors, batches=1, **options):
    session = popart.InferenceSession(
        builder.getModelProto(), popart.DataFlow(batches, anchors), cpu(), **options)
    session.prepareDevice()
    return session


class Builders(unittest.TestCase):
    def test_names_of_tensors(self):
        b = popart.Builder()
        info = popart.TensorInfo("FLOAT", [1])
        self.assertEqual([b.addInputTensor(info) for _ in range(3)],
                         ["input", "input/1", "input/2"])
        self.assertEqual(b.addInputTensor("FLOAT", [1], "named"), "named")
        self.assertEqual(b.addInputTensor(info, debugPrefix="named"), "named/1")
        self.assertEqual(b.addInitializedInputTensor(np.zeros(1, np.float32)), "init_input")
        self.assertEqual(b.aiOnnx.add(["input", "named"]), "Add:0")
        self.assertEqual(b.aiOnnx.add(["input", "named"], debugContext="other"), "Add:0/1")
        with b.nameScope("outer"):
            with b.nameScope("inner"):
                self.assertEqual(b.getNameScope(), "outer/inner/")
                self.assertEqual(b.aiOnnx.relu(["input"]), "outer/inner/Relu:0")
        self.assertEqual(b.getNameScope(), "")

    def test_tensor_infos(self):
        for info in (popart.TensorInfo("FLOAT16", [2, 3]), popart.TensorInfo(np.float16, [2, 3]),
                     popart.TensorInfo(np.zeros((2, 3), np.float16)),
                     popart.TensorInfo("FLOAT16", "(2,3)"),
                     popart.TensorInfo(popart.DataType.FLOAT16, (2, 3))):
            self.assertEqual(info.shape(), [2, 3])
            self.assertEqual(info.data_type_lcase(), "float16")

    def test_8_bit_floats(self):
        kinds = {"FLOAT8_143": [1, 2, 0.3125, 104], "FLOAT8_152": [1, 2, 0.3125, 96]}
        for kind, rounded in kinds.items():
            self.assertEqual(popart.TensorInfo(getattr(popart.DataType, kind), [4]).shape(), [4])
            self.assertEqual(popart.TensorInfo(kind, [4]).data_type_lcase(), kind.lower())
            b = popart.Builder()
            x = b.addInputTensor(popart.TensorInfo("FLOAT", [4]))
            small = b.aiOnnx.cast([x], kind)
            back = b.aiOnnx.cast([small], "FLOAT")
            session = popart.InferenceSession(
                b.getModelProto(), popart.DataFlow(1, [small, back]),
                popart.DeviceManager().createCpuDevice())
            session.prepareDevice()
            anchors = session.initAnchorArrays()
            session.run(popart.PyStepIO({x: np.float32([1, 2.1, 0.3, 101])}, anchors))
            np.testing.assert_array_equal(anchors[back], rounded)
            self.assertEqual(anchors[small].dtype, np.dtype([(kind.lower(), "u1")]))
            again = popart.Builder()
            x = again.addInputTensor(popart.TensorInfo(kind, [4]))
            y = again.aiOnnx.cast([x], "FLOAT")
            session = popart.InferenceSession(
                again.getModelProto(), popart.DataFlow(1, [y]),
                popart.DeviceManager().createCpuDevice())
            session.prepareDevice()
            results = session.initAnchorArrays()
            session.run(popart.PyStepIO({x: anchors[small]}, results))
            np.testing.assert_array_equal(results[y], rounded)

    def test_shapes_and_types(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [3, 4]))
        y = b.aiOnnx.transpose([x])
        self.assertEqual(b.getTensorShape(y), [4, 3])
        self.assertEqual(b.getTensorDtypeString(y), "float32")

    def test_attributes(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [1]))
        y = b.aiOnnx.relu([x])
        for name, value, read in (
                ("int", 5, b.getInt64NodeAttribute), ("ints", [1, 2], b.getInt64VectorNodeAttribute),
                ("float", 0.5, b.getFloatNodeAttribute),
                ("floats", [0.5, 1.5], b.getFloatVectorNodeAttribute),
                ("text", "a", b.getStringNodeAttribute),
                ("texts", ["a", "b"], b.getStringVectorNodeAttribute)):
            b.addNodeAttribute(name, value, {y})
            self.assertTrue(b.nodeHasAttribute(name, {y}))
            self.assertEqual(read(name, {y}), value)
        self.assertEqual(len(b.getAllNodeAttributeNames({y})), 6)
        b.removeNodeAttribute("int", {y})
        with self.assertRaises(popart.popart_exception):
            b.getInt64NodeAttribute("int", {y})
        with self.assertRaises(popart.popart_exception) as caught:
            b.addNodeAttribute("mixed", [1, "a"], {y})
        self.assertTrue(str(caught.exception).startswith("Invalid or mismatched python list type"))

    def test_contexts(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [1]))
        with b.virtualGraph(3), b.pipelineStage(2), b.recomputeOutput(
                popart.RecomputeType.Checkpoint):
            self.assertTrue(b.hasVirtualGraph())
            self.assertEqual(b.getVirtualGraph(), 3)
            y = b.aiOnnx.relu([x])
            with b.virtualGraph(4):
                z = b.aiOnnx.relu([y])
        self.assertFalse(b.hasVirtualGraph())
        last = b.aiOnnx.relu([z])
        self.assertEqual([b.getVirtualGraph(y), b.getVirtualGraph({z}), b.getPipelineStage(z)],
                         [3, 4, 2])
        self.assertFalse(b.hasVirtualGraph(last))
        b.executionPhase([last], 1)
        self.assertEqual(b.getExecutionPhase(last), 1)

    def test_opsets(self):
        b = popart.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [1]))
        b.addOutputTensor(b.aiOnnx.round([x]))
        self.assertEqual([(i.domain, i.version) for i in model_of(b).opset_import], [("", 11)])
        with self.assertRaises(RuntimeError):
            b.aiOnnxOpset9.relu([x])
        with self.assertRaises(popart.popart_exception):
            popart.Builder(opsets={"ai.other": 1})

    def test_custom_op(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2]))
        y = b.customOp(opName="LeakyRelu", opVersion=6, domain="ai.onnx", inputs=[x],
                       attributes={"alpha": 0.5}, numOutputs=1)[0]
        self.assertEqual(y, "LeakyRelu:0")

    def test_init(self):
        """The type is PopART's, whose numbers are not ONNX's."""
        for dtype, name in ((popart.DataType.FLOAT, "float32"), (popart.DataType.INT32, "int32"),
                            (popart.DataType.FLOAT16, "float16"), (popart.DataType.BOOL, "bool")):
            b = popart.Builder()
            y = b.aiGraphcore.init([2, 3], dtype, popart.InitType.Zero, "mine")
            self.assertEqual((b.getTensorDtypeString(y), b.getTensorShape(y)), (name, [2, 3]))
            b.aiGraphcore.init([2], dtype, popart.InitType.NoInit, 0)
            b.aiGraphcore.init(shape=[2], data_type=dtype, init_type=popart.InitType.NoInit,
                               batch_axis=0)
        with self.assertRaises(TypeError):
            b.aiGraphcore.init([2], 1, popart.InitType.Zero)

    def test_elements_are_in_the_fields_of_their_types(self):
        for dtype, field in ((np.float32, "float_data"), (np.float64, "double_data"),
                             (np.int32, "int32_data"), (np.int64, "int64_data"),
                             (np.uint32, "uint64_data"), (np.uint64, "uint64_data")):
            b = popart.Builder()
            b.addOutputTensor(b.aiOnnx.identity([
                b.addInitializedInputTensor(np.array([1, 2], dtype))]))
            graph = model_of(b).graph
            self.assertEqual(graph.input[0].name, "init_input")
            self.assertEqual(list(getattr(graph.initializer[0], field)), [1, 2])
            popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, ["Identity:0"]), cpu())

    def test_subgraphs(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2]))
        body = b.createSubgraphBuilder()
        i = body.addInputTensor(popart.TensorInfo("FLOAT", [2]))
        body.addOutputTensor(body.aiOnnx.mul([i, i]))
        y = b.aiGraphcore.call([x], 1, body)[0]
        b.addOutputTensor(y)
        session = session_of(b, [y])
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({x: np.float32([3, 4])}, anchors))
        np.testing.assert_array_equal(anchors[y], [9, 16])

    def test_floats_are_in_float_data(self):
        b, _, _ = relu_model()
        b.addInitializedInputTensor(np.float32([1, 2]))
        self.assertEqual(list(model_of(b).graph.initializer[0].float_data), [1, 2])

    def test_errors(self):
        b, x, y = relu_model()
        for attempt, text in (
                (lambda: b.setSerializeMatMul({y}, "invalid_mode", 2),
                 "Unsupported mat mul serialization mode 'invalid_mode'. Supported modes are "),
                (lambda: b.excludePatterns({y}, ["ThisPatternDoesNotExist"]),
                 "Invalid pattern name 'ThisPatternDoesNotExist'")):
            with self.assertRaises(popart.popart_exception) as caught:
                attempt()
            self.assertTrue(str(caught.exception).startswith(text), str(caught.exception))


class Types(unittest.TestCase):
    def test_wrong_types(self):
        """A TypeError, and never a crash."""
        b, x, y = relu_model()
        session = session_of(b, [y])
        for attempt in (
                lambda: b.aiOnnx.relu(x), lambda: b.aiOnnx.relu(3), lambda: b.aiOnnx.relu([None]),
                lambda: b.aiOnnx.concat([x]), lambda: b.aiOnnx.concat([x], axis="a"),
                lambda: b.aiOnnx.constant([1.0]), lambda: b.addInputTensor(5),
                lambda: b.addInitializedInputTensor([1.0]), lambda: popart.DataFlow("a"),
                lambda: popart.TensorInfo("FLOAT", 3), lambda: popart.PyStepIO({x: [1.0]}, {}),
                lambda: popart.PyStepIO({1: np.zeros(1)}, {}), lambda: session.run(None),
                lambda: session.run({}), lambda: popart.SGD({"defaultLearningRate": "a"}),
                lambda: popart.InferenceSession(), lambda: popart.TrainingSession(b"", None),
                lambda: popart.Patterns(5), lambda: popart.ConstSGD("a")):
            with self.assertRaises(TypeError):
                attempt()

    def test_errors_of_the_model(self):
        for model in (b"", b"nonsense", b"\x00\x01", "missing.onnx"):
            with self.assertRaises(popart.popart_exception):
                popart.InferenceSession(model, popart.DataFlow(1, ["x"]), cpu())
        b, x, y = relu_model()
        with self.assertRaises(popart.popart_exception):
            popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), None)


class Anchors(unittest.TestCase):
    def test_shapes(self):
        b, x, y = relu_model()
        All, Every = popart.AnchorReturnType("All"), popart.AnchorReturnType("EveryN", 2)
        for batches, kind, shape in ((1, All, (2,)), (4, All, (4, 2)), (4, Every, (2, 2)),
                                     (2, Every, (2,)), (4, popart.AnchorReturnType("Final"), (2,)),
                                     (4, popart.AnchorReturnType("sum"), (2,))):
            session = session_of(b, {y: kind}, batches)
            anchors = session.initAnchorArrays()
            self.assertEqual(anchors[y].shape, shape)
            self.assertEqual(anchors[y].dtype, np.float32)
            session.run(popart.PyStepIO({x: np.ones((batches, 2), np.float32)}, anchors))
            self.assertEqual(anchors[y].ravel()[0], batches if kind.id() ==
                             popart.AnchorReturnTypeId.Sum else 1)

    def test_integers_are_of_32_bits(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [4]))
        y = b.aiOnnx.argmax([x])
        b.addOutputTensor(y)
        self.assertEqual(session_of(b, [y]).initAnchorArrays()[y].dtype, np.int32)

    def test_constructor_errors(self):
        for arguments, text in (
                (("INVALID",), "Invalid anchor return type ID supplied: INVALID"),
                (("ALL", 1),
                 "A return period should not be supplied for this anchor return type"),
                (("EVERYN", 0), "Anchor return period must be greater than zero"),
                (("EVERYN",), "Must specify return period with option 'EVERYN'")):
            with self.assertRaises(popart.popart_exception) as caught:
                popart.AnchorReturnType(*arguments)
            self.assertEqual(str(caught.exception), text)


class Sessions(unittest.TestCase):
    def fails(self, text, attempt, kind=popart.popart_exception):
        with self.assertRaises(kind) as caught:
            attempt()
        self.assertTrue(str(caught.exception).startswith(text), str(caught.exception))

    def test_life_cycle(self):
        b, x, y = relu_model()
        proto = b.getModelProto()
        session = popart.InferenceSession(proto, popart.DataFlow(1, [y]), cpu())
        anchors = session.initAnchorArrays()
        io = popart.PyStepIO({x: np.zeros(2, np.float32)}, anchors)
        self.fails("Devicex::prepare() must be called before Devicex::run(const IStepIO &) is "
                   "called.", lambda: session.run(io), popart.popart_runtime_error)
        self.assertEqual(session.getInfo(x).shape(), [2])
        self.fails("TensorInfo for `other' not set", lambda: session.getInfo("other"))
        self.fails("User must specify an anchor tensor when doing inference.",
                   lambda: popart.InferenceSession(proto, popart.DataFlow(1, {}), cpu()))
        self.fails("Anchor tensor `other' not in Ir Tensors.",
                   lambda: train_on(popart.DataFlow(1, ["other"])))
        self.fails("Cannot call resetHostWeights when constantWeights is set",
                   lambda: session.resetHostWeights(proto))

    def test_weights_that_nothing_reads(self):
        def model(value):
            b = popart.Builder()
            used = b.addInitializedInputTensor(np.float32([value]), "used")
            b.addInitializedInputTensor(np.float32([value]), "unused")
            y = b.aiOnnx.relu([used])
            b.addOutputTensor(y)
            return b.getModelProto(), y

        proto, y = model(1)
        options = popart.SessionOptions()
        options.constantWeights = False
        session = popart.InferenceSession(proto, popart.DataFlow(1, [y]), cpu(),
                                          userOptions=options)
        session.prepareDevice()
        session.resetHostWeights(model(2)[0])
        session.weightsFromHost()
        session.weightsToHost()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            session.modelToHost(path)
            weights = {w.name: onnx.numpy_helper.to_array(w)
                       for w in onnx.load(path).graph.initializer}
        self.assertEqual([weights["used"], weights["unused"]], [2, 2])

    def test_weights_that_only_an_anchor_shows(self):
        def model(value):
            b = popart.Builder()
            used = b.addInitializedInputTensor(np.float32([1]), "used")
            b.addInitializedInputTensor(np.float32([value]), "shown")
            y = b.aiOnnx.relu([used])
            b.addOutputTensor(y)
            return b.getModelProto(), y

        proto, y = model(1)
        options = popart.SessionOptions()
        options.constantWeights = False
        session = popart.InferenceSession(proto, popart.DataFlow(1, [y, "shown"]), cpu(),
                                          userOptions=options)
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({}, anchors))
        self.assertEqual(anchors["shown"], [1])
        session.resetHostWeights(model(2)[0])
        session.weightsFromHost()
        session.run(popart.PyStepIO({}, anchors))
        self.assertEqual(anchors["shown"], [2])

    def test_keywords_of_all_versions(self):
        b, x, y = relu_model()
        proto, flow = b.getModelProto(), popart.DataFlow(1, [y])
        for keywords in ({"dataFlow": flow}, {"dataFeed": flow},
                         {"dataFlow": flow, "patterns": popart.Patterns()},
                         {"dataFlow": flow, "passes": popart.Patterns(popart.PatternsLevel.NONE)}):
            popart.InferenceSession(fnModel=proto, deviceInfo=cpu(),
                                    userOptions=popart.SessionOptions(), **keywords)
        with self.assertRaises(TypeError):
            popart.InferenceSession(proto, flow, cpu(), dataFeed=flow)

    def test_weights(self):
        session, w = train_on(popart.DataFlow(1), weight=True)
        run = lambda: session.run(popart.PyStepIO({}, {}))
        session.prepareDevice()
        self.fails("Must call weightsFromHost before run as the model has initializers and the "
                   "session has been created in training mode", run)
        session.weightsFromHost()
        run()
        values = np.zeros(2, np.float32)
        session.weightsToHost()
        session.readWeights(popart.PyWeightsIO({w: values}))
        np.testing.assert_allclose(values, [0.5, 1.5])
        session.writeWeights(popart.PyWeightsIO({w: np.float32([5, 6])}))
        session.weightsFromHost()
        run()
        session.weightsToHost()
        session.readWeights(popart.PyWeightsIO({w: values}))
        np.testing.assert_allclose(values, [4.5, 5.5])

    def test_loss_has_to_be_a_scalar(self):
        b, x, y = relu_model()
        self.fails("Loss tensor, 'Relu:0', must be a scalar tensor",
                   lambda: popart.TrainingSession(b.getModelProto(), popart.DataFlow(1), y,
                                                  popart.ConstSGD(0.1), cpu()))

    def test_compiling_and_running_leave_other_threads_alone(self):
        b, x, y = relu_model((64, 64))
        count, done = [0], threading.Event()

        def count_up():
            while not done.is_set():
                count[0] += 1
                time.sleep(0)

        thread = threading.Thread(target=count_up)
        thread.start()
        session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(2000, {
            y: popart.AnchorReturnType("Final")}), cpu())
        session.prepareDevice()
        io = popart.PyStepIO({x: np.zeros((2000, 64, 64), np.float32)},
                             session.initAnchorArrays())
        before = count[0]
        session.run(io)
        after = count[0]
        done.set()
        thread.join()
        self.assertGreater(after - before, 10)

    def test_interrupt_while_compiling(self):
        """The session is as it was before, and can be prepared anew."""
        b, x, y = relu_model()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        options = popart.SessionOptions()
        interrupts = iter([True])

        def interrupt(step, steps):
            if next(interrupts, False):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.05)

        options.compilationProgressLogger = interrupt
        session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), cpu(),
                                          userOptions=options)
        with self.assertRaises(KeyboardInterrupt):
            session.prepareDevice()
        session.prepareDevice()
        anchors = session.initAnchorArrays()
        session.run(popart.PyStepIO({x: np.float32([-1, 2])}, anchors))
        np.testing.assert_array_equal(anchors[y], [0, 2])

    def test_interrupt(self):
        b, x, y = relu_model()
        batches = 2000000
        session = session_of(b, {y: popart.AnchorReturnType("Final")}, batches)
        io = popart.PyStepIO({x: np.zeros((batches, 2), np.float32)}, session.initAnchorArrays())
        # A process that a shell starts in the background ignores the signal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            session.run(io)
            time.sleep(10)  # a fast step ends before the signal
        timer.join()


def train_on(flow, weight=False):
    b = popart.Builder()
    w = b.addInitializedInputTensor(np.float32([1, 2]))
    loss = b.aiGraphcore.l1loss([w], 1.0, popart.ReductionType.Sum)
    session = popart.TrainingSession(b.getModelProto(), flow, loss, popart.ConstSGD(0.5), cpu())
    return (session, w) if weight else session


class StepIO(unittest.TestCase):
    def setUp(self):
        self.builder, self.x, self.y = relu_model()
        self.session = session_of(self.builder, [self.y], 3)

    def test_any_shape_of_the_right_size(self):
        anchors = {self.y: np.zeros(6, np.float32)}
        self.session.run(popart.PyStepIO({self.x: np.arange(6, dtype=np.float32)}, anchors))
        np.testing.assert_array_equal(anchors[self.y], np.arange(6))

    def test_sizes(self):
        anchors = self.session.initAnchorArrays()
        io = popart.PyStepIO({self.x: np.zeros(5, np.float32)}, anchors)
        with self.assertRaises(popart.popart_exception) as caught:
            self.session.run(io)
        self.assertTrue(str(caught.exception).startswith(
            "Unexpected number of input elements for Tensor x. Expected 6, but received 5."))

    def test_names(self):
        anchors = self.session.initAnchorArrays()
        zeros = np.zeros(6, np.float32)
        for inputs in ({}, {self.x: zeros, "other": zeros}, {self.x: zeros, self.y: zeros}):
            with self.assertRaises(popart.popart_exception):
                self.session.run(popart.PyStepIO(inputs, anchors))
        with self.assertRaises(popart.popart_exception):
            self.session.run(popart.PyStepIO({self.x: zeros}, {}))

    def test_inputs_that_nothing_reads(self):
        """May be given or left out."""
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2]), "x")
        labels = b.addInputTensor(popart.TensorInfo("INT32", [2]), "labels")
        y = b.aiOnnx.relu([x])
        b.addOutputTensor(y)
        session = session_of(b, [y])
        anchors = session.initAnchorArrays()
        data = np.float32([-1, 2])
        for inputs in ({x: data}, {x: data, labels: np.int32([1, 2])}):
            session.run(popart.PyStepIO(inputs, anchors))
            np.testing.assert_array_equal(anchors[y], [0, 2])

    def test_contiguous(self):
        with self.assertRaises(popart.popart_exception) as caught:
            popart.PyStepIO({self.x: np.zeros((2, 3), np.float32).T}, {})
        self.assertIn("contiguous", str(caught.exception))

    def test_callbacks(self):
        seen, out = [], np.zeros(2, np.float32)
        batch = iter(np.arange(6, dtype=np.float32).reshape(3, 2))

        def give(name, is_prefetch):
            seen.append("in")
            return next(batch)

        io = popart.PyStepIOCallback(give, lambda name: seen.append("in complete"),
                                     lambda name: out,
                                     lambda name: seen.append(f"out {out[0]:.0f}"))
        self.session.run(io)
        self.assertEqual(seen, ["in", "in complete", "out 0", "in", "in complete", "out 2",
                                "in", "in complete", "out 4"])

    def test_an_error_of_a_callback_ends_the_step(self):
        def give(name, is_prefetch):
            raise ValueError("no more data")

        io = popart.PyStepIOCallback(give, lambda n: None, lambda n: None, lambda n: None)
        with self.assertRaisesRegex(ValueError, "no more data"):
            self.session.run(io)


class Options(unittest.TestCase):
    def test_dicts_write_through(self):
        options = popart.SessionOptions()
        options.engineOptions = {"debug.instrument": True}
        options.engineOptions["target.workerStackSizeInBytes"] = "2048"
        self.assertEqual(dict(options.engineOptions.items()),
                         {"debug.instrument": "True", "target.workerStackSizeInBytes": "2048"})

    def test_refused(self):
        b, x, y = relu_model()
        for set_it, text in (
                (lambda o: (setattr(o, "enableReplicatedGraphs", True),
                            setattr(o, "replicatedGraphCount", 2)),
                 "must be divisible by the replication factor"),
                (lambda o: (setattr(o, "enableDistributedReplicatedGraphs", True),
                            setattr(o, "globalReplicationFactor", 2)),
                 "CPU device has no replicas")):
            options = popart.SessionOptions()
            set_it(options)
            with self.assertRaisesRegex(popart.popart_exception, text):
                popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), cpu(),
                                        userOptions=options)

    def test_strided_groups(self):
        """With a stride of the groups, the result is that of neighbours in another order."""
        rng = np.random.RandomState(0)
        data = [rng.normal(size=shape).astype(np.float32) for shape in ((2, 6, 3), (6,), (6,))]
        order = [0, 3, 1, 4, 2, 5]  # neighbours are of one of three groups

        def run(x, scale, shift, is_strided):
            b = popart.Builder()
            names = [b.addInputTensor(popart.TensorInfo(x), "x"),
                     b.addInitializedInputTensor(scale, "scale"),
                     b.addInitializedInputTensor(shift, "shift")]
            out = b.aiGraphcore.groupnormalization(names, 3, 1e-3)
            weights = b.aiOnnx.constant(np.arange(36, dtype=np.float32).reshape(2, 6, 3)[
                :, slice(None) if is_strided else order])
            loss = b.aiGraphcore.l1loss([b.aiOnnx.mul([out[0], weights])], 1.0)
            options = popart.SessionOptions()
            options.groupNormStridedChannelGrouping = is_strided
            gradients = [popart.reservedGradientPrefix() + name for name in names]
            session = popart.TrainingSession(
                b.getModelProto(), popart.DataFlow(1, [*out, *gradients]), loss,
                popart.ConstSGD(0.1), cpu(), userOptions=options)
            session.prepareDevice()
            session.weightsFromHost()
            anchors = session.initAnchorArrays()
            session.run(popart.PyStepIO({"x": x}, anchors))
            return [anchors[name] for name in [*out, *gradients]]

        strided = run(*data, True)
        x, scale, shift = data
        neighbours = run(np.ascontiguousarray(x[:, order]), scale[order], shift[order], False)
        strided = [strided[0][:, order], *strided[1:3], strided[3][:, order],
                   *(a[order] for a in strided[4:])]
        for a, b in zip(strided, neighbours):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)

    def test_names_of_other_versions(self):
        options = popart.SessionOptions()
        Mode = popart.VirtualGraphMode
        for name, mode in (("autoVirtualGraph", Mode.Auto), ("enableVirtualGraphs", Mode.Manual)):
            setattr(options, name, True)
            self.assertTrue(getattr(options, name))
            self.assertEqual(options.virtualGraphMode, mode)
            setattr(options, name, False)
            self.assertEqual(options.virtualGraphMode, Mode.Off)
        options.ignoreData = True
        self.assertEqual(options.syntheticDataMode, popart.SyntheticDataMode.Zeros)
        options.pingPongPhases = 1
        self.assertEqual(options.executionPhaseSettings.phases, 1)
        options.defaultPrefetchBufferingDepth = 3
        self.assertEqual(options.defaultBufferingDepth, 3)
        options.experimentalSettings.customTransformApplierSettings = {"Fwd0": ["Mine"]}
        self.assertEqual(
            options.experimentalSettings.customTransformApplierSettings, {"Fwd0": ["Mine"]})
        options.hostAllReduce = False
        with self.assertRaises(popart.popart_exception):
            options.hostAllReduce = True

    def test_progress(self):
        b, x, y = relu_model()
        seen = []
        options = popart.SessionOptions()
        options.compilationProgressLogger = lambda step, steps: seen.append((step, steps))
        session_of(b, [y], userOptions=options)
        self.assertTrue(seen)
        self.assertTrue(all(0 <= step <= steps for step, steps in seen))

    def test_unknown_fields(self):
        with self.assertRaises(AttributeError):
            popart.SessionOptions().enableEverything = True

    def test_accumulation_in_inference(self):
        b, x, y = relu_model()
        options = popart.SessionOptions()
        options.enableGradientAccumulation = True
        with self.assertRaisesRegex(popart.popart_exception,
                                    "^Gradient Accumulation only available when training"):
            session_of(b, [y], userOptions=options)

    def test_patterns(self):
        patterns = popart.Patterns(popart.PatternsLevel.NoPatterns)
        self.assertFalse(patterns.isPatternEnabled("PreUniRepl"))
        patterns.enablePattern("PreUniRepl", True).enableRuntimeAsserts(False)
        self.assertTrue(patterns.PreUniRepl)
        patterns.InPlace = True
        self.assertIn("InPlace", repr(patterns))
        for name in ("Inplace", "Nothing"):
            with self.assertRaisesRegex(popart.popart_exception, "^Unknown pattern"):
                patterns.enablePattern(name, True)


class Optimizers(unittest.TestCase):
    def test_values(self):
        sgd = popart.SGD({"defaultLearningRate": (0.2, False), "lossScaling": (10, True)})
        self.assertAlmostEqual(sgd.learningRates().getDefault().val(), 0.2)
        self.assertFalse(sgd.learningRates().getDefault().isConst())
        self.assertEqual(sgd.getLossScalingVal(), 10)
        sgd.insertSpecific("w", {"learningRate": (0.5, True)})
        self.assertEqual(sgd.learningRates().get("w").val(), 0.5)
        self.assertAlmostEqual(popart.Adam({}).beta2s().getDefault().val(), 0.999)
        self.assertAlmostEqual(popart.Adaptive({}).alphas().getDefault().val(), 0.99)

    def test_errors(self):
        for attempt, text in (
                (lambda: popart.SGD({"rate": (1, True)}),
                 "Invalid SGD key, rate, the allowed keys are"),
                (lambda: popart.ConstSGD(0), "Constant, zero learning rate in SGD"),
                (lambda: popart.ConstSGD(-1), "Negative learning rate (-1) in SGD"),
                (lambda: popart.SGD({"lossScaling": (0, True)}), "Loss scaling cannot be 0")):
            with self.assertRaises(popart.popart_exception) as caught:
                attempt()
            self.assertTrue(str(caught.exception).startswith(text), str(caught.exception))

    def test_replacement(self):
        session = train_on(popart.DataFlow(1))
        session.prepareDevice()
        with self.assertRaises(popart.popart_exception):
            session.updateOptimizerFromHost(popart.Adam({}))


class Models(unittest.TestCase):
    def test_transformer(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2]))
        w = b.addInitializedInputTensor(np.float32([1, 2]))
        n = b.addInitializedInputTensor(np.int32([3, 4]), "numbers")
        b.addInputTensor(popart.TensorInfo("FLOAT", [2]), "unused")
        y = b.aiOnnx.add([x, w])
        b.addOutputTensor(y)
        b.addOutputTensor(b.aiOnnx.identity([n]))
        transformer = popart.GraphTransformer(b.getModelProto())
        transformer.removeUnusedInputs()
        transformer.convertAllFixedPointInitializersToConstants()
        transformer.convertFloatsToHalfs()
        graph = onnx.load_model_from_string(transformer.getModelProto()).graph
        self.assertEqual([i.name for i in graph.input], [x, w])
        self.assertEqual([i.name for i in graph.initializer], [w])
        self.assertEqual(graph.initializer[0].data_type, onnx.TensorProto.FLOAT16)
        self.assertEqual(graph.node[0].op_type, "Constant")

    def test_64_bit_integers(self):
        b = popart.Builder()
        w = b.addInitializedInputTensor(np.int64([1 << 40]))
        b.addOutputTensor(b.aiOnnx.identity([w]))
        transformer = popart.GraphTransformer(b.getModelProto())
        with self.assertRaisesRegex(popart.popart_exception, "does not fit"):
            transformer.convertINT64ToINT32()
        transformer.convertINT64ToINT32(clip=True)
        weight = onnx.load_model_from_string(transformer.getModelProto()).graph.initializer[0]
        self.assertEqual(list(weight.int32_data), [2**31 - 1])

    def test_operations(self):
        self.assertIn(popart.OperatorIdentifier("ai.onnx", "Relu", 6),
                      popart.getSupportedOperations(False))
        self.assertEqual(popart.versionString(), ".".join(map(str, popart.versionNumber())))


class Exceptions(unittest.TestCase):
    def test_classes(self):
        for throw, kind in ((popart._throw_popart_error, popart.popart_exception),
                            (popart._throw_popart_internal_error,
                             popart.popart_internal_exception),
                            (popart._throw_popart_runtime_error, popart.popart_runtime_error),
                            (popart._throw_poplibs_error, popart.poplibs_exception),
                            (popart._throw_poplar_error, popart.poplar_exception)):
            with self.assertRaises(kind) as caught:
                throw("the text {}")
            self.assertEqual(str(caught.exception), "the text {}")
        with self.assertRaises(popart.poplar_recoverable_runtime_error) as caught:
            popart._throw_recoverable_runtime_error(popart.RecoveryAction.LINK_RESET)
        self.assertEqual(caught.exception.recoveryAction, popart.RecoveryAction.LINK_RESET)
        self.assertTrue(issubclass(popart.popart_runtime_error, popart.popart_exception))
        self.assertTrue(issubclass(popart.popart_exception, RuntimeError))

    def test_memory(self):
        b, x, y = relu_model((1 << 20,))
        session = popart.InferenceSession(
            b.getModelProto(), popart.DataFlow(1, [y]),
            popart.DeviceManager().createIpuModelDevice({"tilesPerIPU": 1}))
        with self.assertRaises(popart.OutOfMemoryException) as caught:
            session.prepareDevice()
        self.assertIn("out of memory", caught.exception.getSummaryReport())


class Devices(unittest.TestCase):
    def test_devices(self):
        manager = popart.DeviceManager()
        with manager.createIpuModelDevice({"numIPUs": 2, "tilesPerIPU": 8}) as device:
            self.assertTrue(device.isAttached)
            self.assertEqual((device.numIpus, device.tilesPerIPU, device.type),
                             (2, 8, popart.DeviceType.IpuModel))
        self.assertFalse(device.isAttached)
        self.assertEqual(manager.createIpuModelDevice({}).tilesPerIPU, 4)
        with self.assertRaises(popart.popart_exception):
            manager.createIpuModelDevice({"tiles": 4})
        self.assertIsNone(manager.tryAcquireAvailableDevice(3))


if __name__ == "__main__":
    unittest.main()
