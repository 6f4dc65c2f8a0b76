# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""poptorch.Options: setters with their checks, freezing, copies, files, and what PopART is told."""

import copy
import os
import pickle
import tempfile

import popart
import torch

import poptorch
from poptorch.options import ConfigFileError


def refused(errors, function, *arguments, text=""):
    """Calls a function that has to raise one of these, with this text in its message."""
    try:
        function(*arguments)
    except errors as error:
        assert text in str(error), (text, str(error))
        return
    raise AssertionError(f"{function} took {arguments}")


def setters():
    options = poptorch.Options()
    result = options.deviceIterations(4).replicationFactor(2).inputReplicaGrouping(
        2, poptorch.CommGroupType.Consecutive).outputMode(poptorch.OutputMode.EveryN, 2)
    assert result is options
    options.Training.gradientAccumulation(3).accumulationAndReplicationReductionType(
        poptorch.ReductionType.Sum)
    assert options.device_iterations == 4 and options.Training.gradient_accumulation == 3
    assert options.output_mode is poptorch.OutputMode.EveryN == 1
    assert options.output_return_period == 2
    assert options.input_group_size == 2 and options.replication_factor == 2
    options.anchorTensor("grad", "Gradient___fc.weight")
    assert options.anchored_tensors["grad"] == [
        "Gradient___fc.weight", poptorch.OutputMode.EveryN, 2]
    options.randomSeed(7)
    first = torch.rand(2)
    options.randomSeed(7)
    assert torch.equal(first, torch.rand(2)) and options.random_seed == 7
    assert poptorch.Options().defaultOutputMode() and not options.defaultOutputMode()
    assert poptorch.Options().resolvedOutputMode(True) == poptorch.OutputMode.Final
    assert poptorch.Options().resolvedOutputMode(False) == poptorch.OutputMode.All


def checks():
    options = poptorch.Options()
    for setter in (options.deviceIterations, options.replicationFactor,
                   options.Training.gradientAccumulation):
        for wrong in (0, -1, 1.5, "2", None, True):
            refused(AssertionError, setter, wrong)
    refused(AssertionError, options.outputMode, poptorch.OutputMode.EveryN, text="needs a period")
    refused(AssertionError, options.outputMode, poptorch.OutputMode.EveryN, 0)
    refused(AssertionError, options.outputMode, 2)
    refused(AssertionError, options.randomSeed, 1.5)
    refused(AssertionError, options.setAvailableMemoryProportion, {"0": 0.5}, text="IPU0")
    refused(AssertionError, options.setExecutionStrategy, "pipelined")
    refused(ValueError, options.Precision.setPartialsType, torch.int32)
    refused(ValueError, options.Training.accumulationAndReplicationReductionType,
            poptorch.ReductionType.NoReduction)
    refused(ValueError, options.Jit.traceModel, True)
    for wrong in (30, 194, 33):
        refused(AssertionError, options.TensorLocations.numIOTiles, wrong)
    assert options.TensorLocations.numIOTiles(64).num_io_tiles == 64
    for group in (options, options.Training, options.Precision):
        refused((AttributeError, AssertionError), setattr, group, "not_there", 1)
        refused(AttributeError, getattr, group, "not_there")
    refused(AssertionError, setattr, options, "device_iterations", "many")
    options.device_iterations = 5
    assert options.device_iterations == 5


def frozen():
    options = poptorch.Options().deviceIterations(2)
    options._Popart.set("engineOptions", {"a": "b"})
    options._freeze()
    for change in (lambda: options.deviceIterations(3), lambda: options.Training.
                   gradientAccumulation(2), lambda: options._Popart.set("cachePath", "/tmp"),
                   lambda: options.Distributed.disable(), lambda: options.maxRepeatLogs(None),
                   lambda: setattr(options, "device_iterations", 3),
                   lambda: setattr(options, "unknown", 3),
                   lambda: options.TensorLocations.numIOTiles(32)):
        refused(AttributeError, change, text="Can't modify frozen Options")
    for other in (options.clone(), copy.deepcopy(options)):
        assert other == options
        other.deviceIterations(3)
        other._Popart.set("engineOptions", {"c": "d"})
        assert other != options and options._Popart.options == {"engineOptions": {"a": "b"}}
    assert pickle.loads(pickle.dumps(options)) == options
    assert "device_iterations: 2" in str(options) and "'a': 'b'" in repr(options)


