# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that move tensors: from and to the host, remote buffers, other IPUs."""

from typing import Any, Optional, Union

import numpy as np

from popxl import context
from popxl.graph import Builder, _onnx_type
from popxl.ops._make import checked, make, write
from popxl.remote_buffer import RemoteBuffer
from popxl.streams import DeviceToHostStream, HostToDeviceStream
from popxl.tensor import Tensor, _View, new_tensor


def _check_stream(graph, stream: Any, kind: type) -> None:
    if not isinstance(stream, kind):
        raise TypeError(f"The stream has to be a popxl.{kind.__name__}, not {stream!r}.")
    if stream._ir is not graph.ir:
        raise ValueError(f"The stream {stream!r} is of another Ir than the current Graph.")


def host_load(h2d_stream: HostToDeviceStream, name: Optional[str] = None) -> Tensor:
    """The next tensor of a stream."""
    graph = checked()
    _check_stream(graph, h2d_stream, HostToDeviceStream)
    value = Builder(graph, "host_load").gc(
        "HostLoad", [], stream=h2d_stream.tensor_id, shape=list(h2d_stream.shape),
        data_type=_onnx_type(h2d_stream.dtype))
    h2d_stream._is_used = True
    result = new_tensor(graph, name or h2d_stream.tensor_id, value, dtype=h2d_stream.dtype)
    graph._record("HostLoad", {}, {0: result}, again=lambda _: host_load(h2d_stream, name))
    return result


def host_store(d2h_stream: DeviceToHostStream, t: Tensor) -> None:
    """Sends a tensor to the host. ValueError where it has another shape or type than the
    stream."""
    graph = checked(t=t)
    _check_stream(graph, d2h_stream, DeviceToHostStream)
    if d2h_stream.dtype != t.dtype:
        raise ValueError(f"dtypes of stream and tensor do not match: {d2h_stream.dtype} != "
                         f"{t.dtype}.")
    if d2h_stream.shape != t.shape:
        raise ValueError(f"shapes of stream and tensor do not match: {d2h_stream.shape} != "
                         f"{t.shape}.")
    Builder(graph, "host_store").ops("HostStore", [t._read()], 0, "ai.graphcore",
                                     stream=d2h_stream.tensor_id)
    d2h_stream._is_used = True
    graph._record("HostStore", {0: t}, {}, again=lambda ts: host_store(d2h_stream, ts[0]))


def _offset(graph, buffer: RemoteBuffer, offset: Union[int, Tensor]):
    """The number of an entry as a value of the IR, and the tensor that it is, if any."""
    if isinstance(offset, Tensor):
        graph._check_own(offset=offset)
        return offset._read(), {"offset": offset}
    if isinstance(offset, bool) or not isinstance(offset, (int, np.integer)):
        raise TypeError(f"The offset into a remote buffer is an int or a tensor, not {offset!r}.")
    if not 0 <= offset < buffer.entries:
        raise ValueError(f"The offset {offset} is not one of the {buffer.entries} entries of "
                         f"{buffer!r}.")
    b = Builder(graph, "offset")
    return b.constant(np.array([offset], np.int32), "int32"), {}


def _check_buffer(graph, buffer: Any) -> None:
    if not isinstance(buffer, RemoteBuffer):
        raise TypeError(f"{buffer!r} is no popxl.RemoteBuffer.")
    if buffer._ir is not graph.ir:
        raise ValueError(f"{buffer!r} is of another Ir than the current Graph.")


def _loaded(graph, buffer: RemoteBuffer, offset):
    memory = graph._core.use_variable(buffer._variable)
    return Builder(graph, "remote_load").gc("RemoteLoad", [memory, offset])


def remote_load(remote_buffer: RemoteBuffer, offset: Union[int, Tensor],
                name: Optional[str] = None) -> Tensor:
    """An entry of a remote buffer."""
    graph = checked()
    _check_buffer(graph, remote_buffer)
    place, inputs = _offset(graph, remote_buffer, offset)
    value = _loaded(graph, remote_buffer, place)
    result = new_tensor(graph, name or "remote_load_out", value, dtype=remote_buffer.tensor_dtype)
    result._meta_shape = remote_buffer.meta_shape
    graph._record("RemoteLoad", dict(enumerate(inputs.values())), {0: result},
                  again=lambda ts: remote_load(remote_buffer, ts.get(0, offset), name))
    return result


