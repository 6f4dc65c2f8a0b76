# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and transposed convolutions of one, two and three dimensions."""

from .table import lowering, pair, promoted


def _with_batch(e, x, spatial, function):
    """torch takes inputs without a batch; the operator has one."""
    if x.ndim == spatial + 2:
        return function(x)
    return e.squeeze(function(e.unsqueeze(x, 0)), 0)


def _convolve(e, x, weight, bias, stride, padding, dilation, groups, transposed=False,
              output_padding=0):
    spatial = weight.ndim - 2
    x, weight = promoted(e, x, weight)
    stride, dilation = pair(stride, spatial), pair(dilation, spatial)
    begin, end = _pads(padding, spatial, weight, dilation)
    bias = bias if bias is None else e.cast(bias, x.dtype)
    attributes = {"strides": stride, "dilations": dilation, "group": groups,
                  "kernel_shape": list(weight.shape[2:]), "pads": [*begin, *end]}
    out = e.out[0] if isinstance(e.out, (tuple, list)) else e.out

    def emit(x):
        shape = tuple(out.shape) if out.ndim == x.ndim else (1, *out.shape)
        operands = [x, weight, bias]
        if not transposed:
            return e.op("Conv", operands, shape, **attributes)
        return e.op("ConvTranspose", operands, shape, **attributes,
                    output_padding=pair(output_padding, spatial))

    return _with_batch(e, x, spatial, emit)


def _pads(padding, spatial, weight, dilation):
    if padding == "valid":
        return [0] * spatial, [0] * spatial
    if padding == "same":
        totals = [(kernel - 1) * d for kernel, d in zip(weight.shape[2:], dilation)]
        return [total // 2 for total in totals], [total - total // 2 for total in totals]
    pads = pair(padding, spatial)
    return pads, pads


@lowering(*(f"aten.conv{n}d.{form}" for n in (1, 2, 3) for form in ("default", "padding")))
def conv(e, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _convolve(e, x, weight, bias, stride, padding, dilation, groups)


@lowering("aten.conv_transpose1d.default", "aten.conv_transpose2d.input",
          "aten.conv_transpose3d.input")
def conv_transpose(e, x, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                   dilation=1):
    return _convolve(e, x, weight, bias, stride, padding, dilation, groups, True,
                     output_padding)


@lowering("aten.convolution.default", "aten._convolution.default")
def convolution(e, x, weight, bias, stride, padding, dilation, transposed, output_padding,
                groups, *_):
    return _convolve(e, x, weight, bias, stride, padding, dilation, groups, transposed,
                     output_padding)
