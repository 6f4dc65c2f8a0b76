# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fifty steps of each optimizer, which have to follow PyTorch's: losses on the way, and weights at
the end. LAMB, which PyTorch lacks, follows its formula in float64."""

import copy
import os
import sys

os.environ["POPULUS_POPTORCH_DEVICE"] = "cpu"

import poptorch
import torch
from poptorch import optim

STEPS = 50


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(4, 6), torch.nn.Linear(6, 2)

    def forward(self, x, target):
        y = self.last(torch.tanh(self.first(x)))
        return y, torch.nn.functional.mse_loss(y, target)


def batches(size=8):
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(STEPS, size, 4, generator=generator)
    return list(zip(x, torch.stack([x[..., :2].sum(-1), (x[..., 2] * x[..., 3])], -1)))


def difference(a, b):
    """Relative to the largest number."""
    return ((a.double() - b.double()).abs().max() / b.double().abs().max()).item()


def reference(model, optimizer, parts=1, data=None):
    """Losses of a model in PyTorch, which it trains; gradients of parts are averaged."""
    losses = []
    dtype = next(model.parameters()).dtype
    for x, target in data or batches():
        optimizer.zero_grad()
        total = 0.0
        for part in zip(x.to(dtype).chunk(parts), target.to(dtype).chunk(parts)):
            loss = model(*part)[1] / parts
            loss.backward()
            total += loss.item()
        optimizer.step()
        losses.append(total)
    return torch.tensor(losses)


def follow(make, make_reference=None, options=None, parts=1, tolerance=2e-5, half=False):
    """Trains a model on the device, and its copy in PyTorch in float64."""
    torch.manual_seed(0)
    model = Model()
    wide = copy.deepcopy(model).double()
    model = model.half() if half else model
    data = [(x.half(), t.half()) for x, t in batches()] if half else batches()
    wanted = reference(wide, (make_reference or make)(wide.parameters()), parts, data)
    options = options or poptorch.Options()
    options.outputMode(poptorch.OutputMode.All)
    trainer = poptorch.trainingModel(model, options, make(model.parameters()))
    found = torch.stack([trainer(*batch)[1].float().mean() for batch in data])
    trainer.destroy()
    check("losses", found, wanted, tolerance)
    for (name, a), b in zip(model.named_parameters(), wide.parameters()):
        check(name, a.detach(), b.detach(), tolerance)


def check(name, found, wanted, tolerance):
    assert difference(found, wanted) <= tolerance, (name, difference(found, wanted))


def sgd():
    for arguments in ({"weight_decay": 0.02}, {"momentum": 0.9, "nesterov": True},
                      {"momentum": 0.8, "dampening": 0.3, "weight_decay": 0.01}):
        follow(lambda p: torch.optim.SGD(p, lr=0.05, **arguments))
    for combined in (False, True):
        follow(lambda p: optim.SGD(p, lr=0.05, momentum=0.8, weight_decay=0.01, loss_scaling=8.0,
                                   use_combined_accum=combined),
               lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.8, weight_decay=0.01))


def adam():
    follow(lambda p: torch.optim.Adam(p, lr=0.01))
    for kind in (torch.optim.Adam, torch.optim.AdamW):
        follow(lambda p: kind(p, lr=0.01, weight_decay=0.05, betas=(0.8, 0.95), eps=1e-6))
    follow(lambda p: optim.AdamW(p, lr=0.01, loss_scaling=32.0),
           lambda p: torch.optim.AdamW(p, lr=0.01))


def rmsprop():
    for arguments in ({}, {"momentum": 0.5, "weight_decay": 0.01},
                      {"momentum": 0.5, "centered": True, "alpha": 0.9, "eps": 1e-6}):
        follow(lambda p: torch.optim.RMSprop(p, lr=0.005, **arguments))


class Lamb(torch.optim.Optimizer):
    """Adam's step, scaled by the norm of the weight over that of the step."""

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0, correct=True,
                 largest=65500.0):
        super().__init__(params, dict(lr=lr))
        self.betas, self.eps, self.decay = betas, eps, weight_decay
        self.correct, self.largest, self.count = correct, largest, 0

    @torch.no_grad()
    def step(self):
        self.count += 1
        for group in self.param_groups:
            for p in group["params"]:
                self._update(p, group["lr"])

    def _update(self, p, lr):
        state = self.state[p]
        moments = [state.setdefault(name, torch.zeros_like(p)) for name in ("first", "second")]
        for moment, beta, power in zip(moments, self.betas, (1, 2)):
            moment.mul_(beta).add_(p.grad ** power, alpha=1 - beta)
        if self.correct:
            moments = [m / (1 - beta ** self.count) for m, beta in zip(moments, self.betas)]
        step = moments[0] / (moments[1].sqrt() + self.eps) + self.decay * p
        norm, size = p.norm().clamp(max=self.largest), step.norm()
        ratio = norm / size if norm > 0 and size > 0 else 1.0
        p.sub_(step * ratio, alpha=lr)


