# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""popart.ir: the names under which PopXL was introduced, over the package popxl."""

from popart.ir import dtypes, ops, transforms
from popart.ir.graph import Graph, Ir, get_current_graph, get_main_graph
from popart.ir.remote_buffer import RemoteBufferHandle
from popart.ir.streams import DeviceToHostStream, HostToDeviceStream, d2h_stream, h2d_stream
from popxl import (Constant, Module, Tensor, TensorByRef, Variable, bool, complex64, complex128,
                   constant, double, dtype, float, float16, float32, float64, half, in_sequence,
                   int8, int16, int32, int64, io_tiles, ipu as virtual_graph, name_scope, uint8,
                   uint16, uint32, uint64, variable)
from popxl import graph_input as subgraph_input
from popxl import graph_output as subgraph_output
from popart.ir.context import pipeline_stage
