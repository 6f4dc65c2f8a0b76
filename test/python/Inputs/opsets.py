#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The methods of opsets: as many as ONNX has operators, and those that quantized models and lists
of boxes need, against NumPy."""

import unittest

import popart

import numpy as np

# Operators that ONNX has up to an opset, with those that a later one has renamed.
COUNTS = {6: 95, 7: 102, 8: 104, 9: 123, 10: 137, 11: 156}


def evaluate(opset, build, inputs):
    """What a model returns; `build` gets the opset and names of inputs."""
    builder = popart.Builder(opsets={"ai.onnx": opset})
    names = [builder.addInputTensor(popart.TensorInfo(data)) for data in inputs]
    outputs = build(builder.aiOnnx, *names)
    outputs = [outputs] if isinstance(outputs, str) else outputs
    for output in outputs:
        builder.addOutputTensor(output)
    session = popart.InferenceSession(
        builder.getModelProto(), popart.DataFlow(1, outputs),
        popart.DeviceManager().createIpuModelDevice({}))
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO(dict(zip(names, inputs)), anchors))
    found = [anchors[output] for output in outputs]
    return found[0] if len(found) == 1 else found


class Opsets(unittest.TestCase):
    def test_counts(self):
        for version, count in COUNTS.items():
            opset = getattr(popart, f"AiOnnxOpset{version}")
            methods = [name for name in dir(opset) if not name.startswith("_")]
            self.assertEqual(len(methods), count, version)

    def test_integer_products(self):
        rng = np.random.default_rng(0)
        a = rng.integers(0, 9, (3, 4)).astype(np.uint8)
        b = rng.integers(0, 9, (4, 2)).astype(np.uint8)
        np.testing.assert_array_equal(
            evaluate(10, lambda o, a, b: o.matmulinteger([a, b]), [a, b]),
            a.astype(np.int32) @ b.astype(np.int32))
        x, w = np.arange(9, dtype=np.uint8).reshape(1, 1, 3, 3), np.ones((1, 1, 2, 2), np.uint8)
        wanted = [[[[8, 12], [20, 24]]]]
        np.testing.assert_array_equal(
            evaluate(10, lambda o, x, w: o.convinteger([x, w]), [x, w]), wanted)

        def quantized(method):
            def build(o, x, w):
                one, zero = o.constant(np.array(1, np.float32)), o.constant(np.array(0, np.uint8))
                return getattr(o, method)([x, one, zero, w, one, zero, one, zero])
            return build

        np.testing.assert_array_equal(evaluate(10, quantized("qlinearmatmul"), [a, b]), a @ b)
        np.testing.assert_array_equal(evaluate(10, quantized("qlinearconv"), [x, w]), wanted)

    def test_numbers(self):
        x = np.float32([[2, 1], [4, 5]])
        self.assertAlmostEqual(float(evaluate(11, lambda o, x: o.det([x]), [x])), 6, 4)
        np.testing.assert_allclose(
            evaluate(10, lambda o, x: o.lpnormalization([x], axis=1, p=1), [x]),
            x / np.abs(x).sum(1, keepdims=True), rtol=1e-6)
        np.testing.assert_array_equal(
            evaluate(11, lambda o, x: o.concatfromsequence([o.sequenceconstruct([x, x])], axis=0),
                     [x]), np.concatenate([x, x]))

    def test_unpooling(self):
        x = np.float32([[1, 9, 2, 3], [4, 5, 8, 6], [7, 1, 2, 3], [0, 4, 1, 5]]).reshape(1, 1, 4, 4)

        def build(o, x):
            indices = o.constant(np.int64([[1, 6], [8, 15]]).reshape(1, 1, 2, 2))
            pooled = o.maxpool([x], 1, kernel_shape=[2, 2], strides=[2, 2])[0]
            return o.maxunpool([pooled, indices], kernel_shape=[2, 2], strides=[2, 2])

        wanted = np.zeros(16, np.float32)
        wanted[[1, 6, 8, 15]] = 9, 8, 7, 5
        np.testing.assert_array_equal(evaluate(9, build, [x]).ravel(), wanted)

    def test_what_sessions_refuse(self):
        """There are nodes for it."""
        builder = popart.Builder(opsets={"ai.onnx": 10})
        x = builder.addInputTensor(popart.TensorInfo("FLOAT", [1, 1, 4, 4]))
        rois = builder.addInputTensor(popart.TensorInfo("FLOAT", [1, 5]))
        y = builder.aiOnnx.maxroipool([x, rois], pooled_shape=[2, 2])
        self.assertEqual(y, "MaxRoiPool:0")
        builder.addOutputTensor(y)
        with self.assertRaisesRegex(popart.popart_exception, "MaxRoiPool"):
            popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]),
                                    popart.DeviceManager().createCpuDevice())


unittest.main()
