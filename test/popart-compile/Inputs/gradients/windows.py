"""Gradients of convolutions, pools, batch norms, recurrent layers, losses, and of operators
that take tensors apart and put them together."""
import numpy as np

from harness import Case, Samples, fixed, graphcore, index, ints, main

samples = Samples(6)
normal, distinct = samples.normal, samples.distinct
random = samples.random


def two_groups(x, w):
    """A transposed convolution without strides and padding."""
    height, width = x.shape[2:]
    result = np.zeros((x.shape[0], 2 * w.shape[1], height + w.shape[2] - 1,
                       width + w.shape[3] - 1))
    for channel in range(x.shape[1]):
        group = result[:, channel // (x.shape[1] // 2) * w.shape[1]:][:, :w.shape[1]]
        for i, j in np.ndindex(*w.shape[2:]):
            group[:, :, i:i + height, j:j + width] += (
                x[:, channel:channel + 1] * w[channel, :, i, j].reshape(1, -1, 1, 1))
    return result


convolutions = [
    Case("Conv", normal(2, 3, 5, 7), normal(4, 3, 3, 2), normal(4)),
    Case("Conv", normal(1, 4, 6, 5), normal(6, 2, 3, 3), group=2, strides=[2, 1],
         pads=[1, 0, 2, 1]),
    Case("Conv", normal(1, 2, 8, 7), normal(3, 2, 3, 2), dilations=[2, 3], strides=[3, 2]),
    Case("Conv", normal(2, 3, 9), normal(2, 3, 4), strides=[3], pads=[1, 2]),
    Case("Conv", normal(1, 2, 3, 4, 5), normal(2, 2, 2, 2, 2), pads=[0, 1, 0, 1, 0, 1]),
    Case("Conv", normal(1, 3, 5, 5), normal(3, 1, 3, 3), group=3, auto_pad="SAME_UPPER"),
    Case("ConvTranspose", normal(1, 3, 4, 5), normal(3, 2, 3, 3), normal(2), strides=[2, 1],
         pads=[1, 0, 1, 1]),
    Case("ConvTranspose", normal(1, 4, 3, 3), normal(4, 2, 2, 2), group=2, ref=two_groups),
]


def max_pool_ties(x, y, dy):
    """Of windows of two elements along the last dimension."""
    result = np.zeros_like(x[0])
    for i in range(dy.shape[-1]):
        for k in (i, i + 1):
            result[..., k] += dy[..., i] * (x[0][..., k] == y[0][..., i])
    return result


pools = [
    Case("MaxPool", distinct(2, 3, 6, 5), kernel_shape=[2, 3], strides=[2, 1]),
    Case("MaxPool", distinct(1, 2, 7, 7), kernel_shape=[3, 3], strides=[2, 2],
         pads=[1, 1, 1, 1]),
    Case("MaxPool", distinct(1, 1, 8), kernel_shape=[3], dilations=[2]),
    # Every element that has the window's value gets the whole gradient.
    Case("MaxPool", np.array([[[1, 1, 0, 2, 2, 2]]], np.float32), kernel_shape=[2],
         rules={0: max_pool_ties}),
    Case("AveragePool", normal(2, 3, 6, 5), kernel_shape=[2, 3], strides=[2, 1]),
    Case("AveragePool", normal(1, 2, 7, 7), kernel_shape=[3, 3], strides=[2, 2],
         pads=[1, 1, 1, 1]),
    Case("AveragePool", normal(1, 2, 7), kernel_shape=[3], strides=[2], pads=[1, 1],
         count_include_pad=1),
    Case("GlobalAveragePool", normal(2, 3, 4, 5)),
    Case("GlobalMaxPool", distinct(2, 3, 4, 5)),
]


def batch_norm(x, scale, bias, mean, variance):
    axes = (0,) + tuple(range(2, x.ndim))
    shape = (-1,) + (1,) * (x.ndim - 2)
    normal = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    return normal * scale.reshape(shape) + bias.reshape(shape), None, None


layers = [
    Case("BatchNormalization", normal(3, 4, 2, 3), normal(4), normal(4), fixed(normal(4)),
         fixed(normal(4) ** 2), training_mode=1, results=3, used=[0], ref=batch_norm, rtol=1e-3),
    Case("LSTM", normal(3, 2, 4), normal(1, 12, 4), normal(1, 12, 3), normal(1, 24),
         hidden_size=3, results=3, rtol=1e-3),
    Case("LSTM", normal(3, 2, 4), normal(1, 12, 4), normal(1, 12, 3), normal(1, 24), None,
         normal(1, 2, 3), normal(1, 2, 3), hidden_size=3, results=3, used=[1], rtol=1e-3),
    Case("GRU", normal(3, 2, 4), normal(1, 9, 4), normal(1, 9, 3), normal(1, 18), hidden_size=3,
         results=2, rtol=1e-3),
    Case("GRU", normal(3, 2, 4), normal(1, 9, 4), normal(1, 9, 3), normal(1, 18), None,
         normal(1, 2, 3), hidden_size=3, linear_before_reset=1, results=2, used=[0], rtol=1e-3),
    Case("RNN", normal(3, 2, 4), normal(1, 3, 4), normal(1, 3, 3), normal(1, 6), hidden_size=3,
         results=2, rtol=1e-3),
]

labels = index([2, 0, 1], np.int32)
probabilities = random.dirichlet(np.ones(4), 3).astype(np.float32)


def likelihoods(p, i):
    return -np.log(p[np.arange(len(i)), i])


def ctc(p, targets, times, lengths):
    """Of each sequence: minus the logarithm of the sum over its alignments, blank 0."""
    losses = []
    for n, (steps, length) in enumerate(zip(times, lengths)):
        places = [0]
        for label in targets[n, :length]:
            places += [label, 0]
        alpha = np.full(len(places), -np.inf)
        alpha[:2] = p[0, n, places[:2]]
        for t in range(1, steps):
            ways = [alpha, np.roll(alpha, 1), np.roll(alpha, 2)]
            ways[1][0] = -np.inf
            for i, place in enumerate(places):
                if i < 2 or place == 0 or place == places[i - 2]:
                    ways[2][i] = -np.inf
            alpha = np.logaddexp.reduce(ways) + p[t, n, places]
        losses.append(-np.logaddexp.reduce(alpha[-2:]))
    return np.array(losses)


logits = normal(7, 3, 5)
log_probabilities = (logits - np.log(np.exp(logits).sum(2, keepdims=True))).astype(np.float32)
sequences = (index([[1, 2, 2], [3, 1, 1], [4, 1, 1]], np.int32), index([7, 5, 6], np.int32),
             index([3, 2, 1], np.int32))

losses = [
    graphcore("Ctc", log_probabilities, *sequences, reduction="NoReduction", ref=ctc),
    graphcore("Ctc", log_probabilities, *sequences, reduction="Sum",
              ref=lambda *x: ctc(*x).sum()),
    graphcore("Ctc", log_probabilities, *sequences, reduction="Mean",
              ref=lambda *x: (ctc(*x) / x[3]).mean()),
    graphcore("Nll", probabilities, labels, reduction="Mean",
              ref=lambda p, i: likelihoods(p, i).mean()),
    graphcore("Nll", probabilities, labels, reduction="Sum", ignoreIndex=0,
              ref=lambda p, i: (likelihoods(p, i) * (i != 0)).sum()),
    graphcore("Nll", probabilities, labels, reduction="NoReduction", ref=likelihoods),
    graphcore("L1", normal(3, 4), **{"lambda": 0.25}, reduction="Mean",
              ref=lambda x: 0.25 * np.abs(x).mean()),
    graphcore("IdentityLoss", normal(3, 4), reduction="Mean", ref=np.mean),
    graphcore("IdentityLoss", normal(3, 4), reduction="NoReduction", ref=lambda x: x),
]

parts = [
    Case("Slice", normal(5, 7), ints(1, -1), ints(4, 0), ints(0, 1), ints(1, -2)),
    Case("Slice", normal(5, 7), ints(-1), ints(-100), ints(0), ints(-1)),
    Case("Slice", normal(5), ints(3), ints(2), ref=lambda x, *_: x[3:2]),
    Case("Concat", normal(2, 3), normal(2, 1), normal(2, 0), axis=-1),
    Case("Split", normal(2, 7), ints(3, 0, 4), axis=1, results=3),
    Case("Split", normal(6, 2), num_outputs=3, results=3, used=[1]),
    Case("Gather", normal(5, 3), index([[0, 3], [3, -1]])),
    Case("Gather", normal(2, 4, 3), index([1, 1, 0]), axis=1),
    Case("Gather", normal(2, 4), ints(3, 3, 1), axis=1),
    Case("Gather", normal(4, 3), index(2)),
    Case("Where", np.array([[True, False, True]]), normal(2, 3), normal(2, 1)),
    Case("Expand", normal(3, 1), ints(2, 1, 4)),
    Case("Cast", normal(3), to=1, ref=lambda x: x),
]

main(convolutions + pools + layers + losses + parts)
