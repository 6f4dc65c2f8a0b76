# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of graphs.

A value of the IR never changes, and a tensor of popxl may: operators whose names end with `_`
write it. So a tensor has a memory, which knows the value that it holds now, and reading a
tensor gives that. A tensor that shares the memory of another one (a view, or what such an
operator returns) says how its value follows from that of the other one and back.
"""

import collections.abc
import importlib
from typing import Any, Callable, Iterable, Optional, Tuple, Union

import numpy as np
from popart import popart_exception

from popxl import dtypes
from popxl.errors import UndefinedValue

Shape = Tuple[int, ...]

# Data of a tensor as the host has it: an array, a tensor of PyTorch (which is iterable), lists.
HostTensor = Union[np.ndarray, Iterable[Any]]
HostScalarTensor = Union[HostTensor, int, float, bool, np.generic]
host_tensor_types = [np.ndarray, collections.abc.Iterable]

# The functions that make tensors, which programs import from here, too.
_MADE_BY = {
    "constant": "variables", "graph_input": "variables", "graph_output": "variables",
    "variable": "variables", "remote_replica_sharded_variable": "sharding",
    "remote_variable": "remote_buffer", "replica_sharded_variable": "sharding",
}


def __getattr__(name: str) -> Any:
    """They need this module, and so are imported when they are asked for."""
    if name not in _MADE_BY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"popxl.{_MADE_BY[name]}"), name)


class _Memory:
    """What a tensor holds: a value of the IR, another one after each write."""

    __slots__ = ("value", "version", "input_index", "variable", "variable_name", "is_constant")

    def __init__(self, value) -> None:
        self.value = value
        self.version = 0
        self.input_index: Optional[int] = None
        # The variable of the module, and its name, which outlasts it.
        self.variable = None
        self.variable_name = ""
        self.is_constant = False


class _View:
    """How the value of a tensor follows from that of `base`, and back after a write."""

    __slots__ = ("base", "forward", "backward")

    def __init__(self, base: "Tensor", forward: Optional[Callable] = None,
                 backward: Optional[Callable] = None) -> None:
        self.base = base
        self.forward = forward
        self.backward = backward


class TensorByRef:
    """In the signature of a function that makes a graph: a tensor passed by reference."""


class TensorSpec:
    """Shape and type of a tensor that is to be."""

    def __init__(self, shape: Iterable[int], dtype: dtypes.dtype,
                 meta_shape: Optional[Iterable[int]] = None) -> None:
        self.shape = tuple(shape)
        self.dtype = dtypes.dtype.as_dtype(dtype)
        self.meta_shape = tuple(meta_shape) if meta_shape else ()

    def __repr__(self) -> str:
        meta = f", meta_shape={self.meta_shape}" if self.meta_shape else ""
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}{meta})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, TensorSpec) and (self.shape, self.dtype, self.meta_shape) == (
            other.shape, other.dtype, other.meta_shape)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype, self.meta_shape))


class Tensor:
    """A tensor of a graph; operators and contexts of popxl make them."""

    # NumPy arrays on the left leave operators to the tensor.
    __array_priority__ = 1000
    __array_ufunc__ = None

    def __init__(self) -> None:
        raise RuntimeError("popxl.Tensor cannot be constructed directly.")

    # ---- What it is -----------------------------------------------------------

    @property
    def id(self) -> str:
        """The name, with that of the graph in front where it is not the main one."""
        scope = self._graph.name
        return f"{scope}/{self._name}" if scope else self._name

    @property
    def name(self) -> str:
        """The name in the graph, with name scopes."""
        return self._name

    @property
    def scope(self) -> str:
        """The name of the graph and the name scopes."""
        return self.id.rpartition("/")[0]

    @property
    def dtype(self) -> dtypes.dtype:
        return self._dtype

    @property
    def shape(self) -> Shape:
        return self._shape

    @property
    def meta_shape(self) -> Shape:
        """The shape of the whole tensor where this is a shard of one."""
        return self._meta_shape

    @property
    def spec(self) -> TensorSpec:
        return TensorSpec(self.shape, self.dtype, self.meta_shape)

    @property
    def rank(self) -> int:
        return len(self._shape)

    @property
    def nelms(self) -> int:
        return int(np.prod(self._shape, dtype=np.int64))

    def strides(self, shape: Optional[Shape] = None) -> Shape:
        """By dimension, how many bytes lie between two neighbours, as NumPy's arrays have it."""
        shape = self._shape if shape is None else tuple(shape)
        size = self._dtype.as_numpy().itemsize
        return tuple(size * int(np.prod(shape[i + 1:], dtype=np.int64))
                     for i in range(len(shape)))

    @property
    def ipu(self) -> int:
        """The IPU that it is on; UndefinedValue where no operator has determined it."""
        if self._ipu is None:
            raise UndefinedValue("IPU is undefined. It could not be inferred for Tensor "
                                 f"'{self.id}'.")
        return self._ipu

    @property
    def tile_set(self) -> str:
        """`compute` or `io`; UndefinedValue where no operator has determined it."""
        if self._tile_set is None:
            raise UndefinedValue("Tile set is undefined. It could not be inferred for Tensor "
                                 f"'{self.id}'.")
        return self._tile_set

    @property
    def ir(self):
        return self._graph.ir

    @property
    def graph(self):
        return self._graph

    @property
    def in_sync_with_ipu(self) -> bool:
        """Whether the host has what the device has."""
        return not self._out_of_sync

    @property
    def location_info(self):
        return self._location

    @property
    def _pb_tensor(self):
        from popxl._shim import PbTensor

        return PbTensor(self)

    @classmethod
    def _from_pb_tensor(cls, pb_tensor) -> "Tensor":
        if hasattr(pb_tensor, "_tensor"):
            return pb_tensor._tensor
        from popxl import _program_ops

        return _program_ops.tensor_of(pb_tensor)

    def __repr__(self) -> str:
        return f"{type(self).__name__}[{self.id} {self.dtype} {self.shape}]"

    def __hash__(self) -> int:
        return hash((id(self._graph), self._name))

    def __eq__(self, other: Any) -> bool:
        """Whether it is the same tensor; `popxl.ops.equal` compares elements."""
        return isinstance(other, Tensor) and self is other

    def __len__(self) -> int:
        if not self._shape:
            raise ValueError("Cannot return length of scalar")
        return self._shape[0]

    # `for x in t` and `1 in t` are a TypeError: what a tensor holds is not known before the
    # program runs.
    __iter__ = None
    __contains__ = None

    def __bool__(self) -> bool:
        return True

    # ---- Operators ------------------------------------------------------------

    def _ensure_tensor(self, value: Any, dtype: Optional[dtypes.dtype] = None) -> "Tensor":
        """The tensor itself, or a constant of this tensor's type."""
        from popxl.variables import constant, to_numpy

        if isinstance(value, Tensor):
            return value
        data = to_numpy(value, dtype or self.dtype)
        if data.size == 0:
            raise ValueError("A tensor with 0 elements cannot be an operand: "
                             f"{np.shape(value)}.")
        return constant(data, dtype or self.dtype)

    def _binary(self, name: str, lhs: Any, rhs: Any) -> "Tensor":
        from popxl import ops

        try:
            lhs, rhs = self._ensure_tensor(lhs), self._ensure_tensor(rhs)
        except TypeError:
            return NotImplemented
        return getattr(ops, name)(lhs, rhs)

    def __add__(self, other: Any) -> "Tensor":
        return self._binary("add", self, other)

    def __radd__(self, other: Any) -> "Tensor":
        return self._binary("add", other, self)

    def __iadd__(self, other: Any) -> "Tensor":
        from popxl import ops

        other = self._ensure_tensor(other)
        shape = np.broadcast_shapes(self.shape, other.shape)
        if isinstance(self, Constant) or shape != self.shape:
            return ops.add(self, other)
        return ops.add_(self, other)

    def __sub__(self, other: Any) -> "Tensor":
        return self._binary("sub", self, other)

    def __rsub__(self, other: Any) -> "Tensor":
        return self._binary("sub", other, self)

    def __mul__(self, other: Any) -> "Tensor":
        return self._binary("mul", self, other)

    def __rmul__(self, other: Any) -> "Tensor":
        return self._binary("mul", other, self)

    def __truediv__(self, other: Any) -> "Tensor":
        return self._binary("div", self, other)

    def __rtruediv__(self, other: Any) -> "Tensor":
        return self._binary("div", other, self)

    def __mod__(self, other: Any) -> "Tensor":
        return self._binary("fmod", self, other)

    def __rmod__(self, other: Any) -> "Tensor":
        return self._binary("fmod", other, self)

    def __pow__(self, other: Any) -> "Tensor":
        return self._binary("pow", self, other)

    def __rpow__(self, other: Any) -> "Tensor":
        return self._binary("pow", other, self)

    def __matmul__(self, other: Any) -> "Tensor":
        return self._binary("matmul", self, other)

    def __rmatmul__(self, other: Any) -> "Tensor":
        return self._binary("matmul", other, self)

    def __and__(self, other: Any) -> "Tensor":
        return self._binary("logical_and", self, other)

    def __rand__(self, other: Any) -> "Tensor":
        return self._binary("logical_and", other, self)

    def __or__(self, other: Any) -> "Tensor":
        return self._binary("logical_or", self, other)

    def __ror__(self, other: Any) -> "Tensor":
        return self._binary("logical_or", other, self)

    def __neg__(self) -> "Tensor":
        from popxl import ops

        return ops.negate(self)

    def __invert__(self) -> "Tensor":
        from popxl import ops

        return ops.logical_not(self)

    def __getitem__(self, key: Any) -> "Tensor":
        from popxl._indexing import index

        return index(self, key)

    # ---- Methods --------------------------------------------------------------

    def copy_to_ipu(self, dst: int, src: Optional[int] = None) -> "Tensor":
        """A copy on another IPU."""
        from popxl import ops

        return ops.ipu_copy(self, dst, src)

    def transpose(self, permutation: Optional[Tuple[int, ...]] = None) -> "Tensor":
        from popxl import ops

        return ops.transpose(self, permutation)

    def transpose_(self, permutation: Optional[Tuple[int, ...]] = None) -> "Tensor":
        from popxl import ops

        return ops.transpose_(self, permutation)

    @property
    def T(self) -> "Tensor":
        return self.transpose()

    @property
    def T_(self) -> "Tensor":
        return self.transpose_()

    def reshape(self, shape: Iterable[int]) -> "Tensor":
        from popxl import ops

        return ops.reshape(self, shape)

    def reshape_(self, shape: Iterable[int]) -> "Tensor":
        from popxl import ops

        return ops.reshape_(self, shape)

    def flatten(self) -> "Tensor":
        from popxl import ops

        return ops.flatten(self)

    def flatten_(self) -> "Tensor":
        from popxl import ops

        return ops.flatten_(self)

    def detach(self) -> "Tensor":
        from popxl import ops

        return ops.detach(self)

    def detach_(self) -> "Tensor":
        from popxl import ops

        return ops.detach_(self)

    @property
    def diag(self) -> "Tensor":
        """The diagonal of a matrix; ValueError for another rank."""
        if self.rank != 2:
            raise ValueError("The tensor must be of rank 2 to get the diagonal. It is of rank "
                             f"{self.rank}.")
        from popxl import ops
        from popxl.variables import constant

        count = min(self.shape)
        rows = self.flatten()
        places = np.arange(count) * (self.shape[1] + 1)
        return ops.gather(rows, constant(places.astype(np.int32)), axis=0)

    # ---- Memory ---------------------------------------------------------------

    def _read(self):
        """The value of the IR that it holds now."""
        if self._view is None:
            return self._memory.value
        if self._version != self._memory.version:
            value = self._view.base._read()
            self._value = self._view.forward(value) if self._view.forward else value
            self._version = self._memory.version
        return self._value

    def _write(self, value) -> None:
        """Lets it hold another value, and with it all tensors of the same memory."""
        if self._view is None:
            self._graph._before_write(self)
            self._memory.value = value
            self._memory.version += 1
            self._graph._after_write(self._memory)
            return
        base = self._view.base
        if self._view.forward and not self._view.backward:
            raise popart_exception(
                f"Tensor {self.id} is written in place, which is not supported for what "
                f"shares the memory of {base.id} in this way.")
        base._write(self._view.backward(base._read(), value) if self._view.backward else value)
        self._value = value
        self._version = self._memory.version


