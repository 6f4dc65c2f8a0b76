#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as PopART's users write them."""

import itertools
import unittest

import popart

import numpy as np

GRADIENT = popart.reservedGradientPrefix()


def cpu():
    return popart.DeviceManager().createCpuDevice()


def info(array):
    return popart.TensorInfo(array)


def trained(builder, loss, anchors, inputs, optimizer=None, batches=1, options=None):
    """What a training session returns of one step."""
    session = popart.TrainingSession(
        builder.getModelProto(), popart.DataFlow(batches, anchors), loss,
        optimizer or popart.ConstSGD(0.01), cpu(), userOptions=options or popart.SessionOptions())
    session.prepareDevice()
    session.weightsFromHost()
    results = session.initAnchorArrays()
    session.run(popart.PyStepIO(inputs, results))
    return results


class Anchors(unittest.TestCase):
    def check(self, art, batches, factor):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2, 3]))
        w = b.addInitializedInputTensor(np.ones((3, 1), np.float32))
        y = b.aiOnnx.matmul([x, w])
        loss = b.aiGraphcore.l1loss([y], 1.0, popart.ReductionType.Sum)
        options = popart.SessionOptions()
        options.enableGradientAccumulation = factor > 1
        options.accumulationFactor = factor
        of_gradient = GRADIENT + w
        period = [2] if art == "EveryN" else []
        anchors = {name: popart.AnchorReturnType(art, *period) for name in (y, loss, of_gradient)}
        data = np.arange(batches * factor * 6, dtype=np.float32).reshape(-1, 2, 3)
        # The weight does not move, so each batch is what it would be alone.
        results = trained(b, loss, anchors, {x: data}, popart.SGD({
            "defaultLearningRate": (0, False)}), batches, options)
        each = {y: data.sum(2, keepdims=True), loss: data.sum((1, 2)),
                of_gradient: data.sum(1)[:, :, None]}
        for name, values in each.items():
            rows = values.reshape(batches, factor, *values.shape[1:])
            wanted = {"All": rows, "EveryN": rows[1::2], "Final": rows[-1, -1],
                      "Sum": rows.sum((0, 1))}[art]
            if art in ("All", "EveryN"):
                lead = tuple(extent for extent in wanted.shape[:2] if extent > 1)
                wanted = wanted.reshape(lead + values.shape[1:])
            self.assertEqual(results[name].shape, wanted.shape)
            np.testing.assert_allclose(results[name], wanted, rtol=1e-6)

    def test_shapes(self):
        for art, batches, factor in itertools.product(("All", "EveryN", "Final", "Sum"), (1, 4),
                                                      (1, 3)):
            if art != "EveryN" or batches > 1:
                with self.subTest(art=art, batches=batches, factor=factor):
                    self.check(art, batches, factor)


