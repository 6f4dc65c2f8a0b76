# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators across replicas."""

from popxl.ops.collectives.collectives import (CollectiveOps, all_reduce,
                                               all_reduce_identical_grad_inputs,
                                               all_reduce_identical_inputs, replica_sharded_slice,
                                               replicated_all_gather, replicated_all_reduce,
                                               replicated_all_reduce_,
                                               replicated_reduce_scatter, replicated_slice)
