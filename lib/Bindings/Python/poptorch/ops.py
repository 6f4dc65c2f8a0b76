# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that a model may call in its forward.

Each is an operator of torch with a fake implementation, for tracing, and a gradient, so that
models with them also run in PyTorch; the lowerings are in _aten/markers.py. Hints about memory
and time are checked and change no result.
"""

import json
import math
import numbers

import torch

from . import _state
from .enums import MatMulSerializationMode, MultiConvPlanType
from .errors import Error

_NAMESPACE = "populus_poptorch"


def _needs_tensor(function, *values):
    for value in values:
        if not isinstance(value, torch.Tensor):
            raise Error(f"poptorch.{function} takes tensors, not {type(value).__name__}")


# ---- Operators of torch -----------------------------------------------------------------

def _identity(schema):
    """An operator that returns a copy of its first argument, and passes gradients on."""
    name, arguments = schema.split("(", 1)
    operator = torch.library.custom_op(f"{_NAMESPACE}::{name}", lambda x, *_: x.clone(),
                                       mutates_args=(), schema=f"({arguments} -> Tensor")
    operator.register_fake(lambda x, *_: torch.empty_like(x))

    def remember(ctx, inputs, output):
        ctx.rest = len(inputs) - 1

    operator.register_autograd(lambda ctx, grad: (grad, *[None] * ctx.rest),
                               setup_context=remember)
    return operator


_nop = _identity("nop(Tensor x)")
_checkpoint = _identity("recomputation_checkpoint(Tensor x)")
_available_memory = _identity("set_available_memory(Tensor x, float proportion)")
_serialized = _identity("serialized_matmul(Tensor x, str mode, int factor, bool keep_precision)")
_print_tensor = _identity("print_tensor(Tensor x, str title, str settings)")


@torch.library.custom_op(f"{_NAMESPACE}::identity_loss", mutates_args=())
def _identity_loss(x: torch.Tensor, reduction: str) -> torch.Tensor:
    if reduction == "sum":
        return x.sum()
    return x.mean() if reduction == "mean" else x.clone()


@_identity_loss.register_fake
def _identity_loss_fake(x, reduction):
    return torch.empty_like(x) if reduction == "none" else x.new_empty(())


def _remember(ctx, inputs, output):
    ctx.shape, ctx.reduction = inputs[0].shape, inputs[1]


def _identity_loss_gradient(ctx, grad):
    if ctx.reduction == "mean":
        grad = grad / max(ctx.shape.numel(), 1)
    return grad.expand(ctx.shape), None


_identity_loss.register_autograd(_identity_loss_gradient, setup_context=_remember)


@torch.library.custom_op(f"{_NAMESPACE}::custom_op", mutates_args=())
def _custom_op(inputs: list[torch.Tensor], name: str, domain: str, version: int,
               examples: list[torch.Tensor], attributes: str) -> list[torch.Tensor]:
    return [example.clone() for example in examples]


@_custom_op.register_fake
def _custom_op_fake(inputs, name, domain, version, examples, attributes):
    return [torch.empty_like(example) for example in examples]


_custom_op.register_autograd(
    lambda ctx, grads: (list(grads) and [None] * ctx.count, *[None] * 5),
    setup_context=lambda ctx, inputs, output: setattr(ctx, "count", len(inputs[0])))


@torch.library.custom_op(f"{_NAMESPACE}::ctc_loss", mutates_args=())
def _ctc_loss(log_probs: torch.Tensor, targets: torch.Tensor, input_lengths: torch.Tensor,
              target_lengths: torch.Tensor, blank: int, reduction: str,
              zero_infinity: bool) -> torch.Tensor:
    return torch.nn.functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank,
                                        reduction, zero_infinity)


@_ctc_loss.register_fake
def _ctc_loss_fake(log_probs, targets, input_lengths, target_lengths, blank, reduction,
                   zero_infinity):
    return log_probs.new_empty((log_probs.shape[1],) if reduction == "none" else ())


_ctc_loss.register_autograd(lambda ctx, grad: (grad.new_zeros(ctx.shape), *[None] * 6),
                            setup_context=lambda ctx, inputs, output: setattr(
                                ctx, "shape", inputs[0].shape))


@torch.library.custom_op(f"{_NAMESPACE}::ctc_beam_search_decoder", mutates_args=())
def _ctc_decoder(probs: torch.Tensor, lengths: torch.Tensor, blank: int, beam_width: int,
                 top_paths: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    raise Error("poptorch.ctc_beam_search_decoder runs on the device only")


@_ctc_decoder.register_fake
def _ctc_decoder_fake(probs, lengths, blank, beam_width, top_paths):
    steps, batch, _ = probs.shape
    return (probs.new_empty((batch, top_paths)),
            lengths.new_empty((batch, top_paths), dtype=torch.int32),
            lengths.new_empty((batch, top_paths, steps), dtype=torch.int32))


# ---- Losses -----------------------------------------------------------------------------

def identity_loss(x, reduction):
    """Marks a tensor as the loss of a training model; reduction is "sum", "mean" or "none".

    The mark makes a formula of one's own a loss, and several losses one.
    """
    _needs_tensor("identity_loss", x)
    names = {0: "sum", 1: "mean", 2: "none"}
    reduction = names.get(reduction, reduction)
    if reduction not in names.values():
        raise Error(f"Unsupported reduction type {reduction!r} for identity_loss: there are sum, "
                    "mean and none")
    return _identity_loss(x, reduction)


def traced_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0,
                    reduction="mean", zero_infinity=False):
    """torch.nn.functional.ctc_loss in a model that is traced."""
    lengths = [value if isinstance(value, torch.Tensor) else torch.tensor(value)
               for value in (input_lengths, target_lengths)]
    return _ctc_loss(log_probs, targets, *lengths, blank, reduction, zero_infinity)


# ---- Identities -------------------------------------------------------------------------

def nop(tensor):
    """The tensor; nothing removes the operator."""
    _needs_tensor("nop", tensor)
    return _nop(tensor)


def _character(text):
    """The device prints separators and brackets of one character."""
    return (text.strip() or text or " ")[0]


def ipu_print_tensor(tensor, title="", print_gradient=True, summarise_threshold=1000,
                     edge_items=3, max_line_width=80, digits=4, float_format="auto",
                     separator=", ", open_bracket="(", close_bracket=")"):
    """The tensor; the device prints it (to stderr), and its gradient, each time that it is
    computed. The result has to be used."""
    _needs_tensor("ipu_print_tensor", tensor)
    formats = ("auto", "fixed", "scientific", "none")
    if float_format not in formats:
        raise Error(f"poptorch.ipu_print_tensor: {float_format!r} is not one of "
                    f"{', '.join(formats)}")
    settings = {"print_gradient": int(bool(print_gradient)),
                "summariseThreshold": summarise_threshold, "edgeItems": edge_items,
                "maxLineWidth": max_line_width, "digits": digits,
                "floatFormat": formats.index(float_format), "separator": _character(separator),
                "openBracket": _character(open_bracket),
                "closeBracket": _character(close_bracket)}
    return _print_tensor(tensor, title, json.dumps(settings))


def recomputationCheckpoint(*tensors):
    """The tensors, which the forward pass keeps for the backward pass."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return type(tensors[0])(recomputationCheckpoint(tensor) for tensor in tensors[0])
    for tensor in tensors:
        if not isinstance(tensor, torch.Tensor):
            raise ValueError("poptorch.recomputationCheckpoint takes tensors, or a list or tuple "
                             f"of them, not {type(tensor).__name__}")
    kept = tuple(_checkpoint(tensor) for tensor in tensors)
    return kept[0] if len(kept) == 1 else kept


