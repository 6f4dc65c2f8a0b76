# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators across replicas."""

from popxl.ops.collectives import (replicated_all_gather, replicated_all_reduce,
                                   replicated_all_reduce_, replicated_reduce_scatter)
