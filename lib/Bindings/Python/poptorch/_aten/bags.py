# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums, means and maxima of the rows of an embedding that are in one bag.

    offsets [0, 2, 2]   indices [7, 3, 5]   bags: rows 7 and 3, none, row 5

Which index is in which bag is a matrix of booleans, [bags, indices], for offsets are known only when
the program runs. A sum is a product of it with the rows.
"""

import torch

from .reduction import argmax, picked
from .table import lowering, refuse

_SUM, _MEAN, _MAX = range(3)


@lowering("aten.embedding_bag.padding_idx")
def bag_with_padding(e, weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                     per_sample_weights, include_last_offset, padding_idx):
    """Here a negative number of the row that pads counts from the end."""
    padding = -1 if padding_idx is None else padding_idx % weight.shape[0]
    return embedding_bag(e, weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                         per_sample_weights, include_last_offset, padding)


@lowering("aten.embedding_bag.default", "aten._embedding_bag.default",
          "aten._embedding_bag_forward_only.default")
def embedding_bag(e, weight, indices, offsets, scale_grad_by_freq=False, mode=_SUM, sparse=False,
                  per_sample_weights=None, include_last_offset=False, padding_idx=-1):
    """The first result; the others are torch's notes for its gradient."""
    if scale_grad_by_freq and e.training:
        refuse("scale_grad_by_freq")
    indices, offsets = e.cast(indices, torch.int32), e.cast(offsets, torch.int32)
    members = _members(e, offsets, indices.numel, include_last_offset)
    if padding_idx != -1:
        padding = e.constant(padding_idx, torch.int32)
        members = e.compare("And", members, e.logical_not(e.compare("Equal", indices, padding)))
    rows = e.gather(weight, indices)
    if mode == _MAX:
        return (_largest(e, members, rows),)
    if per_sample_weights is not None:
        rows = e.mul(rows, e.unsqueeze(e.cast(per_sample_weights, rows.dtype), 1))
    total = e.matmul(e.cast(members, rows.dtype), rows)
    if mode == _MEAN:
        counts = e.reduce("Sum", e.cast(members, torch.int32), [1], True)
        counts = e.op("Max", [counts, e.constant(1, torch.int32)], counts.shape)
        total = e.div(total, e.cast(counts, rows.dtype))
    return (total,)


def _members(e, offsets, count, include_last_offset):
    """True where an index [column] is in a bag [row]."""
    last = offsets.numel - 1
    if include_last_offset:
        begins, ends = e.slice(offsets, 0, 0, last), e.slice(offsets, 0, 1, last + 1)
    else:
        begins = offsets
        ends = e.concat([e.slice(offsets, 0, 1, last + 1), e.constant([count], torch.int32)], 0)
    places = e.constant(range(count), torch.int32)
    begins, ends = e.unsqueeze(begins, 1), e.unsqueeze(ends, 1)
    return e.compare("And", e.compare("GreaterOrEqual", places, begins),
                     e.compare("Less", places, ends))


def _largest(e, members, rows):
    """The largest elements of each bag; zeros of one without rows. They are gathered, so that of
    equal rows one has the gradient."""
    inside = e.unsqueeze(members, 2)
    low = e.constant(float("-inf"), rows.dtype)
    place = argmax(e, e.where(inside, e.unsqueeze(e.detach(rows), 0), low), 1, False)
    some = e.reduce("Max", e.cast(members, torch.int32), [1], True)
    return e.where(e.cast(some, torch.bool), picked(e, rows, place, 0), e.constant(0, rows.dtype))