def set_available_memory(tensor, available_memory_proportion):
    """The tensor, with a share of memory for the operator that makes it."""
    _needs_tensor("set_available_memory", tensor)
    if not isinstance(available_memory_proportion, numbers.Real) \
            or not 0 < available_memory_proportion <= 1:
        raise Error("poptorch.set_available_memory: the proportion is a number above 0, and 1 at "
                    f"most, not {available_memory_proportion!r}")
    return _available_memory(tensor, float(available_memory_proportion))


# ---- Products and slices ----------------------------------------------------------------

def serializedMatMul(lhs, rhs, mode, factor=0, keep_precision=False):
    """The product of two matrices, in parts that need less memory."""
    _needs_tensor("serializedMatMul", lhs, rhs)
    if not isinstance(mode, MatMulSerializationMode):
        raise Error("poptorch.serializedMatMul: the mode is a poptorch.MatMulSerializationMode, "
                    f"not {mode!r}")
    if not isinstance(keep_precision, bool):
        raise Error("poptorch.serializedMatMul: keep_precision is True or False")
    extents = {MatMulSerializationMode.InputChannels: lhs.shape[-2] if lhs.ndim > 1 else 1,
               MatMulSerializationMode.ReducingDim: lhs.shape[-1],
               MatMulSerializationMode.OutputChannels: rhs.shape[-1]}
    if mode in extents and factor and extents[mode] % factor:
        raise Error(f"poptorch.serializedMatMul: {extents[mode]} is not a multiple of the factor "
                    f"{factor}")
    product = torch.matmul(lhs, rhs)
    if mode == MatMulSerializationMode.Disabled or factor == 0:
        return product
    return _serialized(product, mode.value, factor, keep_precision)


