# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emits operators: the one place through which lowerings of ATen reach PopART.

A Value is a tensor of the graph under construction with its shape and its type as torch names
them, so that lowerings can ask for both without a compiler. An Emitter has a method for each
operator that several lowerings share, and `op` for the rest:

    y = e.add(e.matmul(x, w), b)
    y = e.op("Gelu", [y])

Today it fills a popart.Builder with operators of one opset of ONNX and of ai.graphcore.
"""

import math

import numpy as np
import popart
import torch

from .errors import Error

# The opset of all operators: one with CumProd, RMSNormalization and Attention.
OPSET = 26

# torch's types that a device has: PopART's name, ONNX's number, NumPy's type.
_TYPES = {
    torch.float32: ("FLOAT", 1, np.float32),
    torch.float16: ("FLOAT16", 10, np.float16),
    torch.int32: ("INT32", 6, np.int32),
    torch.int16: ("INT16", 5, np.int16),
    torch.int8: ("INT8", 3, np.int8),
    torch.uint8: ("UINT8", 2, np.uint8),
    torch.bool: ("BOOL", 9, np.bool_),
}

# Operators that take a share of memory.
_PRODUCTS = {"MatMul", "Gemm", "Conv", "ConvTranspose", "MultiConv"}
_MEMORY = "__available_memory"
# Operators whose gradient at equal elements or at an edge is another in PopART than in torch.
_WITH_TIES = {"Max", "Min", "ReduceMax", "ReduceMin", "MaxPool", "LeakyRelu", "PRelu"}

# Settings of a MultiConv and the attributes that convolutions get from them.
_MULTI = (("availableMemoryProportions", _MEMORY), ("partialsTypes", "__partials_type"))

# Types that become narrower ones on a device.
_NARROW = {torch.int64: torch.int32, torch.float64: torch.float32, torch.bfloat16: torch.float32,
           torch.uint16: torch.int32, torch.uint32: torch.int32}


def narrow(dtype):
    """The type that a device has for a type of torch."""
    dtype = _NARROW.get(dtype, dtype)
    if dtype not in _TYPES:
        raise Error(f"tensors of type {dtype} are not supported")
    return dtype


def numpy_type(dtype):
    """NumPy's type of a tensor on the device."""
    return _TYPES[narrow(dtype)][2]


def to_numpy(tensor):
    """A torch tensor as a contiguous array of its device type; shares memory where it can."""
    dtype = narrow(tensor.dtype)
    if tensor.dtype != dtype:
        tensor = tensor.to(dtype)
    return tensor.numpy(force=True) if tensor.is_contiguous() \
        else tensor.contiguous().numpy(force=True)


class Value:
    """A tensor of the graph: its name in PopART, shape, and device type."""

    __slots__ = ("id", "shape", "dtype", "constant")

    def __init__(self, id, shape, dtype, constant=None):
        self.id = id
        self.shape = tuple(int(extent) for extent in shape)
        self.dtype = dtype
        self.constant = constant  # the array, where it is known

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def numel(self):
        return math.prod(self.shape)

    @property
    def is_float(self):
        return self.dtype.is_floating_point

    def __repr__(self):
        return f"Value({self.id}, {self.shape}, {self.dtype})"


def broadcast(*shapes):
    """The shape of an elementwise operator's result."""
    return tuple(np.broadcast_shapes(*shapes))


