# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, and the attributes that all operators over windows of a field have."""

from typing import Any, Literal, Tuple

from popxl import context
from popxl.ops._make import make, product_attributes
from popxl.tensor import Tensor

PadType = Literal["not_set", "same_upper", "same_lower", "valid"]

_PADS = {"not_set": "NOTSET", "same_upper": "SAME_UPPER", "same_lower": "SAME_LOWER",
         "valid": "VALID"}


def pad_type_of(pad_type: str) -> str:
    if pad_type not in _PADS:
        raise ValueError(f"The pad_type is one of {', '.join(_PADS)}, not {pad_type!r}.")
    return _PADS[pad_type]


def window(**lists: Any) -> dict:
    """Attributes that are given."""
    return {name: [int(v) for v in value] for name, value in lists.items()
            if value is not None and len(tuple(value)) != 0}


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, (list, tuple)) and values else (
        None if isinstance(values, (list, tuple)) else values)


def _for_rank(values: Any, default: Tuple[int, ...], count: int) -> Any:
    """A default is for two dimensions; of others it has as many elements."""
    return (default[0],) * count if tuple(values) == default else values


def conv_attributes(t: Tensor, stride, padding, dilation, groups: int, pad_type: str,
                    memory: Any = None, partials: Any = None, **lists: Any) -> dict:
    """Attributes of a convolution or of the transpose of one."""
    field = t.rank - 2
    attributes = product_attributes(_first(memory), _first(partials))
    attributes.update(window(strides=_for_rank(stride, (1, 1), field),
                             dilations=_for_rank(dilation, (1, 1), field), **lists))
    auto = pad_type_of(pad_type)
    if auto == "NOTSET" and not lists.get("output_shape"):
        attributes.update(window(pads=_for_rank(padding, (0, 0, 0, 0), 2 * field)))
    return {"group": int(groups), "auto_pad": auto, **attributes}


def conv(t: Tensor, weight: Tensor, stride: Tuple[int, ...] = (1, 1),
         padding: Tuple[int, ...] = (0, 0, 0, 0), dilation: Tuple[int, ...] = (1, 1),
         groups: int = 1, pad_type: PadType = "not_set",
         available_memory_proportions: Any = None, partials_types: Any = None,
         enable_conv_dithering: Any = None) -> Tensor:
    """Convolution of [batch, channels, field…] with weights [out, in / groups, field…]."""
    context.get_current_graph()._check_own(t=t, weight=weight)
    attributes = conv_attributes(t, stride, padding, dilation, groups, pad_type,
                                 available_memory_proportions, partials_types)
    return make("Conv", {"t": t, "weight": weight},
                lambda b, x, w: b.op("Conv", [x, w], **attributes), "conv")


def conv_transpose(t: Tensor, weight: Tensor, stride: Tuple[int, ...] = (1, 1),
                   padding: Tuple[int, ...] = (0, 0, 0, 0), dilation: Tuple[int, ...] = (1, 1),
                   groups: int = 1, pad_type: PadType = "not_set",
                   output_padding: Tuple[int, ...] = (), output_shape: Tuple[int, ...] = (),
                   available_memory_proportions: Any = None, partials_types: Any = None,
                   enable_conv_dithering: Any = None) -> Tensor:
    """The transpose of a convolution, of weights [in, out / groups, field…]."""
    context.get_current_graph()._check_own(t=t, weight=weight)
    attributes = conv_attributes(t, stride, padding, dilation, groups, pad_type,
                                 available_memory_proportions, partials_types,
                                 output_padding=output_padding, output_shape=output_shape)
    return make("ConvTranspose", {"t": t, "weight": weight},
                lambda b, x, w: b.op("ConvTranspose", [x, w], **attributes), "conv_transpose")
