# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses. The walk marks the one that training makes smaller (graph.py).

A loss over classes is computed by a gather of log-probabilities, so that weights of classes,
ignored labels, label smoothing and probabilities as targets are as in torch.
"""

import torch

from .activations import log_softmax
from .elementwise import absolute, as_float
from .table import lowering, promoted

_REDUCTIONS = ("NoReduction", "Mean", "Sum")


def _reduced(e, x, reduction):
    kind = _REDUCTIONS[reduction]
    return x if kind == "NoReduction" else e.reduce(kind, x)


# ---- Classes ----------------------------------------------------------------------------

def _nll(e, log_probs, target, weight, reduction, ignore_index):
    """The loss of labels; log-probabilities [N, C, …] or [C]."""
    axis = 1 if log_probs.ndim > 1 else 0
    valid = e.logical_not(e.compare("Equal", target, e.constant(ignore_index, target.dtype)))
    label = e.where(valid, target, e.constant(0, target.dtype))
    picked = e.squeeze(e.op("GatherElements", [log_probs, e.unsqueeze(label, axis)],
                            (*log_probs.shape[:axis], 1, *log_probs.shape[axis + 1:]),
                            axis=axis), axis)
    factor = e.cast(valid, log_probs.dtype)
    if weight is not None:
        factor = e.mul(factor, e.gather(e.cast(weight, log_probs.dtype), label))
    losses = e.op("Neg", [e.mul(picked, factor)])
    if _REDUCTIONS[reduction] == "NoReduction":
        return losses, factor, valid, label
    total = e.reduce("Sum", losses)
    if _REDUCTIONS[reduction] == "Mean":
        total = e.div(total, e.reduce("Sum", factor))
    return total, factor, valid, label


@lowering("aten.nll_loss.default", "aten.nll_loss_nd.default", "aten.nll_loss2d.default")
def nll_loss(e, x, target, weight=None, reduction=1, ignore_index=-100):
    return _nll(e, x, target, weight, reduction, ignore_index)[0]


@lowering("aten.nll_loss_forward.default", "aten.nll_loss2d_forward.default")
def nll_loss_forward(e, x, target, weight, reduction, ignore_index):
    total, factor, _, _ = _nll(e, x, target, weight, reduction, ignore_index)
    return total, e.reduce("Sum", factor)


@lowering("aten.cross_entropy_loss.default")
def cross_entropy(e, x, target, weight=None, reduction=1, ignore_index=-100,
                  label_smoothing=0.0):
    axis = 1 if x.ndim > 1 else 0
    log_probs = log_softmax(e, x, axis)
    if target.is_float:
        total = _soft_labels(e, log_probs, target, weight, reduction, label_smoothing, axis)
    else:
        total = _labels(e, log_probs, target, weight, reduction, ignore_index,
                        label_smoothing, axis)
    return total


def _view(e, weight, ndim, axis):
    shape = [1] * ndim
    shape[axis] = weight.numel
    return e.reshape(weight, shape)


def _soft_labels(e, log_probs, target, weight, reduction, smoothing, axis):
    """Targets are probabilities; a mean is over all but the classes."""
    target = e.cast(target, log_probs.dtype)
    if smoothing:
        target = e.shifted(e.scaled(target, 1 - smoothing), smoothing / log_probs.shape[axis])
    product = e.mul(log_probs, target)
    if weight is not None:
        product = e.mul(product, _view(e, weight, log_probs.ndim, axis))
    losses = e.op("Neg", [e.reduce("Sum", product, [axis])])
    return _reduced(e, losses, reduction)


def _labels(e, log_probs, target, weight, reduction, ignore_index, smoothing, axis):
    total, factor, valid, label = _nll(e, log_probs, target, weight, reduction, ignore_index)
    if not smoothing:
        return total
    spread = log_probs
    if weight is not None:
        spread = e.mul(spread, _view(e, weight, log_probs.ndim, axis))
    smooth = e.op("Neg", [e.reduce("Sum", spread, [axis])])
    smooth = e.mul(smooth, e.cast(valid, smooth.dtype))
    if _REDUCTIONS[reduction] != "NoReduction":
        smooth = e.reduce("Sum", smooth)
    if _REDUCTIONS[reduction] == "Mean":
        smooth = e.div(smooth, e.reduce("Sum", factor))
    return e.add(e.scaled(total, 1 - smoothing),
                 e.scaled(smooth, smoothing / log_probs.shape[axis]))


# ---- Differences ------------------------------------------------------------------------

@lowering("aten.mse_loss.default")
def mse(e, x, target, reduction=1):
    x, target = promoted(e, x, target)
    difference = e.sub(x, target)
    return _reduced(e, e.mul(difference, difference), reduction)


@lowering("aten.l1_loss.default")
def l1(e, x, target, reduction=1):
    x, target = promoted(e, x, target)
    return _reduced(e, absolute(e, e.sub(x, target)), reduction)


@lowering("aten.smooth_l1_loss.default")
def smooth_l1(e, x, target, reduction=1, beta=1.0):
    if beta == 0:
        return l1(e, x, target, reduction)
    x, target = promoted(e, x, target)
    return _reduced(e, e.scaled(_huber(e, e.sub(x, target), beta), 1 / beta), reduction)


@lowering("aten.huber_loss.default")
def huber(e, x, target, reduction=1, delta=1.0):
    x, target = promoted(e, x, target)
    return _reduced(e, _huber(e, e.sub(x, target), delta), reduction)


def _huber(e, difference, delta):
    size = e.op("Abs", [difference])
    near = e.scaled(e.mul(difference, difference), 0.5)
    far = e.scaled(e.shifted(size, -0.5 * delta), delta)
    return e.where(e.compare("Less", size, e.constant(delta, size.dtype)), near, far)


# ---- Probabilities ----------------------------------------------------------------------

@lowering("aten.binary_cross_entropy.default")
def bce(e, x, target, weight=None, reduction=1):
    """Logarithms are at least -100, as in torch."""
    one = e.constant(1, x.dtype)
    loss = e.add(e.mul(target, _log(e, x)), e.mul(e.sub(one, target), _log(e, e.sub(one, x))))
    loss = e.op("Neg", [loss])
    return _reduced(e, loss if weight is None else e.mul(loss, weight), reduction)


def _log(e, x):
    logarithm = e.op("Log", [x])
    low = e.constant(-100, x.dtype)
    return e.where(e.compare("Less", logarithm, low), low, logarithm)


@lowering("aten.binary_cross_entropy_with_logits.default")
def bce_with_logits(e, x, target, weight=None, pos_weight=None, reduction=1):
    one = e.constant(1, x.dtype)
    negative = e.op("Softplus", [e.op("Neg", [x])])  # -log sigmoid x
    factor = negative
    if pos_weight is not None:
        scale = e.add(e.mul(e.sub(e.cast(pos_weight, x.dtype), one), target), one)
        factor = e.mul(scale, negative)
    loss = e.add(e.mul(e.sub(one, target), x), factor)
    return _reduced(e, loss if weight is None else e.mul(loss, weight), reduction)


@lowering("aten.kl_div.default")
def kl_div(e, x, target, reduction=1, *, log_target=False):
    if log_target:
        return _reduced(e, e.mul(e.op("Exp", [target]), e.sub(target, x)), reduction)
    positive = e.compare("Greater", target, e.constant(0, target.dtype))
    safe = e.where(positive, target, e.constant(1, target.dtype))
    own = e.where(positive, e.mul(target, e.op("Log", [safe])), e.constant(0, target.dtype))
    return _reduced(e, e.sub(own, e.mul(target, x)), reduction)


@lowering("aten.poisson_nll_loss.default")
def poisson(e, x, target, log_input, full, eps, reduction):
    x, target = as_float(e, x), as_float(e, target)
    if log_input:
        loss = e.sub(e.op("Exp", [x]), e.mul(target, x))
    else:
        loss = e.sub(x, e.mul(target, e.op("Log", [e.shifted(x, eps)])))
    if full:
        loss = e.add(loss, _stirling(e, target))
    return _reduced(e, loss, reduction)


def _stirling(e, target):
    safe = e.where(e.compare("Greater", target, e.constant(1, target.dtype)), target,
                   e.constant(1, target.dtype))
    logarithm = e.op("Log", [safe])
    approximation = e.add(e.sub(e.mul(target, logarithm), target),
                          e.scaled(e.shifted(logarithm, 1.8378770664093453), 0.5))
    return e.where(e.compare("Greater", target, e.constant(1, target.dtype)), approximation,
                   e.constant(0, target.dtype))


# ---- Margins ----------------------------------------------------------------------------

def _positive(e, x):
    """The positive part, with a gradient of zero at zero."""
    return e.op("Relu", [x])


@lowering("aten.soft_margin_loss.default")
def soft_margin(e, x, target, reduction=1):
    product = e.op("Neg", [e.mul(e.cast(target, x.dtype), x)])
    return _reduced(e, e.op("Softplus", [product]), reduction)


@lowering("aten.hinge_embedding_loss.default")
def hinge_embedding(e, x, target, margin=1.0, reduction=1):
    target = e.cast(target, x.dtype)
    zero = e.constant(0, x.dtype)
    far = _positive(e, e.sub(e.constant(margin, x.dtype), x))
    loss = e.add(e.where(e.compare("Equal", target, e.constant(1, x.dtype)), zero, far),
                 e.where(e.compare("Equal", target, e.constant(-1, x.dtype)), zero, x))
    return _reduced(e, loss, reduction)


@lowering("aten.multi_margin_loss.default")
def multi_margin(e, x, target, p=1, margin=1, weight=None, reduction=1):
    """How far other classes come nearer to the label's than the margin."""
    rows = x if x.ndim == 2 else e.unsqueeze(x, 0)
    label = e.reshape(target, (rows.shape[0], 1))
    own = e.op("GatherElements", [rows, label], label.shape, axis=1)
    near = _positive(e, e.shifted(e.sub(rows, own), margin))
    near = e.mul(near, near) if p == 2 else near
    if weight is not None:
        near = e.mul(near, e.gather(e.cast(weight, x.dtype), label))
    is_own = e.compare("Equal", e.constant([range(rows.shape[1])], torch.int32), label)
    loss = e.reduce("Mean", e.where(is_own, e.constant(0, x.dtype), near), [1])
    return _reduced(e, loss if x.ndim == 2 else e.reshape(loss, ()), reduction)


