"""Gradients of operators that move elements: views, look-ups, selections."""
import numpy as np

from harness import Case, Samples, constant, graphcore, index, ints, main

samples = Samples(2)
normal, distinct = samples.normal, samples.distinct
random = samples.random


def space_to_depth(x, size=2):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // size, size, w // size, size).transpose(
        0, 3, 5, 1, 2, 4).reshape(n, c * size * size, h // size, w // size)


views = [
    Case("Identity", normal(3)),
    Case("Reshape", normal(2, 6), ints(3, -1)),
    Case("Flatten", normal(2, 3, 5), axis=2),
    Case("Transpose", normal(2, 3, 5), perm=[2, 0, 1]),
    Case("Squeeze", normal(2, 1, 3), ints(1)),
    Case("Unsqueeze", normal(2, 3), ints(0, 3)),
    Case("Tile", normal(2, 3), ints(3, 2)),
    Case("Tile", normal(5), ints(1)),
    Case("Tile", normal(2, 3), ints(0, 2)),
    Case("DepthToSpace", normal(1, 8, 2, 3), blocksize=2),
    Case("DepthToSpace", normal(2, 4, 1, 3), blocksize=2, mode="CRD"),
    Case("SpaceToDepth", normal(1, 2, 4, 6), blocksize=2, ref=space_to_depth),
    Case("ReverseSequence", normal(4, 3), ints(3, 0, 4)),
    Case("Compress", normal(3, 4), constant(np.array([True, False, True, True])), axis=1),
    Case("Compress", normal(2, 3), constant(np.array([False, True, False, True, True]))),
    Case("Compress", normal(2, 3), constant(np.array([False])), axis=0),
    Case("Trilu", normal(2, 3, 4)),
    Case("Trilu", normal(3, 4), constant(np.array(-1)), upper=0),
    graphcore("Reverse", normal(2, 3, 4), dimensions=[0, 2], ref=lambda x: x[::-1, :, ::-1]),
    graphcore("Subsample", normal(5, 7, 3), strides=[2, 3, 1], ref=lambda x: x[::2, ::3]),
    graphcore("Subsample", normal(5), strides=[100], ref=lambda x: x[:1]),
    graphcore("Subsample", normal(0, 4), strides=[2, 2], ref=lambda x: x[:, ::2]),
    graphcore("ConvFlipWeights", normal(2, 3, 2, 4),
              ref=lambda x: x.transpose(1, 0, 2, 3)[:, :, ::-1, ::-1]),
    graphcore("ReplicatedAllReduce", normal(3), ref=lambda x: x),
    graphcore("PrintTensor", normal(3), title="x", print_gradient=1, ref=lambda x: x),
    graphcore("TensorRemap", normal(3, 3), remap_type=0, ref=lambda x: x),
    graphcore("TensorRemap", normal(3, 3), remap_type=2, ref=lambda x: x),
    Case("Pad", normal(3, 4), ints(1, 0, 2, 3)),
    Case("Pad", normal(3, 4), ints(-1, 2, 1, -2), ref=lambda x, _: np.pad(
        x[1:, :2], ((0, 1), (2, 0)))),
    Case("Pad", normal(2, 3), ints(1, 2), np.float32(0.5), ints(1),
         ref=lambda x, _p, value, _a: np.pad(x, ((0, 0), (1, 2)), constant_values=value)),
    Case("Pad", normal(0, 3), ints(1, 0, 1, 0), ref=lambda x, _: np.pad(x, ((1, 1), (0, 0)))),
]


def scatter(combine):
    """A reference for updates along axis 0 of matrices."""
    def result(data, indices, updates):
        data = data.copy()
        for place in np.ndindex(*indices.shape):
            row, column = indices[place], place[1]
            data[row, column] = combine(data[row, column], updates[place])
        return data
    return result


places = index([[0, 3, 1], [0, 2, 1], [4, -1, 0]])
ones = index([[0, 3, 1], [1, 2, 2]])
look_ups = [
    Case("GatherElements", normal(5, 3), places),
    Case("GatherElements", normal(2, 5), index([[0, 0, 1]], np.int32), axis=1,
         ref=lambda x, i: np.take_along_axis(x[:1], i, 1)),
    Case("GatherND", normal(3, 4), index([[0, 1], [2, -1], [0, 1]]),
         ref=lambda x, i: x[i[:, 0], i[:, 1]]),
    Case("GatherND", normal(2, 3, 4), index([[[1], [1]], [[0], [2]]]), batch_dims=1),
    Case("GatherND", normal(2, 3, 2, 4), index(random.integers(0, 2, (2, 3, 5, 1))),
         batch_dims=2),
    Case("ScatterElements", normal(5, 3), ones, normal(2, 3)),
    Case("ScatterElements", normal(5, 3), places, normal(3, 3), reduction="add"),
    Case("ScatterElements", normal(5, 3) + 3, ones, normal(2, 3) + 3, reduction="mul",
         ref=scatter(lambda a, b: a * b)),
    Case("ScatterElements", distinct(5, 3), places, distinct(3, 3) + 0.05, reduction="max",
         ref=scatter(np.maximum)),
    # Everything that is equal to the result gets the whole gradient.
    Case("ScatterElements", normal(1, 1) * 0 + 1, index([[0], [0]]), normal(2, 1) * 0 + 1,
         reduction="min", ref=scatter(np.minimum),
         rules={0: lambda x, y, dy: dy, 2: lambda x, y, dy: np.concatenate([dy, dy])}),
    Case("ScatterND", normal(4, 3), index([[2], [0]]), normal(2, 3)),
    Case("ScatterND", normal(4, 3), index([[2, 1], [0, 0], [2, 1]]), normal(3),
         reduction="add"),
]


def scatter_reduce(data, indices, start, combine):
    result = start.copy()
    for place in np.ndindex(*data.shape):
        row = (indices[place],) + place[1:]
        result[row] = combine(result[row], data[place])
    return result


def grouped_gather(x, i):
    return np.stack([np.take(a, b, 1) for a, b in zip(x, i)])


rows = index([[1, 0, 0], [1, 2, 0], [0, 2, 1], [2, 1, 2]], np.int32)
graphcore_look_ups = [
    graphcore("ScatterReduce", normal(4, 3), rows, axis=0, axis_size=4, ref=lambda x, i:
              scatter_reduce(x, i, np.zeros((4, 3)), np.add)),
    graphcore("ScatterReduce", normal(4, 3), index([2, 0, 0, 2], np.int32), normal(3, 3), axis=0,
              axis_size=3, ref=lambda x, i, start: scatter_reduce(
                  x, np.stack([i] * 3, 1), start, np.add)),
    graphcore("ScatterReduce", distinct(4, 3), rows, distinct(3, 3) + 0.05, axis=0, axis_size=3,
              reduction="Max", ref=lambda x, i, start: scatter_reduce(x, i, start, np.maximum)),
    graphcore("ScatterReduce", distinct(4, 3), rows, axis=0, axis_size=3, reduction="Min",
              ref=lambda x, i: scatter_reduce(x, i, np.full((3, 3), 3e38), np.minimum)),
    graphcore("ScatterReduce", normal(4, 3) + 3, rows, normal(3, 3) + 3, axis=0, axis_size=3,
              reduction="Mul", ref=lambda x, i, start: scatter_reduce(
                  x, i, start, np.multiply)),
    graphcore("ScatterReduce", normal(2, 3), index([[1, 0, 0], [0, 2, 3]], np.int32),
              normal(4, 3), axis=0, axis_size=4, reduction="NoReduction",
              ref=lambda x, i, start: scatter_reduce(x, i, start, lambda a, b: b)),
    graphcore("GroupedGather", normal(2, 4, 3), index([[1, 0, 1], [3, 3, -1]], np.int32),
              group_size=2, axis=1, ref=lambda x, i: np.stack([x[0][i[0]], x[1][i[1]]])),
    graphcore("GroupedGather", normal(2, 3, 4, 2), index([[[1, 0]], [[3, 3]]], np.int32),
              group_size=2, axis=2, ref=grouped_gather),
    graphcore("GroupedScatterReduce", normal(2, 3, 2),
              index([[[1, 0], [1, 1], [0, 0]], [[0, 1], [0, 0], [1, 1]]], np.int32), axis=1,
              axis_size=2, group_size=2, ref=lambda x, i: np.stack(
                  [scatter_reduce(a, b, np.zeros((2, 2)), np.add) for a, b in zip(x, i)])),
]


def changed(whole, place, part):
    result = whole.copy()
    result[place[0]:place[0] + part.shape[0], :, place[1]:place[1] + part.shape[2]] = part
    return result


def dynamic(op, *inputs, ref):
    return graphcore(op, *inputs, axes=[0, 2], sizes=[2, 3], noOverlap=1, ref=ref)


at = index([2, 1], np.int32)


def read(x, place):
    return x[place[0]:place[0] + 2, :, place[1]:place[1] + 3]


selections = [
    dynamic("DynamicSlice", normal(5, 2, 7), at, ref=read),
    dynamic("DynamicUpdate", normal(5, 2, 7), at, normal(2, 2, 3), ref=changed),
    dynamic("DynamicAdd", normal(5, 2, 7), at, normal(2, 2, 3),
            ref=lambda x, i, part: changed(x, i, read(x, i) + part)),
    dynamic("DynamicZero", normal(5, 2, 7), at,
            ref=lambda x, i: changed(x, i, 0 * read(x, i))),
    Case("TopK", distinct(3, 7), ints(3), results=2, used=[0]),
    Case("TopK", distinct(7, 2), ints(2), axis=0, largest=0, results=2, used=[0]),
    graphcore("Sort", distinct(2, 5, 3), axis=1, results=2, used=[0],
              ref=lambda x: (np.sort(x, 1), None)),
    graphcore("Sort", distinct(5), descending=1, ref=lambda x: -np.sort(-x)),
    # The lower one of two in the middle.
    graphcore("ReduceMedian", distinct(3, 6, 5), axes=[0, 2], ref=lambda x: np.sort(
        x.transpose(1, 0, 2).reshape(6, 15))[:, 7].reshape(1, 6, 1)),
    graphcore("ReduceMedian", distinct(4, 2), keepdims=0, ref=lambda x: np.sort(x.flatten())[3]),
    Case("OneHot", index([[0, 2, -1], [7, 1, 0]]), constant(np.array(4)), normal(2), axis=1,
         ref=lambda i, n, v: np.where(
             (i[:, None] % 4 == np.arange(4)[:, None]) & (i[:, None] < 4), v[1], v[0])),
]

main(views + look_ups + graphcore_look_ups + selections)
