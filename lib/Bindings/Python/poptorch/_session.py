# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The session of popart for a program: its results, options, device and bar of progress."""

import os
import sys

import popart
import torch

from . import ops_overlap
from ._optimizers import accumType
from .enums import OutputMode
from .errors import Error

_ANCHORS = {OutputMode.All: "All", OutputMode.Final: "Final", OutputMode.Sum: "Sum",
            OutputMode.EveryN: "EveryN"}


class Progress:
    """A bar of progress on a terminal, if the options want one and tqdm is there."""

    def __init__(self, options):
        self._bar = None
        if not options.show_compilation_progress_bar or not sys.stderr.isatty():
            return
        try:
            from tqdm import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=100, desc="Graph compilation", unit="%")

    def connect(self, session_options):
        """PopART moves the bar."""
        if self._bar is not None:
            session_options.compilationProgressLogger = self._show

    def _show(self, step, steps):
        self._bar.update(100 * step / max(steps, 1) - self._bar.n)

    def prepare(self, session):
        """Compiles a session, and closes the bar."""
        try:
            session.prepareDevice(loadEngine=False)
            if self._bar is not None:
                self._bar.update(self._bar.total - self._bar.n)
        finally:
            if self._bar is not None:
                self._bar.close()


def make(program, options, num_ipus, training, stepper, trained, progress):
    """A session that is not compiled yet; `stepper` has the optimizer of the `trained` weights."""
    device = options.deviceInfo(num_ipus * options.replication_factor)
    session_options = options.toSessionOptions(
        num_ipus, training, training and accumType(stepper.optimizer) == torch.float16)
    if program.strategies:
        ops_overlap.require_tiles(options)
        session_options.useHostCopyOps = session_options.enableExplicitMainLoops = True
    progress.connect(session_options)
    flow = popart.DataFlow(options.device_iterations, _anchor_types(program, options, training))
    patterns = options.toPatterns()
    if training:
        session = popart.TrainingSession(
            program.model, dataFlow=flow, loss=program.loss, optimizer=stepper.to_popart(trained),
            deviceInfo=device, patterns=patterns, userOptions=session_options,
            name=options.model_name or "training")
    else:
        session = popart.InferenceSession(
            program.model, dataFlow=flow, deviceInfo=device, patterns=patterns,
            userOptions=session_options, name=options.model_name or "inference")
    _check_shapes(session, program)
    return session


def _check_shapes(session, program):
    for name, shape in program.shapes.items():
        found = tuple(session.getInfo(name).shape())
        if found != shape:
            raise Error(f"internal error: {name} has the shape {list(found)} in place of "
                        f"{list(shape)}")


def _anchor_types(program, options, training):
    """How each result, and each tensor that anchorTensor named, comes back."""
    mode = options.resolvedOutputMode(training)
    names = [name for name in program.outputs if isinstance(name, str)]
    types = {name: _anchor(mode, options.output_return_period, program.strategies.get(name))
             for name in [*names, *program.input_updates.values()]}
    modes = dict.fromkeys(types, (mode, options.output_return_period
                                  if mode == OutputMode.EveryN else 1))
    for name, mode, period in options.anchored_tensors.values():
        if mode == OutputMode.Default:
            mode = options.resolvedOutputMode(training)
        period = period if mode == OutputMode.EveryN else 1
        if modes.setdefault(name, (mode, period)) != (mode, period):
            raise Error(f"The tensor {name} comes back by two modes, {modes[name][0]} and "
                        f"{mode}: it can have one (outputMode, anchorTensor)")
        types[name] = _anchor(mode, period, program.strategies.get(name))
    return types


def _anchor(mode, period, strategy):
    """By I/O tiles, if there is a strategy."""
    exchange = [] if strategy is None else [popart.TileSet.IO, strategy]
    if mode == OutputMode.EveryN:
        return popart.AnchorReturnType("EveryN", period, *exchange)
    return popart.AnchorReturnType(_ANCHORS[mode], *exchange)


def write_proto(model):
    """Writes the model of ONNX to a file, if the environment names one."""
    path = os.environ.get("POPTORCH_EXPORT_PROTO_FILE")
    if path:
        with open(path, "wb") as file:
            file.write(model)
