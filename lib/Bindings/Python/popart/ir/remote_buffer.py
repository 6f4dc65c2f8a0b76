# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remote buffers by number."""

from typing import Any, Dict, Iterable, Optional, Tuple

import popxl
from popxl import context, dtypes


class RemoteBufferHandle:
    """A remote buffer. One of the same number in an Ir is the same object."""

    _known: Dict[Tuple[int, int], "RemoteBufferHandle"] = {}

    def __new__(cls, remote_buffer_id: int = -1, tensor_shape: Optional[Iterable[int]] = None,
                tensor_dtype: Optional[dtypes.dtype] = None,
                repeats: int = 1) -> "RemoteBufferHandle":
        ir = context.get_current_graph().ir
        known = cls._known.get((ir.id, remote_buffer_id))
        if known is not None:
            known._check(tensor_shape, tensor_dtype, repeats)
            return known
        if tensor_shape is None or tensor_dtype is None:
            raise ValueError("A new remote buffer needs a tensor_shape and a tensor_dtype.")
        self = super().__new__(cls)
        self._buffer = popxl.RemoteBuffer(tensor_shape, tensor_dtype, repeats)
        self.remote_buffer_id = (self._buffer.remote_buffer_id if remote_buffer_id == -1
                                 else remote_buffer_id)
        cls._known[(ir.id, self.remote_buffer_id)] = self
        return self

    def _check(self, shape: Any, dtype: Any, repeats: int) -> None:
        if shape is not None and tuple(shape) != self.tensor_shape:
            raise ValueError(f"The remote buffer {self.remote_buffer_id} has entries of the shape "
                             f"{self.tensor_shape}, not {tuple(shape)}.")
        if dtype is not None and dtypes.dtype.as_dtype(dtype) != self.tensor_dtype:
            raise ValueError(f"The remote buffer {self.remote_buffer_id} has entries of "
                             f"{self.tensor_dtype}, not {dtype}.")

    @property
    def tensor_shape(self) -> Tuple[int, ...]:
        return self._buffer.tensor_shape

    @property
    def tensor_dtype(self) -> dtypes.dtype:
        return self._buffer.tensor_dtype

    @property
    def repeats(self) -> int:
        return self._buffer.entries
