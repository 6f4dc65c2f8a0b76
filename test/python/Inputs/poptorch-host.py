# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors, messages, traces, comparisons and names of poptorch that need no model."""

import io
import os
import subprocess
import sys

import popart
import popart_core
import torch

import popdist.poptorch
import poptorch
from poptorch import poptorch_core
from poptorch._logging import logger, setPopartLogLevel
from poptorch.errors import translated


def refused(errors, function, *arguments, **named):
    text = named.pop("text", "")
    try:
        function(*arguments, **named)
    except errors as error:
        assert text in str(error), (text, str(error))
        return error
    raise AssertionError(f"{function} took {arguments} {named}")


def errors():
    assert poptorch.Error.__bases__ == (Exception,)
    error = poptorch.Error("text")
    assert (error.message, error.type, str(error)) == ("text", "poptorch_py_error", "text")

    def inside(function, *arguments):
        with translated("here"):
            function(*arguments)

    error = refused(poptorch.Error, inside, popart.Patterns().enablePattern, "none", True)
    assert error.type == "popart_exception" and error.location == "here"
    error = refused(poptorch.RecoverableError, inside,
                    popart_core._throw_recoverable_runtime_error,
                    popart.RecoveryAction.LINK_RESET)
    assert error.recovery_action == "LINK_RESET" and isinstance(error, poptorch.Error)
    refused(poptorch.UnrecoverableError, inside, popart_core._throw_unrecoverable_runtime_error)
    refused(KeyError, inside, {}.__getitem__, "key")
    assert poptorch_core.Error is poptorch.Error


def messages():
    before, sys.stderr = sys.stderr, io.StringIO()
    try:
        logger.warning("one %d", 1)
        poptorch.setLogLevel("ERR")
        logger.warning("two")
        poptorch.setLogLevel(0)
        poptorch._logging.trace("three")
        text = sys.stderr.getvalue()
    finally:
        sys.stderr = before
        poptorch.setLogLevel("WARN")
    lines = text.splitlines()
    assert len(lines) == 2 and lines[0].endswith("] [poptorch::python] [warning] one 1"), lines
    assert lines[1].endswith("[trace] three") and lines[0][0] == "[" and lines[0][13] == "]"
    refused(ValueError, poptorch.setLogLevel, "LOUD", text="LOUD")
    refused(ValueError, poptorch.setLogLevel, 5)
    setPopartLogLevel("OFF")
    setPopartLogLevel("WARN")
    program = "import poptorch._logging as l; l.logger.info('told')"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True, env={**os.environ, "POPTORCH_LOG_LEVEL": "INFO",
                                           "POPTORCH_LOG_DEST": "stdout"})
    assert "[info] told" in told.stdout


def validation():
    options = poptorch.Options()
    options._Popart.set("enableOutlining", False)
    poptorch_core._validateOptions(options.toDict())
    options._Popart.set("unheardOf", False)
    refused(poptorch.Error, poptorch_core._validateOptions, options.toDict(), text="Unknown")
    assert not poptorch.ipuHardwareIsAvailable(2) and poptorch.ipuHardwareVersion() == 0


def comparisons():
    close = poptorch.testing.allclose
    one = torch.ones(2)
    assert close({"a": [one, (one, None)]}, {"a": [one, (one + 1e-7, None)]})
    assert not close([one], [one, one]) and not close(one, one + 1) and not close(one, one[:1])
    assert not close({"a": one}, {"b": one}) and close(one, one.double())
    refused(AssertionError, poptorch.testing.assert_allclose, actual=one, expected=one * 2)


def traces():
    class Program:
        def run(self, value):
            return value + 1

        def __call__(self):
            return "called"

    program = Program()
    channel = poptorch.profiling.Channel("test")
    channel.instrument(program, "run", "__call__")
    with channel.tracepoint("part"):
        assert program.run(1) == 2 and program() == "called"


def jobs():
    options = popdist.poptorch.Options(ipus_per_replica=1)
    assert options.replication_factor == popdist.getNumLocalReplicas()
    assert options.Distributed.numProcesses == 1
    refused(RuntimeError, options.replicationFactor, 7, text="7")
    assert options.clone() == options and isinstance(options, poptorch.Options)


for test in (errors, messages, validation, comparisons, traces, jobs):
    test()
    print(test.__name__, "ok")
