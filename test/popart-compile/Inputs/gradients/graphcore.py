"""Gradients of layers of Graphcore's domain that are other operators where they are
differentiated."""
import numpy as np

from harness import Samples, graphcore, main

samples = Samples(5)
normal = samples.normal


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(full):
    """Units are forget, input, candidate, output."""
    def run(x, weights, bias=None, initial=None):
        size = weights.shape[2]
        hidden, cell = np.zeros((2, x.shape[1], size)) if initial is None else initial
        bias = np.zeros((4, 1, size)) if bias is None else bias[:, None]
        outputs = []
        for step in x:
            forget, into, candidate, out = np.concatenate([step, hidden], 1) @ weights + bias
            cell = sigmoid(forget) * cell + sigmoid(into) * np.tanh(candidate)
            hidden = sigmoid(out) * np.tanh(cell)
            outputs.append(hidden)
        return np.stack(outputs) if full else hidden, cell

    return run


def convolved(x, w, pads, strides, dilations, spread, outside):
    """One convolution of images, place by place."""
    batch, channels, height, width = x.shape
    wide = np.zeros((batch, channels, (height - 1) * spread[0] + 1, (width - 1) * spread[1] + 1))
    wide[:, :, ::spread[0], ::spread[1]] = x
    wide = np.pad(wide, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])))
    extents = [(wide.shape[2 + d] - (w.shape[2 + d] - 1) * dilations[d] - 1) // strides[d] + 1
               for d in (0, 1)]
    groups = channels // w.shape[1]
    result = np.zeros((batch, w.shape[0], *extents))
    for out in range(w.shape[0]):
        first = out // (w.shape[0] // groups) * w.shape[1]
        for i, j in np.ndindex(*w.shape[2:]):
            top, left = i * dilations[0], j * dilations[1]
            part = wide[:, first:first + w.shape[1],
                        top:top + (extents[0] - 1) * strides[0] + 1:strides[0],
                        left:left + (extents[1] - 1) * strides[1] + 1:strides[1]]
            result[:, out] += np.einsum("bcyx,c->byx", part, w[out, :, i, j])
    return np.pad(result, ((0, 0), (0, 0), (outside[0], outside[2]), (outside[1], outside[3])))


def multi_conv(*operands, count, **lists):
    """`lists` are attributes, of all convolutions one after the other."""
    def form(name, k, per_image, fallback):
        given = lists.get(name)
        return given[per_image * k:per_image * (k + 1)] if given else [fallback] * per_image

    def run(*values):
        return tuple(
            convolved(*values[2 * k:2 * k + 2], form("pads", k, 4, 0), form("strides", k, 2, 1),
                      form("dilations", k, 2, 1), form("inDilations", k, 2, 1),
                      form("outPads", k, 4, 0)) for k in range(count))

    return graphcore("MultiConv", *operands, results=count, ref=run, **lists)


layers = [
    graphcore("LSTM", normal(3, 2, 4), normal(4, 7, 3), normal(4, 3), normal(2, 2, 3), results=2,
              output_full_sequence=1, ref=lstm(True), rtol=1e-3),
    graphcore("LSTM", normal(3, 2, 4), normal(4, 7, 3), normal(4, 3), results=2, used=[0],
              output_full_sequence=0, ref=lstm(False), rtol=1e-3),
    graphcore("LSTM", normal(2, 3, 1), normal(4, 3, 2), results=2, used=[1], ref=lstm(True),
              rtol=1e-3),
]

convolutions = [
    multi_conv(normal(1, 3, 5, 5), normal(4, 3, 3, 3), count=1),
    multi_conv(normal(2, 2, 5, 6), normal(3, 2, 3, 2), normal(1, 4, 6, 5), normal(2, 2, 2, 2),
               count=2, pads=[1, 0, 1, 2, 0, 1, 0, 0], strides=[2, 1, 1, 2],
               dilations=[1, 2, 2, 1]),
    multi_conv(normal(1, 2, 4, 4), normal(2, 2, 3, 3), normal(1, 1, 3, 5), normal(2, 1, 2, 3),
               count=2, inDilations=[2, 1, 3, 2], outPads=[1, 0, 0, 2, 0, 0, 1, 1]),
]

main(layers + convolutions)
