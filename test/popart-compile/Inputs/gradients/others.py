"""Gradients of operators that PopART makes of others, and of opsets above 21."""
import math
import sys

import numpy as np

import harness
from harness import Case, Samples, check, constant, fixed, graphcore, ints

samples = Samples(12)
normal = samples.normal
erf = np.vectorize(math.erf)


def scalar(value):
    return constant(np.array(value, np.int64))


def steps(x, y, dy):
    return 0 * x[0]


def unpool(x, indices):
    result = np.zeros(16)
    result[indices.ravel()] = x.ravel()
    return result.reshape(1, 1, 4, 4)


def parts(z):
    return np.stack([z.real, z.imag], -1)


def complex_of(x):
    return x[..., 0] + 1j * x[..., 1]


def col2im(x):
    """Columns of two channels of a field of 3x3, by windows of 2x2."""
    result = np.zeros((1, 2, 3, 3))
    windows = x.reshape(2, 2, 2, 2, 2)
    for i, j in np.ndindex(2, 2):
        result[0, :, i:i + 2, j:j + 2] += windows[:, i, j]
    return result


def frames(x):
    return parts(np.fft.rfft(np.stack([x[0, i:i + 4, 0] for i in (0, 2, 4)])))[None]


def affine_grid(theta, _):
    """Of the centres of 3x2 elements."""
    points = np.array([[[x, y, 1] for x in (-0.5, 0.5)] for y in (-2 / 3, 0, 2 / 3)])
    return np.einsum("yxk,bik->byxi", points, theta)


def rotated(x, cos, sin):
    a, b = np.split(x, 2, -1)
    cos, sin = cos[:, None], sin[:, None]
    return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def attended(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


def linear_attention(q, k, v):
    """Two heads of queries share one of keys and values; all are of the size 2."""
    states = np.cumsum(np.einsum("bti,btj->btij", k, v), 1)
    y = np.einsum("bthi,btij->bthj", q.reshape(1, 3, 2, 2), states) / np.sqrt(2)
    return y.reshape(1, 3, 4), None


def written(past, update, places):
    result = past.copy()
    for b, place in enumerate(places):
        result[b, :, place:place + update.shape[2]] = update[b]
    return result


def normalised(x):
    return x / np.sqrt((x**2).sum(1, keepdims=True))


def ml(op, *inputs, **more):
    return Case(op, *inputs, domain="ai.onnx.ml", **more)


places = fixed(np.array([[[[0, 3], [8, 15]]]]))
layers = [
    Case("GlobalLpPool", normal(2, 3, 4), ref=lambda x: np.sqrt((x**2).sum(2, keepdims=True))),
    Case("GlobalLpPool", normal(1, 2, 2, 2), p=3,
         ref=lambda x: (np.abs(x)**3).sum((2, 3), keepdims=True)**(1 / 3)),
    Case("LpPool", normal(1, 2, 6), kernel_shape=[2], strides=[2],
         ref=lambda x: np.sqrt((x**2).reshape(1, 2, 3, 2).sum(-1))),
    Case("MaxUnpool", normal(1, 1, 2, 2), places, kernel_shape=[2, 2], strides=[2, 2], ref=unpool),
    Case("Det", normal(2, 3, 3), ref=np.linalg.det),
    Case("Det", normal(1, 1), ref=np.linalg.det),
    Case("Col2Im", normal(1, 8, 4), ints(3, 3), ints(2, 2),
         ref=lambda x, *_: col2im(x.reshape(2, 2, 2, 2, 2).transpose(0, 3, 4, 1, 2))),
    Case("CenterCropPad", normal(4, 3), ints(2, 5)),
    Case("AffineGrid", normal(1, 2, 3), ints(1, 1, 3, 2), ref=affine_grid),
    Case("DFT", normal(2, 5, 1), None, scalar(1), ref=lambda x, *_: parts(np.fft.fft(x[..., 0]))),
    Case("DFT", normal(1, 4, 2), None, scalar(1), inverse=1,
         ref=lambda x, *_: parts(np.fft.ifft(complex_of(x)))),
    Case("DFT", normal(1, 6, 1), None, scalar(1), onesided=1,
         ref=lambda x, *_: parts(np.fft.rfft(x[..., 0]))),
    Case("STFT", normal(1, 8, 1), scalar(2), None, scalar(4), ref=lambda x, *_: frames(x)),
    Case("Ceil", normal(5), rules={0: steps}),
    graphcore("GeluErf", normal(3, 4), ref=lambda x: x / 2 * (1 + erf(x / np.sqrt(2)))),
    graphcore("NearbyInt", normal(5), ref=np.rint, rules={0: steps}),
    graphcore("Nop", normal(5), ref=lambda x: x),
]

newer = [
    Case("RotaryEmbedding", normal(2, 1, 3, 4), normal(2, 3, 2), normal(2, 3, 2), ref=rotated),
    Case("Attention", normal(1, 2, 3, 4), normal(1, 2, 5, 4), normal(1, 2, 5, 3), ref=attended),
    Case("Attention", normal(1, 1, 1, 2), normal(1, 1, 1, 2), normal(1, 1, 1, 2), ref=attended),
    Case("TensorScatter", normal(2, 1, 4, 2), normal(2, 1, 2, 2), fixed(np.array([2, 0])),
         ref=written),
    Case("Swish", normal(3, 4), alpha=1.5, ref=lambda x: x / (1 + np.exp(-1.5 * x))),
]

newest = [
    Case("CumProd", normal(2, 4), scalar(1), ref=lambda x, _: np.cumprod(x, 1)),
    Case("CumProd", normal(3, 2), scalar(0), exclusive=1,
         ref=lambda x, _: np.cumprod(np.vstack([np.ones((1, 2)), x[:-1]]), 0)),
    Case("CausalConvWithState", normal(2, 3, 4), normal(3, 1, 2), results=2, used=[0],
         ref=lambda x, w: (x * w[:, 0, 1:] + np.pad(x, [(0, 0), (0, 0), (1, 0)])[..., :-1]
                           * w[:, 0, :1], None)),
    Case("LinearAttention", normal(1, 3, 4), normal(1, 3, 2), normal(1, 3, 2), results=2, used=[0],
         update_rule="linear", kv_num_heads=1, q_num_heads=2, ref=linear_attention),
]

learning = [
    ml("Scaler", normal(3, 2), offset=[0.5], scale=[2.0], ref=lambda x: (x - 0.5) * 2),
    ml("Normalizer", normal(3, 4), norm="L2", ref=normalised),
    ml("LinearRegressor", normal(3, 2), coefficients=[1.5, -2.0], intercepts=[0.5],
       ref=lambda x: x @ np.array([[1.5], [-2]]) + 0.5),
]

families = {"layers": (layers, 21), "newer": (newer, 24), "newest": (newest, 27),
            "learning": (learning, 21)}
wrong = 0
for name, (cases, opset) in families.items():
    harness.OPSET = opset
    wrong += check(cases, opset, name)
sys.exit(wrong != 0)
