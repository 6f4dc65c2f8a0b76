"""Trains a perceptron with popart-compile and ipu-run beside NumPy in float64.

usage: training.py FOLDER [OPTIONS of popart-compile...]
"""
import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BATCH, IN, HIDDEN, CLASSES, STEPS = 6, 7, 9, 4, 8
RNG = np.random.default_rng(5)
WEIGHTS = {
    "w1": RNG.standard_normal((IN, HIDDEN)) * 0.5,
    "b1": RNG.standard_normal(HIDDEN) * 0.1,
    "w2": RNG.standard_normal((HIDDEN, CLASSES)) * 0.5,
}
X = RNG.standard_normal((STEPS, BATCH, IN)).astype(np.float32)
Y = RNG.integers(0, CLASSES, (STEPS, BATCH)).astype(np.int32)
IGNORED = 2


def model(path):
    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"]),
        helper.make_node("Tanh", ["h"], ["t"]),
        helper.make_node("MatMul", ["t", "w2"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes, "perceptron",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [BATCH, IN])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [BATCH, CLASSES])],
        [numpy_helper.from_array(v.astype(np.float32), k) for k, v in WEIGHTS.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)],
                                ir_version=7), path)


def gradients(w, x, y):
    t = np.tanh(x @ w["w1"] + w["b1"])
    z = t @ w["w2"]
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    counts = y != IGNORED
    loss = -np.log(p[np.arange(BATCH), y])[counts].sum() / max(counts.sum(), 1)
    dz = (p - np.eye(CLASSES)[y]) * counts[:, None] / max(counts.sum(), 1)
    dh = (dz @ w["w2"].T) * (1 - t * t)
    return loss, {"w1": x.T @ dh, "b1": dh.sum(0), "w2": t.T @ dz}


def train(update):
    """Losses and weights; update(weight, gradient, state, step) gives the new weight."""
    w = {k: v.astype(np.float32).astype(np.float64) for k, v in WEIGHTS.items()}
    states = {k: {} for k in w}
    losses = []
    for step in range(STEPS):
        loss, g = gradients(w, X[step].astype(np.float64), Y[step])
        losses.append(loss)
        for k in w:
            w[k] = update(w[k], g[k], states[k], step)
    return losses, w


def rmsprop(w, g, state, step):
    state["v"] = 0.75 * state.get("v", 0) + 0.25 * g * g
    return w - 0.01 * g / (np.sqrt(state["v"]) + 1e-3)


def lamb(w, g, state, step):
    m = state["m"] = 0.5 * state.get("m", 0) + 0.5 * g
    v = state["v"] = 0.75 * state.get("v", 0) + 0.25 * g * g
    x = m / (1 - 0.5 ** (step + 1)) / (np.sqrt(v / (1 - 0.75 ** (step + 1))) + 1e-3) + 0.125 * w
    return w - 0.02 * min(np.linalg.norm(w), 10) / np.linalg.norm(x) * x


def adamax(w, g, state, step):
    m = state["m"] = 0.5 * state.get("m", 0) + 0.5 * g
    v = state["v"] = np.maximum(0.75 * state.get("v", 0), np.abs(g))
    return w - 0.02 * m / (1 - 0.5 ** (step + 1)) / (v + 1e-3)


def adadelta(w, g, state, step):
    v = state["v"] = 0.75 * state.get("v", 0) + 0.25 * g * g
    x = g * np.sqrt(state.get("u", 0) + 1e-3) / np.sqrt(v + 1e-3)
    state["u"] = 0.75 * state.get("u", 0) + 0.25 * x * x
    return w - x


CASES = {
    "sgd:lr=0.1,weight_decay=0.01,loss_scaling=64":
        lambda w, g, s, i: w - 0.1 * (g + 0.01 * w),
    "rmsprop:lr=0.01,alpha=0.75,eps=1e-3": rmsprop,
    "lamb:lr=0.02,beta1=0.5,beta2=0.75,eps=1e-3,weight_decay=0.125": lamb,
    "adamax:lr=0.02,beta1=0.5,beta2=0.75,eps=1e-3": adamax,
    "adadelta:lr=1,alpha=0.75,eps=1e-3": adadelta,
}


def main():
    folder, options = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    run = lambda tool, *args: subprocess.run([tool, *args], check=True,
                                             stdout=subprocess.DEVNULL)
    model("model.onnx")
    np.savez("data.npz", x=X, y=Y.reshape(-1))
    data = ["--input", "x=data.npz", "--input", "y=data.npz", "--allow-native"]
    for optimizer, update in CASES.items():
        name = optimizer.split(":")[0]
        run("popart-compile", "model.onnx", "--loss", f"softmax-nll:logits,y,ignore={IGNORED}",
            "--optimizer", optimizer, "-o", "train.ipux", *options)
        run("ipu-run", "train.ipux", "--steps", str(STEPS), *data, "--loss-out", "loss.csv",
            "--save-weights", "trained.onnx", "--checkpoint", "whole.npz")
        half = str(STEPS // 2)
        run("ipu-run", "train.ipux", "--steps", half, *data, "--checkpoint", "half.npz")
        run("ipu-run", "train.ipux", "--steps", half, *data, "--resume", "half.npz",
            "--checkpoint", "resumed.npz")
        losses, weights = train(update)
        found = np.loadtxt("loss.csv", delimiter=",", skiprows=1)
        assert (found[:, 0] == np.arange(1, STEPS + 1)).all(), found
        np.testing.assert_allclose(found[:, 1], losses, rtol=1e-5, err_msg=name)
        trained = onnx.load("trained.onnx")
        onnx.checker.check_model(trained)
        values = {t.name: numpy_helper.to_array(t) for t in trained.graph.initializer}
        for k, v in weights.items():
            np.testing.assert_allclose(values[k], v, rtol=1e-4, atol=1e-5, err_msg=f"{name} {k}")
        whole, resumed = np.load("whole.npz"), np.load("resumed.npz")
        assert whole.files == resumed.files
        for k in whole.files:
            assert whole[k].tobytes() == resumed[k].tobytes(), k
        print(f"{name}: losses, weights, resumed state agree")

    # Another order each time round, the same for the same seed.
    orders = []
    for seed in ("1", "1", "2"):
        run("ipu-run", "train.ipux", "--steps", str(2 * STEPS), *data, "--shuffle", seed,
            "--loss-out", "loss.csv")
        orders.append(open("loss.csv").read())
    assert orders[0] == orders[1] != orders[2]
    print("shuffled: the same order for the same seed")


main()
