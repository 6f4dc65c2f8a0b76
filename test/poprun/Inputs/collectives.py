# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives of the host."""

import sys

import numpy as np
import popdist
from popdist import collectives

mode = sys.argv[1]
popdist.init()
instance = popdist.getInstanceIndex()
if mode == "all":
    mine = np.arange(4, dtype=np.float32) + instance
    print(instance, "mean", collectives.allreduce(mine), "sum",
          collectives.allreduce(mine, "sum"), "gathered", collectives.allgather(mine).shape,
          "from 1", collectives.broadcast(mine, 1), "object",
          collectives.broadcast_object({"instance": instance}, 2))
    collectives.barrier()
    some = popdist.execute_on_instances({0, 1}, collectives.allreduce, float(instance), "sum")
    print("some", instance, some)
elif mode == "early":
    if instance == 0:
        collectives.barrier()
elif mode == "shapes":
    collectives.allreduce(np.zeros(2 + instance, np.float32))
else:
    print(instance, "of", collectives.size(), collectives.allreduce(np.float32([0, 1])),
          collectives.broadcast([0.0, 1.0]))