@lowering("aten.multilabel_margin_loss.default")
def multilabel_margin(e, x, target, reduction=1):
    return multilabel_margin_forward(e, x, target, reduction)[0]


@lowering("aten.multilabel_margin_loss_forward.default")
def multilabel_margin_forward(e, x, target, reduction):
    """The same for several labels, which end at the first negative number."""
    rows, labels = (v if v.ndim == 2 else e.reshape(v, (1, v.numel)) for v in (x, target))
    count = rows.shape[1]
    ends = e.cast(e.compare("Less", labels, e.constant(0, labels.dtype)), torch.int32)
    ended = e.cast(e.op("CumSum", [ends, e.constant(1, torch.int32)]), torch.bool)
    label = e.where(ended, e.constant(-1, labels.dtype), labels)
    numbers = e.constant([[[number] for number in range(count)]], torch.int32)
    named = e.compare("Equal", numbers, e.unsqueeze(label, 1))  # [row, class, place]
    is_label = e.reduce("Max", e.cast(named, torch.int32), [2])
    own = e.op("GatherElements", [rows, e.where(ended, e.constant(0, labels.dtype), labels)],
               labels.shape, axis=1)
    near = _positive(e, e.shifted(e.sub(e.unsqueeze(rows, 1), e.unsqueeze(own, 2)), 1))
    counts = e.compare("And", e.unsqueeze(e.logical_not(ended), 2),
                       e.unsqueeze(e.logical_not(e.cast(is_label, torch.bool)), 1))
    near = e.where(counts, near, e.constant(0, x.dtype))
    loss = e.scaled(e.reduce("Sum", near, [1, 2]), 1 / count)
    loss = _reduced(e, loss if x.ndim == 2 else e.reshape(loss, ()), reduction)
    return loss, e.reshape(e.cast(is_label, x.dtype), target.shape)


