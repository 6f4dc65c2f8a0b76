# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of models and loaders.

    options = poptorch.Options()
    options.deviceIterations(4).replicationFactor(2)
    options.Training.gradientAccumulation(8)

Each method checks its arguments, sets an option and returns the object. Options are read as
attributes (options.device_iterations). A loader or a model freezes the options that it is made
from; clone() gives some that may be changed.
"""

import copy
import os
from typing import Any, Dict, List, Optional

from .._logging import logger
from .._notebook import table
from ..enums import CommGroupType, ConnectionType, OutputMode, SyncPattern
from ..strategies import PipelinedExecution, _ExecutionStrategy
from .devices import makeDevice, usesIpuModel
from .distributed import DistributedOptions
from .files import applyFile, applyJson
from .popart_options import PopartOptions, makePatterns
from .precision import PrecisionOptions
from .session import makeSessionOptions
from .tensor_locations import TensorLocationOptions
from .training import TrainingOptions
from ._group import Field, Group, boolean, member, positive


class JitOptions(Group):
    """Kept for programs that choose how models are traced, of which there is one way."""

    def traceModel(self, trace_model: bool) -> "JitOptions":
        """Only False is possible."""
        self._checkNotFrozen()
        if trace_model:
            raise ValueError("Models are exported by torch.export; they cannot be traced by "
                             "torch.jit.trace.")
        logger.warning("Jit.traceModel is deprecated and has no effect.")
        return self


class Options(Group):
    """Options of a model on IPUs."""

    FIELDS = {
        "device_iterations": Field(1, int),
        "replication_factor": Field(1, int),
        "input_group_size": Field(1, int),
        "input_group_type": Field(CommGroupType.Consecutive, CommGroupType),
        "broadcast_buffers": Field(True, bool),
        "output_mode": Field(OutputMode.Default, OutputMode),
        "output_return_period": Field(1, int),
        "anchored_tensors": Field({}, dict),
        "execution_strategy": Field(None, _ExecutionStrategy),
        "available_memory_proportion": Field({}, dict),
        "random_seed": Field(None, int),
        "enable_stable_norm": Field(None, bool),
        "enable_synthetic_data": Field(False, bool),
        "updatable_named_buffers": Field([], list),
        "auto_round_num_ipus": Field(False, bool),
        "connection_type": Field(ConnectionType.Always, ConnectionType),
        "sync_pattern": Field(SyncPattern.Full, SyncPattern),
        "use_model": Field(None, bool),
        "ipu_id": Field(None, int),
        "ipu_version": Field(None, int),
        "cache_path": Field(None, str),
        "enable_profiling": Field(False, bool),
        "profile_dir": Field(None, str),
        "log_dir": Field(".", str),
        "log_cycle_count": Field(False, bool),
        "max_repeat_logs": Field(4, int),
        "model_name": Field(None, str),
        "module_namescope_enabled": Field(True, bool),
        "relax_optimizer_checks": Field(False, bool),
        "show_compilation_progress_bar": Field(True, bool),
        "source_location_excludes": Field([], list),
    }

    def __init__(self) -> None:
        super().__init__()
        self._groups: Dict[str, Group] = {
            "Training": TrainingOptions(), "Precision": PrecisionOptions(),
            "TensorLocations": TensorLocationOptions(), "Distributed": DistributedOptions(),
            "Jit": JitOptions(), "_Popart": PopartOptions()}
        self._values["execution_strategy"] = PipelinedExecution()
        self._values["source_location_excludes"] = [
            os.sep + "torch" + os.sep, os.sep + "poptorch" + os.sep]
        defaults = os.environ.get("POPTORCH_DEFAULT_OPTIONS")
        if defaults:
            applyJson(self, defaults)

    # Groups.

    @property
    def Training(self) -> TrainingOptions:
        """Options of training."""
        return self._groups["Training"]

    @property
    def Precision(self) -> PrecisionOptions:
        """Options about how exact numbers are."""
        return self._groups["Precision"]

    @property
    def TensorLocations(self) -> TensorLocationOptions:
        """Options about where tensors are kept."""
        return self._groups["TensorLocations"]

    @property
    def Distributed(self) -> DistributedOptions:
        """Options of jobs of several processes."""
        return self._groups["Distributed"]

    @property
    def Jit(self) -> JitOptions:
        """Without effect."""
        return self._groups["Jit"]

    @property
    def _Popart(self) -> PopartOptions:
        return self._groups["_Popart"]

    # Counts, and what comes back.

    def deviceIterations(self, device_iterations: int) -> "Options":
        """Rounds of the loop on the device in one call."""
        positive("deviceIterations", device_iterations)
        return self._set(device_iterations=device_iterations)

    def replicationFactor(self, replication_factor: int) -> "Options":
        """Replicas of the model, each with its own data."""
        positive("replicationFactor", replication_factor)
        return self._set(replication_factor=replication_factor)

    def inputReplicaGrouping(self, input_group_size: int,
                             input_group_type: CommGroupType) -> "Options":
        """Replicas of a group get the same data."""
        positive("inputReplicaGrouping", input_group_size)
        member("inputReplicaGrouping", input_group_type, CommGroupType)
        return self._set(input_group_size=input_group_size, input_group_type=input_group_type)

    def broadcastBuffers(self, broadcast_buffers: bool = True) -> "Options":
        """Buffers are the same on all replicas; False if the model changes them."""
        boolean("broadcastBuffers", broadcast_buffers)
        return self._set(broadcast_buffers=broadcast_buffers)

    def outputMode(self, output_mode: OutputMode,
                   output_return_period: Optional[int] = None) -> "Options":
        """Which results of a call come back; EveryN needs a period."""
        member("outputMode", output_mode, OutputMode)
        if output_mode == OutputMode.EveryN:
            assert output_return_period is not None, (
                "outputMode(OutputMode.EveryN) needs a period as its second argument")
            positive("The period of OutputMode.EveryN", output_return_period)
        elif output_return_period is not None:
            logger.warning("outputMode ignores the period %s, which only OutputMode.EveryN has.",
                           output_return_period)
            output_return_period = None
        return self._set(output_mode=output_mode,
                         output_return_period=output_return_period or 1)

    def defaultOutputMode(self) -> bool:
        """Returns true if no other output mode has been set."""
        return self.output_mode == OutputMode.Default

    def resolvedOutputMode(self, training: bool) -> OutputMode:
        """The output mode, where Default has become that of training or inference."""
        if not self.defaultOutputMode():
            return self.output_mode
        return OutputMode.Final if training else OutputMode.All

    def anchorTensor(self, short_name: str, long_name: str,
                     output_mode: Optional[OutputMode] = None,
                     output_return_period: Optional[int] = 1) -> "Options":
        """getAnchoredTensor(short_name) returns the tensor of this name after a call."""
        for name in (short_name, long_name):
            assert isinstance(name, str), f"Names of tensors are texts, not {name!r}"
        if output_mode is None:
            output_mode, output_return_period = self.output_mode, self.output_return_period
        member("anchorTensor", output_mode, OutputMode)
        if output_mode == OutputMode.EveryN:
            positive("The period of OutputMode.EveryN", output_return_period)
        return self._set(anchored_tensors={
            **self.anchored_tensors, short_name: [long_name, output_mode, output_return_period]})

    # The model on its IPUs.

    def setExecutionStrategy(self, strategy: _ExecutionStrategy) -> "Options":
        """Makes stages or phases of the blocks of the model."""
        assert isinstance(strategy, _ExecutionStrategy), (
            "setExecutionStrategy takes a PipelinedExecution, a ShardedExecution, a "
            f"SerialPhasedExecution or a ParallelPhasedExecution, not {strategy!r}")
        return self._set(execution_strategy=strategy)

    def setAvailableMemoryProportion(
            self, available_memory_proportion: Dict[str, float]) -> "Options":
        """Part of the memory that products and convolutions of an IPU may use: {"IPU0": 0.3}."""
        assert isinstance(available_memory_proportion, dict), (
            f"Expected a dict such as {{'IPU0': 0.3}}, not {available_memory_proportion!r}")
        values = {}
        for ipu, proportion in available_memory_proportion.items():
            assert isinstance(ipu, str) and ipu.startswith("IPU") and ipu[3:].isdigit(), (
                f"IPUs are named 'IPU0', 'IPU1' and so on, not {ipu!r}")
            values[ipu] = float(proportion)
        return self._set(available_memory_proportion=values)

    def randomSeed(self, random_seed: int) -> "Options":
        """The seed of the device's generators, and of PyTorch's."""
        assert isinstance(random_seed, int) and not isinstance(random_seed, bool), (
            f"randomSeed must be a number, not {random_seed!r}")
        self._set(random_seed=random_seed)
        import torch

        torch.manual_seed(random_seed)
        return self

    def enableStableNorm(self, enabled: bool) -> "Options":
        """Norms subtract the mean before they square."""
        boolean("enableStableNorm", enabled)
        return self._set(enable_stable_norm=enabled)

    def enableSyntheticData(self, enabled: bool) -> "Options":
        """The device makes up its inputs."""
        boolean("enableSyntheticData", enabled)
        return self._set(enable_synthetic_data=enabled)

    def updatableNamedBuffers(self, buffers: List[str]) -> "Options":
        """Buffers that copyNamedBuffersToDevice writes."""
        assert isinstance(buffers, (list, tuple)) and all(isinstance(b, str) for b in buffers), (
            f"Expected names of buffers, not {buffers!r}")
        return self._set(updatable_named_buffers=list(buffers))

    # The device.

    def autoRoundNumIPUs(self, auto_round_num_ipus: bool = True) -> "Options":
        """Takes a device with more IPUs than the model uses, where there is none with as many."""
        boolean("autoRoundNumIPUs", auto_round_num_ipus)
        return self._set(auto_round_num_ipus=auto_round_num_ipus)

    def useIpuModel(self, use_model: bool) -> "Options":
        """The IPU Model, or the emulated IPU, whatever the environment says."""
        boolean("useIpuModel", use_model)
        return self._set(use_model=use_model)

    def usesIpuModel(self) -> bool:
        """Returns true if the model runs on the IPU Model, by an option or the environment."""
        return usesIpuModel(self.use_model)

    def useIpuId(self, ipu_id: int) -> "Options":
        """The device with this number."""
        assert isinstance(ipu_id, int) and not isinstance(ipu_id, bool) and ipu_id >= 0, (
            f"useIpuId takes the number of a device, not {ipu_id!r}")
        return self._set(ipu_id=ipu_id)

    def useOfflineIpuTarget(self, ipu_target_version: int = 2) -> "Options":
        """Only compiles, for an IPU of this version."""
        assert ipu_target_version in (1, 2, 21), (
            f"Versions of IPUs are 1, 2 and 21, not {ipu_target_version!r}")
        return self._set(connection_type=ConnectionType.Never, ipu_version=ipu_target_version)

    def connectionType(self, connection_type: ConnectionType) -> "Options":
        """When the device is attached."""
        member("connectionType", connection_type, ConnectionType)
        return self._set(connection_type=connection_type)

    def syncPattern(self, sync_pattern: SyncPattern) -> "Options":
        """Which IPUs wait for each other."""
        member("syncPattern", sync_pattern, SyncPattern)
        return self._set(sync_pattern=sync_pattern)

    # Files, reports, messages.

    def enableExecutableCaching(self, path: Optional[str]) -> "Options":
        """A folder that keeps compiled models; None keeps none."""
        assert path is None or isinstance(path, (str, os.PathLike)), (
            f"enableExecutableCaching takes a path or None, not {path!r}")
        return self._set(cache_path=None if path is None else os.fspath(path))

    def enableProfiling(self, profile_dir: Optional[str] = None) -> "Options":
        """Writes a report of each model, to this folder."""
        assert profile_dir is None or isinstance(profile_dir, (str, os.PathLike)), (
            f"enableProfiling takes a path or None, not {profile_dir!r}")
        return self._set(enable_profiling=True,
                         profile_dir=None if profile_dir is None else os.fspath(profile_dir))

    def logDir(self, log_dir: str) -> "Options":
        """The folder of files that logging writes."""
        assert isinstance(log_dir, (str, os.PathLike)), f"logDir takes a path, not {log_dir!r}"
        return self._set(log_dir=os.fspath(log_dir))

    def logCycleCount(self, log_cycle_count: bool) -> "Options":
        """Counts the cycles of calls, for cycleCount()."""
        boolean("logCycleCount", log_cycle_count)
        return self._set(log_cycle_count=log_cycle_count)

    def maxRepeatLogs(self, max_lines: Optional[int]) -> "Options":
        """Equal messages that are written; None is all."""
        if max_lines is not None:
            positive("maxRepeatLogs", max_lines)
        self._checkNotFrozen()
        self._values["max_repeat_logs"] = max_lines
        return self

    def modelName(self, name: str) -> "Options":
        """The name of the model in reports: "inference" or "training" without it."""
        assert isinstance(name, str), f"modelName takes a text, not {name!r}"
        return self._set(model_name=name)

    def disableModuleNamescope(self) -> "Options":
        """Names of operators do not begin with those of their modules."""
        return self._set(module_namescope_enabled=False)

    def relaxOptimizerAttributesChecks(self, relax: bool = True) -> "Options":
        """Attributes of optimizers that are not known are not warned of."""
        boolean("relaxOptimizerAttributesChecks", relax)
        return self._set(relax_optimizer_checks=relax)

    def showCompilationProgressBar(self, show: bool = True) -> "Options":
        """Shows how far compiling is."""
        boolean("showCompilationProgressBar", show)
        return self._set(show_compilation_progress_bar=show)

    def sourceLocationExcludes(self, excludes: List[str]) -> "Options":
        """Source lines with these texts in their paths are never the place of an operator."""
        assert all(isinstance(text, str) for text in excludes), (
            f"Expected parts of paths, not {excludes!r}")
        return self._set(source_location_excludes=list(excludes))

    def appendToLocationExcludes(self, *excludes: str) -> "Options":
        """Adds to sourceLocationExcludes."""
        return self.sourceLocationExcludes([*self.source_location_excludes, *excludes])

    # All together.

    def loadFromFile(self, filepath: str) -> "Options":
        """Sets what the lines of a file say: deviceIterations(4)."""
        applyFile(self, filepath)
        return self

    def from_json(self, string: str) -> "Options":
        """Sets what a JSON object says: {"deviceIterations": 4}."""
        applyJson(self, string)
        return self

    def toDict(self) -> Dict[str, Any]:
        """All options by name, groups included."""
        result = super().toDict()
        result.update(result.pop("execution_strategy").toDict())
        for group in self._groups.values():
            result.update(group.toDict())
        return result

    def clone(self) -> "Options":
        """Equal options that may be changed."""
        return copy.deepcopy(self)

    def __deepcopy__(self, memory: Dict[int, Any]) -> "Options":
        result = type(self).__new__(type(self))
        memory[id(self)] = result
        for name, value in self.__dict__.items():
            object.__setattr__(result, name, copy.deepcopy(value, memory))
        result._freeze(False)
        return result

    def _freeze(self, frozen: bool = True) -> None:
        super()._freeze(frozen)
        for group in self._groups.values():
            group._freeze(frozen)

    def toSessionOptions(self, num_ipus: int = 1, training: bool = False,
                         half_accumulators: bool = False) -> Any:
        """popart.SessionOptions of a model on so many IPUs for each replica; of one whose
        gradients accumulate in half."""
        return makeSessionOptions(self, num_ipus, training, half_accumulators)

    def toPatterns(self) -> Any:
        """popart.Patterns that _Popart.setPatterns asked for."""
        return makePatterns(self._Popart.patterns, self._Popart.patterns_level)

    def deviceInfo(self, num_ipus: int) -> Any:
        """The device for so many IPUs, those of all replicas."""
        return makeDevice(self, num_ipus)

    def _repr_html_(self) -> str:
        """A table of the options that are not at their defaults."""
        defaults = Options().toDict()
        return table(type(self).__name__, [
            (name, value) for name, value in self.toDict().items()
            if value != defaults.get(name)])

    def __repr__(self) -> str:
        lines = [f"  {name}: {value}" for name, value in self.toDict().items()]
        return "\n".join([f"{type(self).__name__}:", *lines])
