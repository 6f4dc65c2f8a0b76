"""Gradients of empty tensors, scalars, extents of one, and broadcasts of both operands."""
import numpy as np

from harness import Case, Samples, constant, graphcore, index, ints, main

samples = Samples(5)
normal, distinct = samples.normal, samples.distinct


def floats(*values):
    return constant(np.array(values, np.float32))


def einsum(equation, *operands):
    return Case("Einsum", *operands, equation=equation, ref=lambda *x: np.einsum(equation, *x))


def normalised(x, axes):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


def first(x, *others):
    """Of operators that return `x` where it is empty, or with empty updates."""
    return x + sum(0 * o.sum() for o in others if o.dtype.kind == "f" and not x.size == 0)


zero = constant(np.array(0))
products = [
    Case("MatMul", normal(0, 3), normal(3, 2)),
    Case("MatMul", normal(2, 0), normal(0, 3)),
    Case("MatMul", normal(0, 2, 3), normal(3, 2)),
    Case("MatMul", normal(3), normal(3)),
    Case("MatMul", normal(3, 4), normal(2, 4, 1)),
    Case("MatMul", normal(1, 3, 4), normal(4)),
    Case("MatMul", normal(37, 101), normal(101, 13)),
    Case("Gemm", normal(3, 4), normal(4, 2), normal(3, 1)),
    Case("Gemm", normal(3, 4), normal(4, 2), normal()),
    Case("Gemm", normal(0, 4), normal(4, 2)),
    einsum("ij,jk->ik", normal(0, 3), normal(3, 2)),
    einsum("i,i->", normal(3), normal(3)),
    einsum("i,j", normal(3), normal(4)),
    einsum("ii->i", normal(3, 3)),
    einsum("ii", normal(3, 3)),
    einsum("...k,...j->...kj", normal(2, 3, 4), normal(2, 3, 5)),
    einsum("ij->", normal(2, 3)),
]

rows = [
    Case("Softmax", normal(0, 5)),
    Case("LogSoftmax", normal(3, 1)),
    Case("Softmax", normal(4, 1), axis=0),
    Case("LayerNormalization", normal(0, 5), normal(5), normal(5), ref=first),
    Case("LayerNormalization", normal(2, 3, 4), normal(1, 4), normal(3, 1), axis=1,
         ref=lambda x, s, b: normalised(x, (1, 2)) * s + b, rtol=1e-3),
    Case("LayerNormalization", normal(7), normal(), ref=lambda x, s: normalised(x, 0) * s,
         rtol=1e-3),
    Case("InstanceNormalization", normal(0, 3, 5), normal(3), normal(3), ref=first),
    graphcore("GroupNormalization", normal(0, 4, 5), normal(4), normal(4), num_groups=2,
              ref=first),
    Case("LRN", normal(1, 1, 1, 1), size=3, alpha=0.5),
    Case("LRN", normal(0, 2, 3), size=3, ref=first),
    Case("CumSum", normal(0, 3), zero),
    Case("CumSum", normal(3, 0), constant(np.array(1))),
    Case("CumSum", normal(1), zero, exclusive=1, ref=lambda x, _: x * 0),
    Case("ReduceProd", normal()),
    Case("ReduceProd", normal(2, 1, 3), ints(1)),
    Case("ReduceProd", normal(33, 3), ints(0)),
    Case("ReduceMax", normal(5)),
    Case("ReduceMean", normal()),
    Case("ReduceL2", normal(3, 4, 5), ints(0, 2), keepdims=0),
    # The norm of zeros has no slope; its gradient is 0 by convention.
    Case("ReduceL2", np.array([[0, 0], [3, 4]], np.float32), ints(1),
         rules={0: lambda x, y, dy: x[0] / np.maximum(y[0], 1) * dy}),
    Case("ReduceSum", normal(3, 4), ints(), noop_with_empty_axes=1, ref=lambda x, _: x),
    Case("ReduceSumSquare", normal(3, 4), ints(), noop_with_empty_axes=1,
         ref=lambda x, _: x * x),
    Case("ReduceLogSumExp", normal(0, 3), ints(1)),
    graphcore("ReduceMedian", distinct(1, 1), ref=lambda x: x),
    graphcore("ReduceMedian", normal(0, 5), axes=[1], ref=lambda x: x[:, :1]),
    Case("TopK", distinct(3, 4), ints(0), results=2, used=[0]),
    Case("TopK", normal(0, 4), ints(2), results=2, used=[0],
         ref=lambda x, _: (x[:, :2], None)),
    Case("Hardmax", normal(3, 4), rules={0: lambda x, y, dy: 0 * x[0]}),
]