@lowering("aten.margin_ranking_loss.default")
def margin_ranking(e, a, b, target, margin=0.0, reduction=1):
    a, b = as_float(e, a), as_float(e, b)
    product = e.mul(e.op("Neg", [e.cast(target, a.dtype)]), e.sub(a, b))
    return _reduced(e, _positive(e, e.shifted(product, margin)), reduction)


@lowering("aten.cosine_embedding_loss.default")
def cosine_embedding(e, a, b, target, margin=0.0, reduction=1):
    a, b = as_float(e, a), as_float(e, b)
    eps = 1e-12 if a.dtype != torch.float16 else 1e-4
    along = [a.ndim - 1]
    product = e.reduce("Sum", e.mul(a, b), along)
    lengths = (e.shifted(e.reduce("Sum", e.mul(x, x), along), eps) for x in (a, b))
    cosine = e.div(product, e.op("Sqrt", [e.mul(*lengths)]))
    zero = e.full(cosine.shape, 0, a.dtype)
    target = e.cast(target, a.dtype)
    same = e.sub(e.constant(1, a.dtype), cosine)
    other = _positive(e, e.shifted(cosine, -margin))
    loss = e.add(e.where(e.compare("Equal", target, e.constant(1, a.dtype)), same, zero),
                 e.where(e.compare("Equal", target, e.constant(-1, a.dtype)), other, zero))
    return _reduced(e, loss, reduction)


@lowering("aten.triplet_margin_loss.default")
def triplet(e, anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False,
            reduction=1):
    anchor, positive, negative = (as_float(e, x) for x in (anchor, positive, negative))

    def distance(a, b):
        size = e.op("Abs", [e.shifted(e.sub(a, b), eps)])
        if p == 1:
            return e.reduce("Sum", size, [size.ndim - 1])
        if p == 2:
            return e.reduce("L2", size, [size.ndim - 1])
        powers = e.binary("Pow", size, e.constant(p, size.dtype))
        return e.binary("Pow", e.reduce("Sum", powers, [size.ndim - 1]),
                        e.constant(1 / p, size.dtype))

    far = distance(anchor, negative)
    if swap:
        far = e.op("Min", [far, distance(positive, negative)], far.shape)
    loss = _positive(e, e.shifted(e.sub(distance(anchor, positive), far), margin))
    return _reduced(e, loss, reduction)
