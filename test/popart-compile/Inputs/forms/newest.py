"""Operators of opsets 26 and 27, and ONNX Runtime's that quantise activations when the model
runs, against ONNX's reference evaluator or their definitions."""
import numpy as np
from onnx import TensorProto

from harness import Case, Samples, check, constant

samples = Samples(9)
normal = samples.normal


def attention(rule, heads, sharing, length, past=False, wide=False, **more):
    batch, keys, size = 2, 3, 4
    q = normal(batch, length, heads * sharing * keys)
    k = normal(batch, length, heads * keys) / 2
    v = normal(batch, length, heads * size)
    state = normal(batch, heads, keys, size) if past else None
    gate = -abs(normal(batch, length, heads * (keys if wide else 1))) if "gated" in rule else None
    beta = 1 / (1 + np.exp(-normal(batch, length, heads))) if "delta" in rule else None
    inputs = [x if x is None else x.astype(np.float32) for x in (q, k, v, state, gate, beta)]
    while inputs[-1] is None:
        inputs.pop()
    return Case("LinearAttention", *inputs, results=2, update_rule=rule, kv_num_heads=heads,
                q_num_heads=heads * sharing, rtol=1e-4, atol=1e-5, **more)


def conv(length, size, *more, **attributes):
    return Case("CausalConvWithState", normal(2, 3, length), normal(3, 1, size), *more, results=2,
                rtol=1e-4, atol=1e-5, **attributes)


newest = [
    attention("linear", 2, 1, 4), attention("gated", 2, 2, 3, past=True),
    attention("gated", 2, 1, 3, wide=True), attention("delta", 1, 2, 4, past=True, scale=0.3),
    attention("gated_delta", 2, 2, 5, past=True, wide=True), attention("gated_delta", 2, 1, 1),
    conv(5, 3), conv(5, 3, normal(3), activation="silu"),
    conv(2, 4, normal(3), normal(2, 3, 3), activation="swish"), conv(3, 1),
    Case("BitCast", normal(3, 4), to=TensorProto.INT32, halves=False),
    Case("BitCast", normal(3, 4), to=TensorProto.UINT32, halves=False),
    Case("BitCast", normal(3, 4).view(np.int32), to=TensorProto.FLOAT, halves=False),
    Case("BitCast", np.array([-1, 5, -7], np.int32), to=TensorProto.UINT32),
    Case("BitCast", np.array([-1, 5, -128], np.int8), to=TensorProto.UINT8),
    Case("BitCast", constant(normal(4).astype(np.float16)), to=TensorProto.INT16),
    Case("BitCast", constant(np.array([1.5, -2.25]).view(np.int64)), to=TensorProto.DOUBLE),
]


def quantized(x):
    """As DynamicQuantizeLinear."""
    most, least = max(x.max(), 0), min(x.min(), 0)
    scale = np.float32((most - least) / 255)
    zero = np.clip(np.rint(-least / scale), 0, 255)
    return np.clip(np.rint(x / scale) + zero, 0, 255) - zero, scale


def dynamic_product(a, b, scale, zero=0, bias=0):
    numbers, a_scale = quantized(a)
    return ((numbers @ (b.astype(np.float64) - zero)) * a_scale * scale + bias).astype(np.float32)


def to_float(a, b, a_scale, b_scale, a_zero=0, b_zero=0, bias=0):
    product = (a.astype(np.float64) - a_zero) @ (b.astype(np.float64) - b_zero)
    return (product * a_scale * b_scale + bias).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(x, w, r, b, sequence, h, c, peepholes, w_scale, w_zero, r_scale, r_zero):
    """One direction, with its weights dequantised: gates i, o, f, c."""
    w = (w[0].astype(np.float64) - w_zero[0]) * w_scale[0]
    r = (r[0].astype(np.float64) - r_zero[0]) * r_scale[0]
    wb, rb = np.split(b[0].astype(np.float64), 2)
    h, c = np.zeros((x.shape[1], r.shape[0])), 0
    states = []
    for step in x:
        i, o, f, g = np.split(step @ w + h @ r + wb + rb, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return tuple(v.astype(np.float32)
                 for v in (np.stack(states)[:, None], h[None], c[None]))


def microsoft(op, *inputs, **more):
    return Case(op, *inputs, domain="com.microsoft", **more)


def bytes_(*shape, kind=np.uint8):
    return samples.integers(*((0, 256) if kind == np.uint8 else (-128, 128)), *shape, kind=kind)


b = bytes_(8, 5)
wide = np.arange(1, 6, dtype=np.float32) / 500
runtime = [
    microsoft("DynamicQuantizeMatMul", normal(4, 8), b, np.float32(0.02), np.uint8(120),
              ref=dynamic_product, rtol=1e-4, atol=1e-4, halves=False),
    microsoft("DynamicQuantizeMatMul", normal(2, 3, 8), constant(b), constant(wide), None,
              constant(normal(5)), rtol=1e-4, atol=1e-3, halves=False,
              ref=lambda a, b, s, z, c: dynamic_product(a, b, s, 0, c)),
    microsoft("MatMulIntegerToFloat", bytes_(4, 8), bytes_(8, 5, kind=np.int8), np.float32(0.03),
              wide, np.uint8(100), np.int8(-3), normal(5), ref=to_float, rtol=1e-4, atol=1e-4,
              halves=False),
    microsoft("DynamicQuantizeLSTM", normal(3, 2, 4), constant(bytes_(1, 4, 12, kind=np.int8)),
              constant(bytes_(1, 3, 12, kind=np.int8)), constant(normal(1, 24)), None, None, None,
              None, constant(np.float32([0.01])), constant(np.int8([3])),
              constant(np.arange(1, 13, dtype=np.float32)[None] / 1000),
              constant(np.zeros((1, 12), np.int8)), ref=lstm, results=3, hidden_size=3,
              rtol=1e-4, atol=1e-4),
]

raise SystemExit(check(newest, opset=27, name="newest") +
                 check(runtime, opset=17, name="runtime") != 0)