def _places(function, start, size, step=1):
    _needs_tensor(function, start)
    if not isinstance(size, int) or size <= 0:
        raise Error(f"poptorch.{function}: the size is a number above 0, not {size!r}")
    return start.reshape(()).to(torch.int32) + torch.arange(0, size, step, dtype=torch.int32)


def dynamic_slice(tensor, dim, start, size, step):
    """The elements start, start + step, … of `size` elements along a dimension; start is a
    tensor."""
    _needs_tensor("dynamic_slice", tensor)
    if start.is_floating_point():
        raise Error("poptorch.dynamic_slice: start is a tensor of integers")
    return tensor.index_select(dim, _places("dynamic_slice", start, size, step))


def dynamic_update(tensor, src, dim, start, size):
    """The tensor with `src` from start on along a dimension; start is a tensor."""
    _needs_tensor("dynamic_update", tensor, src)
    if tensor.dtype != src.dtype:
        raise Error("poptorch.dynamic_update: tensor and src have the types "
                    f"{tensor.dtype} and {src.dtype}")
    if start.is_floating_point():
        raise Error("poptorch.dynamic_update: start is a tensor of integers")
    return tensor.index_copy(dim, _places("dynamic_update", start, size).long(), src)


# ---- Operators of the user --------------------------------------------------------------

def custom_op(inputs, name, domain, domain_version, example_outputs, attributes=None):
    """An operator of PopART that a library of one's own registers. Returns tensors like the
    examples."""
    inputs, examples = list(inputs), list(example_outputs)
    _needs_tensor("custom_op", *inputs, *examples)
    return _custom_op(inputs, name, domain, domain_version, examples,
                      _encoded_attributes(attributes or {}))


def _encoded_attributes(attributes):
    """Attributes as text: numbers, texts, and lists of one of these."""
    for key, value in attributes.items():
        items = value if isinstance(value, (list, tuple)) else [value]
        kinds = {type(item) for item in items}
        if not isinstance(key, str) or not kinds <= {int, float, str} or len(kinds) > 1:
            raise ValueError(f"attribute {key!r} of a custom operator: {value!r} is neither a "
                             "number, nor a text, nor a list of one of these")
        if any(isinstance(item, str) and not item.isascii() for item in [key, *items]):
            raise ValueError(f"attribute {key!r} of a custom operator is not ASCII")
        if any(isinstance(item, int) and not -1 << 63 <= item < 1 << 63 for item in items):
            raise ValueError(f"attribute {key!r} of a custom operator: {value!r} has more than "
                             "64 bits")
        if any(isinstance(item, float) and math.isfinite(item)
               and not math.isfinite(float(torch.tensor(item, dtype=torch.float32)))
               for item in items):
            raise ValueError(f"attribute {key!r} of a custom operator: {value!r} is out of the "
                             "range of float32")
    return json.dumps(attributes)


