# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices."""

import numpy as np
import torch

from .activations import softmax, softmax_of_live
from .elementwise import mul, wide
from .table import lowering, promoted


def _product(e, a, b):
    a, b = promoted(e, a, b)
    return e.matmul(wide(e, a), wide(e, b))


@lowering("aten.mm.default", "aten.bmm.default", "aten.matmul.default", "aten.mv.default",
          "aten.linalg_matmul.default")
def matmul(e, a, b):
    return _product(e, a, b)


@lowering("aten.dot.default", "aten.inner.default", "aten.vdot.default")
def dot(e, a, b):
    if a.ndim == b.ndim == 1:
        return _product(e, a, b)
    if not a.ndim or not b.ndim:
        a, b = promoted(e, a, b)
        return e.mul(a, b)
    return _inner(e, *promoted(e, a, b))


def _inner(e, a, b):
    rows = e.reshape(a, (a.numel // a.shape[-1], a.shape[-1]))
    columns = e.reshape(b, (b.numel // b.shape[-1], b.shape[-1]))
    return e.reshape(e.matmul(rows, e.transpose(columns, [1, 0])),
                     (*a.shape[:-1], *b.shape[:-1]))


@lowering("aten.linalg_vecdot.default")
def vecdot(e, a, b, dim=-1):
    a, b = promoted(e, a, b)
    product = e.mul(a, b)
    return e.reduce("Sum", product, [dim])


@lowering("aten.linear.default")
def linear(e, x, weight, bias=None):
    x, weight = promoted(e, x, weight)
    perm = list(range(weight.ndim))[::-1]
    result = e.matmul(x, e.transpose(weight, perm))
    return result if bias is None else e.add(result, e.cast(bias, result.dtype))


def _affine(e, x, product, beta, alpha):
    """beta x + alpha product; x is not read where beta is 0."""
    product = wide(e, product)
    product = e.scaled(product, alpha)
    if beta == 0:
        return product
    return e.add(e.scaled(e.cast(x, product.dtype), beta), product)


@lowering("aten.addmm.default", "aten.baddbmm.default", "aten.addmv.default")
def addmm(e, x, a, b, beta=1, alpha=1):
    return _affine(e, x, _product(e, a, b), beta, alpha)


@lowering("aten.addbmm.default")
def addbmm(e, x, a, b, beta=1, alpha=1):
    """The sum over the batch is a part of one product: nothing is rounded between."""
    count, rows, inner = a.shape
    a = e.reshape(e.transpose(a, [1, 0, 2]), (rows, count * inner))
    return addmm(e, x, a, e.reshape(b, (count * inner, b.shape[2])), beta, alpha)


@lowering("aten.outer.default", "aten.ger.default")
def outer(e, a, b):
    return mul(e, e.reshape(a, (a.numel, 1)), e.reshape(b, (1, b.numel)))


@lowering("aten.addr.default")
def addr(e, x, a, b, beta=1, alpha=1):
    return _affine(e, x, outer(e, a, b), beta, alpha)


@lowering("aten.einsum.default")
def einsum(e, equation, operands, path=None):
    operands = promoted(e, *operands)
    if not operands[0].is_float:
        return NotImplemented
    return e.op("Einsum", operands, tuple(e.out.shape), equation=equation.replace(" ", ""))


@lowering("aten.scaled_dot_product_attention.default")
def attention(e, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *,
              scale=None, enable_gqa=False):
    scores, value = _scores(e, query, key, value, attn_mask, is_causal, scale, enable_gqa)
    return _weighted(e, scores, value, attn_mask, dropout_p)


@lowering("aten._scaled_dot_product_flash_attention_for_cpu.default")
def flash_attention(e, query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None,
                    scale=None):
    """With the logarithm of each row's sum of exponentials, where it is read."""
    readers = [user.args[1] for user in e.node.users]
    scores, value = _scores(e, query, key, value, attn_mask, is_causal, scale, False)
    result = _weighted(e, scores, value, attn_mask, dropout_p)
    if 1 not in readers:
        return (result,)
    scores = e.detach(e.cast(scores, torch.float32))
    return result, e.op("ReduceLogSumExp", [scores, e.ints([-1])],
                        scores.shape[:-1], keepdims=0)


def _scores(e, query, key, value, mask, is_causal, scale, enable_gqa):
    """Masked products of queries and keys; and the values, a head for each of queries."""
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    if value.dtype == torch.float16:
        # PyTorch computes scores in float32: halves around 200 would be off by 0.06.
        query, key = (e.cast(x, torch.float32) for x in (query, key))
    if enable_gqa and key.shape[-3] != query.shape[-3]:
        key, value = (_repeated_heads(e, x, query.shape[-3]) for x in (key, value))
    axes = list(range(key.ndim))
    axes[-1], axes[-2] = axes[-2], axes[-1]
    scores = e.matmul(e.scaled(query, scale), e.transpose(key, axes))
    if is_causal:
        lower = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = _masked(e, scores, e.constant(lower))
    return scores if mask is None else _masked(e, scores, mask), value


def _weighted(e, scores, value, mask, dropout_p):
    """The mean of values by the softmax of scores."""
    dead = None if mask is None else _masked_rows(e, mask)
    weights = (softmax(e, scores, -1) if dead is None
               else softmax_of_live(e, scores, -1, dead))
    weights = e.cast(weights, value.dtype)
    if dropout_p > 0:
        from .random import dropped
        weights = dropped(e, weights, dropout_p)
    return e.matmul(weights, value)


def _repeated_heads(e, x, heads):
    """Each head of keys or values for a group of queries."""
    count = heads // x.shape[-3]
    *outer, own, rows, columns = x.shape
    x = e.expand(e.unsqueeze(x, x.ndim - 2), (*outer, own, count, rows, columns))
    return e.reshape(x, (*outer, heads, rows, columns))


def _masked_rows(e, mask):
    """True of each row that a mask takes away whole, whose weights are 0; None if there is none."""
    if mask.constant is not None:
        live = mask.constant if mask.dtype == torch.bool else mask.constant != -np.inf
        return None if live.any(-1).all() else e.constant(~live.any(-1, keepdims=True))
    if mask.dtype == torch.bool:
        live = e.reduce("Max", e.cast(mask, torch.int32), [-1], keepdims=True)
        return e.compare("Equal", live, e.constant(0, live.dtype))
    largest = e.reduce("Max", e.detach(mask), [-1], keepdims=True)
    return e.compare("Equal", largest, e.constant(float("-inf"), mask.dtype))


def _masked(e, scores, mask):
    if mask.dtype == torch.bool:
        return e.where(mask, scores, e.constant(float("-inf"), scores.dtype))
    return e.add(scores, e.cast(mask, scores.dtype))


@lowering("aten.bilinear.default")
def bilinear(e, a, b, weight, bias=None):
    rows_a = e.reshape(a, (a.numel // a.shape[-1], a.shape[-1]))
    rows_b = e.reshape(b, (b.numel // b.shape[-1], b.shape[-1]))
    result = e.op("Einsum", [rows_a, weight, rows_b], (rows_a.shape[0], weight.shape[0]),
                  equation="ni,oij,nj->no")
    result = e.reshape(result, e.out.shape)
    return result if bias is None else e.add(result, bias)
