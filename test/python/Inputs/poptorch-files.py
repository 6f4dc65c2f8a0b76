# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What poptorch writes into folders: a report with the names of modules, compiled models, and
objects of a notebook.

poptorch-files.py REPORT CACHE"""

import os
import sys

os.environ["POPTORCH_SMALL_IPU_MODEL"] = "1"

import poptorch
import torch
from torch import nn


class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = (nn.Conv2d(2, 2, 3, padding=1) for _ in range(2))

    def forward(self, x):
        return x + self.conv2(self.conv1(x).relu())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Sequential(Part(), Part())
        self.last = nn.Linear(2, 3)

    def forward(self, x, target=None):
        y = self.last(self.layer1(x).mean((2, 3)))
        return y if target is None else (y, nn.functional.cross_entropy(y, target))


torch.manual_seed(0)
x = torch.randn(2, 2, 4, 4)


def reports():
    program = poptorch.trainingModel(Net(), poptorch.Options().enableProfiling(sys.argv[1]))
    program(x, torch.tensor([0, 1]))
    program.detachFromDevice()


def caches():
    """The second of two equal models is not compiled; one with other weights neither."""
    options = poptorch.Options().useIpuModel(False).enableExecutableCaching(sys.argv[2])
    times = []
    for model in (Net(), Net()):
        program = poptorch.inferenceModel(model, options)
        program.compile(x)
        assert torch.allclose(program(x), model(x), atol=1e-4)
        times.append(sorted((name, os.stat(f"{sys.argv[2]}/{name}").st_mtime_ns)
                            for name in os.listdir(sys.argv[2])))
    assert len(times[0]) == 1 and times[0] == times[1], times


def notebooks():
    options = poptorch.Options().modelName("<a>").deviceIterations(2)
    text = options._repr_html_()
    assert "<th style='text-align:left'>device_iterations</th>" in text and "&lt;a&gt;" in text
    assert "replication_factor" not in text
    program = poptorch.trainingModel(Net(), options)
    text = program._repr_html_()
    for part in ("Training model", "Net", "SGD", "<pre>", "conv2"):
        assert part in text, text


for part in (reports, caches, notebooks):
    part()
    print(part.__name__, "ok", flush=True)
