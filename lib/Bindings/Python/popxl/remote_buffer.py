# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffers outside of the tiles, and variables that are kept there."""

from typing import Any, Iterable, Optional, Tuple

import numpy as np
from popart import popart_exception

from popxl import context, dtypes
from popxl.graph import _of_first_group
from popxl.tensor import Tensor, Variable
from popxl.variables import _checked_data, checked_retrieval


def _read_only(name: str, doc: str) -> property:
    """Programs compare the text of the error, which is that of older versions of Python."""
    def refuse(_self: Any, _value: Any) -> None:
        raise AttributeError(f"can't set attribute '{name}'")

    return property(lambda self: getattr(self, f"_{name}"), refuse, doc=doc)


class RemoteBuffer:
    """Entries of one shape and type, in the current Ir. Operators of the device load and store
    them."""

    def __init__(self, tensor_shape: Iterable[int], tensor_dtype: dtypes.dtype,
                 entries: int = 1) -> None:
        ir = context.get_ir()
        ir._check_open()
        self._ir = ir
        self._remote_buffer_id = len(ir._remote_buffers) + 1
        self._tensor_shape = tuple(tensor_shape)
        self._tensor_dtype = dtypes.dtype.as_dtype(tensor_dtype)
        self._meta_shape: Tuple[int, ...] = ()
        self.entries = entries
        self._core = None
        self._core_name = f"remote_buffer/{self._remote_buffer_id}"
        # By number of the entry, the variable that is there.
        self._variables: dict = {}
        ir._remote_buffers.append(self)

    remote_buffer_id = _read_only("remote_buffer_id", "The number of the buffer, from 1 on.")
    tensor_shape = _read_only("tensor_shape", "The shape of an entry.")
    tensor_dtype = _read_only("tensor_dtype", "The type of an entry.")
    meta_shape = _read_only("meta_shape", "The shape of a whole tensor of which entries are shards.")

    @property
    def entries(self) -> int:
        return self._entries

    @entries.setter
    def entries(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
            raise ValueError(f"Entries must be a non-zero, positive integer. Got {value}")
        if getattr(self, "_core", None) is not None and value != self._entries:
            raise ValueError("Entries of a buffer that operators use cannot be changed.")
        self._entries = value

    @property
    def _variable(self):
        """The variable of the IR that it is, made at its first use."""
        if self._core is None:
            self._core = self._ir._module.add_remote_buffer(
                self._core_name, dtypes.to_ir(self._tensor_dtype), list(self._tensor_shape),
                self._entries)
        return self._core

    def validate_tensor_matches_buffer(self, t: Tensor) -> None:
        """ValueError where a tensor has another shape or type than the entries."""
        if t.shape != self._tensor_shape or t.dtype != self._tensor_dtype:
            raise ValueError(
                f"Tensor {t.id} does not match buffer. It is {t.dtype} {t.shape}, and entries "
                f"are {self._tensor_dtype} {self._tensor_shape}.")

    def __repr__(self) -> str:
        return (f"RemoteBuffer(remote_buffer_id={self._remote_buffer_id}, "
                f"tensor_shape={self._tensor_shape}, tensor_dtype={self._tensor_dtype!r}, "
                f"entries={self._entries})")


def remote_buffer(tensor_shape: Iterable[int], tensor_dtype: dtypes.dtype,
                  entries: int = 1) -> RemoteBuffer:
    """A buffer of so many entries, in the current Ir."""
    return RemoteBuffer(tensor_shape, tensor_dtype, entries)


def remote_variable(data: Any, remote_buffer: RemoteBuffer, offset: int = 0,
                    dtype: Optional[dtypes.dtype] = None, name: Optional[str] = None,
                    downcast: bool = True, replica_grouping=None,
                    retrieval_mode: Optional[str] = None, log2_scale: Optional[int] = None,
                    nan_on_overflow: Optional[bool] = None) -> Variable:
    """A variable in an entry of a buffer. Operators read it with `popxl.ops.remote_load`."""
    graph = context.get_current_graph()
    graph.ir._check_open()
    if graph is not graph.ir.main_graph:
        raise ValueError("You can only initialise variable tensors within the main graph.")
    array, known = _checked_data(data, dtype, downcast, log2_scale, nan_on_overflow)
    shape = np.shape(_of_first_group(graph.ir, array, replica_grouping))
    variable = _OffChip._new(graph, name, array, known, shape, remote_buffer, offset)
    variable._grouping = replica_grouping
    variable._retrieval_mode = checked_retrieval(retrieval_mode)
    _place(variable, remote_buffer, offset)
    return variable


def _place(variable: "_OffChip", buffer: RemoteBuffer, offset: int) -> None:
    """Lets an entry of a buffer be a variable."""
    if not 0 <= offset < buffer.entries:
        raise ValueError(f"The offset {offset} is not an entry of {buffer!r}.")
    buffer.validate_tensor_matches_buffer(variable)
    if offset in buffer._variables:
        raise ValueError(f"Entry {offset} of {buffer!r} has a variable already.")
    buffer._variables[offset] = variable


class _OffChip(Variable):
    """A variable that is an entry of a buffer, and no tensor that operators read."""

    @classmethod
    def _new(cls, graph, name, array, dtype, shape, buffer, offset) -> "_OffChip":
        self = object.__new__(cls)
        self._graph = graph
        self._name = graph._unique_name(name or "t")
        self._dtype = dtype
        self._shape = tuple(shape)
        self._meta_shape = ()
        self._memory = self._view = self._value = None
        self._ipu = self._tile_set = self._location = self._producer = None
        self._out_of_sync = False
        self._host = array
        self._buffer = buffer
        self._offset = offset
        graph._add_tensor(self)
        return self

    def __repr__(self) -> str:
        return f"Variable[{self.id} {self.dtype} {self.shape}]"

    def _read(self):
        raise popart_exception(f"Variable {self.id} is in a remote buffer; read it with "
                               "popxl.ops.remote_load.")

    def _write(self, value) -> None:
        raise popart_exception(f"Variable {self.id} is in a remote buffer; write it with "
                               "popxl.ops.remote_store.")
