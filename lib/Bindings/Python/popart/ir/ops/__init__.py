# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators."""

from popart.ir.ops import collectives, var_updates
from popart.ir.ops.control_flow import CallInfo, call, call_with_info, repeat, repeat_with_info
from popart.ir.ops.remote import remote_load, remote_load_, remote_store
from popxl.ops import (add, cast, concat, concat_, detach, detach_, div, dropout, dynamic_slice,
                       dynamic_update, dynamic_update_, equal, flatten, flatten_, gather, gelu,
                       gelu_, group_norm, host_load, host_store, increment_mod, increment_mod_,
                       init, io_tile_copy, ipu_copy, layer_norm, logical_and, logical_not,
                       logical_or, matmul, mul, negate, nll_loss_with_softmax_grad, print_tensor,
                       random_normal, random_uniform, reshape, reshape_, scaled_add, scaled_add_,
                       scatter, slice, slice_, softmax, split, split_random_seed, squeeze, sub,
                       subsample, sum, tied_gather, transpose, transpose_, where)
