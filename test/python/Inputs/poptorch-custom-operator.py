# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An operator of a C++ library in a PyTorch model, in inference and training."""

import ctypes
import os
import sys

os.environ["POPTORCH_SMALL_IPU_MODEL"] = "1"

import poptorch
import torch
import torch.nn.functional as F
from torch import nn

ctypes.cdll.LoadLibrary(sys.argv[1])  # it needs the PopART that poptorch has loaded


class Model(nn.Module):
    def __init__(self, is_own):
        super().__init__()
        self.is_own, self.layer = is_own, nn.Linear(4, 3)

    def forward(self, x, target=None):
        y = self.layer(x)
        if self.is_own:
            y, = poptorch.custom_op([y], "LeakyRelu", "custom.ops", 1, example_outputs=[y],
                                    attributes={"alpha": 0.02})
        else:
            y = F.leaky_relu(y, 0.02)
        return y if target is None else (y, F.mse_loss(y, target))


torch.manual_seed(0)
model, reference = Model(True), Model(False)
reference.load_state_dict(model.state_dict())
x, target = torch.randn(5, 4), torch.randn(5, 3)
torch.testing.assert_close(poptorch.inferenceModel(model)(x), reference(x).detach())
trainer = poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=0.1))
optimizer = torch.optim.SGD(reference.parameters(), lr=0.1)
for _ in range(3):
    loss = trainer(x, target)[1]
    optimizer.zero_grad()
    wanted = reference(x, target)[1]
    wanted.backward()
    optimizer.step()
    torch.testing.assert_close(loss, wanted.detach())
