# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PoplarExecutor: a torch model that runs on a device.

The first call, or compile(), traces the model and makes a session of popart; later calls give
it the inputs of a step and take its results. Weights live on the device between calls: they
come back when somebody looks at them, and go up when the host has newer ones.
"""

import contextlib
import datetime
import math
import os
import sys
import time

import numpy as np
import popart
import torch

from . import (_backward, _export, _files, _groups, _hooks, _host_calls, _program, _state,
               _weights)
from ._arguments import Arguments, check_same
from ._constants import Constants
from ._emit import to_numpy
from ._latency import Latencies
from ._logging import logger, setMaxRepeats
from ._notebook import table
from ._optimizers import (accumType, canTakeFirstWhole, checkKnown, dampensFirst, defaultOptimizer,
                          firstState, toPopart, warnOfUnexpected)
from ._placement import Placing
from .enums import ConnectionType, OutputMode
from .errors import Error, translated
from .options import Options

_ANCHORS = {OutputMode.All: "All", OutputMode.Final: "Final", OutputMode.Sum: "Sum",
            OutputMode.EveryN: "EveryN"}


def inferenceModel(model, options=None):
    """A model that computes its results on a device."""
    return PoplarExecutor(_unwrapped(model), options, training=False)


def trainingModel(model, options=None, optimizer=None):
    """A model that, each time that it is called, computes its results and then makes its loss
    smaller by the optimizer (SGD of rate 0.01 if none is given)."""
    return PoplarExecutor(_unwrapped(model), options, training=True, optimizer=optimizer)


def _unwrapped(model):
    return model.model if isinstance(model, PoplarExecutor) else model


class PoplarExecutor(Latencies):
    """A model with its program; made by inferenceModel and trainingModel."""

    def __init__(self, model, options, training, optimizer=None):
        options = Options() if options is None else options
        if not training and options.Training.gradient_accumulation != 1:
            raise Error("Options.Training.gradientAccumulation must be left to its default "
                        "value (1) for inference models")
        options._freeze()
        self._options = options.clone()
        self._options._freeze()
        self._model = model
        self._training = training
        self._optimizer = optimizer
        if training and optimizer is None:
            self._optimizer = defaultOptimizer(_export.as_module(model).parameters())
        if training:
            checkKnown(self._optimizer)
        setMaxRepeats(self._options.max_repeat_logs)
        _backward.explain()
        _groups.extend_parameters()
        self._session = None
        self._program = None
        self._parts = None          # several programs in place of one
        self._attached = False
        self._seeded = False
        self._was_attached = False  # this program, or one before it
        self._first = None          # the arguments of the first call
        self._anchors = {}
        self._kept_state = None
        self._bar = None
        self._constants = None
        self._changing = set(self._options.updatable_named_buffers)
        self._compilation_time = None
        self._new_optimizer = False
        self._has_stepped = False        # the optimizer
        self._has_newer_weights = False  # than the host
        self._weights = _weights.join(model, self, training)

    def __del__(self):
        # A program that nobody holds any more leaves its weights to the model.
        if self.__dict__.get("_has_newer_weights") and not sys.is_finalizing():
            _state.after_trace(self._download)

    # ---- What it is -------------------------------------------------------------------

    @property
    def model(self):
        """The torch model."""
        return self._model

    @property
    def options(self):
        """The options; they cannot be changed any more."""
        return self._options

    def __getattr__(self, name):
        if name.startswith("__") or "_model" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._model, name)

    def __repr__(self):
        return repr(self._model)

    def _repr_html_(self):
        time = self._compilation_time
        return table("Training model" if self._training else "Inference model", [
            ("class", _weights.class_of(self._model).__name__),
            ("compiled", "no" if time is None else f"in {time.total_seconds():.1f} s"),
            ("on its device", "yes" if self._attached else "no"),
            ("optimizer", type(self._optimizer).__name__ if self._training else "none")],
            repr(self._model))

    def isCompiled(self):
        """True if there is a program."""
        return self._program is not None or self._parts is not None

    def isAttachedToDevice(self):
        """True if the program is on its device."""
        return self._attached

    # ---- Compiling --------------------------------------------------------------------

    def _factor(self):
        """Micro-batches in the tensors of a call."""
        options = self._options
        return (options.device_iterations * options.Training.gradient_accumulation
                * options.replication_factor // options.input_group_size)

    def compile(self, *args, **kwargs):
        """Compiles the model for arguments like these."""
        if self.isCompiled():
            logger.warning("Call to compile() ignored: the model is already compiled")
            return
        self._compile_for(args, kwargs)

    def _compile_for(self, args, kwargs, executable=None):
        """Compiles, or takes an executable from a file, and attaches."""
        self._compile(Arguments(self._model, args, kwargs), executable)
        if self._options.connection_type == ConnectionType.Always:
            self.attachToDevice()

    def _compile(self, arguments, executable=None):
        _hooks.call_before()
        begin = time.perf_counter()
        self._weights.pull()
        self._first = arguments
        arguments.warn_of_dicts()
        tensors = arguments.micro_batch(self._factor())
        with _weights.plain(self._model), _groups.of_one_group(
                self._model, self._options.replication_factor):
            trace = _export.trace(self._model, tensors, arguments.structure,
                                  self._training)
        try:
            if _host_calls.calls(trace):
                self._make_parts(trace, executable)
            else:
                self._prepare(trace, executable)
        except BaseException:
            self._session = self._program = None
            raise
        if self._training:
            warnOfUnexpected(self._optimizer, self._options.relax_optimizer_checks)
        self._compilation_time = datetime.timedelta(seconds=time.perf_counter() - begin)
        _hooks.call_after()

    def _make_parts(self, trace, executable):
        """Programs of a model that calls functions of the host."""
        if executable is not None or self._options.anchored_tensors:
            raise Error("A model with poptorch.CPU has several programs: executables and "
                        "anchorTensor are not supported")
        self._parts = _host_calls.Parts(
            trace, _program.tensors_of(self._model), self._options,
            lambda model, options: PoplarExecutor(model, options, training=False))

    def _prepare(self, trace, executable):
        with translated():
            self._make_session(trace)
            if self._session is None:
                return
            if executable is not None:
                self._session.loadExecutable(executable)
            self._prepare_device()

    def _make_session(self, trace):
        with _weights.plain(self._model):
            placing = Placing(self._options, self._training)
            program = _program.build(self._model, trace, self._training, placing,
                                     self._changing, self._options.replication_factor)
        self._program = program
        _write_proto(program.model)
        self._constants = Constants(lambda name: _program.find_tensor(self._model, name),
                                    program.constants, program.unwritten,
                                    trace.constants.values())
        if not program.shapes and not self._options.anchored_tensors:
            return  # it computes nothing
        options = self._options
        device = options.deviceInfo(placing.num_ipus * options.replication_factor)
        session_options = options.toSessionOptions(
            placing.num_ipus, self._training,
            self._training and accumType(self._optimizer) == torch.float16)
        self._bar = self._progress()
        if self._bar is not None:
            session_options.compilationProgressLogger = self._show_progress
        flow = popart.DataFlow(options.device_iterations, self._anchor_types(program))
        patterns = options.toPatterns()
        if self._training:
            optimizer = self._popart_optimizer()
            self._session = popart.TrainingSession(
                program.model, dataFlow=flow, loss=program.loss, optimizer=optimizer,
                deviceInfo=device, patterns=patterns, userOptions=session_options,
                name=options.model_name or "training")
        else:
            self._session = popart.InferenceSession(
                program.model, dataFlow=flow, deviceInfo=device, patterns=patterns,
                userOptions=session_options, name=options.model_name or "inference")
        for name, shape in program.shapes.items():
            found = tuple(self._session.getInfo(name).shape())
            if found != shape:
                raise Error(f"internal error: {name} has the shape {list(found)} in place of "
                            f"{list(shape)}")

    def _take_changes(self, thoroughly=False):
        """Uploads tensors of integers that the host has changed, or, where the program has them as
        constants, makes it again."""
        changed = self._constants.changed(thoroughly)
        if not changed:
            return
        if not all(constant.is_variable for constant in changed):
            self._compile_again(changed)
        elif self._attached:
            self._weights.pull()
            self._upload()

    def _compile_again(self, changed):
        """Makes the program again with the host's constants; weights and state stay."""
        logger.info("The model is compiled again, for the host has changed %s", ", ".join(
            constant.name or "a tensor that is no buffer" for constant in changed))
        self._changing.update(constant.name for constant in changed if constant.name is not None)
        attached = self._attached
        if attached:
            self._weights.pull()
        if self._was_attached:
            self._kept_state = self._read_state(), self.rng_state if attached else None
        self._attached = False
        self._seeded = self._seeded and attached
        self._compile(self._first)
        if attached:
            self.attachToDevice()

    @staticmethod
    def _trained(program):
        return [(name, tensor) for name, tensor in program.variables.items()
                if isinstance(tensor, torch.nn.Parameter) and tensor.requires_grad]

    def _anchor_types(self, program):
        mode = self._options.resolvedOutputMode(self._training)
        kind = _anchor(mode, self._options.output_return_period)
        names = [name for name in program.outputs if isinstance(name, str)]
        types = {name: kind for name in [*names, *program.input_updates.values()]}
        modes = dict.fromkeys(types, (mode, self._options.output_return_period
                                      if mode == OutputMode.EveryN else 1))
        for name, mode, period in self._options.anchored_tensors.values():
            if mode == OutputMode.Default:
                mode = self._options.resolvedOutputMode(self._training)
            period = period if mode == OutputMode.EveryN else 1
            if modes.setdefault(name, (mode, period)) != (mode, period):
                raise Error(f"The tensor {name} comes back by two modes, {modes[name][0]} and "
                            f"{mode}: it can have one (outputMode, anchorTensor)")
            types[name] = _anchor(mode, period)
        return types

    def _progress(self):
        """A bar of progress on a terminal, if the options want one and tqdm is there."""
        if not self._options.show_compilation_progress_bar or not sys.stderr.isatty():
            return None
        try:
            from tqdm import tqdm
        except ImportError:
            return None
        return tqdm(total=100, desc="Graph compilation", unit="%")

    def _show_progress(self, step, steps):
        """Moves the bar; PopART calls this."""
        self._bar.update(100 * step / max(steps, 1) - self._bar.n)

    def _prepare_device(self):
        """Compiles."""
        bar = self._bar
        try:
            self._session.prepareDevice(loadEngine=False)
            if bar is not None:
                bar.update(bar.total - bar.n)
        finally:
            if bar is not None:
                bar.close()

    # ---- Files ------------------------------------------------------------------------

    def save(self, filename, export_model=True, save_rng_state=True):
        """Writes the program; with export_model, also what poptorch.load needs."""
        self._needs_program()
        _files.save(self, filename, export_model, save_rng_state)

    def compileAndExport(self, filename, *args, export_model=True, **kwargs):
        """Compiles for arguments like these, and writes the program."""
        if not self.isCompiled():
            self._compile(Arguments(self._model, args, kwargs))
        self.save(filename, export_model)

    def loadExecutable(self, filename):
        """Takes the program of a file in place of compiling."""
        _files.restore(self, filename)

    # ---- On the device ----------------------------------------------------------------

    def _needs_program(self, may_have_parts=False):
        if not self.isCompiled():
            raise Error("Model has not been compiled: call compile(), or run it once")
        if self._parts is not None and not may_have_parts:
            raise Error("A model with poptorch.CPU has several programs, and cannot be asked for "
                        "this")

    def attachToDevice(self):
        """Puts the program and the weights on the device."""
        self._needs_program(may_have_parts=True)
        if self._attached:
            raise Error("Device is already attached")
        if self._parts is not None:
            self._attached = True
            return
        self._take_changes(thoroughly=True)
        with translated():
            self._attached = True
            if self._session is None:
                return
            self._session.loadEngineAndConnectStreams()
            if self._options.random_seed is not None and not self._seeded:
                self._session.setRandomSeed(self._options.random_seed)
                self._seeded = True
            self._upload()
            self._anchors = self._session.initAnchorArrays()
        if not self._was_attached:
            self._write_state(self._first_state())
        self._restore_state()
        self._was_attached = True

    def detachFromDevice(self):
        """Brings weights and state back, and frees the device."""
        self._needs_program(may_have_parts=True)
        if not self._attached:
            raise Error("Device is not attached")
        self._weights.pull()
        if hasattr(self._optimizer, "_bindState"):
            self._optimizer.state_dict()  # keeps the state that it reads
        for part in self._parts.executors() if self._parts is not None else ():
            if part.isAttachedToDevice():
                part.detachFromDevice()
        self._attached = False

    def destroy(self):
        """Brings the weights back, and forgets the program."""
        if self._attached:
            self.detachFromDevice()
        if hasattr(self._optimizer, "_bindState"):
            self._optimizer._bindState(None)
        self._weights.leave(self)
        self._session = self._program = self._parts = self._first = None
        self._was_attached = self._has_stepped = False

    def _upload(self):
        if self._session is None:
            return
        changed = self._constants.changed(thoroughly=True)
        if not all(constant.is_variable for constant in changed):
            self._compile_again(changed)  # which uploads
            return
        for constant in changed:
            constant.take()
        self._find_variables()
        with translated():
            if self._has_newer_weights:
                self._session.weightsToHost()  # the optimizer's state stays
            encoded = self._program.encoded
            arrays = {name: _weights.host_array(tensor, name in encoded)
                      for name, tensor in self._program.variables.items()}
            if arrays:
                self._session.writeWeights(popart.PyWeightsIO(arrays))
            self._session.weightsFromHost()
        self._weights.uploaded(self)

    def _find_variables(self):
        """Parameters and buffers that have been replaced in the torch model are the new ones."""
        variables = self._program.variables
        for name, path in self._program.names.items():
            tensor = _program.find_tensor(self._model, path)
            old = variables[name]
            if tensor is old:
                continue
            _groups.keep(old, tensor)
            if tensor.shape != old.shape or tensor.dtype != old.dtype:
                raise Error(f"{path} has become a tensor of another shape or type; make another "
                            "executor, or call destroy() first")
            variables[name] = tensor
            self._weights.add(tensor)

    def _state_names(self):
        """Names of the tensors of the optimizer's state on the device."""
        if not self._training:
            return []
        weights = {name for name, _ in self._trained(self._program)}
        return [name for name in self._session.getAllTensorIds()
                if name.startswith(("Acc", "Step___")) and name.split("___", 1)[-1] in weights]

    def _read_state(self):
        """The optimizer's state on the device, by the names of PopART."""
        if self._session is None or not self._state_names():
            return {}
        with translated():
            state = {}
            for name in self._state_names():
                info = self._session.getInfo(name)
                state[name] = np.zeros(tuple(info.shape()), info.data_type_lcase())
            if self._attached:
                self._session.weightsToHost()
            self._session.readWeights(popart.PyWeightsIO(state))
        return {name: torch.from_numpy(array) for name, array in state.items()}

    def _restore_state(self):
        """The state from before the program was compiled again."""
        if self._kept_state is None:
            return
        state, random = self._kept_state
        self._kept_state = None
        self._write_state(state)
        if random is not None:
            self.rng_state = random

    def _write_state(self, state):
        """Gives the device a state that _read_state returned."""
        known = set(self._state_names())
        arrays = {name: to_numpy(tensor) for name, tensor in state.items() if name in known}
        if not arrays:
            return
        with translated():
            self._session.weightsToHost()
            self._session.writeWeights(popart.PyWeightsIO(arrays))
            self._session.weightsFromHost()

    def _download(self):
        """Copies the device's weights into the torch model's tensors."""
        if self._session is None:
            return
        with translated():
            self._session.weightsToHost()
            encoded = self._program.encoded
            arrays = {name: self._receiving_array(name, tensor)
                      for name, tensor in self._program.variables.items()}
            if arrays:
                self._session.readWeights(popart.PyWeightsIO(arrays))
        self._has_newer_weights = False
        for name, tensor in self._program.variables.items():
            _weights.take(tensor, arrays[name], name in encoded)

    def _receiving_array(self, name, tensor):
        shape = _groups.returned_shape(tensor, self._program.replica_shapes[name],
                                       self._options.replication_factor)
        if shape != tuple(tensor.shape):
            return np.empty(shape, _weights.numpy_type(tensor.dtype))
        return _weights.receiving_array(tensor, name in self._program.encoded)

    def copyWeightsToHost(self):
        """Brings the weights back."""
        self._needs_attached()
        self._download()
        self._weights.downloaded(self)

    def copyWeightsToHostIfNeeded(self):
        """Brings the weights back if the device's are newer; returns true if so."""
        return self._weights.pull()

    def copyWeightsToDevice(self):
        """Gives the device the weights of the torch model."""
        for part in self._parts.executors() if self._parts is not None else ():
            if part.isAttachedToDevice():
                part.copyWeightsToDevice()
        if self._parts is None:
            self._needs_attached()
            self._upload()

    def copyNamedBuffersToDevice(self):
        """Gives the device the buffers of the torch model."""
        self._needs_attached()
        self._upload()

    def _needs_attached(self):
        self._needs_program()
        if not self._attached:
            raise Error("Device is not attached: the weights are on the host already")

    def load_state_dict(self, state_dict, strict=True):
        """Loads weights into the torch model, and onto the device if it is attached."""
        self._weights.pull()
        result = self._model.load_state_dict(state_dict, strict)
        if self._attached:
            self._upload()
        return result

    # ---- Running ----------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        arguments = Arguments(self._model, args, kwargs)
        if not self.isCompiled():
            if self._options.connection_type == ConnectionType.Never:
                raise AssertionError("A model with the connection type Never can only be compiled")
            self._compile(arguments)
        else:
            check_same(self._first, arguments)
            if self._parts is None:
                self._take_changes()
        if not self._attached:
            self.attachToDevice()
        if self._parts is not None:
            return self._parts(arguments.tensors)
        if self._weights.is_newer_than(self):
            self._upload()
        arguments.micro_batch(self._factor())
        self._apply_optimizer()
        inputs = _program.as_inputs(self._program, arguments.tensors, self._options)
        if self._session is not None:
            self._step(inputs)
        self._after_step()
        return self._results(arguments.tensors)

    def _step(self, inputs):
        """One run of the session, with these arrays."""
        step = popart.PyStepIO(inputs, self._anchors)
        with translated():
            self._session.run(step)
        outputs = [name for name in self._program.outputs if isinstance(name, str)]
        self._counters = list(inputs), list(dict.fromkeys(outputs)), step._takeTimes()

    def _after_step(self):
        steps = self._options.device_iterations * self._options.Training.gradient_accumulation
        for name, number in self._program.counters.items():
            _weights.count(self._model, name, number * steps)
        if self._training:
            self._optimizer_has_stepped()
            self._weights.changed(self)
            if hasattr(self._optimizer, "_markStateStale"):
                self._optimizer._markStateStale()

    def _results(self, tensors):
        results = [self._result(name) for name in self._program.outputs]
        for index, name in self._program.input_updates.items():
            tensors[index].copy_(self._result(name).reshape(tensors[index].shape))
        return self._program.trace.results.rebuild(results)

    def _result(self, name):
        """A result in the form of torch: the dimensions of a step joined with the first one."""
        if not isinstance(name, str):
            return name
        array = self._anchors[name]
        shape = self._shape_of(name)
        leading = array.shape[:array.ndim - len(shape)]
        count = math.prod(leading)
        if count != 1:
            shape = (count * shape[0], *shape[1:]) if shape else (count,)
        return torch.from_numpy(array.copy().reshape(shape))

    def _shape_of(self, name):
        shape = self._program.shapes.get(name)
        return tuple(self._session.getInfo(name).shape()) if shape is None else shape

    # ---- Optimizer --------------------------------------------------------------------

    def setOptimizer(self, optimizer):
        """New numbers of the optimizer; the next step has them."""
        if not self._training:
            raise Error("setOptimizer is for training models")
        checkKnown(optimizer)
        self._optimizer = optimizer
        self._new_optimizer = True

    def _load_optimizer_state(self):
        """Gives the device the state that an optimizer of poptorch has loaded."""
        if not hasattr(self._optimizer, "_bindState"):
            return
        self._optimizer._bindState(lambda: (self._read_state(), {}))
        loaded = self._optimizer._takeLoadedState()
        if loaded is not None:
            self._write_state(loaded[0])
            self._optimizer_has_stepped()

    def _apply_optimizer(self):
        self._load_optimizer_state()
        if not self._new_optimizer:
            return
        with translated():
            self._session.updateOptimizerFromHost(self._popart_optimizer())
        self._new_optimizer = False

    def _popart_optimizer(self):
        """PopART's optimizer for the next step."""
        return toPopart(self._optimizer, self._trained(self._program),
                        self._options.Training.auto_loss_scaling,
                        not self._has_stepped and self._takes_first_whole())

    def _takes_first_whole(self):
        """True if the first call is one step, which can be without dampening."""
        return (self._options.device_iterations == 1
                and canTakeFirstWhole(self._optimizer))

    def _first_state(self):
        """The optimizer's state before the first step, where it is not zero."""
        if not self._training or self._has_stepped:
            return {}
        if dampensFirst(self._optimizer) and not self._takes_first_whole():
            logger.warning("The first step dampens its gradient, which PyTorch's does not: that "
                           "needs deviceIterations(1) and separate accumulators")
        options = self._options
        parts = options.replication_factor if options.Training.gradient_accumulation > 1 else 1
        return {name: tensor / parts for name, tensor in
                firstState(self._optimizer, self._trained(self._program)).items()}

    def _optimizer_has_stepped(self):
        """Later steps have the optimizer's own dampening."""
        if not self._has_stepped and self._takes_first_whole():
            self._new_optimizer = True
        self._has_stepped = True

    # ---- What can be asked ------------------------------------------------------------

    def compilationTime(self):
        """How long compiling took."""
        if self._compilation_time is None:
            raise Error("Model has not been compiled: there is no time of compilation")
        return self._compilation_time

    def cycleCount(self):
        """The cycles of the last step."""
        self._needs_program()
        if not self._options.log_cycle_count:
            raise Error("Cycle count logging is disabled: Options.logCycleCount(True) enables it")
        with translated():
            return self._session.getCycleCount()

    def getTensorNames(self):
        """The names of all tensors of the program, for Options.anchorTensor."""
        self._needs_program()
        return sorted(self._session.getAllTensorIds())

    def getAnchoredTensor(self, short_name):
        """The elements of a tensor that Options.anchorTensor named, after the last step."""
        if short_name not in self._options.anchored_tensors:
            raise Error(f"{short_name} is not the name of an anchored tensor")
        self._needs_program()
        return self._result(self._options.anchored_tensors[short_name][0])

    def _debugGetPopartIR(self):
        """PopART's IR as JSON."""
        self._needs_program()
        return self._session._serializeIr(popart.IrSerializationFormat.JSON)

    @property
    def rng_state(self):
        """The seed, then the state of the generators."""
        self._needs_attached()
        return [self._session.getRandomSeed(), *self._session.getRNGState()]

    @rng_state.setter
    def rng_state(self, state):
        self._needs_attached()
        if not isinstance(state, (list, tuple)) or not all(isinstance(n, int) for n in state):
            raise Error("rng_state is a list of integers")
        self._session.setRandomSeed(state[0])
        if len(state) > 1:
            self._session.setRNGState(list(state[1:]))


def _write_proto(model):
    """Writes the model of ONNX to a file, if the environment names one."""
    path = os.environ.get("POPTORCH_EXPORT_PROTO_FILE")
    if path:
        with open(path, "wb") as file:
            file.write(model)


def _anchor(mode, period):
    if mode == OutputMode.EveryN:
        return popart.AnchorReturnType("EveryN", period)
    return popart.AnchorReturnType(_ANCHORS[mode])
