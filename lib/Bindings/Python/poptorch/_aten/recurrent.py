# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LSTM, GRU and RNN. torch's weights are [gates * hidden, input], with the gates in another
order than ONNX's; each layer and direction is one operator."""

from .random import dropped
from .table import lowering, refuse

# For each kind: the order of torch's gates in ONNX's.
_GATES = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2), "RNN": (0,)}


def _ordered(e, value, kind, hidden):
    """Gates of a weight or bias in ONNX's order."""
    parts = [e.slice(value, 0, gate * hidden, (gate + 1) * hidden) for gate in _GATES[kind]]
    return e.concat(parts, 0)


def _layer(e, x, state, weights, kind, hidden, directions, attributes):
    """One layer. `weights` are those of each direction; returns the sequence and states."""
    w = e.concat([e.unsqueeze(_ordered(e, ws[0], kind, hidden), 0) for ws in weights], 0)
    r = e.concat([e.unsqueeze(_ordered(e, ws[1], kind, hidden), 0) for ws in weights], 0)
    bias = None
    if len(weights[0]) > 2:
        bias = e.concat([e.unsqueeze(e.concat([_ordered(e, b, kind, hidden)
                                               for b in ws[2:4]], 0), 0) for ws in weights], 0)
    steps, batch = x.shape[:2]
    shapes = [((steps, directions, batch, hidden), x.dtype),
              ((directions, batch, hidden), x.dtype)]
    if kind == "LSTM":
        shapes.append(shapes[1])
    direction = "bidirectional" if directions == 2 else "forward"
    y, *last = e.ops(kind, [x, w, r, bias, None, *state], shapes, hidden_size=hidden,
                     direction=direction, **attributes)
    y = e.reshape(e.transpose(y, [0, 2, 1, 3]), (steps, batch, directions * hidden))
    return y, last


def _recurrent(e, kind, x, states, params, has_biases, num_layers, dropout, train,
               bidirectional, batch_first, attributes):
    if batch_first:
        x = e.transpose(x, [1, 0, 2])
    directions = 2 if bidirectional else 1
    hidden = states[0].shape[-1]
    per = len(params) // (num_layers * directions)
    if per not in (2, 4) or has_biases != (per == 4):
        refuse("projections")
    groups = [params[i:i + per] for i in range(0, len(params), per)]
    lasts = [[] for _ in states]
    for layer in range(num_layers):
        own = [e.slice(state, 0, layer * directions, (layer + 1) * directions)
               for state in states]
        x, last = _layer(e, x, own, groups[layer * directions:(layer + 1) * directions], kind,
                         hidden, directions, attributes)
        for kept, value in zip(lasts, last):
            kept.append(value)
        if train and dropout and layer + 1 < num_layers:
            x = dropped(e, x, dropout)
    if batch_first:
        x = e.transpose(x, [1, 0, 2])
    return (x, *[e.concat(values, 0) for values in lasts])


@lowering("aten.lstm.input")
def lstm(e, x, states, params, *rest):
    return _recurrent(e, "LSTM", x, states, params, *rest, {})


@lowering("aten.gru.input")
def gru(e, x, state, params, *rest):
    return _recurrent(e, "GRU", x, [state], params, *rest, {"linear_before_reset": 1})


def _register_rnn(name, activation):
    @lowering(f"aten.{name}.input")
    def rnn(e, x, state, params, has_biases, num_layers, dropout, train, bidirectional,
            batch_first):
        count = 2 if bidirectional else 1
        return _recurrent(e, "RNN", x, [state], params, has_biases, num_layers, dropout, train,
                          bidirectional, batch_first, {"activations": [activation] * count})


_register_rnn("rnn_tanh", "Tanh")
_register_rnn("rnn_relu", "Relu")
