# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators. They are added to the current graph, whose tensors they take; those whose names end
with `_` write their first tensor.

A module may have the name of a function in it: `ops.call(graph)` is the function, and `from
popxl.ops.call import CallSiteInfo` takes a name from the module.
"""

from popxl.ops import collectives, utils, var_updates
from popxl.ops.call import call, call_with_info
from popxl.ops.conditional import conditional, conditional_with_info
from popxl.ops.conv import conv, conv_transpose
from popxl.ops.elementwise import (abs, add, add_, cast, ceil, clamp, clip, cos, detach, detach_,
                                   div, equal, exp, exp_, floor, fmod, gelu, gelu_, geluerf,
                                   geluerf_, greater, identity, increment_mod, increment_mod_,
                                   isfinite, isinf, isnan, log, log2, logical_and, logical_not,
                                   logical_or, maximum, mul, negate, pow, relu, relu_, rename,
                                   scaled_add, scaled_add_, sign, sin, sqrt, sub, swish, swish_,
                                   tanh, where)
from popxl.ops.float8 import (cast_then_pow2scale, conv_pow2scaled, conv_transpose_pow2scaled,
                              matmul_pow2scaled, pow2scale_cast_from_fp8, pow2scale_cast_to_fp8,
                              pow2scale_then_cast)
from popxl.ops.host_io import (host_load, host_store, io_tile_copy, ipu_copy, print_tensor,
                               remote_code_load, remote_load, remote_load_, remote_store)
from popxl.ops.indexing import (gather, grouped_scatter_reduce, groupedgather, scatter,
                                scatter_reduce, tied_gather)
from popxl.ops.negative_log_likelihood import nll_loss, nll_loss_with_softmax_grad
from popxl.ops.nn import (average_pool, batch_norm_inference, group_norm, interpolate, layer_norm,
                          matmul, max_pool, roi_align, softmax)
from popxl.ops.random import (dropout, random_normal, random_uniform, shaped_dropout,
                              split_random_seed)
from popxl.ops.reductions import (argmax, argmin, cumsum, histogram, l1, l2, lamb_square, logsum,
                                  logsumexp, max, mean, median, min, prod, sum, sumsquare, topk)
from popxl.ops.repeat import repeat, repeat_with_info
from popxl.ops.shape import (concat, concat_, dynamic_slice, dynamic_update, dynamic_update_,
                             flatten, flatten_, init, onehot, reshape, reshape_, slice, slice_,
                             split, squeeze, subsample, transpose, transpose_)

__all__ = [name for name in dir() if not name.startswith("_")]