def files():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "options.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write("# ours\n\ndeviceIterations(4)\n Training.gradientAccumulation(3)\n"
                       "outputMode(poptorch.OutputMode.EveryN, 2)\n"
                       "_Popart.set('engineOptions', {'a': 'b'})\n"
                       "Precision.setPartialsType(torch.half)\n"
                       "TensorLocations.setOptimizerLocation(poptorch.TensorLocationSettings()"
                       ".useOnChipStorage(False))\n"
                       "setExecutionStrategy(poptorch.ShardedExecution("
                       "poptorch.AutoStage.AutoIncrement))\n")
        options = poptorch.Options().deviceIterations(9).loadFromFile(path)
        assert options.device_iterations == 4 and options.output_return_period == 2
        assert options.Training.gradient_accumulation == 3
        assert options.TensorLocations.location_optimizer.on_chip is False
        assert options.execution_strategy.mode == 1
        for wrong in ("deviceIterations(4", "deviceIterations", "unknown(1)",
                      "deviceIterations('a')", "__class__.__init__(3)", "import os"):
            with open(path, "w", encoding="utf-8") as file:
                file.write("replicationFactor(2)\n" + wrong + "\n")
            refused(ConfigFileError, poptorch.Options().loadFromFile, path,
                    text=path + ", line 2")


def json():
    options = poptorch.Options().from_json(
        '{"deviceIterations": 4, "outputMode": ["OutputMode.EveryN", 2],'
        ' "Training.gradientAccumulation": 3, "_Popart.set": ["autoRecomputation", 3],'
        ' "TensorLocations.numIOTiles": 32, "connectionType": "ConnectionType.OnDemand"}')
    assert options.device_iterations == 4 and options.output_mode == poptorch.OutputMode.EveryN
    assert options.Training.gradient_accumulation == 3
    assert options.connection_type == poptorch.ConnectionType.OnDemand
    assert options._Popart.options == {"autoRecomputation": 3}
    os.environ["POPTORCH_DEFAULT_OPTIONS"] = '{"deviceIterations": 6}'
    assert poptorch.Options().device_iterations == 6
    del os.environ["POPTORCH_DEFAULT_OPTIONS"]
    for wrong in ("{", "[1]", '{"unknown": 1}', '{"outputMode": "OutputMode.None"}'):
        refused(ConfigFileError, poptorch.Options().from_json, wrong)


def processes():
    options = poptorch.Options()
    assert options.Distributed.numProcesses == 1 and options.Distributed.processId == 0
    os.environ.update(OMPI_COMM_WORLD_SIZE="4", OMPI_COMM_WORLD_RANK="2", SIZE="3", RANK="1")
    assert options.Distributed.numProcesses == 4 and options.Distributed.processId == 2
    options.Distributed.setEnvVarNames("SIZE", "RANK")
    assert options.Distributed.numProcesses == 3 and options.Distributed.processId == 1
    options.Distributed.configureProcessId(5, 6)
    assert options.Distributed.numProcesses == 6 and options.Distributed.processId == 5
    options.Distributed.disable()
    assert options.Distributed.numProcesses == 1
    refused(AssertionError, options.Distributed.configureProcessId, 2, 2)
    for name in ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "SIZE", "RANK"):
        del os.environ[name]


def sessions():
    options = poptorch.Options().replicationFactor(2)
    options.Training.gradientAccumulation(3)
    options.Precision.setPartialsType(torch.half).enableStochasticRounding(True)
    options.TensorLocations.setWeightLocation(
        poptorch.TensorLocationSettings().useOnChipStorage(False).minElementsForOffChip(3))
    session = options.toSessionOptions(num_ipus=2, training=True)
    assert session.enablePipelining and session.accumulationFactor == 3
    assert session.virtualGraphMode == popart.VirtualGraphMode.Manual
    assert session.autoRecomputation == popart.RecomputationType.Pipeline
    assert session.accumulationAndReplicationReductionType == popart.ReductionType.Mean
    assert session.replicatedGraphCount == 2 and session.enableReplicatedGraphs
    assert session.partialsTypeMatMuls == session.convolutionOptions["partialsType"] == "half"
    assert session.enableStochasticRounding and not session.constantWeights
    assert session.weightTensorLocationSettings.location.storage == popart.TensorStorage.OffChip
    assert session.weightTensorLocationSettings.minElementsForOffChip == 3
    assert session.engineOptions["debug.retainDebugInformation"] == "false"
    single = options.toSessionOptions()
    assert single.virtualGraphMode == popart.VirtualGraphMode.Auto
    assert not single.enablePipelining and single.accumulationFactor == 1
    strategies = popart.MeanReductionStrategy
    name = "meanAccumulationAndReplicationReductionStrategy"
    assert getattr(session, name) == strategies.Post
    half = options.toSessionOptions(training=True, half_accumulators=True)
    assert getattr(half, name) == strategies.Running
    sharded = options.clone().setExecutionStrategy(poptorch.ShardedExecution())
    assert not sharded.toSessionOptions(2).enablePipelining


