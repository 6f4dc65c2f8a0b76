#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains models of PyTorch's exporter through Python, step by step beside PyTorch in float64.

    trajectories.py [--device cpu|model]           small models, with all optimizers
    trajectories.py [--device cpu|model] FOLDER... folders with model.onnx, steps.npz,
                                                   expected.npz and training.json

The loss of each step, and the weights after the last one, are compared.
"""

import argparse
import io
import json
import os
import sys

import numpy as np
import popart

# By name, the optimizer and PyTorch's arguments as numbers of ours.
OPTIMIZERS = {
    "sgd": lambda v: popart.SGD(values_of(v)),
    "momentum": lambda v: popart.SGD(values_of(v)),
    "separate": lambda v: popart.SGD(
        values_of(v), accumulatorAndMomentum=popart.SGDAccumulatorAndMomentum.Separate),
    "nesterov": lambda v: popart.SGD(values_of(v)),
    "adam": lambda v: popart.Adam(values_of(v)),
    "adamw": lambda v: popart.Adam(values_of(v)),
    "l2": lambda v: popart.Adam(values_of(v),
                                weight_decay_mode=popart.WeightDecayMode.L2Regularization),
    "adamax": lambda v: popart.Adam(values_of(v), mode=popart.AdamMode.AdaMax),
    "rmsprop": lambda v: popart.Adaptive(values_of(v)),
    "adagrad": lambda v: popart.Adaptive(values_of(v), mode=popart.AdaptiveMode.AdaGrad),
    "centered": lambda v: popart.Adaptive(values_of(v),
                                          mode=popart.AdaptiveMode.CenteredRMSProp),
}
NAMES = {"lr": "defaultLearningRate", "momentum": "defaultMomentum", "eps": "defaultEps",
         "weight_decay": "defaultWeightDecay", "alpha": "defaultAlpha"}


def values_of(values):
    """Numbers that may change between steps, but for those that may not."""
    result = {}
    for name, value in values.items():
        if name == "betas":
            result["defaultBeta1"] = (value[0], True)
            result["defaultBeta2"] = (value[1], True)
        elif name == "nesterov":
            result["nesterov"] = (float(value), True)
        elif name in NAMES:
            result[NAMES[name]] = (value, name not in ("lr", "weight_decay"))
    return result


def make_device(kind):
    manager = popart.DeviceManager()
    return manager.createCpuDevice() if kind == "cpu" else manager.createIpuModelDevice(
        {"tilesPerIPU": 16})


def train(model, logits, opset, optimizer, x, y, device):
    """Losses of all steps, and the trained weights."""
    builder = popart.Builder(model)
    probabilities = builder.customOp("Softmax", opset, "ai.onnx", [logits], {"axis": 1})[0]
    labels = builder.addInputTensor(popart.TensorInfo("INT32", [y.shape[1]]), "labels")
    loss = builder.aiGraphcore.nllloss([probabilities, labels])
    session = popart.TrainingSession(
        builder.getModelProto(), popart.DataFlow(1, [loss]), loss, optimizer, device)
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    losses = []
    for batch, label in zip(x, y):
        session.run(popart.PyStepIO({"x": batch, labels: label}, anchors))
        losses.append(float(anchors[loss]))
    weights = {name: np.zeros(builder.getTensorShape(name), np.float32)
               for name in builder.getTrainableTensorIds()}
    session.weightsToHost()
    session.readWeights(popart.PyWeightsIO(weights))
    return np.array(losses), weights


def compare(name, losses, weights, wanted_losses, wanted_weights):
    difference = np.abs(losses - wanted_losses).max()
    furthest = max((np.abs(weights[n] - w).max() for n, w in wanted_weights.items()
                    if n in weights and weights[n].shape == w.shape), default=0.0)
    agrees = difference < 2e-5 and furthest < 2e-5 and losses[-1] < losses[0]
    print(f"{name}: loss {losses[0]:.4f} -> {losses[-1]:.4f}, differs by {difference:.1e}, "
          f"weights by {furthest:.1e}{'' if agrees else ': TOO MUCH'}")
    return agrees


def opset_of(model):
    import onnx

    return next(i.version for i in onnx.load(model).opset_import if i.domain == "")


def trained_weights(weights):
    """Without running statistics, which have moved already while the model was exported."""
    return {name: value for name, value in weights.items() if "running_" not in name}


def run_folder(folder, device):
    with open(os.path.join(folder, "training.json"), encoding="utf-8") as file:
        about = json.load(file)
    steps = np.load(os.path.join(folder, "steps.npz"))
    expected = np.load(os.path.join(folder, "expected.npz"))
    model = os.path.join(folder, "model.onnx")
    opset = opset_of(model)
    if about["model"] == "transformer":
        # A buffer of PyTorch's, which is an initializer like any weight.
        transformer = popart.GraphTransformer(model)
        transformer.convertInitializersToConstants(["mask"])
        model = transformer.getModelProto()
    x = steps["x"] if about["input_type"] == "float" else steps["x"].astype(np.int64)
    losses, weights = train(model, about["output"], opset,
                            OPTIMIZERS[about["optimizer"]](about["values"]), x,
                            steps["y"], make_device(device))
    # The exporter renames the weights of recurrent layers.
    final = {} if about["model"] == "lstm" else trained_weights(
        {k.removeprefix("final/"): v for k, v in expected.items() if k.startswith("final/")})
    return compare(os.path.basename(folder), losses, weights, expected["losses"], final)


# ---- Small models ----

def small_models():
    from torch import nn

    return {
        "mlp": (nn.Sequential(nn.Flatten(), nn.Linear(16, 12), nn.Tanh(), nn.Linear(12, 5)),
                (4, 4)),
        "convolutions": (nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 5)), (2, 6, 6)),
    }


def torch_optimizers(optim):
    return {
        "sgd": (optim.SGD, {"lr": 0.05}),
        "momentum": (optim.SGD, {"lr": 0.02, "momentum": 0.9, "weight_decay": 1e-3}),
        "separate": (optim.SGD, {"lr": 0.02, "momentum": 0.9, "weight_decay": 1e-3}),
        "nesterov": (optim.SGD, {"lr": 0.02, "momentum": 0.8, "nesterov": True}),
        "adam": (optim.Adam, {"lr": 2e-3, "betas": (0.9, 0.99), "eps": 1e-6}),
        "adamw": (optim.AdamW, {"lr": 2e-3, "betas": (0.9, 0.999), "eps": 1e-6,
                                "weight_decay": 0.02}),
        "l2": (optim.Adam, {"lr": 2e-3, "eps": 1e-6, "weight_decay": 0.02}),
        "adamax": (optim.Adamax, {"lr": 2e-3, "betas": (0.9, 0.99), "eps": 1e-6}),
        "rmsprop": (optim.RMSprop, {"lr": 1e-3, "alpha": 0.9, "eps": 1e-5}),
        "adagrad": (optim.Adagrad, {"lr": 1e-2, "eps": 1e-6}),
        "centered": (optim.RMSprop, {"lr": 1e-3, "alpha": 0.9, "eps": 1e-3, "centered": True}),
    }


def run_small(device):
    import torch
    from torch import nn

    results = []
    for optimizer, (kind, values) in torch_optimizers(torch.optim).items():
        torch.manual_seed(3)
        for name, (model, shape) in small_models().items():
            random = np.random.RandomState(5)
            x = np.tile(random.normal(size=(2, 8, *shape)), (6,) + (1,) * (len(shape) + 1))
            x = x.astype(np.float32)
            y = np.tile(random.randint(0, 5, (2, 8)), (6, 1)).astype(np.int32)
            file = io.BytesIO()
            model.train()
            before = {k: v.clone() for k, v in model.state_dict().items()}
            torch.onnx.export(model, torch.tensor(x[0]), file, opset_version=11,
                              input_names=["x"], output_names=["logits"],
                              training=torch.onnx.TrainingMode.TRAINING,
                              do_constant_folding=False)
            model.load_state_dict(before)
            model.double()
            steps = kind(model.parameters(), **values)
            wanted = []
            for batch, label in zip(x, y):
                loss = nn.functional.cross_entropy(model(torch.tensor(batch).double()),
                                                   torch.tensor(label).long())
                wanted.append(float(loss))
                steps.zero_grad()
                loss.backward()
                steps.step()
            losses, weights = train(file.getvalue(), "logits", 11, OPTIMIZERS[optimizer](values),
                                    x, y, make_device(device))
            final = trained_weights({k: v.detach().numpy() for k, v in model.state_dict().items()
                                     if v.dtype.is_floating_point})
            results.append(compare(f"{name}-{optimizer}", losses, weights, np.array(wanted),
                                   final))
    return all(results)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu", choices=("cpu", "model"))
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    if options.folders:
        agrees = all([run_folder(f, options.device) for f in options.folders])
    else:
        agrees = run_small(options.device)
    print("all agree" if agrees else "some do not agree")
    return 0 if agrees else 1


sys.exit(main())
