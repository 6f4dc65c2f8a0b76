#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sessions refuse, with the exceptions and the texts that programs written for PopART
compare: each case is a program in miniature that is wrong in one way."""

import os
import tempfile
import unittest

import popart

import numpy as np
import onnx

ONES = np.ones(2, np.float32)


def cpu():
    return popart.DeviceManager().createCpuDevice()


def floats(builder, shape, name=""):
    return builder.addInputTensor(popart.TensorInfo("FLOAT", shape), name)


def weight(builder, values=ONES, name="w"):
    return builder.addInitializedInputTensor(values, name)


def infer(build, anchors=None, device=None, prepare=True, options=None, patterns=None, bps=1):
    """A session for what `build` returns."""
    builder = popart.Builder()
    out = build(builder)
    builder.addOutputTensor(out)
    session = popart.InferenceSession(
        builder.getModelProto(), popart.DataFlow(bps, [out] if anchors is None else anchors),
        device or cpu(), userOptions=options or popart.SessionOptions(),
        patterns=patterns or popart.Patterns())
    if prepare:
        session.prepareDevice()
    return session


def train(build, anchors=(), optimizer=None, prepare=True, options=None, patterns=None):
    """A session that makes what `build` returns smaller, by way of a loss where it is none."""
    builder = popart.Builder()
    loss = build(builder)
    if "Loss" not in loss:
        loss = builder.aiGraphcore.identityloss([loss])
    session = popart.TrainingSession(
        builder.getModelProto(), popart.DataFlow(1, list(anchors)), loss,
        optimizer or popart.ConstSGD(0.1), cpu(), userOptions=options or popart.SessionOptions(),
        patterns=patterns or popart.Patterns())
    if prepare:
        session.prepareDevice()
    return session


def product(builder):
    return builder.aiOnnx.mul([floats(builder, [2], "x"), weight(builder)])


class Refusals(unittest.TestCase):
    def refuses(self, text, attempt, begins=False, ends=False, is_all=False,
                kind=popart.popart_exception):
        with self.assertRaises(kind) as caught:
            attempt()
        message = str(caught.exception)
        fits = (message == text if is_all else message.startswith(text) if begins
                else message.endswith(text) if ends else text in message)
        self.assertTrue(fits, message)


class Anchors(Refusals):
    def test_unknown(self):
        self.refuses("Anchor tensor `nope' not in Ir Tensors.", begins=True, attempt=lambda: infer(
            lambda b: b.aiOnnx.relu([floats(b, [2])]), ["nope"], prepare=False))

    def test_none(self):
        self.refuses("User must specify an anchor tensor when doing inference.", is_all=True,
                     attempt=lambda: infer(lambda b: b.aiOnnx.relu([floats(b, [2])]), []))

    def test_nothing_to_compute(self):
        self.refuses("All operations in the main graph were pruned, nothing to compute",
                     is_all=True, attempt=lambda: infer(
                         lambda b: b.aiOnnx.relu([floats(b, [2], "x")]), ["x"]))

    def test_without_gradient(self):
        def detached(b):
            x = floats(b, [2], "x")
            return b.aiOnnx.add([b.aiGraphcore.detach([x]), weight(b)])

        def integer(b):
            x = b.addInputTensor(popart.TensorInfo("INT32", [2]), "x")
            return b.aiOnnx.add([b.aiOnnx.cast([x], "FLOAT"), weight(b)])

        for build in (detached, integer):
            self.refuses("Anchor tensor `Gradient___x' not in Ir Tensors.", begins=True,
                         attempt=lambda: train(build, ["Gradient___x"]))

    def test_period(self):
        session = infer(lambda b: b.aiOnnx.relu([floats(b, [2], "x")]), {
            "Relu:0": popart.AnchorReturnType("EveryN", 2)}, bps=3)
        self.refuses("", session.initAnchorArrays, kind=RuntimeError)
        # With an array of one's own, what is left over returns nothing.
        out = np.zeros([1, 2], np.float32)
        session.run(popart.PyStepIO({"x": np.float32([[-1, 1], [2, 3], [4, 5]])},
                                    {"Relu:0": out}))
        np.testing.assert_array_equal(out, [[2, 3]])


class Models(Refusals):
    def test_not_a_model(self):
        for attempt in (lambda: popart.Builder("missing.onnx"), lambda: popart.InferenceSession(
                "missing.onnx", popart.DataFlow(1, ["x"]), cpu())):
            self.refuses("Failed to load a ModelProto from the string ", attempt, begins=True)
            self.refuses("Check that it is either a valid path to an existing onnx model file, "
                         "or is a valid onnx ModelProto string.", attempt, ends=True)

    def test_unknown_operator(self):
        self.refuses("No class for my.domain.Mystery:1", lambda: infer(
            lambda b: b.customOp("Mystery", 1, "my.domain", [floats(b, [2])])[0]))

    def test_reserved_names(self):
        self.refuses("Provided tensor Gradient___x has an invalid name: clash with reserved "
                     "prefix Gradient___", lambda: infer(
                         lambda b: b.aiOnnx.relu([floats(b, [2], "Gradient___x")])))

    def test_shapes(self):
        for left, right in (([2, 3], [4, 5]), ([], [4, 5])):
            self.refuses("", lambda: infer(
                lambda b: b.aiOnnx.matmul([floats(b, left), floats(b, right)])))

    def test_calls(self):
        def call(inputs, outputs):
            def build(b):
                x = floats(b, [2])
                inner = b.createSubgraphBuilder()
                y = inner.aiOnnx.relu([inner.addInputTensor(popart.TensorInfo("FLOAT", [2]))])
                if outputs:
                    inner.addOutputTensor(y)
                return b.aiGraphcore.call([x] * inputs, 1, callee=inner, debugContext="mine")[0]
            return build

        self.refuses("For CallOp 'mine', number of outputs (1) does not match that of the callee "
                     "subgraph (0)", lambda: infer(call(1, False)))
        self.refuses("For CallOp 'mine', number of inputs (2) does not match that of the callee "
                     "subgraph (1)", lambda: infer(call(2, True)))

    def test_batch_norm(self):
        def build(shape, sizes):
            return lambda b: b.aiOnnx.batchnormalization(
                [floats(b, shape)] + [weight(b, np.ones(n, np.float32)) for n in sizes], 1)[0]

        self.refuses("batch norm requires", lambda: infer(build([2, 2], [2] * 4)))
        for at, name in enumerate(("scale", "B", "mean", "var")):
            sizes = [3] * 4
            sizes[at] = 2
            for text in ("expected shape", name, "to be [3]"):
                self.refuses(text, lambda: infer(build([2, 3, 4, 4], sizes)))
        self.refuses("To use the BatchNorm Op in inference mode during training, it has to be "
                     "detached first.", lambda: train(build([2, 3, 4, 4], [3] * 4)))

    def test_clip(self):
        def build(b):
            limits = [floats(b, [], "low"), b.aiOnnxOpset11.constant(np.float32(3))]
            return b.aiOnnxOpset11.clip([floats(b, [2])] + limits)

        self.refuses("currently only supports constant min/max parameters. Input 'min' (low) has "
                     "no data.", lambda: infer(build))

    def test_dropout(self):
        for ratio in (1.0, -0.1, 1.5):
            for build in (lambda b: b.aiOnnx.dropout([floats(b, [2])], 1, ratio)[0],
                          lambda b: b.aiGraphcore.shapeddropout([floats(b, [2])], [2], ratio)):
                self.refuses("Please use a value in the interval [0,1)", lambda: infer(build),
                             ends=True)

    def test_serialised_product(self):
        def build(b):
            y = b.aiOnnx.matmul([floats(b, [2, 3]), weight(b, np.ones((3, 4), np.float32))])
            b.setSerializeMatMul({y}, "output_channels", 3)
            return y

        self.refuses("Invalid serialisation factor 3 for output channels dim 4. output_channels "
                     "dim should be a multiple of the serialisation factor",
                     lambda: infer(build))

    def test_places(self):
        def build(places):
            def chain(b):
                y = floats(b, [2])
                for op, place in zip(("relu", "sin"), places):
                    y = getattr(b.aiOnnx, op)([y])
                    if place is not None:
                        b.virtualGraph(y, place)
                return y
            return chain

        def attempt(places, mode):
            options = popart.SessionOptions()
            options.virtualGraphMode = mode
            device = popart.DeviceManager().createIpuModelDevice({"numIPUs": 2})
            infer(build(places), device=device, options=options)

        manual, off = popart.VirtualGraphMode.Manual, popart.VirtualGraphMode.Off
        self.refuses("Either all", lambda: attempt((0, None), manual), begins=True)
        self.refuses("SessionOptions flag virtualGraphMode is",
                     lambda: attempt((None, None), manual), begins=True)
        self.refuses("has been assigned to an invalid virtual graph 10",
                     lambda: attempt((0, 10), manual))
        attempt((0, 1), manual)
        attempt((0, 10), off)


class Training(Refusals):
    def test_loss(self):
        self.refuses("must be a scalar tensor", ends=True, attempt=lambda: train(
            lambda b: b.aiGraphcore.identityloss([product(b)], popart.ReductionType.NoReduction)))

        def missing():
            b = popart.Builder()
            product(b)
            popart.TrainingSession(b.getModelProto(), popart.DataFlow(1), "nothing",
                                   popart.ConstSGD(0.1), cpu())

        self.refuses("Could not find loss tensor 'nothing' in main graph tensors", missing)
        self.refuses("L1Op not valid for rank-0 tensor (scalar)", lambda: infer(
            lambda b: b.aiGraphcore.l1loss([floats(b, [])], 0.1)))

    def test_labels(self):
        def build(b):
            labels = b.addInputTensor(popart.TensorInfo("INT32", [2, 5]))
            return b.aiGraphcore.nllloss([b.aiOnnx.softmax([floats(b, [2, 4, 3])], 2), labels])

        self.refuses("The label tensor (INT32   [2 5]) must have shape [2 4] to match all but the "
                     "final dimension of the probabilities tensor (FLOAT   [2 4 3])",
                     lambda: infer(build), begins=True)

    def test_integer_weights(self):
        def build(b):
            counts = b.aiOnnx.cast([weight(b, np.ones(2, np.int32))], "FLOAT")
            return b.aiOnnx.add([floats(b, [2]), counts])

        self.refuses("Currently only floating point variable tensors are updatable",
                     lambda: train(build))

    def test_operators_without_gradient(self):
        def build(op, dtype):
            return lambda b: getattr(b.aiOnnx, op)(
                [b.addInputTensor(popart.TensorInfo(dtype, [2])) for _ in range(2)])

        for op, dtype, name in (("logical_and", "BOOL", "AndOp"), ("logical_or", "BOOL", "OrOp"),
                                ("equal", "INT32", "EqualOp"), ("greater", "FLOAT", "GreaterOp"),
                                ("less", "FLOAT", "LessOp")):
            self.refuses("PopART does not have a valid grad op corresponding to " + name,
                         lambda: train(build(op, dtype)))

        def compared(b):  # a Cast ends the path
            y = b.aiOnnx.greater([floats(b, [2]), weight(b)])
            return b.aiOnnx.cast([y], "FLOAT")

        train(compared)

        def padded(b):
            return b.aiOnnx.pad([product(b)], [1, 1], "reflect")

        self.refuses('At this time, PopART does not support PadGradOp when mode is not '
                     '"constant".', lambda: train(padded))

    def test_patterns_that_gradients_need(self):
        cases = {"ReciprocalGradOp": lambda b, x: b.aiOnnx.reciprocal([x]),
                 "SqrtGradOp": lambda b, x: b.aiOnnx.sqrt([x]),
                 "SubtractArg1GradOp": lambda b, x: b.aiOnnx.sub([floats(b, [2]), x]),
                 "ExpGradOp": lambda b, x: b.aiOnnx.exp([x]),
                 "Expm1GradOp": lambda b, x: b.aiGraphcore.expm1([x]),
                 "CosGradOp": lambda b, x: b.aiOnnx.cos([x]),
                 "CoshOp": lambda b, x: b.aiOnnx.cosh([x]),
                 "Log1pGradOp": lambda b, x: b.aiGraphcore.log1p([x]),
                 "Atan2Arg0GradOp": lambda b, x: b.aiGraphcore.atan2([x, floats(b, [2])]),
                 "Atan2Arg1GradOp": lambda b, x: b.aiGraphcore.atan2([x, floats(b, [2])])}
        for pattern, build in cases.items():
            patterns = popart.Patterns([name for name in cases if name != pattern])
            patterns.enableRuntimeAsserts(False)
            self.refuses("This op should have been removed by pattern " + pattern, ends=True,
                         attempt=lambda: train(lambda b: build(b, product(b)), patterns=patterns))
            train(lambda b: build(b, product(b)),
                  patterns=popart.Patterns(popart.PatternsLevel.Minimal))

    def test_patterns_of_convolutions(self):
        def convolved(method):
            return lambda b: getattr(b.aiOnnx, method)(
                [floats(b, [1, 1, 4, 4]), weight(b, np.ones((1, 1, 2, 2), np.float32))])

        patterns = popart.Patterns(["ConvDataGrad", "ConvTranspose"]).enableRuntimeAsserts(False)
        train(convolved("conv"), patterns=patterns)  # turns no weights that it differentiates
        self.refuses("This op should have been removed by pattern ConvFlipWeightsGradOp", ends=True,
                     attempt=lambda: train(convolved("convtranspose"), patterns=patterns))

    def test_recomputation(self):
        def build(b):
            y = product(b)
            b.recomputeOutputInBackwardPass(y)
            return b.aiOnnx.sin([y])

        options = popart.SessionOptions()
        options.autoRecomputation = popart.RecomputationType.Standard
        self.refuses("A mixture of auto and manual recomputation is not supported", is_all=True,
                     attempt=lambda: train(build, options=options))

    def test_accumulation(self):
        options = popart.SessionOptions()
        options.accumulationFactor = 2
        self.refuses("enableGradientAccumulation is false, but accumulationFactor > 1.",
                     lambda: train(product, options=options), begins=True)
        options.enableGradientAccumulation = True
        self.refuses("Gradient Accumulation only available when training", lambda: infer(
            product, options=options), begins=True)

    def test_phases_and_pipelines(self):
        options = popart.SessionOptions()
        options.executionPhaseSettings.phases = 2
        self.refuses("> 1 execution phases requires VirtualGraphMode::ExecutionPhases",
                     lambda: train(product, options=options), begins=True)
        options = popart.SessionOptions()
        options.createImplicitPipeliningFwdOnlyProgram = True
        self.refuses("Implicit pipelining forward-only program is not supported without implicit "
                     "pipelining.", lambda: train(product, options=options), begins=True)

    def test_optimizers(self):
        # An optimizer may have groups that a session then refuses.
        popart.SGD({}, clip_norm_settings=[popart.ClipNormSettings.clipAllWeights(1.0)] * 2)
        SGD = popart.SGD
        for attempt, text in (
                (lambda: SGD({"foo": (1, False)}), "Invalid SGD key, foo, the allowed keys are ( "),
                (lambda: popart.Adam({"foo": (1, False)}), "Invalid Adam key, foo"),
                (lambda: popart.Adaptive({"foo": (1, False)}), "Invalid Adaptive key, foo"),
                (lambda: SGD({}).insertSpecific("w", {"foo": (1, False)}),
                 "Invalid key foo in SGD::insertSpecific. Permitted keys are ( "),
                (lambda: SGD({"defaultMomentum": (-1, True)}), "Negative momentum"),
                (lambda: SGD({"defaultVelocityScaling": (0, True)}), ""),
                (lambda: train(product, optimizer=SGD({}, clip_norm_settings=[
                    popart.ClipNormSettings.clipAllWeights(1.0),
                    popart.ClipNormSettings.clipWeights(["w"], 1.0)])),
                 "Multiple clip groups specified, but one has the mode 'ClipAllWeights'")):
            self.refuses(text, attempt, begins=True)

    def test_replacements(self):
        def rate(value, is_const):
            return popart.SGD({"defaultLearningRate": (value, is_const)})

        for first, second, text in (
                (rate(0.1, True), rate(0.1, False),
                 "Can not replace a constant value with a non constant value."),
                (rate(0.1, True), rate(0.2, True), "Values are constant but do not match."),
                (rate(0.1, True), rate(0.2, True), "Problem with learning rates. "),
                (rate(0.1, False), popart.Adam({}), "")):
            session = train(product, optimizer=first)
            self.refuses(text, lambda: session.updateOptimizerFromHost(second))


class Sessions(Refusals):
    def test_order(self):
        session = infer(lambda b: b.aiOnnx.dropout([floats(b, [2], "x")], 1, 0.5)[0],
                        prepare=False)
        for attempt, text in (
                (lambda: session.setRandomSeed(3),
                 "Devicex::prepare() must be called before "
                 "Devicex::setRandomSeedFromHost(uint64_t) is called."),
                (lambda: session.run(popart.PyStepIO({"x": ONES}, session.initAnchorArrays())),
                 "Devicex::prepare() must be called before Devicex::run(const IStepIO &) is "
                 "called.")):
            self.refuses(text, attempt, is_all=True)
        self.refuses("no compiled engine", session.loadEngineAndConnectStreams)
        with tempfile.TemporaryDirectory() as folder:
            session = train(product, prepare=False)
            self.refuses("Devicex::prepare() must be called before Devicex::weightsToHost",
                         lambda: session.modelToHost(os.path.join(folder, "model.onnx")),
                         begins=True)

    def test_random_state(self):
        session = infer(product)
        self.refuses("Trying to get the RNG state, but ", session.getRNGState, begins=True)
        self.refuses("Trying to set the RNG state, but ", lambda: session.setRNGState([1]))

    def test_weights(self):
        session = train(product)
        session.weightsFromHost()

        def model(names, size):
            b = popart.Builder()
            b.addOutputTensor(b.aiOnnx.sum([weight(b, np.ones(size, np.float32), name)
                                            for name in names]))
            return b.getModelProto()

        self.refuses("resetWeights, no tensor 'v' in tensors",
                     lambda: session.resetHostWeights(model("wv", 2)))
        session.resetHostWeights(model("wv", 2), True)
        self.refuses("Trying to reset weights using tensor with non matching tensor info. Tensor "
                     "ID: w", lambda: session.resetHostWeights(model("w", 3)))
        self.refuses("Cannot call writeWeights when constantWeights is set. Set `constantWeights` "
                     "to False in the `SessionOption`s when initialising the session to enable "
                     "this behaviour.", ends=True, attempt=lambda: infer(product).writeWeights(
                         popart.PyWeightsIO({"w": ONES})))

    def test_infos(self):
        session = infer(product)
        self.assertEqual(session.getInfo("Mul:0").shape(), [2])
        self.refuses("TensorInfo for `nope' not set", lambda: session.getInfo("nope"),
                     is_all=True)

    def test_names_of_step_io(self):
        session = train(product, ["Mul:0"])
        session.weightsFromHost()
        anchors = session.initAnchorArrays()
        for inputs in ({"x": ONES, "other": ONES}, {"x": ONES, "Mul:0": ONES}):
            self.refuses("has been provided as one of the inputs to the stepIO, but it is not "
                         "registered", lambda: session.run(popart.PyStepIO(inputs, anchors)))
        self.refuses("", lambda: session.run(popart.PyStepIO({}, anchors)))
        # A weight may be named; its data is not read.
        session.run(popart.PyStepIO({"x": ONES, "w": ONES}, anchors))
        self.refuses("Unexpected number of input elements for Tensor w. Expected 2, but received "
                     "3.", lambda: session.run(popart.PyStepIO(
                         {"x": ONES, "w": np.ones(3, np.float32)}, anchors)), begins=True)

    def test_types_of_step_io(self):
        session = infer(lambda b: b.aiOnnx.relu([floats(b, [2], "x")]))
        anchors = session.initAnchorArrays()
        for dtype in (np.int32, np.float16, np.uint32, np.int8, np.bool_, np.int64):
            self.refuses("The data for Tensor x is of type", lambda: session.run(
                popart.PyStepIO({"x": np.ones(2, dtype)}, anchors)), begins=True)
        self.refuses("The data for Tensor Relu:0 is of type INT32", lambda: session.run(
            popart.PyStepIO({"x": ONES}, {"Relu:0": np.zeros(2, np.int32)})), begins=True)
        # Callbacks say the type when they are asked.
        io = popart.PyStepIOCallback(lambda name, _: np.ones(2, np.float16), lambda name: None,
                                     lambda name: np.zeros(2, np.float32), lambda name: None)
        self.refuses("The data for Tensor x is of type FLOAT16", lambda: session.run(io))
        # Without the checks the data is converted.
        io = popart.PyStepIO({"x": np.int32([3, -4])}, anchors)
        io.enableRuntimeAsserts(False)
        session.run(io)
        np.testing.assert_array_equal(anchors["Relu:0"], [3, 0])

    def test_64_bits(self):
        def build(b):
            x = b.addInputTensor(popart.TensorInfo("INT32", [2]), "x")
            return b.aiOnnx.add([x, x])

        for is_on in (True, False):
            options = popart.SessionOptions()
            options.enableSupportedDataTypeCasting = is_on
            session = infer(build, options=options)
            anchors = session.initAnchorArrays()
            run = lambda: session.run(popart.PyStepIO({"x": np.int64([1, 2])}, anchors))
            if is_on:
                run()
                np.testing.assert_array_equal(anchors["Add:0"], [2, 4])
                self.refuses("on the device: element 1 is 4294967296",
                             lambda: session.run(popart.PyStepIO({"x": np.int64([1, 2**32])},
                                                                 anchors)))
            else:
                self.refuses("The data for Tensor x is of type INT64", run)


class Halves(unittest.TestCase):
    """float16 values are two in each number of int32_data, in models of a Builder and where
    they come back; raw bytes stay raw."""

    def test_field(self):
        for is_raw in (False, True):
            b = popart.Builder()
            x = b.addInputTensor(popart.TensorInfo("FLOAT16", [3]), "x")
            w = weight(b, np.float16([1, 2, 3]))
            loss = b.aiGraphcore.identityloss([b.aiOnnx.mul([x, w])], popart.ReductionType.Sum)
            model = onnx.load_model_from_string(b.getModelProto())
            tensor = model.graph.initializer[0]
            self.assertEqual(self.values(tensor), [1, 2, 3])
            if is_raw:
                tensor.ClearField("int32_data")
                tensor.raw_data = np.float16([1, 2, 3]).tobytes()
            session = popart.TrainingSession(model.SerializeToString(), popart.DataFlow(1), loss,
                                             popart.ConstSGD(1.0), cpu())
            session.prepareDevice()
            session.weightsFromHost()
            session.run(popart.PyStepIO({"x": np.float16([0.5, 0.5, 1])}, {}))
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "trained.onnx")
                session.modelToHost(path)
                tensor = onnx.load(path).graph.initializer[0]
                self.assertEqual(tensor.HasField("raw_data"), is_raw)
                self.assertEqual(self.values(tensor), [0.5, 1.5, 2])
                popart.InferenceSession(path, popart.DataFlow(1, ["Mul:0"]), cpu())

    @staticmethod
    def values(tensor):
        bits = (np.frombuffer(tensor.raw_data, np.float16) if tensor.HasField("raw_data")
                else np.array(list(tensor.int32_data), np.int32).view(np.float16))
        return list(bits[:3])


class SurplusInputs(unittest.TestCase):
    """An input that an operator of Graphcore's domain has no use for is refused."""

    def test_each(self):
        def of(name, *more):
            def build(builder):
                x = floats(builder, [2], "x")
                return getattr(builder.aiGraphcore, name)([x, x, x], *more)
            return build

        for name, *more in (["square"], ["gelu"], ["atan2"], ["fmod"], ["nop"], ["detach"],
                            ["reverse", [0]], ["scale", 2.0], ["subsample", [2]],
                            ["slice", [1], [0]]):
            with self.subTest(name), self.assertRaises(popart.popart_exception) as caught:
                infer(of(name, *more))
            self.assertRegex(str(caught.exception), "has 3 inputs; it takes [12] at most")


if __name__ == "__main__":
    unittest.main()