def popartNames():
    options = poptorch.Options()
    options._Popart.set("accumulateOuterFragmentSettings.excludedVirtualGraphs", ["0", "1"])
    options._Popart.set("autoRecomputation", 1).set("outlineThreshold", 10)
    options._Popart.set("hardwareInstrumentations", {0, 1}).set("customCodelets", ["a.gp"])
    options._Popart.set("replicatedCollectivesSettings.mergeAllReduceCollectives", True)
    options._Popart.set("engineOptions", {"a": "b"}).set("virtualGraphMode", 1)
    session = options.toSessionOptions()
    assert session.autoRecomputation == popart.RecomputationType.Standard
    assert session.accumulateOuterFragmentSettings.excludedVirtualGraphs == [0, 1]
    assert len(session.hardwareInstrumentations) == 2 and session.outlineThreshold == 10.0
    assert session.replicatedCollectivesSettings.mergeAllReduceCollectives
    assert session.customCodelets == ["a.gp"] and session.engineOptions["a"] == "b"
    assert session.virtualGraphMode == popart.VirtualGraphMode.Manual
    for key, value in (("notThere", 1), ("executionPhaseSettings.notThere", 1),
                       ("enableOutlining", "yes"), ("autoRecomputation", True),
                       ("autoRecomputation", 99), ("cachePath", 3), ("engineOptions", ["a"])):
        wrong = poptorch.Options()
        wrong._Popart.set(key, value)
        refused(poptorch.Error, wrong.toSessionOptions, text="Unknown ")
    patterns = poptorch.Options()
    patterns._Popart.setPatterns({"InPlace": False}, 3)
    patterns.toPatterns()
    patterns._Popart.setPatterns({"Foo": True})
    refused(poptorch.Error, patterns.toPatterns, text="Foo")


def devices():
    assert "IpuModel" not in str(poptorch.Options().deviceInfo(2).type)
    model = poptorch.Options().useIpuModel(True).deviceInfo(3)
    assert model.numIpus == 3 and model.tilesPerIPU == 1472
    assert model.type == popart.DeviceType.IpuModel
    refused(poptorch.Error, poptorch.Options().deviceInfo, 3, text="autoRoundNumIPUs")
    assert poptorch.Options().autoRoundNumIPUs().deviceInfo(3).numIpus == 4
    offline = poptorch.Options().useOfflineIpuTarget()
    assert offline.connection_type == poptorch.ConnectionType.Never
    assert offline.deviceInfo(2).type == popart.DeviceType.OfflineIpu
    os.environ["POPTORCH_SMALL_IPU_MODEL"] = "1"
    assert poptorch.Options().deviceInfo(1).tilesPerIPU == 4
    assert poptorch.Options().useIpuModel(False).deviceInfo(1).type == popart.DeviceType.Ipu
    os.environ["POPTORCH_IPU_MODEL"] = "1"
    os.environ["POPTORCH_IPU_MODEL_VERSION"] = "ipu1"
    assert poptorch.Options().deviceInfo(1).tilesPerIPU == 1216
    os.environ["POPTORCH_IPU_MODEL_VERSION"] = "ipu9"
    refused(poptorch.Error, poptorch.Options().deviceInfo, 1, text="ipu9")
    os.environ["POPTORCH_IPU_MODEL"] = "maybe"
    refused(poptorch.Error, poptorch.Options().deviceInfo, 1, text="POPTORCH_IPU_MODEL")


def strategies():
    auto = poptorch.PipelinedExecution(poptorch.AutoStage.AutoIncrement)
    places = [auto.place(block, None) for block in "abac"]
    assert [place.stage for place in places] == [0, 1, 0, 2]
    auto.begin()
    assert auto.place("b", 5).stage == 0 and auto.place("b", 5).ipu == 5
    same = poptorch.PipelinedExecution()
    assert same.place("a", 3).stage == 3
    refused(AssertionError, same.place, "a", None, text="ipu_id")
    listed = poptorch.ShardedExecution(poptorch.Stage("a", "b").ipu(1), "c")
    assert listed.place("b", None).ipu == 1 and listed.place("c", 0).ipu == 1
    refused(poptorch.Error, listed.place, "d", 0, text="'d'")
    assert listed.stage("b").blocks == ["a", "b"] and listed.stage(1).blocks == ["c"]
    refused(poptorch.Error, listed.stage, "d", text="'d'")
    refused(AssertionError, poptorch.PipelinedExecution, "a", "a")
    refused(AssertionError, poptorch.SerialPhasedExecution)
    phased = poptorch.ParallelPhasedExecution(
        poptorch.Phase("a", "b"), poptorch.Phase("c", "d").ipus(1, 3), ["e", "f"])
    assert phased.place("b", None).ipu == 2 and phased.place("d", None).phase == 1
    assert phased.place("f", None).ipu == 2 and phased.mode == 2
    serial = poptorch.SerialPhasedExecution("a", "b").setTensorsLiveness(
        poptorch.Liveness.OffChipAfterFwd).useSeparateBackwardPhase()
    assert serial.place("b", None).phase == 1
    assert serial != poptorch.SerialPhasedExecution("a", "b")
    assert serial.phase(0).stage(0).blocks == ["a"]


for test in (setters, checks, frozen, files, json, processes, sessions, popartNames, devices,
             strategies):
    test()
    print(test.__name__, "ok")