class Emitter:
    """Builds the model of a program."""

    def __init__(self, training=False):
        self.training = training
        self.builder = popart.Builder()
        self.root = self.builder
        self._bodies = []     # graphs around the one that operators go to now
        self._loops = []      # inputs of the loops among them
        self._finished = []   # graphs of branches that are complete
        self._closed = set()  # names of values of graphs that are complete
        self._constants = {}
        self._filled = {}     # name of a value whose elements are all one number -> the number
        self._scope = ()
        self._scopes = []
        self.out = None   # the fake results of the operator that is being lowered
        self.node = None  # its node
        self.caller = None    # the node of the model's graph that it is, or is a part of
        self.memory = None    # the share of memory for products and convolutions, if it is said
        self.module_scopes = True  # names begin with those of modules
        self._multi = None    # the number and settings of the MultiConv around the operator
        self._multi_counts = {}  # number of a MultiConv -> (settings, convolutions)
        self._products = {}   # node of the model's graph -> (kind, name) of its products

    # ---- Tensors ------------------------------------------------------------

    def input(self, name, shape, dtype, strategy=None):
        """An input of the program; with a strategy it goes through I/O tiles."""
        dtype = narrow(dtype)
        info = popart.TensorInfo(_TYPES[dtype][0], [int(extent) for extent in shape])
        settings = [] if strategy is None else [popart.InputSettings(popart.TileSet.IO, strategy)]
        return Value(self.builder.addInputTensor(info, *settings, name), shape, dtype)

    def variable(self, name, shape, dtype, settings=None, on_replica=None):
        """A variable of the program. It begins as zeros, so that a program is the same for all
        weights; they are uploaded when it is on its device. By settings for groups of replicas
        it has another shape there."""
        zeros = np.zeros(tuple(shape), numpy_type(dtype))
        variable = self.root.addInitializedInputTensor(zeros, name, settings)
        return Value(variable, shape if on_replica is None else on_replica, narrow(dtype))

    def constant(self, data, dtype=None):
        """A constant tensor."""
        if isinstance(data, torch.Tensor):
            dtype = narrow(dtype or data.dtype)
            array = to_numpy(data.to(dtype))
        else:
            array = np.asarray(data)
            if dtype is None:
                dtype = {"f": torch.float32, "b": torch.bool}.get(array.dtype.kind, torch.int32)
            dtype = narrow(dtype)
            with np.errstate(over="ignore", invalid="ignore"):
                array = np.ascontiguousarray(array.astype(_TYPES[dtype][2])).reshape(array.shape)
        key = (array.tobytes(), array.shape, dtype)
        if key not in self._constants:
            with self.outside_scopes():
                name = self.root.addInitializedInputTensor(array, "constant")
            self._constants[key] = Value(name, array.shape, dtype, array)
        return self._constants[key]

    def ints(self, values):
        """A vector of int64, as shapes and axes of operators are."""
        values = [int(value) for value in values]
        key = ("ints", tuple(values))
        if key not in self._constants:
            if values:
                name = self.root.customOp("Constant", OPSET, "ai.onnx", [],
                                           {"value_ints": values}, 1)[0]
            else:
                name = self.root.addInitializedInputTensor(np.zeros(0, np.int64), "none")
                self._constants[("none",)] = Value(name, (0,), torch.int64)
            self._constants[key] = Value(name, (len(values),), torch.int64)
        return self._constants[key]

    def as_value(self, operand, dtype):
        """A number or a tensor as a tensor of the type."""
        if isinstance(operand, Value):
            return self.cast(operand, dtype)
        return self.constant(operand, dtype)

    def full(self, shape, number, dtype):
        """A tensor whose elements are all one number."""
        value = self.expand(self.constant(number, dtype), shape)
        self._filled[value.id] = number
        return value

    def constant_of(self, value):
        """The elements of a value that is a constant, or None."""
        if value.constant is None and value.id in self._filled:
            return np.full(value.shape, self._filled[value.id], numpy_type(value.dtype))
        return value.constant

    # ---- Where operators are put --------------------------------------------

    def set_scope(self, path):
        """Operators from now on belong to the module of this path."""
        path = tuple(path)
        if path == self._scope:
            return
        while self._scopes:
            self._scopes.pop().__exit__(None, None, None)
        for name in path:
            scope = self.builder.nameScope(name)
            scope.__enter__()
            self._scopes.append(scope)
        self._scope = path

    def outside_scopes(self):
        """A context in which names get no scope."""
        return _Unscoped(self)

    # ---- Operators ----------------------------------------------------------

    def _node(self, kind, version, domain, inputs, attributes, outputs):
        names = [value.id if value is not None else "" for value in inputs]
        while names and not names[-1]:
            names.pop()
        if kind in _WITH_TIES and domain == "ai.onnx":
            attributes = {"__torch_ties": 1, **attributes}
        if kind in _PRODUCTS and self.memory is not None:
            attributes = {**attributes, _MEMORY: self.memory}
        if kind in ("Conv", "ConvTranspose") and self._multi is not None:
            attributes = {**attributes, **self._of_multi()}
        results = self.builder.customOp(kind, version, domain, names, attributes, outputs)
        if kind in _PRODUCTS:
            self._products.setdefault(self.caller, []).append((kind, results[0], self.builder))
        return results

    def in_multi(self, multi):
        """Convolutions from here on belong to a MultiConv: (number, settings), or None."""
        self._multi = multi

    def _of_multi(self):
        """Attributes of the next convolution of the MultiConv."""
        number, settings = self._multi
        _, place = self._multi_counts.setdefault(number, (settings, 0))
        self._multi_counts[number] = settings, place + 1
        attributes = {}
        for name, key in _MULTI:
            value = settings.get(name)
            if isinstance(value, list):
                value = value[place] if place < len(value) else None
            if value is not None:
                attributes[key] = value
        return attributes

    def check_multi(self):
        """An Error if a MultiConv has another number of convolutions than of settings."""
        for settings, count in self._multi_counts.values():
            for name, value in settings.items():
                if isinstance(value, list) and len(value) != count:
                    raise Error(f"MultiConv.{name} has {len(value)} values for {count} "
                                "convolutions")

    def set_memory(self, node, proportion):
        """The share of memory for the products of a node of the model's graph."""
        for _, name, builder in self._products.get(node, ()):
            if self.memory is not None:
                builder.removeNodeAttribute(_MEMORY, {name})
            builder.setAvailableMemoryProportion({name}, proportion)

    def serialize(self, node, mode, factor, keep_precision):
        """Lets the matrix products of a node be computed in parts."""
        for kind, name, builder in self._products.get(node, ()):
            if kind == "MatMul":
                builder.setSerializeMatMul({name}, mode, factor, keep_precision)

    def op(self, kind, inputs, shape=None, dtype=None, **attributes):
        """An operator of ONNX with one result, which is like the first input if not said."""
        return self._one(kind, OPSET, "ai.onnx", inputs, shape, dtype, attributes)

    def graphcore(self, kind, inputs, shape=None, dtype=None, **attributes):
        """An operator of Graphcore's domain with one result."""
        return self._one(kind, 1, "ai.graphcore", inputs, shape, dtype, attributes)

    def _one(self, kind, version, domain, inputs, shape, dtype, attributes):
        name = self._node(kind, version, domain, inputs, attributes, 1)[0]
        return Value(name, inputs[0].shape if shape is None else shape, dtype or inputs[0].dtype)

    def ops(self, kind, inputs, results, domain="ai.onnx", **attributes):
        """An operator with several results: (shape, type) for each."""
        version = OPSET if domain == "ai.onnx" else 1
        names = self._node(kind, version, domain, inputs, attributes, len(results))
        return [Value(name, shape, narrow(dtype))
                for name, (shape, dtype) in zip(names, results)]

    def cast(self, x, dtype):
        dtype = narrow(dtype)
        if x.dtype == dtype:
            return x
        if x.constant is not None:
            return self.constant(x.constant, dtype)
        if dtype == torch.bool:
            return self.op("Not", [self.op("Equal", [x, self.constant(0, x.dtype)], x.shape,
                                           torch.bool)])
        return self.op("Cast", [x], dtype=dtype, to=_TYPES[dtype][1])

    def binary(self, kind, a, b, dtype=None):
        return self.op(kind, [a, b], broadcast(a.shape, b.shape), dtype or a.dtype)

    def add(self, a, b):
        return self.binary("Add", a, b)

    def sub(self, a, b):
        return self.binary("Sub", a, b)

    def mul(self, a, b):
        return self.binary("Mul", a, b)

    def div(self, a, b):
        return self.binary("Div", a, b)

    def scaled(self, x, factor):
        """x times a number."""
        return x if factor == 1 else self.mul(x, self.constant(factor, x.dtype))

    def shifted(self, x, term):
        """x plus a number."""
        return x if term == 0 else self.add(x, self.constant(term, x.dtype))

    def compare(self, kind, a, b):
        return self.binary(kind, a, b, torch.bool)

    def logical_not(self, x):
        return self.op("Not", [x], dtype=torch.bool)

    def where(self, condition, a, b):
        return self.op("Where", [condition, a, b],
                       broadcast(condition.shape, a.shape, b.shape), a.dtype)

    def reshape(self, x, shape):
        shape = tuple(int(extent) for extent in shape)
        if shape == x.shape:
            return x
        if x.constant is not None and x.numel < 4096:
            return self.constant(x.constant.reshape(shape), x.dtype)
        return self.op("Reshape", [x, self.ints(shape)], shape, allowzero=1)

    def transpose(self, x, perm):
        perm = [int(axis) % max(x.ndim, 1) for axis in perm]
        if perm == list(range(x.ndim)):
            return x
        return self.op("Transpose", [x], [x.shape[axis] for axis in perm], perm=perm)

    def move(self, x, source, target):
        """x with one axis moved to another place."""
        axes = list(range(x.ndim))
        axis = axes.pop(source % x.ndim)
        axes.insert(target % x.ndim, axis)
        return self.transpose(x, axes)

    def expand(self, x, shape):
        shape = tuple(int(extent) for extent in shape)
        if shape == x.shape:
            return x
        return self.op("Expand", [x, self.ints(shape)], shape)

    def unsqueeze(self, x, axis):
        axis %= x.ndim + 1
        return self.reshape(x, (*x.shape[:axis], 1, *x.shape[axis:]))

    def squeeze(self, x, axis):
        axis %= x.ndim
        return self.reshape(x, (*x.shape[:axis], *x.shape[axis + 1:]))

    def concat(self, values, axis):
        if len(values) == 1:
            return values[0]
        axis %= values[0].ndim
        shape = list(values[0].shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        return self.op("Concat", values, shape, axis=axis)

    def slice(self, x, axis, start, end, step=1):
        """x[..., start:end:step, ...] along an axis, with 0 <= start <= end <= extent."""
        axis %= x.ndim
        if (start, end, step) == (0, x.shape[axis], 1):
            return x
        shape = list(x.shape)
        shape[axis] = max(0, -(-(end - start) // step))
        return self.op("Slice", [x, self.ints([start]), self.ints([end]), self.ints([axis]),
                                 self.ints([step])], shape)

    def reduce(self, kind, x, axes=None, keepdims=False):
        """Reduces axes (all, if none are given) by Sum, Mean, Max, Min, Prod, L1, L2 …"""
        axes = sorted(axis % x.ndim for axis in (range(x.ndim) if axes is None else axes))
        if not axes:
            return x
        shape = [1 if axis in axes else extent for axis, extent in enumerate(x.shape)
                 if keepdims or axis not in axes]
        return self.op(f"Reduce{kind}", [x, self.ints(axes)], shape, keepdims=int(keepdims))

    def matmul(self, a, b):
        rows = a.shape[-2:-1] if a.ndim > 1 else ()
        columns = b.shape[-1:] if b.ndim > 1 else ()
        shape = (*broadcast(a.shape[:-2], b.shape[:-2]), *rows, *columns)
        if not a.is_float:
            return self._integer_matmul(a, b)
        return self.op("MatMul", [a, b], shape)

    def _integer_matmul(self, a, b):
        """A sum of elementwise products: matrix units have no integers."""
        if b.ndim == 1:
            return self.reduce("Sum", self.mul(a, b), [-1])
        if a.ndim == 1:
            return self.reduce("Sum", self.mul(self.unsqueeze(a, 1), b), [-2])
        product = self.mul(self.unsqueeze(a, a.ndim), self.unsqueeze(b, b.ndim - 2))
        return self.reduce("Sum", product, [-2])

    def gather(self, x, indices, axis=0):
        """Rows of an axis by their numbers, 0 <= number < extent."""
        axis %= x.ndim
        return self.op("Gather", [x, indices],
                       (*x.shape[:axis], *indices.shape, *x.shape[axis + 1:]), axis=axis)

    def pad(self, x, pads, value=0.0, mode="constant"):
        """Pads by (begin, end) of each axis; negative numbers crop."""
        shape = [extent + sum(pair) for extent, pair in zip(x.shape, pads)]
        amounts = [begin for begin, _ in pads] + [end for _, end in pads]
        if not any(amounts):
            return x
        operands = [x, self.ints(amounts)]
        if mode == "constant":
            operands.append(self.constant(value, x.dtype))
        return self.op("Pad", operands, shape, mode=mode)

    def detach(self, x):
        """x, whose gradient is not wanted."""
        return self.graphcore("Detach", [x]) if x.is_float and self.training else x

    def identity(self, x):
        return self.op("Identity", [x])

    def identity_loss(self, x, reduction):
        """Marks a loss; the reduction is Sum, Mean or NoReduction."""
        shape = x.shape if reduction == "NoReduction" else ()
        return self.graphcore("IdentityLoss", [x], shape, reduction=reduction)

    def checkpoint(self, x):
        """x, which the forward pass keeps where it recomputes others."""
        kept = int(popart.RecomputeType.Checkpoint.value)
        return self.graphcore("Nop", [x], __recompute_output_in_backward_pass=kept)

    def unsigned(self, x):
        """x as UINT32, which some operators of Graphcore's domain take; for their inputs only."""
        name = self._node("Cast", OPSET, "ai.onnx", [x], {"to": 12}, 1)[0]
        return Value(name, x.shape, x.dtype)

    def signed(self, x):
        """A UINT32 that an operator returns as INT32."""
        name = self._node("Cast", OPSET, "ai.onnx", [x], {"to": 6}, 1)[0]
        return Value(name, x.shape, torch.int32)

    def wide_index(self, x):
        """x as INT64, which some operators of ONNX demand of indices."""
        name = self._node("Cast", OPSET, "ai.onnx", [x], {"to": 7}, 1)[0]
        return Value(name, x.shape, torch.int64)

    def custom(self, kind, domain, version, inputs, results, attributes):
        """An operator of a domain of the user."""
        names = self._node(kind, version, domain, inputs, attributes, len(results))
        return [Value(name, shape, dtype) for name, (shape, dtype) in zip(names, results)]

    def update(self, variable, value):
        """Writes a variable."""
        return self.graphcore("CopyVarUpdate", [variable, value])

    # ---- Loops and branches -------------------------------------------------

    def begin_body(self):
        """Operators from here on go to a graph inside the one that they went to."""
        self.set_scope(())
        self._bodies.append(self.builder)
        self.builder = self.builder.createSubgraphBuilder()

    def end_body(self, results):
        """Operators go to the outer graph again."""
        names = [self.identity(value).id for value in results]
        self.set_scope(())
        for name in names:
            self.builder.addOutputTensor(name)
        self._finished.append(self.builder)
        self._closed.update(self.builder.getValueTensorIds())
        self.builder = self._bodies.pop()

    def loop_inputs(self, values):
        """What each iteration of a loop begins with; the first one with these values."""
        def add(kind, shape):
            return self.builder.addInputTensor(popart.TensorInfo(kind, list(shape)), "carried")

        add("INT64", ())  # the number of the iteration
        self.builder.addOutputTensor(add("BOOL", ()))  # it always goes on
        self._loops.append(values)
        inputs = [Value(add(_TYPES[v.dtype][0], v.shape), v.shape, v.dtype) for v in values]
        self._closed.update(value.id for value in inputs)
        return inputs

    def loop(self, count, results):
        """Ends the body of a loop, which runs `count` times."""
        self.end_body(results)
        times = self.root.customOp("Constant", OPSET, "ai.onnx", [], {"value_int": count}, 1)[0]
        carried = [Value(times, (), torch.int64), self.constant(True, torch.bool),
                   *self._loops.pop()]
        return self._nested("Loop", carried, {"body": self._finished.pop()}, results)

    def branches(self, condition, results):
        """Ends the second of two bodies, of which a condition chooses one."""
        self.end_body(results)
        graphs = {"else_branch": self._finished.pop(), "then_branch": self._finished.pop()}
        return self._nested("If", [condition], graphs, results)

    def _nested(self, kind, inputs, graphs, results):
        names = self._node(kind, OPSET, "ai.onnx", inputs, graphs, len(results))
        return [Value(name, value.shape, value.dtype) for name, value in zip(names, results)]

    @property
    def has_bodies(self):
        """True if there are loops or branches."""
        return bool(self._closed)

    def check_visible(self, value):
        """An Error if a value was made in a body, and comes out of it in another way than as one
        of its results."""
        if value.id in self._closed and not self._bodies:
            raise Error("A tensor that the body of poptorch.for_loop or poptorch.cond makes is "
                        "used outside of it: return it from the body")

    # ---- The model ----------------------------------------------------------

    def model(self):
        """The model as bytes."""
        self.set_scope(())
        names = [value.id for key, value in self._constants.items() if key[0] != "ints"]
        transformer = popart.GraphTransformer(self.builder.getModelProto())
        transformer.convertInitializersToConstants(names)
        return transformer.getModelProto()


class _Unscoped:
    """Leaves the emitter's scopes for a while."""

    def __init__(self, emitter):
        self._emitter = emitter

    def __enter__(self):
        self._path = self._emitter._scope
        self._emitter.set_scope(())

    def __exit__(self, *_):
        self._emitter.set_scope(self._path)
