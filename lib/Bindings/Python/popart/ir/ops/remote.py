# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Remote buffers: the tensor comes first."""

from typing import Union

from popart.ir.remote_buffer import RemoteBufferHandle
from popxl import ops
from popxl.tensor import Tensor


def remote_load(t: Tensor, offset: Union[int, Tensor],
                remote_buffer_handle: RemoteBufferHandle) -> Tensor:
    """An entry of a remote buffer, of the shape and type of `t`."""
    remote_buffer_handle._buffer.validate_tensor_matches_buffer(t)
    return ops.remote_load(remote_buffer_handle._buffer, offset)


def remote_load_(t: Tensor, offset: Union[int, Tensor],
                 remote_buffer_handle: RemoteBufferHandle) -> Tensor:
    """An entry of a remote buffer, into `t`."""
    return ops.remote_load_(remote_buffer_handle._buffer, offset, t)


def remote_store(t: Tensor, offset: Union[int, Tensor],
                 remote_buffer_handle: RemoteBufferHandle) -> None:
    """Writes an entry of a remote buffer."""
    ops.remote_store(remote_buffer_handle._buffer, offset, t)
