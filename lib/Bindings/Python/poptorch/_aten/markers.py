# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowerings of poptorch's own operators (ops.py)."""

import json
import operator

import torch

from .._emit import narrow
from .table import lowering, refuse

_REDUCTIONS = {"sum": "Sum", "mean": "Mean", "none": None}


@lowering("populus_poptorch.identity_loss.default")
def identity_loss(e, x, reduction):
    kind = _REDUCTIONS[reduction]
    return e.identity(x) if kind is None else e.reduce(kind, x)


@lowering("populus_poptorch.nop.default")
def nop(e, x):
    return e.graphcore("Nop", [x])


@lowering("populus_poptorch.overlap.default")
def overlap(e, x, function, mode):
    """Inputs and results have got its mode."""
    return x


@lowering("populus_poptorch.recomputation_checkpoint.default")
def recomputation_checkpoint(e, x):
    return e.checkpoint(x)


def _producer(e):
    """The node that makes the marked tensor."""
    node = e.node.args[0]
    while node.op == "call_function" and node.target is operator.getitem:
        node = node.args[0]
    return node


@lowering("populus_poptorch.set_available_memory.default")
def set_available_memory(e, x, proportion):
    e.set_memory(_producer(e), proportion)
    return x


@lowering("populus_poptorch.serialized_matmul.default")
def serialized_matmul(e, x, mode, factor, keep_precision):
    e.serialize(_producer(e), mode, factor, keep_precision)
    return x


@lowering("populus_poptorch.print_tensor.default")
def print_tensor(e, x, title, settings):
    return e.graphcore("PrintTensor", [x], title=title, **json.loads(settings))


@lowering("populus_poptorch.custom_op.default")
def custom_op(e, inputs, name, domain, version, examples, attributes):
    results = [(fake.shape, narrow(fake.dtype)) for fake in e.out]
    return e.custom(name, domain, version, inputs, results, json.loads(attributes))


@lowering("populus_poptorch.ctc_loss.default")
def ctc_loss(e, log_probs, targets, input_lengths, target_lengths, blank, reduction,
             zero_infinity):
    if targets.ndim != 2:
        refuse("targets that are concatenated; give [N, S]")
    unsigned = [e.unsigned(value) for value in (targets, input_lengths, target_lengths)]
    batch = log_probs.shape[1]
    losses = e.graphcore("Ctc", [log_probs, *unsigned], (batch,), reduction="NoReduction",
                         blank=blank, outDataType="UNDEFINED", zeroInfinity=int(zero_infinity))
    if reduction == "none":
        return losses
    if reduction == "sum":
        return e.reduce("Sum", losses)
    lengths = e.op("Max", [e.cast(target_lengths, torch.int32), e.constant(1, torch.int32)],
                   target_lengths.shape)
    return e.reduce("Mean", e.div(losses, e.cast(lengths, losses.dtype)))


@lowering("populus_poptorch.ctc_beam_search_decoder.default")
def ctc_decoder(e, probs, lengths, blank, beam_width, top_paths):
    steps, batch, _ = probs.shape
    likely, counts, paths = e.ops(
        "CtcBeamSearchDecoder", [probs, e.unsigned(lengths)],
        [((batch, top_paths), probs.dtype), ((batch, top_paths), torch.int32),
         ((batch, top_paths, steps), torch.int32)], "ai.graphcore", blank=blank,
        beam_width=beam_width, top_paths=top_paths)
    return likely, e.signed(counts), e.signed(paths)


@lowering("aten._assert_tensor_metadata.default", "aten._assert_async.msg",
          "aten._assert_scalar.default", "aten.sym_constrain_range_for_size.default",
          "aten.sym_constrain_range.default")
def nothing(e, *_, **__):
    """Assertions of the tracer."""
    return None
