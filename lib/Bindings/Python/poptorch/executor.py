# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PoplarExecutor: a torch model that runs on a device.

The first call, or compile(), traces the model and makes a session of popart; later calls give
it the inputs of a step and take its results. Weights live on the device between calls: they
come back when somebody looks at them, and go up when the host has newer ones.
"""

import datetime
import math
import sys
import time

import popart
import torch

from . import (_backward, _copies, _export, _files, _groups, _hooks, _host_calls, _program,
               _session, _state, _weights)
from ._arguments import Arguments, check_same
from ._constants import Constants
from ._logging import logger, setMaxRepeats
from ._optimizers import defaultOptimizer, warnOfUnexpected
from ._placement import Placing
from ._questions import Questions
from ._stepper import Stepper
from .enums import ConnectionType
from .errors import Error, translated
from .options import Options


def inferenceModel(model, options=None):
    """A model that computes its results on a device."""
    return PoplarExecutor(_unwrapped(model), options, training=False)


def trainingModel(model, options=None, optimizer=None):
    """A model that, each time that it is called, computes its results and then makes its loss
    smaller by the optimizer (SGD of rate 0.01 if none is given)."""
    return PoplarExecutor(_unwrapped(model), options, training=True, optimizer=optimizer)


def _unwrapped(model):
    return model.model if isinstance(model, PoplarExecutor) else model


class PoplarExecutor(Questions):
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
        if training and optimizer is None:
            optimizer = defaultOptimizer(_export.as_module(model).parameters())
        self._stepper = Stepper(optimizer if training else None, self._options)
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
        self._constants = None
        self._changing = set(self._options.updatable_named_buffers)
        self._compilation_time = None
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
            warnOfUnexpected(self._stepper.optimizer, self._options.relax_optimizer_checks)
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
            progress = self._make_session(trace)
            if self._session is None:
                return
            if executable is not None:
                self._session.loadExecutable(executable)
            progress.prepare(self._session)

    def _make_session(self, trace):
        """Makes the program, and its session unless it computes nothing; returns the progress."""
        with _weights.plain(self._model):
            placing = Placing(self._options, self._training)
            program = _program.build(self._model, trace, self._training, placing,
                                     self._changing, self._options.replication_factor)
        self._program = program
        _session.write_proto(program.model)
        self._constants = Constants(lambda name: _program.find_tensor(self._model, name),
                                    program.constants, program.unwritten,
                                    trace.constants.values())
        progress = _session.Progress(self._options)
        if program.shapes or self._options.anchored_tensors:
            self._session = _session.make(
                program, self._options, placing.num_ipus, self._training, self._stepper,
                _copies.trained(program), progress)
        return progress

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
            self._write_state(self._stepper.first_state(_copies.trained(self._program)))
        self._restore_state()
        self._was_attached = True

    def detachFromDevice(self):
        """Brings weights and state back, and frees the device."""
        self._needs_program(may_have_parts=True)
        if not self._attached:
            raise Error("Device is not attached")
        self._weights.pull()
        self._stepper.keep()
        for part in self._parts.executors() if self._parts is not None else ():
            if part.isAttachedToDevice():
                part.detachFromDevice()
        self._attached = False

    def destroy(self):
        """Brings the weights back, and forgets the program."""
        if self._attached:
            self.detachFromDevice()
        self._stepper.bind(None)
        self._weights.leave(self)
        self._session = self._program = self._parts = self._first = None
        self._was_attached = False
        self._stepper.restart()

    def _upload(self):
        if self._session is None:
            return
        changed = self._constants.changed(thoroughly=True)
        if not all(constant.is_variable for constant in changed):
            self._compile_again(changed)  # which uploads
            return
        for constant in changed:
            constant.take()
        _copies.find_variables(self._model, self._program, self._weights)
        _copies.upload(self._session, self._program, self._has_newer_weights)
        self._weights.uploaded(self)

    def _download(self):
        """Copies the device's weights into the torch model's tensors."""
        if self._session is None:
            return
        _copies.download(self._session, self._program, self._options.replication_factor)
        self._has_newer_weights = False

    def _read_state(self):
        """The optimizer's state on the device, by the names of PopART."""
        if self._session is None or not self._training:
            return {}
        return _copies.read_state(self._session, self._program, self._attached)

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
        if state:
            _copies.write_state(self._session, self._program, state)

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

    def load_state_dict(self, state_dict, strict=True):
        """Loads weights into the torch model, and onto the device if it is attached."""
        self._weights.pull()
        result = self._model.load_state_dict(state_dict, strict)
        if self._attached:
            self._upload()
        return result

    # ---- Running ----------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        if self._options.connection_type == ConnectionType.Never:
            raise AssertionError("A model with the connection type Never can only be compiled")
        arguments = Arguments(self._model, args, kwargs)
        if not self.isCompiled():
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
            self._stepper.stepped()
            self._weights.changed(self)
            self._stepper.mark_stale()

    def _results(self, tensors):
        results = [self._result(name) for name in self._program.outputs]
        for index, name in self._program.input_updates.items():
            tensors[index].copy_(self._result(name).reshape(tensors[index].shape))
        return self._program.trace.results.rebuild(results)

    def _result(self, name):
        """A result in the form of torch: the dimensions of a step joined with the first one."""
        if isinstance(name, _program.Repeated):
            return self._repeated(name.tensor)
        if not isinstance(name, str):
            return name
        array = self._anchors[name]
        shape = self._shape_of(name)
        leading = array.shape[:array.ndim - len(shape)]
        count = math.prod(leading)
        if count != 1:
            shape = (count * shape[0], *shape[1:]) if shape else (count,)
        return torch.from_numpy(array.copy().reshape(shape))

    def _repeated(self, tensor):
        """A constant as often as other results come back."""
        name = next((name for name in self._program.outputs if isinstance(name, str)), None)
        if name is None:
            return tensor
        array = self._anchors[name]
        count = math.prod(array.shape[:array.ndim - len(self._shape_of(name))])
        return torch.cat([tensor.reshape(tensor.shape or (1,))] * count) if count != 1 else tensor

    def _shape_of(self, name):
        shape = self._program.shapes.get(name)
        return tuple(self._session.getInfo(name).shape()) if shape is None else shape

    # ---- Optimizer --------------------------------------------------------------------

    def setOptimizer(self, optimizer):
        """New numbers of the optimizer; the next step has them."""
        if not self._training:
            raise Error("setOptimizer is for training models")
        self._stepper.replace(optimizer)

    def _apply_optimizer(self):
        """The state that an optimizer of poptorch has loaded, and its new numbers."""
        self._stepper.bind(lambda: (self._read_state(), {}))
        loaded = self._stepper.take_loaded()
        if loaded is not None:
            self._write_state(loaded)
            self._stepper.stepped()
        if self._stepper.has_changed:
            with translated():
                self._stepper.update(self._session, _copies.trained(self._program))
