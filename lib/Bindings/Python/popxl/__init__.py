# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PopXL: programs for IPUs as graphs of tensors, built operator by operator.

    import numpy as np
    import popxl

    ir = popxl.Ir()
    with ir.main_graph:
        x = popxl.variable(np.arange(3.0), name="x")
        popxl.ops.var_updates.accumulate_(x, popxl.constant(1.0))
    with popxl.Session(ir, "cpu") as session:
        session.run()
    print(session.get_tensor_data(x))
"""

from popart import (ReplicatedTensorSharding, TensorLocation, TensorStorage, TileSet,
                    __version__)

from popxl import dtypes, errors, ops, transforms, utils
from popxl._shim import ExecutionContext
from popxl.call_site import CallSiteInfo, ConditionalSiteInfo
from popxl.context import (gcg, get_current_graph, get_ir, get_main_graph, gir, gmg, in_sequence,
                           io_tiles, ipu, name_scope)
from popxl.dtypes import (bool, complex64, complex128, double, dtype, float, float8_143,
                          float8_152, float16, float32, float64, half, int8, int16, int32, int64,
                          uint8, uint16, uint32, uint64)
from popxl.graph import Graph
from popxl.ir import Ir
from popxl.module import Module
from popxl.remote_buffer import RemoteBuffer, remote_buffer, remote_variable
from popxl.replica_grouping import ReplicaGrouping
from popxl.seeds import create_seeds
from popxl.session import Session
from popxl.sharding import (remote_replica_sharded_variable, replica_sharded_buffer,
                            replica_sharded_variable)
from popxl.streams import (DeviceToHostStream, HostToDeviceStream, d2h_stream, h2d_stream)
from popxl.tensor import Constant, Tensor, TensorByRef, TensorSpec, Variable
from popxl.variables import constant, graph_input, graph_output, variable

__all__ = [name for name in dir() if not name.startswith("_")]
