"""Models of the operators of com.microsoft that ONNX Runtime's quantizer writes, with what
NumPy computes: `exact` has those whose results are sums and products, `near` those with
exponential functions, `weights` MatMulNBits."""
import os
import sys

import numpy as np
from onnx import helper

from testdata import save

random = np.random.default_rng(3)
OPSETS = {"": 15, "com.microsoft": 1}
nodes, constants, results = [], {}, {}


def node(op, inputs, output, **attributes):
    nodes.append(helper.make_node(op, inputs, [output], domain="com.microsoft", **attributes))


def constant(value):
    name = f"c{len(constants)}"
    constants[name] = value
    return name


def real(x, scale, zero):
    return (x.astype(np.float32) - np.float32(zero)) * np.float32(scale)


def quantized(x, scale, zero, kind=np.uint8):
    limits = np.iinfo(kind)
    return np.clip(np.round(x / np.float32(scale)) + np.float32(zero), limits.min,
                   limits.max).astype(kind)


def parameters(scale, zero, kind=np.uint8):
    return [constant(np.float32(scale)), constant(kind(zero))]


A = random.integers(0, 256, (2, 3, 4, 6)).astype(np.uint8)
B = random.integers(0, 256, (3, 1, 6)).astype(np.uint8)
M = random.integers(-128, 128, (5, 40)).astype(np.int8)
OF_A, OF_B = (0.05, 120), (0.03, 7)
a, b = real(A, *OF_A), real(B, *OF_B)


def exact():
    of_a, of_b = ["a", *parameters(*OF_A)], ["b", *parameters(*OF_B)]
    for op, value, scale in (("QLinearAdd", a + b, 0.08), ("QLinearMul", a * b, 0.2)):
        node(op, [*of_a, *of_b, *parameters(scale, 100)], op)
        results[op] = quantized(value, scale, 100)
    node("QLinearLeakyRelu", [*of_a, *parameters(0.04, 60)], "leaky", alpha=0.25)
    results["leaky"] = quantized(np.where(a < 0, a * np.float32(0.25), a), 0.04, 60)
    node("QLinearGlobalAveragePool", [*of_a, *parameters(0.01, 128)], "global", channels_last=0)
    results["global"] = quantized(a.mean((2, 3), keepdims=True), 0.01, 128)
    node("QLinearAveragePool", [*of_a, *parameters(0.0317, 128)], "pool", kernel_shape=[2, 3],
         strides=[2, 3], channels_last=0)
    results["pool"] = quantized(a.reshape(2, 3, 2, 2, 2, 3).mean((3, 5)), 0.0317, 128)
    node("QLinearConcat", [*parameters(0.06, 110), *of_a, "a", *parameters(*OF_B)], "concat",
         axis=-2)
    results["concat"] = quantized(np.concatenate([a, real(A, *OF_B)], 2), 0.06, 110)
    condition = random.random((4, 6)) < 0.5
    node("QLinearWhere", [constant(condition), *of_a, *of_b, *parameters(0.06, 90)], "where")
    results["where"] = quantized(np.where(condition, a, b), 0.06, 90)

    weights = random.integers(-128, 128, (7, 40)).astype(np.int8)
    scales = (0.01 + 0.002 * np.arange(7)).astype(np.float32)
    bias = random.integers(-5000, 5000, 7).astype(np.int32)
    sums = (M.astype(np.int32) + 3) @ weights.T.astype(np.int32) + bias
    gemm = ["m", constant(np.float32(0.02)), constant(np.int8(-3)), constant(weights),
            constant(scales), constant(np.zeros(7, np.int8)), constant(bias)]
    factor = np.float32(0.02) * scales * np.float32(0.5)
    node("QGemm", gemm, "gemm", alpha=0.5, transB=1)
    results["gemm"] = sums * factor
    node("QGemm", [*gemm, *parameters(0.25, -5, np.int8)], "gemm8", alpha=0.5, transB=1)
    results["gemm8"] = quantized(sums * factor, 0.25, -5, np.int8)

    node("QuantizeLinear", ["f", *parameters(0.001, 12, np.int16)], "q16")
    results["q16"] = quantized(F, 0.001, 12, np.int16)
    node("DequantizeLinear", ["q16", *parameters(0.001, 12, np.int16)], "d16")
    results["d16"] = real(results["q16"], 0.001, 12)
    # A quantized mask of attention: an infinity of an infinite scale.
    mask = constant(np.float32([-np.inf, 1]))
    node("QuantizeLinear", [mask, *parameters(np.inf, 12, np.int16)], "mask")
    results["mask"] = np.int16([-32768, 12])


def near():
    of_a = ["a", *parameters(*OF_A)]
    node("QLinearSigmoid", [*of_a, *parameters(1 / 256, 0)], "sigmoid")
    results["sigmoid"] = quantized(1 / (1 + np.exp(-a)), 1 / 256, 0)
    for name, axis, opset in (("softmax", 1, 13), ("flat", 2, 11)):
        node("QLinearSoftmax", [*of_a, *parameters(1 / 256, 0)], name, axis=axis, opset=opset)
        flat = a if opset == 13 else a.reshape(6, -1)
        powers = np.exp(flat - flat.max(1, keepdims=True))
        softmax = (powers / powers.sum(1, keepdims=True)).reshape(a.shape)
        results[name] = quantized(softmax, 1 / 256, 0)


def packed(numbers, bits):
    """Along the last dimension, the first number lowest."""
    each = 8 // bits
    padded = np.pad(numbers, [(0, 0)] * (numbers.ndim - 1) + [(0, -numbers.shape[-1] % each)])
    parts = padded.reshape(*padded.shape[:-1], -1, each).astype(np.uint32)
    return (parts << (np.arange(each, dtype=np.uint32) * bits)).sum(-1).astype(np.uint8)


def weights():
    depth, columns, block = F.shape[-1], 5, 16
    blocks = -(-depth // block)
    for bits in (2, 4, 8):
        for zeros in ("none", "packed", "float"):
            numbers = random.integers(0, 2**bits, (columns, blocks, block))
            scales = (0.01 + 0.05 * random.random((columns, blocks))).astype(np.float32)
            points = random.integers(0, 2**bits, (columns, blocks))
            inputs = ["f", constant(packed(numbers, bits)), constant(scales)]
            if zeros == "none":
                points[:] = 2**(bits - 1)
            elif zeros == "packed":
                inputs.append(constant(packed(points, bits)))
            else:
                inputs.append(constant(points.astype(np.float32)))
            bias = random.standard_normal(columns).astype(np.float32)
            inputs += [""] * (5 - len(inputs)) + [constant(bias)]
            name = f"{zeros}{bits}"
            node("MatMulNBits", inputs, name, K=depth, N=columns, bits=bits, block_size=block)
            matrix = ((numbers - points[..., None]) * scales[..., None]).reshape(columns, -1)
            results[name] = (F @ matrix[:, :depth].T + bias).astype(np.float32)


F = random.standard_normal((2, 3, 40)).astype(np.float32)
for function, inputs in ((exact, {"a": A, "b": B, "m": M, "f": F}), (near, {"a": A}),
                         (weights, {"f": F})):
    nodes, constants, results = [], {}, {}
    function()
    save(os.path.join(sys.argv[1], function.__name__), nodes, inputs, results, constants, OPSETS)
