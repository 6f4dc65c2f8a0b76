# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""popxl.ops against NumPy: results in float32, gradients against differences in float64.

Usage: popxl-ops.py DEVICE [NAME...]. Each case is a function of tensors, its inputs, and the same
function of arrays. Gradients are taken of a weighted sum of the first output, by the inputs of
floating point, unless the case says that it has none.
"""

import sys

import numpy as np
import popxl
from popxl import ops, transforms

rng = np.random.default_rng(7)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def positive(*shape):
    return (rng.random(shape) + 0.5).astype(np.float32)


def distinct(*shape):
    """Elements that are well apart, so that none changes places when it moves a little."""
    count = int(np.prod(shape))
    return (rng.permutation(count).reshape(shape) / 4.0 - count / 8.0 + 0.1).astype(np.float32)


def erf(x):
    # By its series, which converges quickly near 0.
    total, term = np.zeros_like(x), x.copy()
    for n in range(60):
        total += term / (2 * n + 1)
        term = -term * x * x / (n + 1)
    return 2 / np.sqrt(np.pi) * total


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def group_norm(x, w, b, groups, eps):
    shape = x.shape
    g = x.reshape(shape[0], groups, -1)
    g = (g - g.mean(2, keepdims=True)) / np.sqrt(g.var(2, keepdims=True) + eps)
    line = (1, -1) + (1,) * (len(shape) - 2)
    return g.reshape(shape) * w.reshape(line) + b.reshape(line)


def conv(x, w, stride=(1, 1), pads=(0, 0, 0, 0), groups=1, dilation=(1, 1)):
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    kh, kw = w.shape[2:]
    rows = (x.shape[2] - (kh - 1) * dilation[0] - 1) // stride[0] + 1
    cols = (x.shape[3] - (kw - 1) * dilation[1] - 1) // stride[1] + 1
    per_in, per_out = x.shape[1] // groups, w.shape[0] // groups
    y = np.zeros((x.shape[0], w.shape[0], rows, cols), x.dtype)
    for o in range(w.shape[0]):
        first = o // per_out * per_in
        for i in range(rows):
            for j in range(cols):
                top, left = i * stride[0], j * stride[1]
                part = x[:, first:first + per_in, top:top + kh * dilation[0]:dilation[0],
                         left:left + kw * dilation[1]:dilation[1]]
                y[:, o, i, j] = (part * w[o]).sum((1, 2, 3))
    return y


def conv_transpose(x, w, stride):
    n, c, h, width = x.shape
    kh, kw = w.shape[2:]
    y = np.zeros((n, w.shape[1], (h - 1) * stride + kh, (width - 1) * stride + kw), x.dtype)
    for i in range(h):
        for j in range(width):
            y[:, :, i * stride:i * stride + kh, j * stride:j * stride + kw] += np.einsum(
                "nc,cohw->nohw", x[:, :, i, j], w)
    return y


def pool(x, size, stride, function):
    rows, cols = ((extent - size) // stride + 1 for extent in x.shape[2:])
    return np.stack([np.stack([function(x[:, :, i * stride:i * stride + size,
                                          j * stride:j * stride + size], (2, 3))
                               for j in range(cols)], 2) for i in range(rows)], 2)


def nll(p, labels, reduction, ignored=None):
    rows = np.arange(len(labels))
    loss = -np.log(p[rows, np.clip(labels, 0, p.shape[1] - 1)])
    counted = np.ones(len(labels)) if ignored is None else (labels != ignored).astype(p.dtype)
    loss = loss * counted
    return {"none": loss, "sum": loss.sum(), "mean": loss.sum() / max(counted.sum(), 1)}[reduction]


def nll_grad(p, labels, scale):
    return nll(p, labels, "mean"), (p - np.eye(p.shape[1])[labels]) / len(labels) * scale


def onehot(i, v, depth, axis):
    hot = np.moveaxis(np.eye(depth)[i], -1, axis)
    return np.where(hot > 0, v[1], v[0])


def placed(x, index, update):
    x = x.copy()
    x[index] = update
    return x


def scattered(kind, size, axis=0):
    def reference(x, i):
        y = np.zeros((size,) + x.shape[1:], x.dtype)
        for row, place in zip(x, i):
            y[place] = y[place] + row if kind == "sum" else np.maximum(y[place], row)
        return y
    return reference


def scatter_elements(x, i, v):
    x = x.copy()
    np.put_along_axis(x, i, v, 0)
    return x


labels = np.array([1, 3, 0, 2], np.int32)
indices = np.array([2, 0, 2], np.int32)

# name, function of tensors, inputs, function of arrays, and "forward" where there is no gradient
# or what is taken is not smooth.
CASES = [
    ("abs", ops.abs, [distinct(2, 3)], np.abs),
    ("add", ops.add, [normal(2, 3), normal(3)], np.add),
    ("add_int8", ops.add, [np.int8([1, -100]), np.int8([2, -28])], np.add, "forward"),
    ("add_float16", ops.add, [np.float16([1, 2]), np.float16([0.5, 4])], np.add, "forward"),
    ("ceil", ops.ceil, [normal(7)], np.ceil, "forward"),
    ("floor", ops.floor, [normal(7)], np.floor, "forward"),
    ("clip", lambda t: ops.clip(t, -0.6, 0.7), [distinct(9)], lambda x: np.clip(x, -0.6, 0.7)),
    ("cos", ops.cos, [normal(5)], np.cos),
    ("sin", ops.sin, [normal(5)], np.sin),
    ("tanh", ops.tanh, [normal(5)], np.tanh),
    ("div", ops.div, [normal(2, 3), positive(2, 1)], np.divide),
    ("div_int", ops.div, [np.int32([7, 9]), np.int32([2, 3])], np.floor_divide, "forward"),
    ("equal", ops.equal, [np.int32([1, 2]), np.int32([1, 3])], np.equal, "forward"),
    ("exp", ops.exp, [normal(5)], np.exp),
    ("fmod", ops.fmod, [distinct(6), np.float32(0.7)], np.fmod, "forward"),
    ("gelu", ops.gelu, [normal(3, 4)], gelu),
    ("geluerf", ops.geluerf, [normal(3, 4)], lambda x: 0.5 * x * (1 + erf(x / np.sqrt(2)))),
    ("greater", ops.greater, [normal(4), normal(4)], np.greater, "forward"),
    ("identity", ops.identity, [normal(4)], lambda x: x),
    ("increment_mod", lambda t: ops.increment_mod(t, 2, 5), [np.int32([1, 3, 4])],
     lambda x: (x + 2) % 5, "forward"),
    ("isfinite", ops.isfinite, [np.float32([1, np.inf, np.nan])], np.isfinite, "forward"),
    ("isinf", ops.isinf, [np.float32([1, -np.inf, np.nan])], np.isinf, "forward"),
    ("isnan", ops.isnan, [np.float32([1, np.inf, np.nan])], np.isnan, "forward"),
    ("log", ops.log, [positive(5)], np.log),
    ("log2", ops.log2, [positive(5)], np.log2),
    ("logical_and", ops.logical_and, [np.array([True, True]), np.array([True, False])],
     np.logical_and, "forward"),
    ("logical_or", ops.logical_or, [np.array([False, True]), np.array([False, False])],
     np.logical_or, "forward"),
    ("logical_not", ops.logical_not, [np.array([True, False])], np.logical_not, "forward"),
    ("maximum", ops.maximum, [distinct(6), -distinct(6), distinct(6) * 0.3],
     lambda *x: np.maximum.reduce(x)),
    ("mul", ops.mul, [normal(2, 3), normal(2, 1)], np.multiply),
    ("negate", ops.negate, [normal(4)], np.negative),
    ("pow", ops.pow, [positive(4), normal(4)], np.power),
    ("pow_number", lambda t: ops.pow(t, 3.0), [normal(4)], lambda x: x**3),
    ("relu", ops.relu, [distinct(8)], lambda x: np.maximum(x, 0)),
    ("scaled_add", lambda x, y: ops.scaled_add(x, y, 0.5, -2.0), [normal(3), normal(3)],
     lambda x, y: 0.5 * x - 2 * y),
    ("scaled_add_tensors", ops.scaled_add, [normal(3), normal(3), np.float32(3), np.float32(0.5)],
     lambda x, y, a, b: a * x + b * y),
    ("sign", ops.sign, [distinct(6)], np.sign, "forward"),
    ("sqrt", ops.sqrt, [positive(4)], np.sqrt),
    ("sub", ops.sub, [normal(2, 3), normal(1, 3)], np.subtract),
    ("swish", ops.swish, [normal(5)], lambda x: x / (1 + np.exp(-x))),
    ("where", ops.where, [np.array([True, False, True]), normal(3), normal(3)], np.where),
    ("cast", lambda t: ops.cast(t, popxl.int32), [np.float32([1.7, -2.3])],
     lambda x: x.astype(np.int32), "forward"),
    ("detach", lambda t: t * ops.detach(t), [normal(3)], lambda x: x * x, "forward"),
    # Arrangement.
    ("concat", lambda a, b: ops.concat([a, b], 1), [normal(2, 3), normal(2, 1)],
     lambda a, b: np.concatenate([a, b], 1)),
    ("concat_", lambda a, b: ops.concat_([a, b]), [normal(2), normal(3)],
     lambda a, b: np.concatenate([a, b])),
    ("flatten", ops.flatten, [normal(2, 3)], np.ravel),
    ("reshape", lambda t: ops.reshape(t, (3, -1)), [normal(2, 3)], lambda x: x.reshape(3, 2)),
    ("reshape_", lambda t: ops.reshape_(t, (3, -1)), [normal(2, 3)], lambda x: x.reshape(3, 2)),
    ("slice", lambda t: ops.slice(t, [1, 0], [3, 4], [1, 2]), [normal(4, 5)],
     lambda x: x[1:3, 0:4:2]),
    ("slice_back", lambda t: ops.slice(t, None, None, -1, 0), [normal(4, 5)], lambda x: x[::-1]),
    ("split", lambda t: ops.split(t, [1, 3])[1], [normal(4, 2)], lambda x: x[1:]),
    ("squeeze", ops.squeeze, [normal(1, 3, 1)], np.squeeze),
    ("subsample", lambda t: ops.subsample(t, [2, 1]), [normal(5, 3)], lambda x: x[::2]),
    ("transpose", lambda t: ops.transpose(t, (2, 0, 1)), [normal(2, 3, 4)],
     lambda x: x.transpose(2, 0, 1)),
    ("transpose_", ops.transpose_, [normal(2, 3)], np.transpose),
    ("dynamic_slice", lambda t, i: ops.dynamic_slice(t, i, [0], [2], True),
     [normal(5, 3), np.uint32([2])], lambda x, i: x[2:4]),
    ("dynamic_update", lambda t, i, u: ops.dynamic_update(t, i, u, [0], [2], True),
     [normal(5, 3), np.uint32([1]), normal(2, 3)], lambda x, i, u: placed(x, slice(1, 3), u)),
    ("onehot", lambda i, v: ops.onehot(i, 4, v, 1), [np.int32([1, 3]), np.float32([0, 2])],
     lambda i, v: onehot(i, v, 4, 1), "forward"),
    ("index", lambda t: t[1, ::2], [normal(3, 5)], lambda x: x[1, ::2]),
    ("index_back", lambda t: t[::-2], [normal(5)], lambda x: x[::-2]),
    ("index_list", lambda t: t[[2, 0]], [normal(3, 2)], lambda x: x[[2, 0]]),
    ("index_mask", lambda t, m: t[m], [normal(3), np.array([True, False, True])],
     lambda x, m: np.where(m, x, 0)),
    ("diag", lambda t: t.diag, [normal(3, 3)], np.diag),
    # Reductions.
    ("l1", lambda t: ops.l1(t, 1), [distinct(2, 3)], lambda x: np.abs(x).sum(1)),
    ("l2", lambda t: ops.l2(t, 1), [normal(2, 3)], lambda x: np.sqrt((x * x).sum(1))),
    ("logsum", ops.logsum, [positive(2, 3)], lambda x: np.log(x.sum())),
    ("logsumexp", lambda t: ops.logsumexp(t, 0), [normal(2, 3)],
     lambda x: np.log(np.exp(x).sum(0))),
    ("max", lambda t: ops.max(t, 1), [distinct(3, 4)], lambda x: x.max(1)),
    ("min", lambda t: ops.min(t, (0, 1)), [distinct(3, 4)], lambda x: x.min()),
    ("mean", lambda t: ops.mean(t, 0, True), [normal(3, 4)], lambda x: x.mean(0, keepdims=True)),
    ("median", lambda t: ops.median(t, 1), [distinct(2, 5)], lambda x: np.median(x, 1)),
    ("prod", lambda t: ops.prod(t, 1), [positive(2, 3)], lambda x: x.prod(1)),
    ("sum", ops.sum, [normal(2, 3)], np.sum),
    ("sum_scalar", ops.sum, [np.float32(3)], np.sum),
    ("sumsquare", lambda t: ops.sumsquare(t, -1), [normal(2, 3)], lambda x: (x * x).sum(-1)),
    ("lamb_square", ops.lamb_square, [normal(2, 3)], lambda x: (x * x).sum()),
    ("argmax", lambda t: ops.argmax(t, 1), [distinct(2, 5)], lambda x: x.argmax(1), "forward"),
    ("argmin", lambda t: ops.argmin(t, 0, True), [distinct(2, 5)],
     lambda x: x.argmin(0)[None], "forward"),
    ("cumsum", lambda t: ops.cumsum(t, 1), [normal(2, 4)], lambda x: x.cumsum(1)),
    ("topk", lambda t: ops.topk(t, 2, 1, True, True), [distinct(2, 5)],
     lambda x: (np.sort(x, 1)[:, :-3:-1], np.argsort(x, 1)[:, :-3:-1])),
    ("histogram", lambda t: ops.histogram(t, [-0.5, 0.5], False), [normal(20)],
     lambda x: np.array([(x < -0.5).sum(), ((x >= -0.5) & (x < 0.5)).sum(), (x >= 0.5).sum()]),
     "forward"),
    # Networks.
    ("matmul", ops.matmul, [normal(2, 3, 4), normal(4, 5)], np.matmul),
    ("matmul_batch", ops.matmul, [normal(2, 3, 4), normal(2, 4, 5)], np.matmul),
    ("conv", lambda x, w: ops.conv(x, w, stride=(2, 1), padding=(1, 0, 1, 0)),
     [normal(1, 2, 5, 4), normal(3, 2, 3, 2)],
     lambda x, w: conv(x, w, (2, 1), (1, 0, 1, 0))),
    ("conv_groups", lambda x, w: ops.conv(x, w, groups=2, dilation=(1, 2)),
     [normal(1, 4, 4, 5), normal(2, 2, 2, 2)],
     lambda x, w: conv(x, w, groups=2, dilation=(1, 2))),
    ("conv_transpose", lambda x, w: ops.conv_transpose(x, w, stride=(2, 2)),
     [normal(1, 2, 3, 3), normal(2, 3, 2, 2)], lambda x, w: conv_transpose(x, w, 2)),
    ("average_pool", lambda x: ops.average_pool(x, (2, 2), (2, 2)), [normal(1, 2, 4, 4)],
     lambda x: pool(x, 2, 2, np.mean)),
    ("max_pool", lambda x: ops.max_pool(x, (2, 2), (1, 1)), [distinct(1, 2, 3, 3)],
     lambda x: pool(x, 2, 1, np.max)),
    ("batch_norm", lambda *t: ops.batch_norm_inference(*t, epsilon=1e-3),
     [normal(2, 3, 2), normal(3), normal(3), normal(3), positive(3)],
     lambda x, s, b, m, v: ((x.swapaxes(1, 2) - m) / np.sqrt(v + 1e-3) * s + b).swapaxes(1, 2),
     "forward"),
    ("group_norm", lambda *t: ops.group_norm(*t, 2, 1e-3), [normal(3, 4), normal(4), normal(4)],
     lambda x, w, b: group_norm(x, w, b, 2, 1e-3)),
    ("layer_norm", lambda *t: ops.layer_norm(*t, 1e-3), [normal(3, 4), normal(4), normal(4)],
     lambda x, w, b: group_norm(x, w, b, 1, 1e-3)),
    ("softmax", lambda t: ops.softmax(t, 0), [normal(3, 2)], lambda x: softmax(x, 0)),
    ("nll_loss", ops.nll_loss, [softmax(normal(4, 5), 1), labels],
     lambda p, y: nll(p, y, "mean")),
    ("nll_loss_none", lambda p, y: ops.nll_loss(p, y, reduction="none"),
     [softmax(normal(4, 5), 1), labels], lambda p, y: nll(p, y, "none")),
    ("nll_loss_ignored", lambda p, y: ops.nll_loss(p, y, 3), [softmax(normal(4, 5), 1), labels],
     lambda p, y: nll(p, y, "mean", 3)),
    ("nll_loss_log", lambda p, y: ops.nll_loss(p, y, log_prob=True),
     [np.log(softmax(normal(4, 5), 1)), labels], lambda p, y: nll(np.exp(p), y, "mean")),
    ("nll_loss_with_softmax_grad", lambda p, y: ops.nll_loss_with_softmax_grad(p, y, 3),
     [softmax(normal(4, 5), 1), labels], lambda p, y: nll_grad(p, y, 3), "forward"),
    ("interpolate", lambda t: ops.interpolate(t, (1, 1, 2, 2)), [normal(1, 1, 2, 3)],
     lambda x: x.repeat(2, 2).repeat(2, 3)),
    # Indices.
    ("gather", lambda t, i: ops.gather(t, i, 1), [normal(2, 4), indices],
     lambda x, i: x.take(i, 1)),
    ("gather_zero", lambda t, i: ops.gather(t, i, 0, zero_OOR=True),
     [normal(3, 2), np.int32([1, 7, -1])],
     lambda x, i: np.stack([x[1], x[0] * 0, x[0] * 0])),
    ("tied_gather", ops.tied_gather, [normal(4, 2), indices], lambda x, i: x[i]),
    ("groupedgather", lambda t, i: ops.groupedgather(t, i, 0, 2),
     [normal(2, 4, 3), np.int32([[1, 3], [0, 0]])],
     lambda x, i: np.stack([x[g][i[g]] for g in range(2)])),
    ("scatter", ops.scatter, [normal(4, 2), np.int32([[1, 0], [3, 2]]), normal(2, 2)],
     scatter_elements),
    ("scatter_slices", ops.scatter, [normal(4, 2), np.int32([3, 1]), normal(2, 2)],
     lambda x, i, v: scatter_elements(x, i[:, None].repeat(2, 1), v)),
    ("scatter_columns", lambda x, i, v: ops.scatter(x, i, v, 1),
     [normal(4, 3), np.int32([2, 0]), normal(4, 2)],
     lambda x, i, v: placed(x, (slice(None), i), v)),
    ("scatter_reduce", lambda x, i: ops.scatter_reduce(x, i, "sum", axis_size=4),
     [normal(3, 2), indices], scattered("sum", 4)),
    ("grouped_scatter_reduce",
     lambda x, i: ops.grouped_scatter_reduce(x, i, "sum", axis_size=3, group_size=2),
     [normal(2, 3, 2), np.int32([[1, 0, 1], [2, 2, 2]])],
     lambda x, i: np.stack([scattered("sum", 3)(x[g], i[g]) for g in range(2)])),
    ("roi_align", lambda t, r, i: ops.roi_align(t, r, i, [1, 1], 1.0, 2),
     [np.ones((1, 1, 4, 4), np.float32) * 5, np.float32([[0, 0, 3, 3]]), np.int32([0])],
     lambda t, r, i: np.full((1, 1, 1, 1), 5.0), "forward"),
    # One replica.
    ("all_reduce", ops.collectives.replicated_all_reduce, [normal(3)], lambda x: x),
    ("all_gather", ops.collectives.replicated_all_gather, [normal(3)], lambda x: x),
]


def as_tuple(values):
    return values if isinstance(values, tuple) else (values,)


def differences(reference, arrays, index, weights):
    """The gradient of sum(weights * first output) by an input."""
    arrays = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
    result = np.zeros(arrays[index].shape)
    for place in np.ndindex(result.shape):
        values = []
        for step in (1e-5, -1e-5):
            moved = [a.copy() for a in arrays]
            moved[index][place] += step
            values.append((as_tuple(reference(*moved))[0] * weights).sum())
        result[place] = (values[0] - values[1]) / 2e-5
    return result


def run(device, function, arrays, reference, has_gradient):
    """The problems of a case."""
    arrays = [np.asarray(a) for a in arrays]
    floats = [i for i, a in enumerate(arrays) if a.dtype.kind == "f"]
    expected = as_tuple(reference(*arrays))
    weights = rng.standard_normal(np.shape(expected[0])).astype(np.float32)
    ir = popxl.Ir()
    with ir.main_graph, popxl.in_sequence():
        # Constants where shapes and places have to be known, variables for all else.
        tensors = [popxl.variable(a) for a in arrays]
        graph = ir.create_graph(function, *tensors)
        info = ops.call_with_info(graph, *tensors)
        results = list(info.outputs)
        if has_gradient:
            grad = transforms.autodiff(graph, [graph.outputs[0]],
                                       [graph.inputs[i] for i in floats])
            seed = popxl.constant(weights)
            results += ops.call(grad.graph, seed, inputs_dict=grad.inputs_dict(info))
        streams = []
        for t in results:
            streams.append(popxl.d2h_stream(t.shape, t.dtype))
            ops.host_store(streams[-1], t)
    with popxl.Session(ir, device) as session:
        returned = session.run()
    values = [returned[s] for s in streams]
    problems = []
    for want, got in zip(expected, values):
        if np.shape(want) != got.shape:
            problems.append(f"shape {got.shape}, expected {np.shape(want)}")
        elif not np.allclose(got.astype(np.float64), want, rtol=2e-4, atol=2e-5):
            problems.append(f"{got}, expected {want}")
    if has_gradient:
        for i, got in zip(floats, values[-len(floats):]):
            want = differences(reference, arrays, i, weights)
            if not np.allclose(got, want, rtol=2e-3, atol=2e-4):
                problems.append(f"gradient by input {i} {got}, expected {want}")
    return problems


def main():
    device, names = sys.argv[1], sys.argv[2:]
    failed = 0
    for name, function, arrays, reference, *notes in CASES:
        if names and name not in names:
            continue
        try:
            problems = run(device, function, arrays, reference, "forward" not in notes)
        except Exception as error:
            problems = [f"{type(error).__name__}: {error}"]
        for problem in problems:
            failed += 1
            print(f"{name}: {problem}")
    print(f"{len(CASES)} operators, {failed} problems")


main()