class Variable(Tensor):
    """A tensor that keeps what it holds between runs of a session."""

    @property
    def replica_grouping(self):
        return self._grouping or self.ir.replica_grouping()

    @property
    def retrieval_mode(self) -> str:
        return self._retrieval_mode

    @property
    def shape_on_replica(self) -> Shape:
        return self._shape

    @property
    def shape_on_host(self) -> Shape:
        groups = self.replica_grouping.num_groups
        return ((groups,) if groups > 1 else ()) + self._full_shape

    @property
    def _differs_by_replica(self) -> bool:
        """True if the values of all replicas are needed for the host's."""
        return self.ir.replication_factor > 1 and (
            self._retrieval_mode == "all_replicas" or self.replica_grouping.num_groups > 1)

    @property
    def _full_shape(self) -> Shape:
        """What the replicas of a group have, together."""
        return self._shape

    @property
    def _retrieved_shape(self) -> Shape:
        """What a session gives back."""
        replicas = self.ir.replication_factor
        if self._retrieval_mode == "all_replicas" and replicas > 1:
            return (replicas,) + self._full_shape
        return self.shape_on_host

    def _on_replicas(self, host: np.ndarray) -> np.ndarray:
        """By replica, what it has of the host's data; one value where all have it."""
        grouping = self.replica_grouping
        is_retrieved = self._retrieval_mode == "all_replicas" and (
            host.shape == self._retrieved_shape)
        if is_retrieved or self.ir.replication_factor == 1:
            return host
        if grouping.num_groups == 1:
            return host
        return host[np.array(grouping.assignment)]

    def _from_replicas(self, values: np.ndarray) -> np.ndarray:
        """The opposite, of the values of all replicas."""
        if self.ir.replication_factor == 1 or self._retrieval_mode == "all_replicas":
            return values
        assignment = self.replica_grouping.assignment
        first = [assignment.index(group) for group in range(self.replica_grouping.num_groups)]
        return values[first].reshape(self.shape_on_host)


class Constant(Tensor):
    """A tensor whose elements are known and never change."""


def new_tensor(graph, name: str, value, cls: type = Tensor, memory: Optional[_Memory] = None,
               view: Optional[_View] = None, dtype: Optional[dtypes.dtype] = None) -> Tensor:
    """A tensor of a graph, of a value of the IR, with the name made unique."""
    tensor = object.__new__(cls)
    tensor._graph = graph
    tensor._name = graph._unique_name(name)
    tensor._dtype = dtype or dtypes.from_ir(value.type)
    tensor._shape = tuple(value.shape)
    tensor._meta_shape = ()
    tensor._memory = memory or (view.base._memory if view else _Memory(value))
    tensor._view = view
    tensor._value = value
    tensor._version = tensor._memory.version
    tensor._ipu = None
    tensor._tile_set = None
    tensor._out_of_sync = False
    tensor._location = None
    tensor._producer = None
    graph._add_tensor(tensor)
    return tensor