class Subgraphs(unittest.TestCase):
    def setUp(self):
        self.data = np.float32([[1, 2], [3, 4]])
        self.b = popart.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
        self.x = self.b.addInputTensor(info(self.data))

    def test_calls(self):
        weights = np.float32([[1, 1], [0, 2]])
        w = self.b.addInitializedInputTensor(weights)
        callee = self.b.createSubgraphBuilder()
        left = callee.addUntypedInputTensor()
        right = callee.addInputTensor(info(weights))
        callee.addOutputTensor(callee.aiOnnx.matmul([left, right]))
        y, = self.b.aiGraphcore.call([self.x, w], 1, callee)
        z, = self.b.aiGraphcore.call([y, w], 1, callee)
        self.assertEqual((y, z), ("Call:0", "Call:0/1"))
        loss = self.b.aiGraphcore.identityloss([z], popart.ReductionType.Sum)
        anchors = [y, z, *(GRADIENT + name for name in (self.x, y, z, w))]
        results = trained(self.b, loss, anchors, {self.x: self.data})
        ones = np.ones((2, 2))
        middle = self.data @ weights
        of_middle = ones @ weights.T
        for name, wanted in zip(anchors, (middle, middle @ weights, of_middle @ weights.T,
                                          of_middle, ones,
                                          middle.T @ ones + self.data.T @ of_middle)):
            np.testing.assert_allclose(results[name], wanted, rtol=1e-6)

    def test_a_call_that_returns_its_input(self):
        callee = self.b.createSubgraphBuilder()
        given = callee.addInputTensor(info(self.data))
        callee.addOutputTensor(given)
        y, = self.b.aiGraphcore.call([self.x], 1, callee)
        loss = self.b.aiGraphcore.identityloss([self.b.aiOnnx.mul([y, self.x])],
                                               popart.ReductionType.Sum)
        results = trained(self.b, loss, [y, GRADIENT + self.x], {self.x: self.data})
        np.testing.assert_array_equal(results[y], self.data)
        np.testing.assert_array_equal(results[GRADIENT + self.x], 2 * self.data)

    def test_calls_in_calls(self):
        weights = np.float32([2, 3])
        w = self.b.addInitializedInputTensor(weights)
        square = self.b.createSubgraphBuilder()
        given = square.addUntypedInputTensor()
        square.addOutputTensor(square.aiOnnx.mul([given, given]))
        scaled = self.b.createSubgraphBuilder()
        given = scaled.addInputTensor(info(self.data))
        scaled.addInputTensorFromParentGraph(w)
        inside, = scaled.aiGraphcore.call([given], 1, square)
        scaled.addOutputTensor(scaled.aiOnnx.mul([inside, w]))
        y, = self.b.aiGraphcore.call([self.x], 1, scaled)
        loss = self.b.aiGraphcore.identityloss([y], popart.ReductionType.Sum)
        results = trained(self.b, loss, [y, GRADIENT + self.x, GRADIENT + w],
                          {self.x: self.data})
        np.testing.assert_allclose(results[y], self.data ** 2 * weights)
        np.testing.assert_allclose(results[GRADIENT + self.x], 2 * self.data * weights)
        np.testing.assert_allclose(results[GRADIENT + w], (self.data ** 2).sum(0))

    def branch(self, factor):
        body = self.b.createSubgraphBuilder()
        body.addOutputTensor(body.aiOnnx.mul([self.x, body.aiOnnx.constant(np.float32(factor))]))
        return body

    def test_branches(self):
        condition = self.b.addInputTensor(popart.TensorInfo("BOOL", []))
        y, = self.b.aiOnnx.logical_if([condition], 1, self.branch(3), self.branch(2))
        loss = self.b.aiGraphcore.identityloss([y], popart.ReductionType.Sum)
        for taken, factor in ((True, 2), (False, 3)):
            results = trained(self.b, loss, [y, GRADIENT + y, GRADIENT + self.x],
                              {self.x: self.data, condition: np.array(taken)})
            np.testing.assert_array_equal(results[y], factor * self.data)
            np.testing.assert_array_equal(results[GRADIENT + y], np.ones((2, 2)))
            np.testing.assert_array_equal(results[GRADIENT + self.x], np.full((2, 2), factor))

    def test_loops(self):
        body = self.b.createSubgraphBuilder()
        body.addInputTensor(popart.TensorInfo("INT64", []))
        goes_on = body.addInputTensor(popart.TensorInfo("BOOL", []))
        carried = body.addInputTensor(info(self.data))
        body.addOutputTensor(goes_on)
        body.addOutputTensor(body.aiOnnx.add([carried, self.x]))
        count = self.b.aiOnnx.constant(np.array(4, np.int64))
        always = self.b.aiOnnx.constant(np.array(True))
        y, = self.b.aiOnnx.loop([count, always, self.x], 1, body)
        self.assertEqual(y, "Loop:0")
        self.b.addOutputTensor(y)
        session = popart.InferenceSession(self.b.getModelProto(), popart.DataFlow(1, [y]), cpu())
        session.prepareDevice()
        results = session.initAnchorArrays()
        session.run(popart.PyStepIO({self.x: self.data}, results))
        np.testing.assert_array_equal(results[y], 5 * self.data)
        self.assertEqual(session.getInfo(y).shape(), [2, 2])


