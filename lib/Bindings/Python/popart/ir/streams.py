# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams whose `tensor_id` can be called."""

from typing import Iterable, Optional

import popxl
from popxl import dtypes


class _Text(str):
    """A text that gives itself when it is called."""

    def __call__(self) -> str:
        return str(self)


class HostToDeviceStream(popxl.HostToDeviceStream):
    """Brings tensors to the device."""

    @property
    def tensor_id(self) -> _Text:
        return _Text(self._id)


class DeviceToHostStream(popxl.DeviceToHostStream):
    """Brings tensors to the host."""

    @property
    def tensor_id(self) -> _Text:
        return _Text(self._id)


def h2d_stream(shape: Iterable[int], dtype: dtypes.dtype,
               name: Optional[str] = None) -> HostToDeviceStream:
    """A stream from the host to the device."""
    return HostToDeviceStream._new(shape, dtype, name or "h2d_stream")


def d2h_stream(shape: Iterable[int], dtype: dtypes.dtype,
               name: Optional[str] = None) -> DeviceToHostStream:
    """A stream from the device to the host."""
    return DeviceToHostStream._new(shape, dtype, name or "d2h_stream")
