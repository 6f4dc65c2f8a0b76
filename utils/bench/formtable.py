# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random forms of the operators of ONNX, degenerate ones included.

TABLE has a function for each operator: it takes a Draw, the source of the random choices, and
gives a Form, that is one node with its operands. A Draw prefers small extents, and often an
extent of one or zero, an axis counted from the end, or an optional operand left out. Operands
marked with `known` are constants in every model, because they are shapes, axes or the like.
"""
import numpy as np
from onnx import GraphProto, TensorProto, helper, numpy_helper

F32, F16, I32, I64 = np.float32, np.float16, np.int32, np.int64
INTEGERS = [I32, I32, I64, np.int8, np.uint8, np.int16, np.uint16, np.uint32]
EXTENTS = [1, 1, 1, 2, 2, 3, 3, 4, 5, 7]


class known:
    def __init__(self, values, kind=I64):
        self.value = np.asarray(values, kind)


class Form:
    """One node: `inputs` are arrays, `known` ones, or None where an operand is left out."""

    def __init__(self, op, *inputs, results=1, domain="", rtol=1e-4, atol=1e-5, near=0,
                 **attributes):
        self.op, self.domain, self.results = op, domain, results
        self.attributes = {k: v for k, v in attributes.items() if v is not None}
        inputs = list(inputs)
        while inputs and inputs[-1] is None:
            inputs.pop()
        self.known = [isinstance(x, known) for x in inputs]
        self.inputs = [x.value if isinstance(x, known) else None if x is None else np.asarray(x)
                       for x in inputs]
        self.rtol, self.atol, self.near = rtol, atol, near

    def __str__(self):
        operands = ", ".join(
            "-" if x is None else f"{'const ' if k else ''}{x.dtype}{list(x.shape)}"
            for x, k in zip(self.inputs, self.known))
        plain = {k: v for k, v in self.attributes.items() if not isinstance(v, GraphProto)}
        return f"{self.op}({operands}) {plain}"


class Draw:
    """The random choices of one form, for an opset."""

    def __init__(self, seed, opset):
        self.random, self.opset = np.random.default_rng(seed), opset

    def pick(self, *values):
        return values[self.random.integers(len(values))]

    def chance(self, p=0.5):
        return self.random.random() < p

    def maybe(self, value, p=0.5):
        return value if self.chance(p) else None

    def below(self, n):
        return int(self.random.integers(n))

    def extent(self):
        return 0 if self.chance(0.04) else self.pick(*EXTENTS)

    def shape(self, low=0, high=4):
        rank = int(self.random.integers(low, high + 1))
        return tuple(self.extent() for _ in range(rank))

    def floats(self, shape, kind=F32):
        x = self.random.standard_normal(shape)
        if self.chance(0.2):
            x = np.round(2 * x)
        return np.asarray(x).astype(kind)

    def positive(self, shape):
        return (np.abs(self.floats(shape)) + F32(0.1)).astype(F32)

    def ints(self, shape, kind=I32, low=-20, high=20):
        if np.dtype(kind).kind == "u":
            low = 0
        return np.asarray(self.random.integers(low, high, shape)).astype(kind)

    def bools(self, shape):
        return np.asarray(self.random.random(shape) < 0.5)

    def number(self, shape, kind=None):
        """Floats mostly, sometimes integers."""
        kind = kind or self.pick(F32, F32, F32, F16, I32, I64)
        return self.floats(shape, kind) if np.dtype(kind).kind == "f" else self.ints(shape, kind)

    def any(self, shape):
        if self.chance(0.1):
            return self.bools(shape)
        return self.number(shape, self.pick(F32, F32, F16, *INTEGERS))

    def axis(self, rank):
        return int(self.random.integers(-rank, rank)) if rank else 0

    def axes(self, rank, least=0):
        """Distinct axes, some counted from the end."""
        count = int(self.random.integers(least, rank + 1)) if rank >= least else 0
        return [int(a) - (rank if self.chance(0.3) else 0)
                for a in self.random.permutation(rank)[:count]]

    def broadcast(self, shape):
        """A shape that broadcasts with `shape`, perhaps both ways."""
        shape = shape[self.below(len(shape) + 1):] if self.chance(0.4) else shape
        return tuple(1 if self.chance(0.3) else e for e in shape)

    def pair(self):
        a = self.shape()
        b = self.broadcast(a)
        a = tuple(1 if self.chance(0.15) else e for e in a)
        return (a, b) if self.chance() else (b, a)


# Elementwise operators.
def unary(op, values=None, least=0, **attributes):
    def form(d):
        x = values(d, d.shape(least)) if values else d.floats(d.shape(least), d.pick(F32, F32, F16))
        return Form(op, x, **{k: v(d) if callable(v) else v for k, v in attributes.items()})
    return form


def within(low, high):
    return lambda d, shape: np.asarray(d.random.uniform(low, high, shape)).astype(F32)


def alpha(d):
    return d.maybe(float(F32(d.random.uniform(-1, 2))))


def binary(op, values=Draw.number, **attributes):
    def form(d):
        a, b = d.pair()
        x = values(d, a)
        y = values(d, b)
        while y.dtype != x.dtype:
            y = values(d, b)
        return Form(op, x, y, **{k: v(d) if callable(v) else v for k, v in attributes.items()})
    return form


def nonzero(d, shape):
    x = d.number(shape, d.pick(F32, F32, I32, I64, np.uint8, np.int8))
    return np.where(x == 0, x.dtype.type(3), x)


def modulo(d):
    a, b = d.pair()
    kind = d.pick(F32, *INTEGERS)
    fmod = 1 if kind == F32 else d.below(2)
    y = d.number(b, kind)
    return Form("Mod", d.number(a, kind), np.where(y == 0, y.dtype.type(3), y), fmod=fmod)


def power(d):
    a, b = d.pair()
    if d.chance(0.3):
        return Form("Pow", d.ints(a, d.pick(I32, I64), -4, 5), d.ints(b, d.pick(I32, I64), 0, 5))
    y = known(d.pick(0, 1, 2, 3, 0.5, -1, -2), F32) if d.chance(0.4) else d.floats(b)
    return Form("Pow", d.positive(a), y)


def shift(d):
    a, b = d.pair()
    kind = d.pick(np.uint8, np.uint16, np.uint32)
    return Form("BitShift", d.ints(a, kind, 0, 200), d.ints(b, kind, 0, 8),
                direction=d.pick("LEFT", "RIGHT"))


def variadic(op):
    def form(d):
        shape, kind = d.shape(), d.pick(F32, F32, F16) if op in ("Sum", "Mean") else \
            d.pick(F32, F32, I32, I64)
        return Form(op, *[d.number(d.broadcast(shape), kind) for _ in range(1 + d.below(4))])
    return form


def clip(d):
    kind = d.pick(F32, F16, I32, I64, np.int8)
    low, high = sorted(int(v) for v in d.random.integers(-3, 4, 2))
    if d.opset < 11:
        return Form("Clip", d.floats(d.shape()), min=float(low), max=float(high))
    mark = known if d.chance() else lambda v, kind: np.asarray(v, kind)
    return Form("Clip", d.number(d.shape(), kind), d.maybe(mark(low, kind), 0.7),
                d.maybe(mark(high, kind), 0.7))


def cast(d):
    kinds = [F32, F16, I32, I64, np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.bool_]
    to = d.pick(*kinds)
    x = d.number(d.shape(), d.pick(*kinds[:9]))
    if np.dtype(to).kind == "u" and x.dtype.kind != "u":
        x = np.abs(x)
    return Form("Cast", x, to=helper.np_dtype_to_tensor_dtype(np.dtype(to)))


def where(d):
    shape = d.shape()
    x = d.any(d.broadcast(shape))
    y = d.number(d.broadcast(shape), x.dtype) if x.dtype != bool else d.bools(d.broadcast(shape))
    return Form("Where", d.bools(d.broadcast(shape)), x, y)


def prelu(d):
    shape = d.shape(1)
    slope = d.pick(shape, (), (1,), tuple(1 if d.chance() else e for e in shape), shape[-1:])
    return Form("PRelu", d.floats(shape), d.floats(slope))


def equal(d):
    a, b = d.pair()
    x = d.any(a)
    y = d.bools(b) if x.dtype == bool else d.number(b, x.dtype)
    return Form("Equal", x, y)


# Reductions.
def axes_form(d, op, x, axes, constant=0.7, inputs_from=18, **more):
    if d.opset < inputs_from:
        return Form(op, x, axes=axes or None, **more)
    if axes is None:
        return Form(op, x, noop_with_empty_axes=d.maybe(d.below(2)), **more)
    return Form(op, x, known(np.asarray(axes, I64)), noop_with_empty_axes=d.maybe(d.below(2)),
                **more)


def reduction(op, integers=True, positive=False):
    def form(d):
        shape = d.shape()
        kinds = [F32, F32, F32, F16] + ([I32, I64, np.uint32] if integers else [])
        if op in ("ReduceMax", "ReduceMin") and d.opset >= 12:
            kinds += [np.int8, np.uint8]
        x = d.positive(shape) if positive else d.number(shape, d.pick(*kinds))
        return axes_form(d, op, x, d.maybe(d.axes(len(shape)), 0.8), keepdims=d.maybe(d.below(2)),
                         inputs_from=13 if op == "ReduceSum" else 18)
    return form


def arg(op):
    def form(d):
        shape = d.shape(1)
        return Form(op, d.number(shape), axis=d.maybe(d.axis(len(shape)), 0.8),
                    keepdims=d.maybe(d.below(2)),
                    select_last_index=d.maybe(d.below(2)) if d.opset >= 12 else None)
    return form


def cumulative(op):
    def form(d):
        shape = d.shape(1)
        return Form(op, d.number(shape, d.pick(F32, F32, I32, I64)),
                    known(d.axis(len(shape)), d.pick(I32, I64)), exclusive=d.maybe(d.below(2)),
                    reverse=d.maybe(d.below(2)))
    return form


def softmax(op):
    def form(d):
        shape = d.shape(1)
        axis = d.maybe(d.axis(len(shape)), 0.8) if d.opset >= 13 or len(shape) > 1 else \
            d.axis(1)
        return Form(op, d.floats(shape, d.pick(F32, F32, F16)), axis=axis)
    return form


def top_k(d):
    shape = d.shape(1)
    axis = d.axis(len(shape))
    x = d.random.permutation(int(np.prod(shape))).reshape(shape).astype(d.pick(F32, F32, I32, I64))
    return Form("TopK", x, known([d.below(shape[axis] + 1)]), results=2, axis=axis,
                largest=d.maybe(d.below(2)))


def unique(d):
    shape = d.shape(1, 3)
    x = known(np.random.default_rng(d.below(99)).integers(0, 4, shape), d.pick(F32, I64, I32))
    return Form("Unique", x, results=4, axis=d.maybe(d.axis(len(shape))),
                sorted=d.maybe(d.below(2)))


# Products.
def matmul(d):
    n, k, m = d.extent(), d.extent(), d.extent()
    batch = d.shape(0, 2)
    kind = d.pick(F32, F32, F16, I32) if d.opset >= 9 else F32
    a = d.pick((k,), d.broadcast(batch) + (n, k), (n, k))
    b = d.pick((k,), d.broadcast(batch) + (k, m), (k, m))
    return Form("MatMul", d.number(a, kind), d.number(b, kind), atol=1e-2 if kind == F16 else 1e-4)


def gemm(d):
    n, k, m = d.extent(), d.extent(), d.extent()
    ta, tb = d.below(2), d.below(2)
    c = d.pick(None, (n, m), (m,), (1, m), (n, 1), (1,), ()) if d.opset >= 11 else (n, m)
    return Form("Gemm", d.floats((k, n) if ta else (n, k)), d.floats((m, k) if tb else (k, m)),
                None if c is None else d.floats(c), transA=ta, transB=tb,
                alpha=d.maybe(d.pick(0.0, 0.5, 2.0)), beta=d.maybe(d.pick(0.0, 0.5, 2.0)),
                atol=1e-4)


def einsum(d):
    equation = d.pick("ij,jk->ik", "i,i->", "i,j->ij", "ii->i", "ii", "ij->ji", "bij,bjk->bik",
                      "...ij,...jk->...ik", "ij,ij->i", "ij->", "i->i", "ab,cd->dbca", "ijk->k",
                      "bhqd,bhkd->bhqk", "ij,j", "i...->...", "...->...", "ij,jk,kl->il")
    extents = {letter: d.extent() for letter in "abcdhijklq"}
    rest = d.shape(0, 2)
    operands = []
    for term in equation.split("->")[0].split(","):
        before, dots, after = term.partition("...")
        operands.append(d.floats(tuple(extents[c] for c in before) + (rest if dots else ()) +
                                 tuple(extents[c] for c in after)))
    return Form("Einsum", *operands, equation=equation, atol=1e-4)


def det(d):
    n = d.pick(1, 2, 3, 4)
    return Form("Det", d.floats(d.shape(0, 2) + (n, n)), atol=1e-4)


def window(d, dims, auto=True, ceil=False, dilations=True, transposed=False):
    """Attributes of windows, and an extent that they fit on."""
    kernel = [d.pick(1, 1, 2, 3, 4) for _ in range(dims)]
    strides = d.maybe([d.pick(1, 1, 2, 3) for _ in range(dims)])
    dilated = d.maybe([d.pick(1, 1, 2, 3) for _ in range(dims)], 0.4) if dilations else None
    result = {"strides": strides, "dilations": dilated}
    pads = [0] * (2 * dims)
    if auto and d.chance(0.25) and not dilated:
        result["auto_pad"] = d.pick("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
        if strides:  # of less overlap the references have rules of their own
            result["strides"] = [min(s, k) for s, k in zip(strides, kernel)]
    elif d.chance():
        pads = [d.below(k) for k in kernel * 2]
        result["pads"] = pads
    if ceil:
        result["ceil_mode"] = d.maybe(d.below(2), 0.3)
    extents = []
    for i, k in enumerate(kernel):
        size = (k - 1) * (dilated[i] if dilated else 1) + 1
        least = 1 if transposed or result.get("auto_pad", "").startswith("SAME") else size - pads[i] - pads[i + dims]
        extents.append(max(least, 1) + d.pick(0, 0, 1, 2, 4))
    return kernel, extents, result


def conv(op):
    def form(d):
        dims = d.pick(1, 1, 2, 2, 2, 3)
        transposed = op == "ConvTranspose"
        kernel, extents, attributes = window(d, dims, transposed=transposed)
        groups = d.pick(1, 1, 1, 2, 3)
        ins, outs = groups * d.pick(1, 1, 2, 3), groups * d.pick(1, 1, 2, 3)
        if op == "ConvInteger":
            return Form(op, d.ints((d.extent(), ins, *extents), np.uint8, 0, 255),
                        d.ints((outs, ins // groups, *kernel), np.uint8, 0, 255),
                        d.maybe(np.asarray(7, np.uint8)), None, group=groups, **attributes)
        weights = (ins, outs // groups) if transposed else (outs, ins // groups)
        if transposed and d.chance(0.3):
            strides = attributes["strides"] or [1] * dims
            attributes["output_padding"] = [d.below(s) for s in strides]
        elif transposed and d.chance(0.3):
            strides = attributes["strides"] or [1] * dims
            attributes["output_shape"] = [e * s + d.below(2) for e, s in zip(extents, strides)]
            attributes.pop("pads", None)
        return Form(op, d.floats((d.extent(), ins, *extents)), d.floats((*weights, *kernel)),
                    d.maybe(d.floats((outs,))), group=groups,
                    kernel_shape=d.maybe(kernel), atol=1e-4, **attributes)
    return form


def deform_conv(d):
    kernel, extents, attributes = window(d, 2, auto=False)
    groups = d.pick(1, 1, 2)
    ins, outs, offsets = groups * d.pick(1, 2), groups * d.pick(1, 2), d.pick(1, 1, groups)
    strides, dilations = attributes["strides"] or [1, 1], attributes["dilations"] or [1, 1]
    pads = attributes.get("pads", [0] * 4)
    out = [(extents[i] + pads[i] + pads[i + 2] - (kernel[i] - 1) * dilations[i] - 1) // strides[i]
           + 1 for i in range(2)]
    n, taps = d.pick(1, 2), kernel[0] * kernel[1]
    return Form("DeformConv", d.floats((n, ins, *extents)), d.floats((outs, ins // groups, *kernel)),
                d.floats((n, offsets * 2 * taps, *out)), d.maybe(d.floats((outs,))),
                d.maybe(d.floats((n, offsets * taps, *out))), group=groups, offset_group=offsets,
                atol=1e-3, **attributes)


def pool(op):
    def form(d):
        dims = d.pick(1, 2, 2, 3)
        dilates = {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[op]
        ceils = {"MaxPool": 10, "AveragePool": 10, "LpPool": 18}[op]
        kernel, extents, attributes = window(d, dims, dilations=d.opset >= dilates,
                                             ceil=d.opset >= ceils)
        x = d.floats((d.extent(), d.extent(), *extents))
        if op == "LpPool":
            attributes["p"] = d.maybe(d.pick(1, 2, 3))
        if op == "AveragePool":
            attributes["count_include_pad"] = d.maybe(d.below(2))
        results = 2 if op == "MaxPool" and d.chance(0.3) else 1
        if op == "MaxPool" and d.opset >= 10:
            attributes["storage_order"] = d.maybe(d.below(2), 0.2)
        return Form(op, x, kernel_shape=kernel, results=results, **attributes)
    return form


def global_pool(op):
    return lambda d: Form(op, d.floats((d.extent(), d.extent()) + d.shape(1, 3)),
                          **({"p": d.maybe(d.pick(1, 2, 3))} if op == "GlobalLpPool" else {}))


# Normalization.
def batch_norm(d):
    c, more = d.extent(), d.shape(0, 3)
    return Form("BatchNormalization", d.floats((d.extent(), c) + more), d.floats((c,)),
                d.floats((c,)), d.floats((c,)), d.positive((c,)), epsilon=d.maybe(0.01), atol=1e-4)


def instance_norm(d):
    c = d.extent()
    return Form("InstanceNormalization", d.floats((d.extent(), c) + d.shape(1, 3)),
                d.floats((c,)), d.floats((c,)), epsilon=d.maybe(0.01), atol=1e-3)


def layer_norm(op):
    def form(d):
        shape = d.shape(1)
        axis = d.axis(len(shape))
        rest = shape[axis:]
        bias = d.maybe(d.floats(rest)) if op == "LayerNormalization" else None
        return Form(op, d.floats(shape), d.floats(rest), bias, axis=d.maybe(axis) if axis == -1
                    else axis, epsilon=d.maybe(0.01), atol=1e-3)
    return form


def group_norm(d):
    groups = d.pick(1, 2, 3)
    c = groups * d.pick(1, 2)
    per = c if d.opset >= 21 else groups
    return Form("GroupNormalization", d.floats((d.extent(), c) + d.shape(1, 3)), d.floats((per,)),
                d.floats((per,)), num_groups=groups, atol=1e-3)


def lrn(d):
    return Form("LRN", d.floats((d.extent(), d.extent()) + d.shape(2, 2)), size=d.pick(1, 3, 5),
                alpha=d.maybe(0.1), beta=d.maybe(0.5), bias=d.maybe(2.0))


def lp_norm(d):
    shape = d.shape(1)
    return Form("LpNormalization", d.floats(shape), axis=d.maybe(d.axis(len(shape))),
                p=d.maybe(d.pick(1, 2)))


def dropout(d):
    x = d.floats(d.shape())
    if d.opset < 12:
        return Form("Dropout", x, ratio=d.maybe(0.3), results=d.pick(1, 1, 2))
    return Form("Dropout", x, d.maybe(known(0.3, F32)), results=d.pick(1, 1, 2))


# Shapes.
def reshape(d):
    shape = d.shape()
    total = int(np.prod(shape))
    to = list(shape)
    d.random.shuffle(to)
    if d.chance(0.4) and total:
        to = [-1] + to[1:] if to else [1, 1]
    elif d.chance(0.3):
        to = [1] + to
    elif total == 1 and d.chance():
        to = []
    zero = 1 if 0 in shape and d.opset >= 14 else None
    return Form("Reshape", d.any(shape), known(np.asarray(to, I64)), allowzero=zero)


def expand(d):
    a, b = d.pair()
    return Form("Expand", d.any(a), known(np.asarray(b, I64)))


def flatten(d):
    shape = d.shape(1)
    return Form("Flatten", d.any(shape), axis=d.maybe(
        int(d.random.integers(-len(shape), len(shape) + 1))))


def squeeze(d):
    shape = d.shape()
    ones = [i - (len(shape) if d.chance(0.3) else 0) for i, e in enumerate(shape) if e == 1]
    axes = d.maybe(ones[:d.below(len(ones) + 1)] or None)  # of no list: all
    if d.opset < 13:
        return Form("Squeeze", d.any(shape), axes=axes)
    return Form("Squeeze", d.any(shape), None if axes is None else known(axes))


def unsqueeze(d):
    shape = d.shape(0, 3)
    axes = d.axes(len(shape) + 2)[:2]
    rank = len(shape) + len(axes)
    axes = list(dict.fromkeys(a % rank for a in axes))
    axes = [a for a in axes if a < len(shape) + len(axes)]
    axes = [a - (len(shape) + len(axes)) if d.chance(0.3) else a for a in axes]
    if d.opset < 13:
        return Form("Unsqueeze", d.any(shape), axes=axes or [0])
    return Form("Unsqueeze", d.any(shape), known(np.asarray(axes, I64)))


def transpose(d):
    shape = d.shape()
    return Form("Transpose", d.any(shape),
                perm=d.maybe([int(p) for p in d.random.permutation(len(shape))] or None, 0.8))


def concat(d):
    shape = list(d.shape(1))
    axis = d.axis(len(shape))
    first = d.any(shape)
    parts = [first]
    for _ in range(d.below(4)):
        shape[axis] = d.extent()
        parts.append(d.bools(shape) if first.dtype == bool else d.number(shape, first.dtype))
    return Form("Concat", *parts, axis=axis)


def split(d):
    shape = list(d.shape(1))
    axis = d.axis(len(shape))
    count = d.pick(1, 2, 3)
    if d.chance():
        sizes = [d.extent() for _ in range(count)]
        shape[axis] = sum(sizes)
        if d.opset < 13:
            return Form("Split", d.any(shape), axis=axis, split=sizes, results=count)
        return Form("Split", d.any(shape), known(sizes), axis=axis, results=count)
    if d.opset >= 18:
        shape[axis] = d.pick(count, 2 * count, 2 * count + 1 if count < 3 else 5)
        return Form("Split", d.any(shape), axis=axis, results=count, num_outputs=count)
    shape[axis] = count * d.extent()
    return Form("Split", d.any(shape), axis=axis, results=count)


def slices(d):
    shape = d.shape(1)
    axes = d.axes(len(shape), int(d.opset < 10))
    starts = [int(d.random.integers(-9, 9)) for _ in axes]
    ends = [d.pick(-100, -2, -1, 0, 1, 3, 5, 2**31 - 1, -2**31, 2**63 - 1, -2**63) for _ in axes]
    steps = [d.pick(1, 1, 2, 3, -1, -1, -2, 100, -100) for _ in axes]
    # Backwards, ONNX Runtime takes the largest end as none at all; the text and NumPy do not.
    ends = [1 if s < 0 and e > 9 else e for s, e in zip(steps, ends)]
    if d.opset < 10:
        return Form("Slice", d.any(shape), starts=starts, ends=ends, axes=axes)
    kind = I64
    whole = len(axes) == len(shape) and axes == list(range(len(shape))) and d.chance()
    return Form("Slice", d.any(shape), known(np.asarray(starts, kind)),
                known(np.asarray(ends, kind)), None if whole else known(np.asarray(axes, kind)),
                d.maybe(known(np.asarray(steps, kind)), 0.8) if not whole else None)


def pad(d):
    shape = d.shape(1)
    mode = d.pick("constant", "constant", "reflect", "edge") if d.opset < 19 else \
        d.pick("constant", "reflect", "edge", "wrap")
    low = -1 if d.chance(0.3) else 0
    pads = [int(d.random.integers(max(low, -e // 2), max(1, e) if mode != "constant" else 3))
            for e in shape * 2]
    if d.opset < 11:
        return Form("Pad", d.floats(shape), mode=mode, pads=pads, value=1.5)
    x = d.number(shape, d.pick(F32, F32, I32, I64))
    fill = d.maybe(known(d.pick(0, 7), x.dtype)) if mode == "constant" else None
    axes = None
    if d.opset >= 18 and d.chance(0.4):
        axes = d.axes(len(shape))
        pads = [pads[a % len(shape) + i * len(shape)] for i in range(2) for a in axes]
        axes = known(np.asarray(axes, I64))
    return Form("Pad", x, known(np.asarray(pads, I64)), fill, axes, mode=mode)


def tile(d):
    shape = d.shape()
    return Form("Tile", d.any(shape), known(np.asarray([d.pick(0, 1, 1, 2, 3) for _ in shape], I64)))


def depth_to_space(d):
    b = d.pick(1, 2, 3)
    return Form("DepthToSpace", d.floats((d.extent(), b * b * d.extent(), d.extent(), d.extent())),
                blocksize=b, mode=d.maybe(d.pick("DCR", "CRD")) if d.opset >= 11 else None)


def space_to_depth(d):
    b = d.pick(1, 2, 3)
    return Form("SpaceToDepth", d.floats((d.extent(), d.extent(), b * d.extent(), b * d.extent())),
                blocksize=b)


def crop_pad(d):
    shape = d.shape(1)
    axes = d.maybe(d.axes(len(shape), 1) or None)
    count = len(axes) if axes else len(shape)
    return Form("CenterCropPad", d.floats(shape), known([d.pick(1, 2, 3, 6) for _ in range(count)]),
                axes=axes)


def trilu(d):
    return Form("Trilu", d.any(d.shape(2)), d.maybe(known(d.pick(-9, -2, -1, 0, 1, 2, 9))),
                upper=d.maybe(d.below(2)))


def col2im(d):
    kernel, extents, attributes = window(d, d.pick(1, 2, 2, 3), auto=False)
    dims = len(kernel)
    strides, dilations = attributes["strides"] or [1] * dims, attributes["dilations"] or [1] * dims
    pads = attributes.get("pads", [0] * (2 * dims))
    blocks = [(extents[i] + pads[i] + pads[i + dims] - (kernel[i] - 1) * dilations[i] - 1)
              // strides[i] + 1 for i in range(dims)]
    n, c = d.pick(1, 2), d.pick(1, 2)
    return Form("Col2Im", d.floats((n, c * int(np.prod(kernel)), int(np.prod(blocks)))),
                known(extents), known(kernel), **attributes)


# Indexing.
def indices(d, shape, extent, negative=True):
    low = -extent if negative else 0
    kind = d.pick(I32, I64)
    if extent == 0:
        return np.zeros(tuple(shape[:-1]) + (0,) if shape else (0,), kind)
    return d.ints(shape, I64, low, extent).astype(kind)


def gather(d):
    shape = d.shape(1)
    axis = d.axis(len(shape))
    return Form("Gather", d.any(shape), indices(d, d.shape(0, 2), shape[axis], d.opset >= 11),
                axis=d.maybe(axis) if axis == 0 else axis)


def gather_elements(d):
    shape = d.shape(1)
    axis = d.axis(len(shape))
    to = [min(e, d.extent()) for e in shape]
    to[axis] = d.extent() if shape[axis] else 0
    return Form("GatherElements", d.any(shape), indices(d, tuple(to), shape[axis]), axis=axis)


def gather_nd(d):
    shape = d.shape(1)
    batch = d.below(min(len(shape), 2)) if d.opset >= 12 else 0
    depth = 1 + d.below(len(shape) - batch)
    rows = shape[:batch] + d.shape(0, 2) if batch else d.shape(0, 2)
    ends = shape[batch:batch + depth]
    if 0 in ends:
        rows = rows[:batch] + (0,)
    places = np.stack([d.ints(rows, I64, -max(e, 1), max(e, 1)) for e in ends], -1)
    return Form("GatherND", d.any(shape), places, batch_dims=batch or None)


def scatter_elements(d):
    shape = d.shape(1)
    axis = d.axis(len(shape))
    to = [min(e, d.extent()) for e in shape]
    rule = d.pick("none", "add", "mul", "max", "min") if d.opset >= 18 else \
        d.pick("none", "add", "mul") if d.opset >= 16 else None
    to[axis] = min(d.extent(), shape[axis])
    x = d.number(shape, d.pick(F32, F32, I32))
    if rule in (None, "none") or d.chance():
        one = np.argsort(d.random.random(tuple(to[:axis % len(shape)]) + (shape[axis],) + tuple(
            to[axis % len(shape) + 1:])), axis)
        index = np.take(one, np.arange(to[axis]), axis)
    else:
        index = indices(d, tuple(to), shape[axis])
    return Form("ScatterElements", x, index.reshape(to), d.number(to, x.dtype), axis=axis,
                reduction=d.maybe(rule, 0.9))


def scatter_nd(d):
    shape = d.shape(1)
    rule = d.pick("none", "add", "mul", "max", "min") if d.opset >= 18 else \
        d.pick("none", "add", "mul") if d.opset >= 16 else None
    depth = 1 + d.below(len(shape))
    cells = int(np.prod(shape[:depth]))
    count = d.below(cells + 1)
    flat = d.random.permutation(cells)[:count]
    places = np.stack(np.unravel_index(flat, shape[:depth]), -1) if cells else \
        np.zeros((0, depth), I64)
    x = d.number(shape, d.pick(F32, F32, I32))
    return Form("ScatterND", x, places.astype(I64), d.number((count,) + shape[depth:], x.dtype),
                reduction=d.maybe(rule))


def one_hot(d):
    shape = d.shape(1, 3)
    depth = d.pick(1, 2, 5)
    x = d.ints(shape, d.pick(I32, I64), -depth, depth)
    kind = d.pick(F32, I32, I64)
    return Form("OneHot", x, known(depth), np.asarray([2, 5], kind),
                axis=d.maybe(int(d.random.integers(-len(shape) - 1, len(shape) + 1))))


def compress(d):
    shape = d.shape(1)
    axis = d.maybe(d.axis(len(shape)))
    count = int(np.prod(shape)) if axis is None else shape[axis]
    return Form("Compress", d.floats(shape), known(d.bools((d.below(count + 1),)), bool), axis=axis)


def nonzeros(d):
    return Form("NonZero", known(d.ints(d.shape(), I32, -1, 2), d.pick(F32, I32, bool)))


def reverse_sequence(d):
    shape = (d.pick(1, 2, 3, 5), d.pick(1, 2, 3)) + d.shape(0, 2)
    time = d.below(2)
    lengths = d.ints((shape[1 - time],), I64, 1, shape[time] + 1)
    return Form("ReverseSequence", d.any(shape), lengths, time_axis=time, batch_axis=1 - time)


def range_of(d):
    kind = d.pick(F32, I32, I64)
    start, step = d.below(9) - 4, d.pick(1, 2, 3, -1, -2)
    return Form("Range", known(start, kind), known(start + d.below(15) - 7, kind), known(step, kind))


def constant_of_shape(d):
    value = d.maybe(numpy_helper.from_array(np.asarray([d.pick(0, 3)], d.pick(F32, I32, I64))))
    return Form("ConstantOfShape", known(np.asarray(d.shape(), I64)), value=value)


def eye_like(d):
    return Form("EyeLike", d.any(d.shape(2, 2)), k=d.maybe(d.pick(-9, -1, 0, 1, 9)),
                dtype=d.maybe(d.pick(1, 6, 7)))


def resize(d):
    dims = d.pick(1, 2, 2)
    shape = (d.pick(1, 2), d.pick(1, 2)) + tuple(d.pick(1, 2, 3, 5) for _ in range(dims))
    mode = d.pick("nearest", "linear", "cubic")
    if mode == "cubic":
        shape = shape[:2] + tuple(d.pick(1, 2, 3, 5) for _ in range(2))
    modes = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"]
    if d.opset >= 19:
        modes.append("half_pixel_symmetric")
    more = {"mode": mode, "coordinate_transformation_mode": d.pick(*modes)}
    if mode == "nearest":
        more["nearest_mode"] = d.maybe(d.pick("floor", "ceil", "round_prefer_floor",
                                              "round_prefer_ceil"))
    if mode == "cubic":
        more["cubic_coeff_a"] = d.maybe(-0.5)
        more["exclude_outside"] = d.maybe(d.below(2))
    if d.opset >= 18 and mode != "nearest":
        more["antialias"] = d.maybe(d.below(2), 0.3)
    roi = None if d.opset >= 13 else known([], F32)
    if d.opset >= 18 and d.chance(0.4):  # of the field only
        policy = d.maybe(d.pick("stretch", "not_larger", "not_smaller"))
        from_end = policy is None and d.chance()  # with a policy ONNX Runtime errs
        axes = [i - (len(shape) if from_end else 0) for i in range(2, len(shape))]
        return Form("Resize", d.floats(shape), None, None,
                    known([d.pick(1, 2, 3, 6) for _ in axes]), axes=axes, atol=1e-4,
                    keep_aspect_ratio_policy=policy, **more)
    if d.chance():
        return Form("Resize", d.floats(shape), roi,
                    known([1, 1] + [d.pick(0.5, 1, 1.5, 2, 3) for _ in shape[2:]], F32),
                    atol=1e-4, **more)
    sizes = list(shape[:2]) + [d.pick(1, 2, 3, 6) for _ in shape[2:]]
    return Form("Resize", d.floats(shape), roi, None if d.opset >= 13 else known([], F32),
                known(sizes), atol=1e-4, **more)


def grid_sample(d):
    n = d.pick(1, 2)
    names = ("linear", "nearest", "cubic") if d.opset >= 20 else ("bilinear", "nearest", "bicubic")
    return Form("GridSample", d.floats((n, d.pick(1, 2), d.pick(1, 2, 4), d.pick(1, 3))),
                d.floats((n, d.pick(1, 2), d.pick(1, 3), 2)) * F32(0.6), mode=d.pick(*names),
                padding_mode=d.pick("zeros", "border", "reflection"), align_corners=d.below(2),
                rtol=1e-3, atol=1e-3)


def roi_align(d):
    n, rois = d.pick(1, 2), d.pick(0, 1, 3)
    boxes = np.sort(np.abs(d.floats((rois, 2, 2))) * 3, 1).reshape(rois, 4)
    return Form("RoiAlign", d.floats((n, d.pick(1, 2), 5, 4)), boxes.astype(F32),
                d.ints((rois,), I64, 0, n), output_height=d.pick(1, 2), output_width=d.pick(1, 3),
                sampling_ratio=d.pick(1, 2), mode=d.pick("avg", "max"),
                coordinate_transformation_mode=d.pick("half_pixel", "output_half_pixel")
                if d.opset >= 16 else None)


def nms(d):
    n, boxes, classes = d.pick(1, 2), d.pick(0, 1, 4), d.pick(1, 2)
    corners = np.sort(d.floats((n, boxes, 2, 2)), 2).reshape(n, boxes, 4)
    return Form("NonMaxSuppression", known(corners, F32),
                known(d.random.random((n, classes, boxes)), F32),
                d.maybe(known([d.pick(0, 1, 3)])), d.maybe(known([0.4], F32)),
                d.maybe(known([0.3], F32)), center_point_box=d.maybe(0))


def max_unpool(d):
    n, c, h, w = d.pick(1, 2), d.pick(1, 2), d.pick(1, 2, 3), d.pick(1, 2)
    k = [d.pick(1, 2), d.pick(1, 2)]
    out = (n, c, h * k[0], w * k[1])
    flat = np.arange(int(np.prod(out))).reshape(out)[:, :, ::k[0], ::k[1]]
    return Form("MaxUnpool", d.floats((n, c, h, w)), flat, kernel_shape=k, strides=k)


# Quantization.
def quantize(d):
    shape = d.shape()
    kind = d.pick(np.uint8, np.int8)
    many = d.opset >= 13 and len(shape) and d.chance()
    axis = d.axis(len(shape)) if many else None
    size = (shape[axis],) if many else ()
    return Form("QuantizeLinear", d.floats(shape), d.positive(size),
                d.ints(size, kind) if d.chance(0.7) or kind == np.int8 else None,
                axis=axis, near=1)


def dequantize(d):
    shape = d.shape()
    kind = d.pick(np.uint8, np.int8, I32)
    many = d.opset >= 13 and len(shape) and d.chance()
    axis = d.axis(len(shape)) if many else None
    size = (shape[axis],) if many else ()
    return Form("DequantizeLinear", d.ints(shape, kind), d.positive(size),
                d.maybe(np.zeros(size, kind) if kind == I32 else d.ints(size, kind)), axis=axis)


def dynamic_quantize(d):
    return Form("DynamicQuantizeLinear", d.floats(d.shape(1)), results=3, near=1)


def matmul_integer(d):
    n, k, m = d.extent(), d.extent(), d.extent()
    kind = d.pick(np.uint8, np.int8)
    return Form("MatMulInteger", d.ints((n, k), kind), d.ints((k, m), kind),
                d.maybe(np.asarray(5, kind)), d.maybe(d.ints(d.pick((), (m,)), kind)))


def q_matmul(d):
    n, k, m = d.extent(), d.extent(), d.extent()
    kind = d.pick(np.uint8, np.int8)
    scalar = lambda: np.asarray(d.positive(()), F32)
    return Form("QLinearMatMul", d.ints((n, k), kind), scalar(), np.asarray(3, kind),
                d.ints((k, m), kind), scalar(), np.asarray(2, kind), scalar() * F32(9),
                np.asarray(5, kind), near=1)


def q_conv(d):
    f = conv("Conv")(d)
    x, w = f.inputs[:2]
    bias = d.maybe(d.ints((w.shape[0],), I32, -50, 50))
    kind = np.uint8
    return Form("QLinearConv", d.ints(x.shape, kind, 0, 99), np.asarray(0.1, F32),
                np.asarray(3, kind), d.ints(w.shape, kind, 0, 99), np.asarray(0.1, F32),
                np.asarray(2, kind), np.asarray(0.7, F32), np.asarray(5, kind), bias, near=1,
                **{k: v for k, v in f.attributes.items()})


# Recurrent layers.
def recurrent(op, gates):
    def form(d):
        steps, n, size, hidden = d.pick(1, 1, 2, 4), d.pick(1, 2), d.pick(1, 3), d.pick(1, 2)
        direction = d.pick(None, "forward", "reverse", "bidirectional")
        ways = 2 if direction == "bidirectional" else 1
        bias = d.maybe(d.floats((ways, 2 * gates * hidden)))
        lengths = d.maybe(d.ints((n,), I32, 1, steps + 1), 0.4)
        state = d.maybe(d.floats((ways, n, hidden)))
        more = []
        if op == "LSTM":
            more = [d.maybe(d.floats((ways, n, hidden))),
                    d.maybe(d.floats((ways, 3 * hidden)), 0.3)]
        attributes = {"hidden_size": hidden, "direction": direction}
        if op == "GRU":
            attributes["linear_before_reset"] = d.maybe(d.below(2))
        if d.chance(0.2):
            attributes["clip"] = 0.5
        return Form(op, d.floats((steps, n, size)), d.floats((ways, gates * hidden, size)),
                    d.floats((ways, gates * hidden, hidden)), bias, lengths, state, *more,
                    results=3 if op == "LSTM" else 2, **attributes)
    return form


# Newer operators.
def attention(d):
    n, heads, share, q, k, size, v = (d.pick(1, 2), d.pick(1, 2), d.pick(1, 1, 2), d.pick(1, 3),
                                      d.pick(1, 4), d.pick(1, 2, 4), d.pick(1, 3))
    past = d.pick(0, 0, 2)
    mask = d.pick(None, "bool", "float")
    total = past + k
    mask = mask and (d.bools((q, total)) | (np.arange(total) == 0) if mask == "bool"
                     else d.floats((q, total)))
    state = [d.floats((n, heads, past, size)), d.floats((n, heads, past, v))] if past else []
    return Form("Attention", d.floats((n, heads * share, q, size)), d.floats((n, heads, k, size)),
                d.floats((n, heads, k, v)), mask, *state, results=3 if past else 1,
                is_causal=d.maybe(d.below(2)), scale=d.maybe(0.3), softcap=d.maybe(2.0, 0.3))


def rms_norm(d):
    return layer_norm("RMSNormalization")(d)


def rotary(d):
    n, heads, s, half = d.pick(1, 2), d.pick(1, 2), d.pick(1, 3), d.pick(1, 2)
    return Form("RotaryEmbedding", d.floats((n, heads, s, 2 * half)), d.floats((n, s, half)),
                d.floats((n, s, half)), interleaved=d.maybe(d.below(2)))


def tensor_scatter(d):
    n, length, size = d.pick(1, 2), d.pick(1, 2, 4), d.pick(1, 3)
    count = 1 + d.below(length)
    return Form("TensorScatter", d.floats((n, 2, length, size)), d.floats((n, 2, count, size)),
                d.maybe(d.ints((n,), I64, 0, length - count + 1)), axis=d.maybe(-2))


def dft(d):
    n, length = d.pick(1, 2), d.pick(1, 2, 3, 8)
    inverse = d.maybe(d.below(2))
    x = d.floats((n, length, 2 if inverse else d.pick(1, 2)))
    onesided = d.maybe(1, 0.3) if not inverse and x.shape[-1] == 1 else None
    size = d.maybe(known(d.pick(1, 2, 4, 9)))
    if d.opset >= 20:
        return Form("DFT", x, size, known(1), inverse=inverse, onesided=onesided, atol=1e-4)
    return Form("DFT", x, size, axis=1, inverse=inverse, onesided=onesided, atol=1e-4)


def stft(d):
    length = d.pick(8, 11)
    frame = d.pick(2, 4, 5)
    return Form("STFT", d.floats((d.pick(1, 2), length, 1)), known(d.pick(1, 2, 3)),
                d.maybe(d.floats((frame,))), known(frame), onesided=d.maybe(d.below(2)), atol=1e-4)


def mel(d):
    return Form("MelWeightMatrix", known(d.pick(1, 4, 8)), known(d.pick(16, 64)), known(8192),
                known(d.pick(0.0, 10.0), F32), known(4000.0, F32))


def affine_grid(d):
    n, dims = d.pick(1, 2), d.pick(2, 3)  # one element aligned with both corners is undefined
    return Form("AffineGrid", d.floats((n, dims, dims + 1)),
                known([n, 2] + [d.pick(2, 3) for _ in range(dims)]),
                align_corners=d.maybe(d.below(2)))


def gelu(d):
    return Form("Gelu", d.floats(d.shape()), approximate=d.maybe(d.pick("none", "tanh")))


def shape_of(d):
    shape = d.shape()
    start = d.maybe(d.below(9) - 4) if d.opset >= 15 else None
    return Form("Shape", d.any(shape), start=start,
                end=d.maybe(d.below(9) - 4) if d.opset >= 15 else None)


def upsample(d):
    return Form("Upsample", d.floats((1, 2, d.pick(1, 2), d.pick(1, 3))),
                known([1, 1, d.pick(1, 2), d.pick(1, 2, 3)], F32), mode=d.pick("nearest", "linear"))


# Control flow.
def info(name, kind, shape):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)),
                                         shape)


def loop(d):
    """The state is doubled, shifted by the round's number; of each round there is a result."""
    shape, rounds = d.shape(0, 2), d.pick(0, 0, 1, 3)
    nodes = [helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
             helper.make_node("Add", ["x", "x"], ["t"]), helper.make_node("Add", ["t", "f"], ["y"]),
             helper.make_node("Identity", ["y"], ["each"]),
             helper.make_node("Identity", ["c"], ["go"])]
    body = helper.make_graph(
        nodes, "body", [info("i", I64, ()), info("c", bool, ()), info("x", F32, shape)],
        [info("go", bool, ()), info("y", F32, shape), info("each", F32, shape)])
    condition = d.pick(None, known(True, bool), known(d.chance(), bool), np.asarray(d.chance()))
    return Form("Loop", d.pick(known(rounds), np.asarray(rounds)), condition,
                d.floats(shape), results=2, body=body)


