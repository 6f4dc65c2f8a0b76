# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""popdist beside mpi4py, which begins and ends MPI."""

import sys

from mpi4py import MPI

import popdist
from popdist import collectives

popdist.init()
world = MPI.COMM_WORLD
if "fail" in sys.argv and world.rank == 1:
    raise ValueError("wrong")
print(world.rank, world.allreduce(world.rank), collectives.allreduce(float(world.rank), "sum"))
