# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in files: PopART's executable, and a record of what it was made from.

    magic, length of the executable, executable, pickled record
"""

import os
import pickle
import struct
import tempfile

from . import _weights
from ._logging import logger
from .errors import Error, translated

_MAGIC = b"PopulusPoptorch1"


def _version():
    import popart

    return popart.versionString()


def _path_of(path):
    if os.path.isdir(path):
        path = os.path.join(path, "model.poptorch")
        logger.warning("The path is a folder: the program is saved as %s", path)
    return path


def save(executor, path, export_model, save_rng_state):
    """Writes an executor's program."""
    first = executor._first
    record = {"version": _version(), "args": first.args, "kwargs": first.kwargs,
              "options": executor.options, "training": executor._training}
    if export_model:
        executor._weights.pull()
        with _weights.plain(executor.model):
            # Together, for the optimizer names parameters of the model.
            record["model"] = pickle.dumps((executor.model, executor._stepper.optimizer), protocol=4)
        if save_rng_state and executor.isAttachedToDevice():
            record["rng_state"] = executor.rng_state
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "program")
        with translated():
            executor._session.saveExecutable(name)
        with open(name, "rb") as file:
            program = file.read()
    with open(_path_of(path), "wb") as file:
        file.write(_MAGIC + struct.pack("<Q", len(program)) + program)
        pickle.dump(record, file, protocol=4)


def _read(path):
    """The executable of a file, and its record."""
    if os.path.isdir(path):
        path = os.path.join(path, "model.poptorch")
    with open(path, "rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise Error(f"{path} is not a program that PoplarExecutor.save wrote")
        length, = struct.unpack("<Q", file.read(8))
        program = file.read(length)
        record = pickle.load(file)
    if record["version"] != _version():
        raise Error(f"PopTorch version mismatch: {path} was written by {record['version']}, and "
                    f"this is {_version()}")
    return program, record


def restore(executor, path):
    """Gives an executor the program of a file in place of compiling."""
    program, record = _read(path)
    _restore(executor, program, record)


def _restore(executor, program, record):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "program")
        with open(name, "wb") as file:
            file.write(program)
        executor._compile_for(record["args"], record["kwargs"], name)


def load(filename, edit_opts_fn=None):
    """The executor of a file that PoplarExecutor.save wrote with its model.

    edit_opts_fn may change the options. Files are read by pickle: load only your own.
    """
    from .enums import ConnectionType
    from .executor import PoplarExecutor

    program, record = _read(filename)
    if "model" not in record:
        raise Error(f"{filename} was saved without its model (export_model=False): make the model "
                    "and call loadExecutable() of its executor")
    options = record["options"].clone()
    if options.connection_type == ConnectionType.Never:
        options.connectionType(ConnectionType.Always)
    if edit_opts_fn is not None:
        edit_opts_fn(options)
    model, optimizer = pickle.loads(record["model"])
    executor = PoplarExecutor(model, options, record["training"], optimizer)
    _restore(executor, program, record)
    if "rng_state" in record and executor.isAttachedToDevice():
        executor.rng_state = record["rng_state"]
    return executor