def scan(d):
    """Running sums."""
    shape = list(d.shape(1, 2))
    axis = d.axis(len(shape))
    shape[axis] = d.pick(1, 2, 4)
    one = tuple(e for i, e in enumerate(shape) if i != axis % len(shape))
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "x"], ["t"]), helper.make_node("Identity", ["t"], ["y"])],
        "body", [info("s", F32, one), info("x", F32, one)],
        [info("t", F32, one), info("y", F32, one)])
    more = {"scan_input_axes": [axis]} if axis or d.chance() else {}
    return Form("Scan", d.floats(one), d.floats(shape), results=2, num_scan_inputs=1, body=body,
                scan_input_directions=d.maybe([d.below(2)]),
                scan_output_directions=d.maybe([d.below(2)]), **more)


def branches(d):
    shape = d.shape()

    def branch(name, value):
        constant = numpy_helper.from_array(np.asarray(value), name + "_k")
        return helper.make_graph([helper.make_node("Neg", [name + "_k"], [name])], name, [],
                                 [info(name, F32, shape)], [constant])
    condition = d.pick(known(d.chance(), bool), np.asarray(d.chance()), np.asarray([d.chance()]))
    return Form("If", condition, then_branch=branch("a", d.floats(shape)),
                else_branch=branch("b", d.floats(shape)))