def ctc_beam_search_decoder(probs, lengths, blank=0, beam_width=100, top_paths=1):
    """The most likely paths by a beam search: (log-probabilities, lengths, paths)."""
    _needs_tensor("ctc_beam_search_decoder", probs, lengths)
    return _ctc_decoder(probs, lengths, blank, beam_width, top_paths)


# ---- Contexts ---------------------------------------------------------------------------

class NameScope:
    """A context whose operators have a name in front of theirs."""

    def __init__(self, name):
        if not isinstance(name, str):
            raise Error(f"the name of a poptorch.NameScope is a text, not {name!r}")
        self._name = name

    def __enter__(self):
        outer = _state.current_marks().get("scope", ())
        self._marks = _state.marks(scope=(*outer, self._name))
        self._marks.__enter__()
        return self

    def __exit__(self, *error):
        return self._marks.__exit__(*error)


class Attribute:
    """A context whose operators have attributes: Attribute(__outline={"layer": "embedding"})."""

    def __init__(self, **attributes):
        for name, values in attributes.items():
            if not isinstance(values, dict) or not values:
                raise ValueError(f"the attribute {name} is a dict of keys and values")
        self._attributes = attributes

    def __enter__(self):
        self._marks = _state.marks(attributes=self._attributes)
        self._marks.__enter__()
        return self

    def __exit__(self, *error):
        return self._marks.__exit__(*error)


class MultiConv:
    """A context of convolutions that do not depend on each other, with settings of each.

    PopART computes one after the other, so planType, perConvReservedTiles, cycleBackOff and
    enableConvDithering, which say how they share tiles, are checked only.
    """
    _entered = 0

    def __init__(self):
        self._settings = {}
        self._marks = None

    def __enter__(self):
        if "multiconv" in _state.current_marks():
            raise Error("poptorch.MultiConv cannot be nested")
        MultiConv._entered += 1
        self._marks = _state.marks(multiconv=(MultiConv._entered, self._settings))
        self._marks.__enter__()
        return self

    def __exit__(self, *error):
        return self._marks.__exit__(*error)

    def availableMemoryProportions(self, value):
        """Shares of memory: a number for all convolutions, or one for each."""
        return self._keep("availableMemoryProportions", value, (int, float), float)

    def partialsTypes(self, value):
        """Types of partial sums: torch.float or torch.half, for all convolutions or each."""
        names = {torch.float: "float", torch.half: "half"}
        self._checked("partialsTypes", value, torch.dtype)
        items = value if isinstance(value, (list, tuple)) else [value]
        if not set(items) <= set(names):
            raise AssertionError(f"MultiConv.partialsTypes does not take {value!r}")
        return self._keep("partialsTypes", value, torch.dtype, names.get)

    def planType(self, value):
        """A poptorch.MultiConvPlanType."""
        return self._checked("planType", value, MultiConvPlanType, single=True)

    def perConvReservedTiles(self, value):
        """The number of tiles for each convolution."""
        return self._checked("perConvReservedTiles", value, int, single=True)

    def cycleBackOff(self, value):
        """How many more cycles a convolution may take, as a share."""
        return self._checked("cycleBackOff", value, (int, float), single=True)

    def enableConvDithering(self, value):
        """True where a convolution begins on a tile of its own."""
        return self._checked("enableConvDithering", value, bool)

    def _keep(self, name, value, kinds, convert):
        """A setting that reaches the convolutions."""
        self._checked(name, value, kinds)
        self._settings[name] = ([convert(item) for item in value]
                                if isinstance(value, (list, tuple)) else convert(value))
        return self

    def _checked(self, name, value, kinds, single=False):
        items = value if isinstance(value, (list, tuple)) and not single else [value]
        if not all(isinstance(item, kinds) for item in items):
            raise AssertionError(f"MultiConv.{name} does not take {value!r}")
        return self