look_ups = [
    Case("GatherElements", normal(5, 3), index(np.zeros((0, 3)))),
    Case("GatherElements", normal(4), index([3, 3, 3])),
    Case("GatherND", normal(3, 4), index(np.zeros((0, 1))), ref=lambda x, _: x[:0]),
    Case("GatherND", normal(5), index([[1]])),
    Case("GatherND", normal(2, 3), index([[0], [2]]), batch_dims=1),
    Case("ScatterElements", normal(5, 3), index(np.zeros((0, 3))), normal(0, 3), ref=first),
    Case("ScatterND", normal(4, 3), index(np.zeros((0, 1))), normal(0, 3), ref=first),
    Case("ScatterND", normal(4, 3), index([[1]]), normal(1, 3), reduction="max",
         ref=lambda x, i, u: np.concatenate([x[:1], np.maximum(x[1:2], u), x[2:]])),
    Case("ScatterND", normal(4), index([[1], [1]]), normal(2) + 3, reduction="mul",
         ref=lambda x, i, u: np.where(np.arange(4) == 1, x * u[0] * u[1], x)),
    graphcore("GroupedGather", normal(1, 4), index([[1, 1, 0]], np.int32), group_size=1, axis=1,
              ref=lambda x, i: x[:, i[0]]),
    graphcore("ScatterReduce", normal(4, 3), index([2, 0, 0], np.int32), axis=1, axis_size=4,
              ref=lambda x, i: np.stack([x[:, 1] + x[:, 2], 0 * x[:, 0], x[:, 0], 0 * x[:, 0]],
                                        1)),
    graphcore("DynamicSlice", normal(5), index([3], np.int32), axes=[0], sizes=[2],
              noOverlap=1, ref=lambda x, _: x[3:5]),
    Case("OneHot", index(2), constant(np.array(4)), normal(2),
         ref=lambda i, n, v: np.where(np.arange(4) == 2, v[1], v[0])),
    Case("OneHot", index([]), constant(np.array(4)), normal(2),
         ref=lambda i, n, v: np.zeros((0, 4))),
]

views = [
    Case("Transpose", normal()),
    Case("Tile", normal(), ints(), ref=lambda x, _: x),
    Case("Tile", normal(1, 3, 1), ints(4, 1, 2)),
    Case("Pad", normal(), ints(), ref=lambda x, _: x),
    Case("Pad", normal(4), ints(-2, -1), ref=lambda x, _: x[2:3]),
    Case("Pad", normal(4), ints(-4, 0), ref=lambda x, _: x[:0]),
    Case("Pad", normal(2, 3, 4, 5), ints(0, 0, 1, 2, 0, 1, 3, 0)),
    Case("DepthToSpace", normal(0, 4, 2, 2), blocksize=2),
    Case("Compress", normal(3), constant(np.zeros(0, bool)), ref=lambda x, _: x[:0]),
    Case("Trilu", normal(0, 3, 3)),
    Case("EyeLike", normal(3, 3), absent=[0]),
    Case("Resize", normal(1, 1, 5), None, floats(1, 1, 2.5), mode="nearest"),
    Case("Resize", normal(2, 5), None, floats(1, 0.4), mode="cubic", antialias=1),
    Case("Resize", normal(1, 2, 3, 3), None, None, ints(1, 2, 5, 7), mode="nearest",
         coordinate_transformation_mode="pytorch_half_pixel", nearest_mode="round_prefer_ceil"),
    Case("Resize", normal(5, 7), None, floats(3, 33), mode="nearest"),
    graphcore("Subsample", normal(4), strides=[2 ** 31], ref=lambda x: x[:1]),
]

elementwise = [
    Case("Relu", normal(101, 7)),
    Case("Add", normal(0, 1), normal(3)),
    Case("Mul", normal(), normal()),
    Case("Max", normal(3)),
    Case("Max", normal(4, 1), normal(1, 5), ref=np.maximum),
    Case("Pow", normal(4) * 0, constant(np.float32(2))),
    Case("Pow", normal(4) * 0 - 2, constant(np.float32(2))),
    graphcore("AddBias", normal(0, 3), normal(3), ref=lambda x, b: x + b),
    graphcore("AddBias", normal(5, 3), normal(3), ref=lambda x, b: x + b),
]

main(products + rows + look_ups + views + elementwise)