# Machine learning.
def ml(op, **attributes):
    def form(d):
        x = d.floats((d.extent(), 3))
        return Form(op, x, domain="ai.onnx.ml",
                    **{k: v(d) if callable(v) else v for k, v in attributes.items()})
    return form


def array_feature(d):
    size = d.pick(1, 4)
    return Form("ArrayFeatureExtractor", d.floats((d.extent(), size)),
                d.ints((1, d.pick(1, 3)), I64, 0, size), domain="ai.onnx.ml")


FLOAT = ["Abs", "Neg", "Sign", "Ceil", "Floor", "Exp", "Sin", "Cos", "Tanh", "Sigmoid", "Erf",
         "Softsign", "Softplus", "Atan", "Sinh", "Cosh", "Asinh", "HardSwish", "Mish", "Round",
         "Identity", "Relu"]
TABLE = {
    **{op: unary(op) for op in FLOAT},
    "IsNaN": unary("IsNaN"), "IsInf": unary("IsInf", Draw.floats),
    **{op: unary(op, alpha=alpha) for op in ("Elu", "LeakyRelu", "ThresholdedRelu")},
    **{op: unary(op, lambda d, s: d.number(s)) for op in ("Abs", "Neg", "Sign")},
    "Relu": unary("Relu", lambda d, s: d.number(s, d.pick(F32, F16, I32) if d.opset > 13 else F32)),
    "Size": unary("Size", Draw.any), "Identity": unary("Identity", Draw.any),
    "Celu": unary("Celu", Draw.floats, alpha=lambda d: d.maybe(0.7)),
    "Selu": unary("Selu", alpha=alpha, gamma=alpha),
    "HardSigmoid": unary("HardSigmoid", alpha=lambda d: d.maybe(0.3), beta=alpha),
    "Shrink": unary("Shrink", bias=alpha, lambd=lambda d: d.maybe(0.4)),
    "Swish": unary("Swish", alpha=alpha),
    "Log": unary("Log", Draw.positive), "Sqrt": unary("Sqrt", Draw.positive),
    "Reciprocal": unary("Reciprocal", Draw.positive), "Tan": unary("Tan", within(-1.4, 1.4)),
    "Asin": unary("Asin", within(-1, 1)), "Acos": unary("Acos", within(-1, 1)),
    "Atanh": unary("Atanh", within(-0.99, 0.99)), "Acosh": unary("Acosh", within(1, 9)),
    "Not": unary("Not", Draw.bools), "BitwiseNot": unary("BitwiseNot", lambda d, s: d.ints(
        s, d.pick(*INTEGERS))),
    "Add": binary("Add"), "Sub": binary("Sub"), "Mul": binary("Mul"),
    "Div": binary("Div", nonzero), "Mod": modulo, "Pow": power, "BitShift": shift,
    "And": binary("And", Draw.bools), "Or": binary("Or", Draw.bools),
    "Xor": binary("Xor", Draw.bools), "Equal": equal,
    **{op: binary(op) for op in ("Less", "LessOrEqual", "Greater", "GreaterOrEqual")},
    **{op: binary(op, lambda d, s: d.ints(s, d.pick(*INTEGERS)))
       for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")},
    **{op: variadic(op) for op in ("Sum", "Mean", "Max", "Min")},
    "Clip": clip, "Cast": cast, "Where": where, "PRelu": prelu, "Gelu": gelu,
    "CastLike": lambda d: Form("CastLike", d.number(d.shape()), d.number(d.shape())),
    **{op: reduction(op) for op in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                                    "ReduceL2", "ReduceSumSquare", "ReduceMean")},
    "ReduceLogSum": reduction("ReduceLogSum", positive=True),
    "ReduceLogSumExp": reduction("ReduceLogSumExp", integers=False),
    "ArgMax": arg("ArgMax"), "ArgMin": arg("ArgMin"), "CumSum": cumulative("CumSum"),
    "CumProd": cumulative("CumProd"), "TopK": top_k, "Unique": unique,
    **{op: softmax(op) for op in ("Softmax", "LogSoftmax", "Hardmax")},
    "MatMul": matmul, "Gemm": gemm, "Einsum": einsum, "Det": det, "Conv": conv("Conv"),
    "ConvTranspose": conv("ConvTranspose"), "ConvInteger": conv("ConvInteger"),
    "DeformConv": deform_conv,
    **{op: pool(op) for op in ("MaxPool", "AveragePool", "LpPool")},
    **{op: global_pool(op) for op in ("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool")},
    "BatchNormalization": batch_norm, "InstanceNormalization": instance_norm,
    "LayerNormalization": layer_norm("LayerNormalization"), "RMSNormalization": rms_norm,
    "GroupNormalization": group_norm, "LRN": lrn, "LpNormalization": lp_norm, "Dropout": dropout,
    "MeanVarianceNormalization": lambda d: Form("MeanVarianceNormalization", d.floats(
        (d.pick(1, 2), 2, d.pick(1, 2, 3), d.pick(2, 3))), atol=1e-3),
    "Reshape": reshape, "Expand": expand, "Flatten": flatten, "Squeeze": squeeze,
    "Unsqueeze": unsqueeze, "Transpose": transpose, "Concat": concat, "Split": split,
    "Slice": slices, "Pad": pad, "Tile": tile, "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth, "CenterCropPad": crop_pad, "Trilu": trilu, "Col2Im": col2im,
    "Shape": shape_of, "Gather": gather, "GatherElements": gather_elements, "GatherND": gather_nd,
    "ScatterElements": scatter_elements, "ScatterND": scatter_nd, "OneHot": one_hot,
    "Compress": compress, "NonZero": nonzeros, "ReverseSequence": reverse_sequence,
    "Range": range_of, "ConstantOfShape": constant_of_shape, "EyeLike": eye_like,
    "Resize": resize, "GridSample": grid_sample, "RoiAlign": roi_align,
    "NonMaxSuppression": nms, "MaxUnpool": max_unpool, "QuantizeLinear": quantize,
    "DequantizeLinear": dequantize, "DynamicQuantizeLinear": dynamic_quantize,
    "MatMulInteger": matmul_integer, "QLinearMatMul": q_matmul, "QLinearConv": q_conv,
    "RNN": recurrent("RNN", 1), "GRU": recurrent("GRU", 3), "LSTM": recurrent("LSTM", 4),
    "Attention": attention, "RotaryEmbedding": rotary, "TensorScatter": tensor_scatter,
    "DFT": dft, "STFT": stft, "MelWeightMatrix": mel, "AffineGrid": affine_grid,
    "Upsample": upsample, "Loop": loop, "Scan": scan, "If": branches,
    "Scaler": ml("Scaler", offset=[0.5], scale=[2.0]),
    "Normalizer": ml("Normalizer", norm=lambda d: d.pick("MAX", "L1", "L2")),
    "Binarizer": ml("Binarizer", threshold=0.3),
    "Imputer": ml("Imputer", imputed_value_floats=[7.0], replaced_value_float=0.0),
    "LinearRegressor": ml("LinearRegressor", coefficients=[1.0, 2.0, -1.0], intercepts=[0.5]),
    "ArrayFeatureExtractor": array_feature,
}
ML = {"Scaler", "Normalizer", "Binarizer", "Imputer", "LinearRegressor", "ArrayFeatureExtractor"}
