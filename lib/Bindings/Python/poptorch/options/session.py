# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options as popart.SessionOptions.

What the package always chooses comes first, then the options that have methods, and last those that
were set by their PopART names, which win.
"""

import os
from typing import Any, Dict

from .._logging import logger
from ..enums import MeanReductionStrategy
from ..errors import translated
from .popart_options import applyOptions
from .tensor_locations import TensorLocationSettings


def makeSessionOptions(options: Any, num_ipus: int, training: bool,
                       half_accumulators: bool = False) -> Any:
    """popart.SessionOptions of a model on so many IPUs for each replica. Means of gradients that
    accumulate in half are divided as they go, so that they do not overflow."""
    import popart

    session = popart.SessionOptions()
    _fixed(session)
    _counts(session, options)
    if training:
        _gradients(session, options.Training, half_accumulators)
    _strategy(session, options, num_ipus, training)
    _precision(session, options)
    _locations(session, options.TensorLocations)
    _environment(session, options)
    with translated():
        applyOptions(session, options._Popart.options)
    return session


def _fixed(session: Any) -> None:
    session.constantWeights = False
    session.enableLoadAndOffloadRNGState = True
    session.instrumentWithHardwareCycleCounter = False
    session.rearrangeAnchorsOnHost = False
    session.engineOptions["debug.retainDebugInformation"] = "false"


def _counts(session: Any, options: Any) -> None:
    """Replicas of this process and of all."""
    processes = options.Distributed.numProcesses
    session.enableReplicatedGraphs = options.replication_factor > 1
    session.replicatedGraphCount = options.replication_factor
    session.enableDistributedReplicatedGraphs = processes > 1
    session.globalReplicationFactor = options.replication_factor * processes
    session.globalReplicaOffset = options.replication_factor * options.Distributed.processId
    session.updatableNamedBuffers = list(options.updatable_named_buffers)


def _gradients(session: Any, training: Any, half_accumulators: bool) -> None:
    """The reduction of gradients of micro-batches and replicas."""
    import popart

    session.enableGradientAccumulation = training.gradient_accumulation > 1
    session.accumulationFactor = training.gradient_accumulation
    session.accumulationAndReplicationReductionType = getattr(
        popart.ReductionType, training.accumulation_and_replication_reduction_type.name)
    session.automaticLossScalingSettings.enabled = training.auto_loss_scaling
    strategy = training.meanAccumulationAndReplicationReductionStrategy
    if strategy is None and half_accumulators:
        strategy = MeanReductionStrategy.Running
    # PopART has no PostAndLoss; Post has the same mean, divided later.
    strategies = popart.MeanReductionStrategy
    session.meanAccumulationAndReplicationReductionStrategy = (
        strategies.Running if strategy == MeanReductionStrategy.Running else strategies.Post)


def _strategy(session: Any, options: Any, num_ipus: int, training: bool) -> None:
    import popart

    modes = popart.VirtualGraphMode
    mode = options.execution_strategy.mode
    if mode == 2:
        session.virtualGraphMode = modes.ExecutionPhases
        for settings in _kinds(session).values():
            settings.location.storage = popart.TensorStorage.OffChip
    elif num_ipus > 1:
        session.virtualGraphMode = modes.Manual
        session.enablePipelining = mode == 0
        if mode == 0 and training:
            session.autoRecomputation = popart.RecomputationType.Pipeline
    else:
        session.virtualGraphMode = modes.Auto


def _precision(session: Any, options: Any) -> None:
    precision = options.Precision
    if precision.partials_type is not None:
        session.partialsTypeMatMuls = precision.partials_type
        session.convolutionOptions["partialsType"] = precision.partials_type
    if precision.enable_stochastic_rounding is not None:
        session.enableStochasticRounding = precision.enable_stochastic_rounding
    if precision.enable_floating_point_exceptions is not None:
        session.enableFloatingPointChecks = precision.enable_floating_point_exceptions
    if options.enable_stable_norm is not None:
        session.enableStableNorm = options.enable_stable_norm


def _kinds(session: Any) -> Dict[str, Any]:
    return {"location_activation": session.activationTensorLocationSettings,
            "location_weight": session.weightTensorLocationSettings,
            "location_optimizer": session.optimizerStateTensorLocationSettings,
            "location_accumulator": session.accumulatorTensorLocationSettings}


def _locations(session: Any, locations: Any) -> None:
    for name, settings in _kinds(session).items():
        given = getattr(locations, name)
        if given is not None:
            _location(settings, given)
    if locations.num_io_tiles is not None:
        session.numIOTiles = locations.num_io_tiles


def _location(settings: Any, given: TensorLocationSettings) -> None:
    import popart

    storage, sharding = popart.TensorStorage, popart.ReplicatedTensorSharding
    if given.min_elements_for_off_chip is not None:
        settings.minElementsForOffChip = given.min_elements_for_off_chip
    if given.min_elements_for_replicated_tensor_sharding is not None:
        settings.minElementsForReplicatedTensorSharding = (
            given.min_elements_for_replicated_tensor_sharding)
    if given.on_chip is not None:
        settings.location.storage = storage.OnChip if given.on_chip else storage.OffChip
    if given.use_replicated_tensor_sharding is not None:
        settings.location.replicatedTensorSharding = (
            sharding.On if given.use_replicated_tensor_sharding else sharding.Off)
    tiles = {True: popart.TileSet.IO, False: popart.TileSet.Compute}
    if given.use_io_tiles_to_load is not None:
        settings.location.loadTileSet = tiles[given.use_io_tiles_to_load]
    if given.use_io_tiles_to_store is not None:
        settings.location.storageTileSet = tiles[given.use_io_tiles_to_store]


def _environment(session: Any, options: Any) -> None:
    """Data, files and reports."""
    import popart

    if options.enable_synthetic_data:
        session.syntheticDataMode = popart.SyntheticDataMode.RandomNormal
    session.logDir = options.log_dir
    if options.log_cycle_count:
        session.instrumentWithHardwareCycleCounter = True
    path = options.cache_path or os.environ.get("POPTORCH_CACHE_DIR")
    if path:
        if options.usesIpuModel():
            logger.warning("The executable cache has no effect on the IPU Model.")
        else:
            session.enableEngineCaching, session.cachePath = True, path
    if options.enable_profiling:
        _profile(session, options.profile_dir)


def _profile(session: Any, directory: Any) -> None:
    wanted = {"autoReport.all": "true", "debug.allowOutOfMemory": "true"}
    if directory is not None:
        wanted["autoReport.directory"] = str(directory)
    variable = os.environ.get("POPLAR_ENGINE_OPTIONS", "")
    for key, value in wanted.items():
        if f'"{key}"' in variable:
            logger.warning("POPLAR_ENGINE_OPTIONS sets %s, which enableProfiling leaves.", key)
        else:
            session.engineOptions[key] = value
