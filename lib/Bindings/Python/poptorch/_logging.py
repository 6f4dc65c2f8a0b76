# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages of the package: a logger of Python's, set by POPTORCH_LOG_LEVEL and POPTORCH_LOG_DEST
when it is imported, and by setLogLevel later.

    [15:04:05.678] [poptorch::python] [warning] Dict used as an input...
"""

import logging
import os
import sys
import time
from typing import Optional, Union

_TRACE = 5
_OFF = 60
_LEVELS = {"TRACE": _TRACE, "DEBUG": logging.DEBUG, "INFO": logging.INFO, "WARN": logging.WARNING,
           "ERR": logging.ERROR, "OFF": _OFF}
# Numbers that older programs give.
_NUMBERS = {0: "TRACE", 1: "DEBUG", 2: "INFO", 3: "WARN", 4: "ERR", 6: "OFF"}
_COLOURS = {_TRACE: 37, logging.DEBUG: 36, logging.INFO: 32, logging.WARNING: 33,
            logging.ERROR: 31, logging.CRITICAL: 31}

logging.addLevelName(_TRACE, "TRACE")

logger = logging.getLogger("poptorch::python")


class _Formatter(logging.Formatter):
    def __init__(self, coloured: bool):
        super().__init__()
        self._coloured = coloured

    def format(self, record: logging.LogRecord) -> str:
        level = record.levelname.lower()
        if self._coloured:
            level = f"\033[{_COLOURS.get(record.levelno, 0)}m{level}\033[0m"
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        text = f"[{clock}.{int(record.msecs):03d}] [{record.name}] [{level}] {record.getMessage()}"
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        return text


class _Repeats(logging.Filter):
    """Leaves out a message that has been written so often, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.most: Optional[int] = None
        self._last, self._count = "", 0

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        self._count = self._count + 1 if message == self._last else 1
        self._last = message
        return self.most is None or self._count <= self.most


_repeats = _Repeats()


def setMaxRepeats(most: Optional[int]) -> None:
    """Equal messages one after the other that are written; None is all."""
    _repeats.most = most


class _StreamHandler(logging.Handler):
    """Writes to the stream that sys has under a name now, which tests may have replaced."""

    def __init__(self, name: str):
        super().__init__()
        self._name = name
        self.setFormatter(_Formatter(getattr(sys, name).isatty()))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            getattr(sys, self._name).write(self.format(record) + "\n")
        except Exception:  # a closed stream, at the end of the process
            self.handleError(record)


def _handler() -> logging.Handler:
    name = os.environ.get("POPTORCH_LOG_DEST", "stderr")
    if name in ("stderr", "stdout"):
        return _StreamHandler(name)
    handler = logging.FileHandler(name)
    handler.setFormatter(_Formatter(False))
    return handler


def _level(level: Union[str, int]) -> str:
    if isinstance(level, int) and level in _NUMBERS:
        return _NUMBERS[level]
    if isinstance(level, str) and level.upper() in _LEVELS:
        return level.upper()
    raise ValueError(f"Invalid log level {level!r}: levels are "
                     f"{', '.join(repr(name) for name in _LEVELS)} and "
                     f"{', '.join(str(number) for number in _NUMBERS)}.")


def setLogLevel(level: Union[str, int]) -> None:
    """Messages of this level and above are written: "TRACE", "DEBUG", "INFO", "WARN", "ERR" or
    "OFF"."""
    logger.setLevel(_LEVELS[_level(level)])


def setPopartLogLevel(level: Union[str, int]) -> None:
    """The same for messages of PopART."""
    import popart

    popart.getLogger().setLevel(_level(level))


def trace(message: str, *arguments: object) -> None:
    """A message below those of DEBUG."""
    logger.log(_TRACE, message, *arguments)


def _begin() -> None:
    if not logger.handlers:
        logger.addHandler(_handler())
        logger.addFilter(_repeats)
        logger.propagate = False
    setLogLevel(os.environ.get("POPTORCH_LOG_LEVEL", "WARN").replace("TRACE_ALL", "TRACE")
                .replace("DEBUG_IR", "DEBUG"))


_begin()
