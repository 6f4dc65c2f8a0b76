# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams between the host and the device."""

from typing import Any, Iterable, Optional, Tuple

from popxl import context, dtypes
from popxl.tensor import TensorSpec


class Stream:
    """A stream of the main graph. Each transfer is a tensor of its shape and type."""

    def __init__(self) -> None:
        raise RuntimeError(f"popxl.{type(self).__name__} cannot be constructed directly.")

    @classmethod
    def _new(cls, shape: Iterable[int], dtype: dtypes.dtype, name: str) -> Any:
        graph = context.get_current_graph().ir.main_graph
        graph.ir._check_open()
        self = object.__new__(cls)
        self._ir = graph.ir
        self._shape = tuple(int(extent) for extent in shape)
        self._dtype = dtypes.dtype.as_dtype(dtype)
        self._id = graph._unique_name(name)
        # True if an operator uses the stream.
        self._is_used = False
        graph.ir._streams[self._id] = self
        return self

    @property
    def shape(self) -> Tuple[int, ...]:
        return self._shape

    @property
    def dtype(self) -> dtypes.dtype:
        return self._dtype

    @property
    def spec(self) -> TensorSpec:
        return TensorSpec(self._shape, self._dtype)

    @property
    def tensor_id(self) -> str:
        return self._id

    def __hash__(self) -> int:
        return hash((type(self), self._ir.id, self._id))

    def __eq__(self, other: Any) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"{type(self).__name__}[{self._id} {self._dtype} {self._shape}]"


class HostToDeviceStream(Stream):
    """Brings tensors to the device: `popxl.ops.host_load`."""


class DeviceToHostStream(Stream):
    """Brings tensors to the host: `popxl.ops.host_store`."""


def h2d_stream(shape: Iterable[int], dtype: dtypes.dtype,
               name: Optional[str] = None) -> HostToDeviceStream:
    """A stream from the host to the device, of tensors of that shape and type."""
    return HostToDeviceStream._new(shape, dtype, name or "h2d_stream")


def d2h_stream(shape: Iterable[int], dtype: dtypes.dtype,
               name: Optional[str] = None) -> DeviceToHostStream:
    """A stream from the device to the host, of tensors of that shape and type."""
    return DeviceToHostStream._new(shape, dtype, name or "d2h_stream")
