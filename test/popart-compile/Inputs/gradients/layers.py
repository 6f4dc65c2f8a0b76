"""Gradients of reductions, products, normalisations and operators on images."""
import numpy as np

from harness import Case, Samples, constant, graphcore, ints, main

samples = Samples(3)
normal = samples.normal
random = samples.random


def positive(*shape):
    return (random.random(shape) + 0.5).astype(np.float32)


def floats(*values):
    return constant(np.array(values, np.float32))


with_zeros = np.array([[0, 2, 3], [0, 5, 0], [2, 3, 4]], np.float32)
ties = np.array([[1, 3, 3], [2, 2, 2]], np.float32)
reductions = [
    Case("ReduceSum", normal(2, 3, 5), ints(0, 2)),
    Case("ReduceSum", normal(0, 3), ints(0)),
    Case("ReduceMean", normal(3, 5), ints(-1), keepdims=0),
    Case("ReduceL1", normal(3, 5), ints(1)),
    Case("ReduceL2", normal(3, 5), ints(0)),
    Case("ReduceLogSum", positive(3, 5), ints(1)),
    Case("ReduceLogSumExp", normal(3, 5) * 30, ints(1)),
    Case("ReduceSumSquare", normal(7)),
    Case("ReduceMax", ties, ints(1),
         rules={0: lambda x, y, dy: (x[0] == y[0]) * dy}),
    Case("ReduceMin", ties, keepdims=0,
         rules={0: lambda x, y, dy: (x[0] == y[0]) * dy}),
    Case("ReduceProd", normal(3, 4, 5), ints(0, 2), keepdims=0),
    Case("ReduceProd", with_zeros, ints(1)),
    Case("ReduceProd", normal(9)),
    Case("ReduceProd", normal(1, 3), ints(0)),
    Case("ReduceProd", normal(3, 0), ints(1)),
    Case("CumSum", normal(3, 7), constant(np.array(1))),
    Case("CumSum", normal(5, 2), constant(np.array(0)), exclusive=1),
    Case("CumSum", normal(2, 5), constant(np.array(-1)), reverse=1),
    Case("CumSum", normal(5), constant(np.array(0)), exclusive=1, reverse=1,
         ref=lambda x, _: np.append(np.cumsum(x[:0:-1])[::-1], 0)),
]


def einsum(equation, *operands):
    return Case("Einsum", *operands, equation=equation,
                ref=lambda *x: np.einsum(equation, *x))


products = [
    Case("MatMul", normal(3, 5), normal(5, 2)),
    Case("MatMul", normal(2, 3, 5), normal(5)),
    Case("MatMul", normal(4), normal(3, 4, 2)),
    Case("MatMul", normal(2, 1, 3, 4), normal(3, 4, 2)),
    Case("Gemm", normal(4, 3), normal(2, 4), normal(2), transA=1, transB=1, alpha=0.5, beta=2.0),
    Case("Softmax", normal(3, 5)),
    Case("Softmax", normal(3, 5), axis=0),
    Case("LogSoftmax", normal(2, 3, 5), axis=1),
    einsum("ij,jk->ik", normal(3, 4), normal(4, 2)),
    einsum("bij,bkj->bki", normal(2, 3, 4), normal(2, 5, 4)),
    einsum("...i,i...->...", normal(3, 4), normal(4, 3)),
    einsum("ij,k->k", normal(3, 4), normal(2)),
    einsum("iij->j", normal(3, 3, 2)),
    einsum("iij,ik->ij", normal(3, 3, 2), normal(3, 4)),
    einsum("ij->ji", normal(3, 4)),
    graphcore("AddBias", normal(2, 3, 4), normal(3), ref=lambda x, b: x + b[:, None]),
]


def normalised(x, axes, epsilon=1e-5):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + epsilon)


def group_norm(groups):
    def result(x, scale, bias):
        rows = normalised(x.reshape(x.shape[0], groups, -1), 2).reshape(x.shape)
        shape = (-1,) + (1,) * (x.ndim - 2)
        return rows * scale.reshape(shape) + bias.reshape(shape)
    return result


