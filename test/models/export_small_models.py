#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Exports the small models of this folder with PyTorch, each with an input and
# PyTorch's own float32 output in the layout of ONNX's test data. Everything is
# seeded, so running it again gives the same models. It needs the packages
# python3-torch and python3-onnx.
#
#     export_small_models.py OUT_DIR
import os
import sys

import onnx.numpy_helper
import torch
import torch.nn as nn


def lenet():
    """The classic digit classifier: two convolutions, three dense layers."""
    features = [nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
                nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)]
    classifier = [nn.Flatten(), nn.Linear(400, 120), nn.ReLU(),
                  nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
                  nn.Softmax(dim=1)]
    return nn.Sequential(*features, *classifier)


def mlp():
    """A multi-layer perceptron with three inputs at a time."""
    return nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))


class Residual(nn.Module):
    """Batch norm, grouped and strided convolutions, a skip connection, concat,
    average pools: what an image model has beside LeNet's operators."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False),
            nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.depthwise = nn.Sequential(
            nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.BatchNorm2d(8),
            nn.Hardtanh(0.0, 6.0))
        self.wide = nn.Conv2d(8, 8, 3, padding=2, dilation=2)
        self.pool = nn.AvgPool2d(2)
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                                  nn.Linear(16, 5))

    def forward(self, x):
        x = self.stem(x)
        x = x + self.depthwise(x)
        x = torch.cat([torch.sigmoid(self.wide(x)), torch.tanh(x)], dim=1)
        return self.head(self.pool(x))


MODELS = {
    "lenet": (lenet, (1, 1, 28, 28)),
    "mlp": (mlp, (3, 64)),
    "residual": (Residual, (1, 3, 16, 16)),
}


def settle_batch_norms(model, shape):
    """Gives batch norms the statistics of some data, so that folding them
    changes something."""
    if any(isinstance(m, nn.BatchNorm2d) for m in model.modules()):
        model.train()
        with torch.no_grad():
            model(torch.randn((16,) + shape[1:]))


def write_tensor(path, tensor, name):
    proto = onnx.numpy_helper.from_array(tensor.numpy(), name)
    with open(path, "wb") as file:
        file.write(proto.SerializeToString())


def export(name, out_dir):
    make, shape = MODELS[name]
    torch.manual_seed(1234)
    model = make()
    settle_batch_norms(model, shape)
    model.eval()
    x = torch.randn(shape)
    with torch.no_grad():
        y = model(x)
    data = os.path.join(out_dir, name, "test_data_set_0")
    os.makedirs(data, exist_ok=True)
    # PRESERVE keeps the exporter from folding batch norms: that is our job.
    torch.onnx.export(model, x, os.path.join(out_dir, name, "model.onnx"),
                      training=torch.onnx.TrainingMode.PRESERVE,
                      opset_version=13, input_names=["input"],
                      output_names=["output"])
    write_tensor(os.path.join(data, "input_0.pb"), x, "input")
    write_tensor(os.path.join(data, "output_0.pb"), y, "output")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: export_small_models.py OUT_DIR")
    for name in MODELS:
        export(name, sys.argv[1])
