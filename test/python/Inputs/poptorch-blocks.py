# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of a model on several IPUs, with each way to mark them and each strategy; results are those
of torch."""

import copy
import pickle

import popart
import torch

import poptorch
from poptorch import AutoStage, BeginBlock, Block, BlockFunction, Stage


def refused(errors, function, *arguments, **named):
    text = named.pop("text", "")
    try:
        function(*arguments, **named)
    except errors as error:
        assert text in str(error), (text, str(error))
        return
    raise AssertionError(f"{function} took {arguments} {named}")


class Contexts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (torch.nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        x = x + 1  # before the first block
        with Block("a", ipu_id=0):
            x = self.a(x).relu()
        with Block("b", ipu_id=1):
            x = self.b(x)
        return self.c(x)  # belongs to the last block


@BlockFunction("first", 0)
def first(layer, x):
    return layer(x)


class Functions(Contexts):
    def forward(self, x):
        x = first(self.a, x)
        Block.start("second", 1)
        x = self.b(x).relu()
        return BeginBlock(self.c.forward, "third", 1)(x)


class Loss(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, target):
        result = self.model(x)
        return result, poptorch.identity_loss((result - target).abs(), "sum")


def options(strategy, iterations):
    result = poptorch.Options().deviceIterations(iterations).useIpuModel(True)
    result.showCompilationProgressBar(False).setExecutionStrategy(strategy)
    return result


def run(model, strategy, iterations=4):
    x = torch.randn(iterations * 2, 4)
    executor = poptorch.inferenceModel(model, options(strategy, iterations))
    torch.testing.assert_close(executor(x), model(x))


def inference():
    torch.manual_seed(0)
    run(Contexts(), poptorch.PipelinedExecution())
    run(Contexts(), poptorch.PipelinedExecution(Stage("a").ipu(1), Stage("b").ipu(0)))
    run(Contexts(), poptorch.ShardedExecution(AutoStage.AutoIncrement), iterations=1)
    run(Functions(), poptorch.PipelinedExecution(AutoStage.AutoIncrement))
    run(Functions(), poptorch.PipelinedExecution(Stage("first", "second"), "third"))


def modules():
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    layer = model[2]
    assert BeginBlock(layer, "last", ipu_id=1) is layer
    assert "BeginBlock(user_id=last, ipu_id=1)" in repr(model) and "out_features=2" in repr(model)
    refused(poptorch.Error, BeginBlock, layer, text="already")
    refused(poptorch.Error, BeginBlock, 3)
    BeginBlock(model[0], "first", ipu_id=0)
    run(model, poptorch.PipelinedExecution())
    for same in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert repr(same) == repr(model)
        run(same, poptorch.ShardedExecution(), iterations=1)
    poptorch.removeBlocks(model)
    assert "BeginBlock" not in repr(model)
    BeginBlock(layer)


def training():
    torch.manual_seed(1)
    for strategy in (poptorch.PipelinedExecution(), poptorch.ShardedExecution()):
        model = Loss(Contexts())
        reference = copy.deepcopy(model)
        opts = options(strategy, 1)
        opts.Training.gradientAccumulation(4).accumulationAndReplicationReductionType(
            poptorch.ReductionType.Sum)
        executor = poptorch.trainingModel(model, opts, torch.optim.SGD(model.parameters(), 0.01))
        theirs = torch.optim.SGD(reference.parameters(), 0.01)
        for _ in range(3):
            x, target = torch.randn(8, 4), torch.randn(8, 4)
            executor(x, target)
            theirs.zero_grad()
            reference(x, target)[1].backward()
            theirs.step()
        for ours, expected in zip(model.parameters(), reference.parameters()):
            torch.testing.assert_close(ours, expected, rtol=1e-5, atol=1e-6)


class Overlapped(torch.nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.layer, self.mode = torch.nn.Linear(256, 256), mode

    def forward(self, x, computed=False):
        x = poptorch.set_overlap_for_input({"x": x * 2 if computed else x}, self.mode)["x"]
        return poptorch.set_overlap_for_output(self.layer(x).tanh(), self.mode)


def overlaps():
    """Transfers of inputs and results beside computing, through I/O tiles."""
    x = torch.randn(96, 256)
    cycles = {}
    for mode in ("no_overlap", "overlap_accumulation_loop",
                 poptorch.OverlapMode.OverlapDeviceIterationLoop):
        torch.manual_seed(2)
        model = Overlapped(mode)
        opts = poptorch.Options().useIpuModel(True).deviceIterations(6).logCycleCount(True)
        opts.TensorLocations.numIOTiles(32)
        executor = poptorch.inferenceModel(model, opts)
        torch.testing.assert_close(executor(x), model(x), rtol=1e-5, atol=1e-5)
        cycles[mode] = executor.cycleCount()
    none, *some = cycles.values()
    assert max(some) < 0.9 * none, cycles
    bare = poptorch.inferenceModel(model, poptorch.Options().useIpuModel(True))
    refused(poptorch.Error, bare, x, text="numIOTiles")
    place = poptorch.TensorLocationSettings().useIOTilesToStore().useIOTilesToLoad(False)
    opts = poptorch.Options()
    opts.TensorLocations.setWeightLocation(place)
    found = opts.toSessionOptions().weightTensorLocationSettings.location
    assert (found.storageTileSet, found.loadTileSet) == (popart.TileSet.IO, popart.TileSet.Compute)
    late = poptorch.inferenceModel(model, poptorch.Options().useIpuModel(True))
    refused(poptorch.Error, late, x, True, text="inputs of the model as they are")


def refusals():
    x = torch.randn(2, 4)
    model = poptorch.inferenceModel(Contexts(), options(poptorch.PipelinedExecution(), 1))
    refused(poptorch.Error, model, x, text="deviceIterations is 1")
    training = poptorch.trainingModel(Loss(Contexts()), options(poptorch.PipelinedExecution(), 1))
    refused(poptorch.Error, training, x, x, text="gradientAccumulation is 1")
    unknown = poptorch.inferenceModel(Contexts(), options(poptorch.ShardedExecution("a"), 1))
    refused(poptorch.Error, unknown, x, text="'b'")
    refused(AssertionError, Block, 3)
    refused(AssertionError, Block, "a", "0")
    with Block("outside"):  # no effect
        assert not poptorch.isRunningOnIpu()


for test in (inference, modules, training, overlaps, refusals):
    test()
    print(test.__name__, "ok", flush=True)