def lrn(size, alpha, beta, bias):
    def result(x):
        sums = np.zeros_like(x)
        for c in range(x.shape[1]):
            low, high = max(0, c - (size - 1) // 2), min(x.shape[1], c + size // 2 + 1)
            sums[:, c] = (x[:, low:high] ** 2).sum(1)
        return x / (bias + alpha / size * sums) ** beta
    return Case("LRN", normal(2, 7, 3), size=size, alpha=alpha, beta=beta, bias=bias, ref=result)


def lp_rule(x, dy):
    norm = np.sqrt((x * x).sum(1, keepdims=True)) + (x == 0).all(1, keepdims=True)
    return dy / norm - x * (dy * x).sum(1, keepdims=True) / norm ** 3


norms = [
    Case("LayerNormalization", normal(3, 5), normal(5), normal(5),
         ref=lambda x, s, b: normalised(x, 1) * s + b, rtol=1e-3),
    Case("LayerNormalization", normal(2, 3, 4), normal(3, 4), axis=1,
         ref=lambda x, s: normalised(x, (1, 2)) * s, rtol=1e-3),
    Case("InstanceNormalization", normal(2, 3, 5), normal(3), normal(3), ref=group_norm(3),
         rtol=1e-3),
    Case("GroupNormalization", normal(2, 6, 2, 3), normal(6), normal(6), num_groups=3,
         ref=group_norm(3), rtol=1e-3),
    graphcore("GroupNormalization", normal(3, 4, 5), normal(4), normal(4), num_groups=2,
              ref=group_norm(2), rtol=1e-3),
    Case("RMSNormalization", normal(3, 5), normal(5),
         ref=lambda x, s: x / np.sqrt((x ** 2).mean(1, keepdims=True) + 1e-5) * s),
    Case("LpNormalization", normal(3, 5), p=1,
         ref=lambda x: x / np.abs(x).sum(1, keepdims=True)),
    Case("LpNormalization", normal(3, 5), axis=0,
         ref=lambda x: x / np.sqrt((x * x).sum(0, keepdims=True))),
    # The result for all zeros is zero, whatever the gradient.
    Case("LpNormalization", np.array([[0, 0], [3, 4]], np.float32), axis=1,
         ref=lambda x: x, rules={0: lambda x, y, dy: lp_rule(x[0], dy)}),
    lrn(3, 0.5, 0.75, 1.0),
    lrn(4, 0.5, 0.5, 2.0),
    lrn(20, 0.5, 0.5, 2.0),
]


def resize(x, sizes, **attributes):
    return Case("Resize", x, None, None, ints(*sizes), **attributes)


images = [
    resize(normal(1, 2, 3, 4), [1, 2, 6, 12], mode="nearest"),
    resize(normal(1, 1, 5, 7), [1, 1, 3, 4], mode="nearest"),
    resize(normal(2, 3), [5, 7], mode="nearest", nearest_mode="ceil",
           coordinate_transformation_mode="align_corners"),
    resize(normal(5, 3), [3, 7], mode="nearest", nearest_mode="floor",
           coordinate_transformation_mode="asymmetric"),
    resize(normal(1, 1, 4, 5), [1, 1, 7, 9], mode="cubic"),
    resize(normal(1, 1, 6, 5), [1, 1, 3, 4], mode="cubic", exclude_outside=1,
           cubic_coeff_a=-0.5),
    resize(normal(6, 5), [6, 5], mode="nearest"),
    Case("Resize", normal(4, 4), floats(-0.3, 0, 1.2, 1), None, ints(6, 4), mode="nearest",
         coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=9.0),
    Case("RoiAlign", normal(2, 3, 6, 5), constant(np.array(
        [[0, 0, 3, 4], [1.2, 0.5, 4.4, 5.2], [-1, -1, 7, 8]], np.float32)),
        constant(np.array([1, 0, 1])), output_height=2, output_width=3, sampling_ratio=2,
        spatial_scale=0.8),
    Case("RoiAlign", normal(1, 2, 4, 5), constant(np.array(
        [[0, 0, 3, 4], [1.2, 0.5, 4.4, 3.2]], np.float32)), constant(np.array([0, 0])),
        output_height=2, output_width=2,
        coordinate_transformation_mode="output_half_pixel"),
]

main(reductions + products + norms + images, opset=23)