def lamb():
    for arguments, correct in (({"weight_decay": 0.01}, True), ({"weight_decay": 0.0}, False)):
        follow(lambda p: optim.LAMB(p, lr=0.01, eps=1e-6, bias_correction=correct, **arguments),
               lambda p: Lamb(p, lr=0.01, correct=correct, **arguments))
    follow(lambda p: optim.LAMB(p, lr=0.01, eps=1e-6, weight_decay=0.01, max_weight_norm=0.5),
           lambda p: Lamb(p, lr=0.01, weight_decay=0.01, largest=0.5))


def clipping():
    class Clipped(torch.optim.SGD):
        def step(self):
            torch.nn.utils.clip_grad_norm_(self.param_groups[0]["params"], 0.5)
            super().step()

    follow(lambda p: optim.SGD(p, lr=0.05, max_grad_norm=0.5), lambda p: Clipped(p, lr=0.05))

    class ClippedAdam(torch.optim.Adam):
        def step(self):
            torch.nn.utils.clip_grad_norm_(self.param_groups[0]["params"], 0.3)
            super().step()

    follow(lambda p: optim.Adam(p, lr=0.01, max_grad_norm=0.3, loss_scaling=4.0),
           lambda p: ClippedAdam(p, lr=0.01))


def accumulation():
    for make in (lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9),
                 lambda p: torch.optim.AdamW(p, lr=0.01, weight_decay=0.05)):
        options = poptorch.Options()
        options.Training.gradientAccumulation(4)
        follow(make, options=options, parts=4)
    for strategy in (poptorch.MeanReductionStrategy.Running,
                     poptorch.MeanReductionStrategy.PostAndLoss):
        options = poptorch.Options()
        options.Training.gradientAccumulation(2)
        options.Training.setMeanAccumulationAndReplicationReductionStrategy(strategy)
        follow(lambda p: torch.optim.Adam(p, lr=0.01), options=options, parts=2)


def half():
    for make in (lambda p, **more: optim.SGD(p, lr=0.05, momentum=0.8, **more),
                 lambda p, **more: optim.AdamW(p, lr=0.005, **more)):
        follow(lambda p: make(p, loss_scaling=128.0, accum_type=torch.float32),
               lambda p: make_plain(make(p)), tolerance=2e-2, half=True)


def make_plain(optimizer):
    """PyTorch's own optimizer with the numbers of one of poptorch.optim."""
    group = optimizer.param_groups[0]
    if isinstance(optimizer, optim.SGD):
        return torch.optim.SGD(group["params"], lr=group["lr"], momentum=group["momentum"])
    return torch.optim.AdamW(group["params"], lr=group["lr"])


def replicas():
    os.environ.pop("POPULUS_POPTORCH_DEVICE")
    options = poptorch.Options().useIpuModel(True).replicationFactor(2)
    options.showCompilationProgressBar(False)
    options.Training.gradientAccumulation(2)
    follow(lambda p: torch.optim.Adam(p, lr=0.01, weight_decay=0.05), options=options, parts=4)


for test in (sgd, adam, rmsprop, lamb, clipping, accumulation, half, replicas):
    if not sys.argv[1:] or test.__name__ in sys.argv[1:]:
        test()
        print(test.__name__, "ok", flush=True)