def remote_load_(remote_buffer: RemoteBuffer, offset: Union[int, Tensor], t: Tensor) -> Tensor:
    """An entry of a remote buffer, into a tensor."""
    graph = checked(t=t)
    _check_buffer(graph, remote_buffer)
    remote_buffer.validate_tensor_matches_buffer(t)
    place, inputs = _offset(graph, remote_buffer, offset)
    value = _loaded(graph, remote_buffer, place)
    write(t, value, "RemoteLoadInplace")
    result = new_tensor(graph, "remote_load_out", value, view=_View(t))
    graph._record("RemoteLoadInplace", dict(enumerate([t, *inputs.values()])), {0: result},
                  modifies=(0,),
                  again=lambda ts: remote_load_(remote_buffer, ts.get(1, offset), ts[0]))
    return result


def remote_store(remote_buffer: RemoteBuffer, offset: Union[int, Tensor], t: Tensor) -> None:
    """Writes an entry of a remote buffer."""
    graph = checked(t=t)
    _check_buffer(graph, remote_buffer)
    remote_buffer.validate_tensor_matches_buffer(t)
    place, inputs = _offset(graph, remote_buffer, offset)
    memory = graph._core.use_variable(remote_buffer._variable)
    Builder(graph, "remote_store").ops("RemoteStore", [memory, place, t._read()], 0,
                                       "ai.graphcore")
    graph._record("RemoteStore", dict(enumerate([t, *inputs.values()])), {},
                  again=lambda ts: remote_store(remote_buffer, ts.get(1, offset), ts[0]))


def remote_code_load(graph: Any, destination: str = "executable") -> None:
    """Code is always on the tiles; nothing has to be loaded."""
    current = checked()
    current._record("RemoteCodeLoad", {}, {}, again=lambda _: remote_code_load(graph, destination))


def io_tile_copy(t: Tensor) -> Tensor:
    """A copy on the other tiles of the IPU: from those for transfers to those that compute, or
    back. A tensor whose tiles are not known, like an input of a graph, is copied to those of the
    current context."""
    checked(t=t)
    others = {"io": "compute", "compute": "io"}
    target = others.get(t._tile_set or "", context.current_tile_set())
    if t._ipu is None and t._producer is None:
        t._ipu, t._tile_set = context.current_ipu() or 0, others[target]
    with context.tile_set(target):
        return make("IoTileCopy", {"t": t}, lambda b, x: b.gc("IoTileCopy", [x]), "io_tile_copy")


def ipu_copy(t: Tensor, destination: int, source: Optional[int] = None) -> Tensor:
    """A copy on another IPU. The source is where the tensor is, unless it is given."""
    graph = checked(t=t)
    if source is None and t._ipu is None and t._producer is None:
        raise ValueError(f"Could not infer the IPU of Tensor {t.id}; give the `source`.")
    with context.ipu(int(destination)):
        value = Builder(graph, "ipu_copy").op("Identity", [t._read()])
    result = new_tensor(graph, f"{t.name}_c{destination}", value)
    result._ipu = int(destination)
    result._tile_set = context.current_tile_set()
    if t._ipu is None:
        t._ipu = source
    graph._record("IpuCopy", {0: t}, {0: result},
                  again=lambda ts: ipu_copy(ts[0], destination, t._ipu))
    return result


_FLOAT_FORMATS = {"auto": 0, "fixed": 1, "scientific": 2, "none": 3}


def print_tensor(t: Tensor, title: Optional[str] = None, print_self: bool = True,
                 print_gradient: bool = False, summarise_threshold: int = 1000,
                 edge_items: int = 3, max_line_width: int = 75, digits: int = 8,
                 float_format: str = "auto", separator: str = " ", open_bracket: str = "[",
                 close_bracket: str = "]") -> Tensor:
    """Prints a tensor on standard error each time it runs."""
    if float_format not in _FLOAT_FORMATS:
        raise ValueError(f"The float_format is one of {', '.join(_FLOAT_FORMATS)}, not "
                         f"{float_format!r}.")

    def build(b, x):
        if not print_self and not print_gradient:
            return b.op("Identity", [x])
        return b.gc("PrintTensor", [x], title=title or f"print{{{t.name}}}",
                    print_gradient=int(print_gradient), always=int(print_self),
                    summariseThreshold=int(summarise_threshold), edgeItems=int(edge_items),
                    maxLineWidth=int(max_line_width), digits=int(digits),
                    floatFormat=_FLOAT_FORMATS[float_format], separator=separator,
                    openBracket=open_bracket, closeBracket=close_bracket)

    if print_gradient and not print_self:
        from popart import popart_exception

        raise popart_exception("print_tensor of the gradient alone is not supported; set "
                               "print_self.")
    return make("PrintTensor", {"t": t}, build, "print_tensor")

