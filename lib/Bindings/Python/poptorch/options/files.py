# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options from files and JSON.

A line of a file is a call of a method of Options, without a name before it:

    # comments are skipped
    deviceIterations(4)
    Training.gradientAccumulation(8)
    outputMode(poptorch.OutputMode.All)

Lines are parsed, not executed: arguments are literals, names of poptorch and torch, and calls of
such names.
"""

import ast
import enum
import json
from typing import Any, Dict

from .. import enums, strategies
from .tensor_locations import TensorLocationSettings


class ConfigFileError(Exception):
    """A line of a file, or an entry of JSON, that sets no option."""


_POPTORCH: Dict[str, Any] = {
    name: value for module in (enums, strategies) for name, value in vars(module).items()
    if isinstance(value, type) and not name.startswith("_")}
_POPTORCH["TensorLocationSettings"] = TensorLocationSettings


class _Namespace:
    def __init__(self, names: Dict[str, Any]):
        self.__dict__.update(names)


def _names() -> Dict[str, Any]:
    import torch

    types = {name: getattr(torch, name) for name in ("half", "float", "float16", "float32")}
    return {**_POPTORCH, "poptorch": _Namespace(_POPTORCH), "torch": _Namespace(types)}


class _Line:
    """Evaluates the expression of one line."""

    def __init__(self, options: Any):
        self._options = options
        self._known = _names()

    def value(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Call):
            named = {keyword.arg: self.value(keyword.value) for keyword in node.keywords
                     if keyword.arg}
            return self.value(node.func)(*map(self.value, node.args), **named)
        if isinstance(node, ast.Attribute):
            if node.attr.startswith("__"):
                raise ConfigFileError(f"{node.attr} is no option")
            return getattr(self.value(node.value), node.attr)
        if isinstance(node, ast.Name):
            return self._known[node.id] if node.id in self._known else getattr(
                self._options, node.id)
        if isinstance(node, ast.List):
            return [self.value(element) for element in node.elts]
        if isinstance(node, ast.Dict):
            return {self.value(key): self.value(value)  # type: ignore[arg-type]
                    for key, value in zip(node.keys, node.values)}
        return ast.literal_eval(node)


def applyFile(options: Any, path: Any) -> None:
    """Sets what the lines of a file say."""
    with open(path) as file:
        for number, text in enumerate(file, 1):
            line = text.strip()
            if line and not line.startswith("#"):
                _applyLine(options, line, f"{path}, line {number}")


def _applyLine(options: Any, line: str, place: str) -> None:
    try:
        tree = ast.parse(line, mode="eval").body
        if not isinstance(tree, ast.Call):
            raise ConfigFileError("the line calls no option")
        _Line(options).value(tree)
    except Exception as error:
        raise ConfigFileError(f"Wrong option in {place}: '{line}': {error}") from error


def _choice(value: Any) -> Any:
    """The enum that a text names as Type.Name; other values as they are."""
    if isinstance(value, str) and value.count(".") == 1:
        type_, name = value.split(".")
        choices = _POPTORCH.get(type_)
        if isinstance(choices, type) and issubclass(choices, enum.Enum):
            if name not in choices.__members__:
                raise ConfigFileError(f"{type_} has no choice '{name}': its choices are "
                                      f"{', '.join(choices.__members__)}")
            return choices[name]
    return value


def applyJson(options: Any, text: str) -> None:
    """Sets what a JSON object says: {"Training.gradientAccumulation": 4}. A list holds several
    arguments."""
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigFileError(f"Options are no JSON: {error}") from error
    if not isinstance(entries, dict):
        raise ConfigFileError("Options in JSON are an object: {\"deviceIterations\": 4}")
    for key, value in entries.items():
        _applyEntry(options, key, value)


def _applyEntry(options: Any, key: str, value: Any) -> None:
    arguments = value if isinstance(value, list) else [value]
    try:
        method = options
        for name in key.split("."):
            if name.startswith("__"):
                raise AttributeError(f"{name} is no option")
            method = getattr(method, name)
        method(*map(_choice, arguments))
    except ConfigFileError:
        raise
    except (AttributeError, TypeError) as error:
        raise ConfigFileError(f"Wrong option '{key}': {error}") from error
