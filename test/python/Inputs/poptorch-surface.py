# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of poptorch, what executors can be asked, hints that reach PopART, weights and inputs of
groups of replicas, and messages about models that cannot be programs."""

import logging
import math
import os

os.environ["POPTORCH_SMALL_IPU_MODEL"] = "1"

import poptorch
import torch
from torch import nn

NAMES = """
AsynchronousDataAccessor Attribute AutoStage BeginBlock Block BlockFunction CPU CommGroupType
ConnectionType DataLoader DataLoaderMode Error ICustomArgParser Liveness MatMulSerializationMode
MeanReductionStrategy MultiConv MultiConvPlanType NameScope Options OutputMode OverlapMode
ParallelPhasedExecution Phase PipelinedExecution PoplarExecutor RecoverableError ReductionType
SerialPhasedExecution ShardedExecution SharingStrategy Stage SyncPattern TensorLocationSettings
UnrecoverableError VariableRetrievalMode __version__ cond ctc_beam_search_decoder custom_op
dynamic_slice dynamic_update enums for_loop fps identity_loss inferenceModel
ipuHardwareIsAvailable ipuHardwareVersion ipu_print_tensor isRunningOnIpu load module_repr nearest
nop optim options poptorch_core profiling recomputationCheckpoint registerCustomArgParser
registerPostCompileHook registerPreCompileHook removeBlocks serializedMatMul setLogLevel
set_available_memory set_overlap_for_input set_overlap_for_output testing trainingModel"""

OF_EXECUTORS = """
_debugGetPopartIR attachToDevice compilationTime compile compileAndExport
copyNamedBuffersToDevice copyWeightsToDevice copyWeightsToHost copyWeightsToHostIfNeeded
cycleCount destroy detachFromDevice getAnchoredTensor getComputeLatency getHostIpuLatency
getIpuHostLatency getLatency getPerfCounters getTensorNames isAttachedToDevice isCompiled
loadExecutable load_state_dict model options rng_state save setOptimizer"""

torch.manual_seed(0)
X, T = torch.randn(2, 4), torch.randn(2, 3)


def options():
    return poptorch.Options()


def refused(errors, function, text):
    try:
        function()
    except errors as error:
        assert text in str(error), (text, str(error))
        return
    raise AssertionError(f"no error with {text!r}")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x, target=None):
        y = self.layer(x)
        return y if target is None else (y, nn.functional.mse_loss(y, target))


def trainer(given=None):
    model = Net()
    return poptorch.trainingModel(model, given, torch.optim.SGD(model.parameters(), lr=0.1))


def names():
    missing = [name for name in NAMES.split() if not hasattr(poptorch, name)]
    missing += [name for name in OF_EXECUTORS.split()
                if not hasattr(poptorch.PoplarExecutor, name)]
    assert not missing, missing
    program = poptorch.inferenceModel(lambda x, y: x + y)
    program(X, X)
    assert {"input", "input/1"} <= set(program.getTensorNames())
    for given, name in ((options(), "layer/MatMul:0"),
                        (options().disableModuleNamescope(), "MatMul:0")):
        program = poptorch.inferenceModel(Net(), given)
        program.compile(X)
        assert {name, "layer.weight"} <= set(program.getTensorNames())


def repeats():
    from poptorch._logging import logger
    for most, wanted in ((2, 2), (None, 5)):
        poptorch.inferenceModel(Net(), options().maxRepeatLogs(most))
        lines = []
        handler = logging.Handler()
        handler.emit = lines.append
        logger.addHandler(handler)
        for _ in range(5):
            logger.warning("the same")
        logger.removeHandler(handler)
        assert len(lines) == wanted, lines
        logger.warning("another")


# Device iterations, accumulation, output mode, times of results.
COUNTED = [(1, 1, "Final", 1), (4, 1, "All", 4), (4, 1, "EveryN", 2), (4, 1, "Final", 1),
           (2, 3, "All", 6)]


def times():
    program = trainer()
    assert program.getPerfCounters() == {
        "input": [], "input_complete": [], "output": [], "output_complete": []}
    assert program.getLatency() == (0, 0, 0)
    for iterations, accumulation, mode, results in COUNTED:
        mode = poptorch.OutputMode[mode]
        period = {2: 2}.get(results) if mode == poptorch.OutputMode.EveryN else None
        given = options().deviceIterations(iterations).outputMode(mode, period)
        given.Training.gradientAccumulation(accumulation)
        program = trainer(given)
        batches = iterations * accumulation
        program(torch.randn(2 * batches, 4), torch.randn(2 * batches, 3))
        found = program.getPerfCounters()
        counts = {key: [len(times) for times in tensors] for key, tensors in found.items()}
        assert counts == {"input": [batches] * 2, "input_complete": [batches] * 2,
                          "output": [results] * 2, "output_complete": [results] * 2}, counts
        for least, most, mean in (program.getLatency(), program.getHostIpuLatency(),
                                  program.getComputeLatency(), program.getIpuHostLatency()):
            assert 0 <= least <= mean + 1e-9 and mean <= most + 1e-9
        parts = (program.getHostIpuLatency()[2] + program.getComputeLatency()[2]
                 + program.getIpuHostLatency()[2])
        if results == batches:
            assert math.isclose(parts, program.getLatency()[2], rel_tol=1e-6)


def anchors():
    given = options().deviceIterations(4)
    given.anchorTensor("all", "Gradient___layer.weight", poptorch.OutputMode.All)
    given.anchorTensor("some", "Gradient___layer.bias", poptorch.OutputMode.EveryN, 2)
    program = trainer(given)
    program(torch.randn(8, 4), torch.randn(8, 3))
    assert program.getAnchoredTensor("all").shape == (12, 4)
    assert program.getAnchoredTensor("some").shape == (6,)
    given = given.clone().anchorTensor("last", "Gradient___layer.bias", poptorch.OutputMode.Final)
    refused(poptorch.Error, lambda: trainer(given).compile(torch.randn(8, 4), torch.randn(8, 3)),
            "Gradient___layer.bias comes back by two modes")
    decoder = poptorch.inferenceModel(
        lambda x, lengths: poptorch.ctc_beam_search_decoder(x, lengths, beam_width=4, top_paths=2))
    likely, lengths, paths = decoder(torch.randn(6, 2, 4).log_softmax(-1), torch.tensor([6, 5]))
    assert likely.shape == (2, 2) and likely.dtype == torch.float32
    assert lengths.dtype == paths.dtype == torch.int32 and paths.shape == (2, 2, 6)
    assert lengths.max() <= 6 and 0 <= paths.min() and paths.max() < 4


class Hints(Net):
    def forward(self, x):
        y = poptorch.set_available_memory(self.layer(x), 0.3)
        return y @ self.layer.weight + poptorch.serializedMatMul(
            y, self.layer.weight, poptorch.MatMulSerializationMode.ReducingDim, 3)


def hints():
    model = Hints()
    program = poptorch.inferenceModel(
        model, options().setAvailableMemoryProportion({"IPU0": 0.7}))
    assert torch.allclose(program(X), model(X), atol=1e-5)
    text = program._debugGetPopartIR()
    assert text.count('"__available_memory": "0.3"') == 1, text
    assert text.count('"__available_memory": "0.7"') == 2, text
    assert text.count('"__serialize_matmul_mode": "reducing_dim"') == 1, text
    assert text.count('"__serialize_matmul_factor": "3"') == 1, text


class Convolutions(nn.Module):
    def __init__(self, shares):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv1d(2, 2, 3) for _ in range(3))
        self.shares = shares

    def forward(self, x):
        context = poptorch.MultiConv().availableMemoryProportions(self.shares)
        context.partialsTypes(torch.half).planType(poptorch.MultiConvPlanType.Parallel)
        context.perConvReservedTiles(2).cycleBackOff(0.2).enableConvDithering([True, False])
        with context:
            y = self.layers[0](x) * self.layers[1](x)
        return y + self.layers[2](x)


def convolutions():
    x, model = torch.randn(1, 2, 5), Convolutions([0.2, 0.4])
    program = poptorch.inferenceModel(model)
    assert torch.allclose(program(x), model(x), atol=1e-2)
    text = program._debugGetPopartIR()
    counts = [text.count(f'"__{name}"') for name in (
        'available_memory": "0.2', 'available_memory": "0.4', 'partials_type": "half')]
    assert counts == [1, 1, 2], text
    refused(poptorch.Error, lambda: poptorch.inferenceModel(Convolutions([0.2] * 3))(x),
            "availableMemoryProportions has 3 values for 2 convolutions")
    refused(AssertionError, lambda: poptorch.MultiConv().partialsTypes(torch.int32), "int32")
    refused(AssertionError, lambda: poptorch.MultiConv().planType("serial"), "planType")


GROUPINGS = [("NoGrouping", 0, [0, 1, 2, 3]), ("Consecutive", 2, [0, 0, 1, 1]),
             ("Orthogonal", 2, [0, 1, 0, 1]), ("All", 0, [0, 0, 0, 0])]


def groups():
    x = torch.randn(8, 4)
    for kind, size, rows in GROUPINGS:
        for mode in poptorch.VariableRetrievalMode:
            count = len(set(rows))
            weight = torch.randn(*([count] if count > 1 else []), 3, 4)
            values = weight.reshape(count, 3, 4)
            model = Net()
            model.layer.weight = nn.Parameter(weight.clone())
            program = poptorch.inferenceModel(model, options().replicationFactor(4))
            program.layer.weight.replicaGrouping(poptorch.CommGroupType[kind], size, mode)
            found = program(x)
            wanted = torch.cat([nn.functional.linear(part, values[row], model.layer.bias)
                                for part, row in zip(x.chunk(4), rows)])
            assert torch.allclose(found, wanted, atol=1e-5), kind
            program.copyWeightsToHost()
            if mode == poptorch.VariableRetrievalMode.AllReplicas:
                wanted = values[rows]
            else:
                wanted = weight
            assert torch.equal(model.layer.weight, wanted), (kind, mode)
            program.copyWeightsToDevice()
            assert torch.equal(program(x), found)
    # Inputs that groups share.
    for kind, wanted in (("Consecutive", [0, 0, 1, 1, 2, 2, 3, 3]),
                         ("Orthogonal", [0, 1, 0, 1, 2, 3, 2, 3])):
        given = options().replicationFactor(4).deviceIterations(2)
        given.inputReplicaGrouping(2, poptorch.CommGroupType[kind])
        program = poptorch.inferenceModel(lambda x: x * 1, given)
        assert program(torch.arange(4.0)).tolist() == wanted


def points():
    p, q = torch.randn(10, 3), torch.randn(5, 3)
    batches = [0] * 6 + [1] * 4, [0, 0, 0, 1, 1]
    for function in (lambda: poptorch.fps(p, [0, 6, 10], 0.5), lambda: poptorch.nearest(p, q),
                     lambda: poptorch.nearest(p, q, *batches)):
        assert torch.equal(poptorch.inferenceModel(function)(), function())
    assert poptorch.fps(torch.tensor([0.0, 1, 5, 9, 10]), [0, 5], 0.6).tolist() == [0, 4, 2]
    assert poptorch.nearest(torch.tensor([0.0, 9]), torch.tensor([8.0, 1])).tolist() == [1, 0]


READERS = {
    "item": lambda x: x * x.sum().item(), "if": lambda x: x if x.sum() > 0 else -x,
    "float": lambda x: x * float(x.sum()), "int": lambda x: x.reshape(int(x[0, 0]), -1),
    "numpy": lambda x: x * int(x.numpy().sum()), "tolist": lambda x: x * x.tolist()[0][0],
    "from_numpy": lambda x: x + torch.from_numpy(x.detach().numpy()),
    "range": lambda x: [x for _ in range(int(x.sum()))],
    "equal": lambda x: x + (1 if torch.equal(x, x + 1) else 2),
    "arange": lambda x: x[0, 0] + torch.arange(x.sum().int()),
    "data_ptr": lambda x: x.data_ptr() and x}


class Replaces(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Module()
        self.inner.register_buffer("count", torch.zeros(4))

    def forward(self, x):
        self.inner.count = self.inner.count + 1
        return x + self.inner.count


def refusals():
    offline = poptorch.inferenceModel(Net(), options().useOfflineIpuTarget())
    offline.compile(X)
    refused(AssertionError, lambda: offline(X), "can only be compiled")
    for model in READERS.values():
        refused(poptorch.Error, lambda: poptorch.inferenceModel(model)(X),
                f"reads the value of a tensor on the host (with .item(), bool(), int(), an `if`, "
                f"or a shape that depends on data) at {__file__}:")
    model = Replaces()
    refused(poptorch.Error, lambda: poptorch.inferenceModel(model)(X),
            "Buffer inner.count reassigned within the model")
    assert torch.equal(model.inner.count, torch.zeros(4))
    y, loss = trainer()(X, T)
    for function in (loss.backward, y.sum().backward):
        refused(poptorch.Error, function, "backward() cannot be called on results of a model")
        refused(RuntimeError, function, "does not require grad")
    torch.ones(1, requires_grad=True).backward()
    model = Net()
    adagrad = torch.optim.Adagrad(model.parameters())
    refused(AssertionError, lambda: poptorch.trainingModel(model, None, adagrad),
            "torch.optim.adagrad.Adagrad; supported are SGD, Adam, AdamW and RMSprop")
    refused(AssertionError, lambda: trainer().setOptimizer(adagrad), "supported are")
    grouped = [(("All", 0, 0), "CommGroupType"),
               ((poptorch.CommGroupType.Consecutive, -1, 0), "a number of replicas"),
               ((poptorch.CommGroupType.Consecutive, 2, 0), "VariableRetrievalMode")]
    for arguments, text in grouped:
        refused(poptorch.Error, lambda: model.layer.weight.replicaGrouping(*arguments), text)
    model.layer.bias.replicaGrouping(poptorch.CommGroupType.NoGrouping, 0,
                                     poptorch.VariableRetrievalMode.OnePerGroup)
    refused(poptorch.Error, lambda: poptorch.inferenceModel(
        model, options().replicationFactor(2))(torch.randn(2, 4)),
        "bias has the shape [3], and needs a value for each of 2 groups")


for part in (names, repeats, times, anchors, hints, convolutions, groups, points, refusals):
    part()
    print(part.__name__, "ok", flush=True)