class Models(unittest.TestCase):
    def test_weights_are_inputs_of_the_model(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("FLOAT", [2]))
        w = b.addInitializedInputTensor(np.float32([1, 2]))
        self.assertEqual(b.getInputTensorIds(), [x, w])
        self.assertEqual(b.getTrainableTensorIds(), [w])

    def test_bits_of_bfloat16(self):
        b = popart.Builder()
        x = b.addInputTensor(popart.TensorInfo("BFLOAT16", [3]))
        y, = b.customOp("Cast", 13, "ai.onnx", [x], {"to": 1})
        minus, = b.customOp("Neg", 13, "ai.onnx", [y])
        z, = b.customOp("Cast", 13, "ai.onnx", [minus], {"to": 16})
        session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y, z]), cpu())
        session.prepareDevice()
        results = session.initAnchorArrays()
        bits = np.uint16([0x3f80, 0xc0a0, 0x0000])
        session.run(popart.PyStepIO({x: bits}, results))
        np.testing.assert_array_equal(results[y], [1, -5, 0])
        np.testing.assert_array_equal(results[z], bits ^ 0x8000)

    def test_batch_indices_of_roi_align(self):
        images = np.random.RandomState(2).rand(2, 3, 8, 8).astype(np.float32)
        rois = np.float32([[0, 0, 7, 7], [1, 2, 6, 5], [3, 3, 4, 4]])
        results = []
        for kind in (np.int32, np.int64):
            b = popart.Builder()
            x, r = b.addInputTensor(info(images)), b.addInputTensor(info(rois))
            inputs = {x: images, r: rois}
            batch = np.array([0, 1, 0], kind)
            if kind is np.int32:
                i = b.addInputTensor(info(batch))
                inputs[i] = batch
            else:
                i = b.aiOnnx.constant(batch)
            y = b.aiOnnx.roialign([x, r, i], "avg", 2, 2, 2, 1.0)
            loss = b.aiGraphcore.identityloss([y])
            of_images = GRADIENT + x
            made = trained(b, loss, [y, of_images], inputs)
            results.append((made[y], made[of_images]))
        for of_32_bits, of_64_bits in zip(*results):
            np.testing.assert_array_equal(of_32_bits, of_64_bits)
        self.assertEqual(results[0][0].shape, (3, 3, 2, 2))
        # The middles of the points of the first region's first bin.
        points = [7 / 8, 7 * 3 / 8]
        wanted = np.mean([bilinear(images[0, 0], v, u) for v in points for u in points])
        np.testing.assert_allclose(results[0][0][0, 0, 0, 0], wanted, rtol=1e-5)

    def test_unsigned_indices(self):
        """As transformers have them, of tokens and positions."""
        table = np.random.RandomState(0).normal(size=(5, 3)).astype(np.float32)
        results = []
        for kind in (np.uint32, np.int32):
            b = popart.Builder()
            t = b.addInitializedInputTensor(table, "table")
            i = b.addInputTensor(info(np.zeros(4, kind)), "i")
            y = b.aiOnnx.gather([t, i])
            loss = b.aiGraphcore.identityloss([b.aiOnnx.mul([y, y])])
            made = trained(b, loss, [y, GRADIENT + t], {i: np.array([4, 0, 4, 2], kind)})
            results.append((made[y], made[GRADIENT + t]))
        np.testing.assert_array_equal(results[0][0], table[[4, 0, 4, 2]])
        for unsigned, signed in zip(*results):
            np.testing.assert_array_equal(unsigned, signed)

    def test_types_of_later_opsets(self):
        """A Builder's usual opset is 10, in which ONNX has these for fewer types."""
        x, y = np.float32([1, 2, 3]), np.float32([1, 5, 0])
        for kind in (np.float32, np.int32, np.uint32):
            for name, function in (("equal", np.equal), ("greater", np.greater),
                                   ("less", np.less), ("max", np.maximum), ("min", np.minimum),
                                   ("sum", np.add)):
                b = popart.Builder()
                ids = [b.addInputTensor(info(a.astype(kind))) for a in (x, y)]
                self.assertEqual(inferred(b, getattr(b.aiOnnx, name)(ids), dict(
                    zip(ids, (x.astype(kind), y.astype(kind))))).tolist(),
                                 function(x, y).astype(kind if name in ("max", "min", "sum")
                                                       else bool).tolist())

    def test_types_that_nobody_takes(self):
        for build in (lambda b, i: b.aiOnnx.exp([i]), lambda b, i: b.aiOnnx.softmax([i]),
                      lambda b, i: b.aiOnnx.gather([i, b.aiOnnx.cast([i], "FLOAT")]),
                      lambda b, i: b.aiOnnx.matmul([i, b.aiOnnx.cast([i], "FLOAT")]),
                      lambda b, i: b.aiOnnx.concat([i, b.aiOnnx.cast([i], "FLOAT")], 0),
                      lambda b, i: b.aiOnnx.add([i, b.aiOnnx.cast([i], "FLOAT")]),
                      lambda b, i: b.aiOnnx.matmul([b.aiOnnx.gather(
                          [i, b.aiOnnx.cast([i], "UINT32")]), b.aiOnnx.cast([i], "FLOAT")])):
            b = popart.Builder()
            y = build(b, b.addInputTensor(info(np.zeros((2, 2), np.int32))))
            with self.assertRaises(popart.popart_exception):
                inferred(b, y, {})

    def test_share_of_right_answers(self):
        """ONNX has int64 for what ArgMax returns, and labels are int32."""
        scores = np.random.RandomState(0).rand(6, 3).astype(np.float32)
        labels = np.int32([0, 1, 2, 0, 1, 2])
        b = popart.Builder()
        x, t = b.addInputTensor(info(scores)), b.addInputTensor(info(labels))
        found = b.aiOnnx.argmax([x], axis=1, keepdims=0)
        right = b.aiOnnx.cast([b.aiOnnx.equal([found, t])], "INT32")
        y = b.aiOnnx.reducesum([b.aiOnnx.mul([right, b.aiOnnx.add([found, t])])], keepdims=0)
        is_right = scores.argmax(1) == labels
        self.assertEqual(inferred(b, y, {x: scores, t: labels}), (is_right * 2 * labels).sum())

    def test_update_of_a_variable(self):
        b = popart.Builder()
        w = b.addInitializedInputTensor(np.float32([1, 2]), "w")
        x = b.addInputTensor(info(np.zeros(2, np.float32)), "x")
        before = b.aiOnnx.mul([w, w])
        updated = b.aiGraphcore.copyvarupdate([w, b.aiOnnx.add([w, x])])
        after = b.aiOnnx.neg([updated])
        model, flow = b.getModelProto(), popart.DataFlow(1, [before, updated, after])
        options = popart.SessionOptions()
        options.constantWeights = False
        session = popart.InferenceSession(model, flow, cpu(), userOptions=options)
        session.prepareDevice()
        session.weightsFromHost()
        results = session.initAnchorArrays()
        for step in range(3):
            session.run(popart.PyStepIO({x: np.float32([10, 20])}, results))
            old = np.float32([1, 2]) + step * np.float32([10, 20])
            np.testing.assert_array_equal(results[before], old ** 2)
            np.testing.assert_array_equal(results[updated], old + [10, 20])
            np.testing.assert_array_equal(results[after], -old - [10, 20])
        session.weightsToHost()
        weights = {"w": np.zeros(2, np.float32)}
        session.readWeights(popart.PyWeightsIO(weights))
        np.testing.assert_array_equal(weights["w"], [31, 62])
        with self.assertRaisesRegex(popart.popart_exception, "'w', which is no variable"):
            popart.InferenceSession(model, flow, cpu())
        late = b.aiOnnx.exp([w])
        with self.assertRaisesRegex(popart.popart_exception, "'w' is read behind it"):
            popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [late]), cpu(),
                                    userOptions=options)

    def test_loops_that_count_in_32_bits(self):
        for limit in (5, 3000):  # repeated by the compiler, and by the device
            for bound in (np.int32, np.int64):
                b = popart.Builder(opsets={"ai.onnx": 11, "ai.graphcore": 1})
                onnx = b.aiOnnxOpset11
                x = b.addInputTensor(info(np.zeros(2, np.float32)), "x")
                body = b.createSubgraphBuilder()
                i = body.addInputTensor(popart.TensorInfo("INT32", []))
                keep = body.addInputTensor(popart.TensorInfo("BOOL", []))
                v = body.addInputTensor(popart.TensorInfo("FLOAT", [2]))
                inside = body.aiOnnxOpset11
                step = inside.cast([inside.mod([i, inside.constant(np.array(3, np.int32))])],
                                   "FLOAT")
                body.addOutputTensor(keep)
                body.addOutputTensor(inside.add([v, step]))
                y = onnx.loop([onnx.constant(np.array(limit, bound)),
                               onnx.constant(np.array(True)), x], 1, body)[0]
                got = inferred(b, y, {x: np.float32([0, 1])})
                total = sum(k % 3 for k in range(limit))
                np.testing.assert_array_equal(got, [total, total + 1])


def inferred(builder, y, inputs):
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]), cpu())
    session.prepareDevice()
    results = session.initAnchorArrays()
    session.run(popart.PyStepIO(inputs, results))
    return results[y]


def bilinear(image, row, column):
    top, left = int(row), int(column)
    v, u = row - top, column - left
    return ((1 - v) * ((1 - u) * image[top, left] + u * image[top, left + 1])
            + v * ((1 - u) * image[top + 1, left] + u * image[top + 1, left + 1]))


if __name__ == "__main__":
    unittest.main()
