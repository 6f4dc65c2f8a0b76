"""Gradients of recurrent operators over more steps than are unrolled."""
import numpy as np

from harness import Case, Samples, constant, main

STEPS, BATCH, IN, SIZE = 70, 2, 2, 2
samples = Samples(11)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def sequence(x, hidden, lengths, backwards, step):
    """Steps of one direction; what is behind a sequence's end changes nothing."""
    outputs = [None] * len(x)
    for t in (reversed(range(len(x))) if backwards else range(len(x))):
        following = step(x[t], hidden)
        runs = (t < lengths)[:, None] if lengths is not None else True
        outputs[t] = np.where(runs, following[0], 0)
        hidden = tuple(np.where(runs, new, old) for new, old in zip(following, hidden))
    return np.stack(outputs), hidden


def stacked(directions):
    """From (outputs, states) of each direction to the operator's results."""
    states = zip(*(hidden for _, hidden in directions))
    return (np.stack([outputs for outputs, _ in directions], 1),
            *(np.stack(state) for state in states))


def lstm(x, w, r, b, lengths=None, h=None, c=None, p=None, backwards=(False,)):
    directions = []
    for k, back in enumerate(backwards):
        wb, rb = np.split(b[k], 2)
        pi, po, pf = np.split(p[k], 3) if p is not None else (0, 0, 0)

        def step(xt, state, k=k, wb=wb, rb=rb, pi=pi, po=po, pf=pf):
            hidden, cell = state
            i, o, f, g = np.split(xt @ w[k].T + hidden @ r[k].T + wb + rb, 4, 1)
            cell_next = sigmoid(f + pf * cell) * cell + sigmoid(i + pi * cell) * np.tanh(g)
            return sigmoid(o + po * cell_next) * np.tanh(cell_next), cell_next

        zeros = np.zeros((x.shape[1], r.shape[2]))
        start = (zeros if h is None else h[k], zeros if c is None else c[k])
        directions.append(sequence(x, start, lengths, back, step))
    return stacked(directions)


def gru(x, w, r, b, lengths=None, h=None, after=False, backwards=(False,)):
    directions = []
    for k, back in enumerate(backwards):
        wb, rb = np.split(b[k], 2)

        def step(xt, state, k=k, wb=wb, rb=rb):
            hidden = state[0]
            xz, xr, xh = np.split(xt @ w[k].T + wb, 3, 1)
            rz, rr, rh = np.split(r[k], 3)
            bz, br, bh = np.split(rb, 3)
            z, reset = sigmoid(xz + hidden @ rz.T + bz), sigmoid(xr + hidden @ rr.T + br)
            late = reset * (hidden @ rh.T + bh) if after else (reset * hidden) @ rh.T + bh
            return ((1 - z) * np.tanh(xh + late) + z * hidden,)

        start = (np.zeros((x.shape[1], r.shape[2])) if h is None else h[k],)
        directions.append(sequence(x, start, lengths, back, step))
    return stacked(directions)


def weights(gates, directions=1):
    return (samples.normal(directions, gates * SIZE, IN),
            samples.normal(directions, gates * SIZE, SIZE),
            samples.normal(directions, 2 * gates * SIZE))


def x():
    return samples.normal(STEPS, BATCH, IN)


def state(directions=1):
    return samples.normal(directions, BATCH, SIZE)


lengths = constant(np.array([STEPS, 40], np.int32))
both = {"direction": "bidirectional"}

main([
    Case("LSTM", x(), *weights(4), hidden_size=SIZE, results=3, rtol=1e-3, ref=lstm),
    Case("LSTM", x(), *weights(4), lengths, state(), state(), samples.normal(1, 3 * SIZE),
         hidden_size=SIZE, results=3, rtol=1e-3, ref=lstm),
    Case("GRU", x(), *weights(3), None, state(), hidden_size=SIZE, results=2, rtol=1e-3,
         direction="reverse", ref=lambda *a: gru(*a, backwards=(True,))),
    Case("GRU", x(), *weights(3, 2), lengths, state(2), hidden_size=SIZE, results=2,
         linear_before_reset=1, rtol=1e-3, **both,
         ref=lambda *a: gru(*a, after=True, backwards=(False, True))),
])
