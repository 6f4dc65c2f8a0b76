# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of popxl share. Their first argument is the device."""

import sys

import popxl
from popxl import ops

DEVICE = sys.argv.pop(1) if len(sys.argv) > 1 else "cpu"


def results(ir, tensors, inputs=None):
    """What tensors of the main graph hold at its end."""
    # Nothing orders the stores behind what tests do in sequences of their own.
    ir._pb_ir.getSessionOptions().enableInplaceAmbiguityChecking = False
    with ir.main_graph:
        streams = []
        for t in tensors:
            streams.append(popxl.d2h_stream(t.shape, t.dtype))
            ops.host_store(streams[-1], t)
    with popxl.Session(ir, DEVICE) as session:
        returned = session.run(inputs)
    return [returned[s] for s in streams]
