# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of PopART by their names, for what has no method of its own.

    options._Popart.set("autoRecomputation", int(popart.RecomputationType.Pipeline))
    options._Popart.set("accumulateOuterFragmentSettings.excludedVirtualGraphs", ["0"])

A name with points is a field of a field; an enum is its number. Names and types are checked when
the options become popart.SessionOptions.
"""

from typing import Any, Dict

from ..errors import Error
from ._group import Group


class PopartOptions(Group):
    """Options of sessions, and patterns."""

    def __init__(self) -> None:
        super().__init__()
        self._options: Dict[str, Any] = {}
        self._patterns: Dict[str, bool] = {}
        self._level = 2

    @property
    def options(self) -> Dict[str, Any]:
        """Values by name."""
        return dict(self._options)

    @property
    def patterns(self) -> Dict[str, bool]:
        """Patterns that are switched on or off."""
        return dict(self._patterns)

    @property
    def patterns_level(self) -> int:
        """Patterns that are on by themselves: 0 none, 1 a few, 2 the default, 3 all."""
        return self._level

    def set(self, key: str, value: Any) -> "PopartOptions":
        """A bool, number or text, a list or set of texts, or a dict of texts."""
        self._checkNotFrozen()
        assert isinstance(key, str), f"Names of options are texts, not {key!r}"
        if isinstance(value, (set, frozenset, tuple)):
            value = list(value)
        if isinstance(value, dict) and isinstance(self._options.get(key), dict):
            value = {**self._options[key], **value}
        self._options[key] = value
        return self

    def setEngineOptions(self, engine_options: Dict[str, str]) -> "PopartOptions":
        """Options of the engine, added to those set before."""
        return self.set("engineOptions", engine_options)

    def setPatterns(self, patterns: Dict[str, bool], level: int = 2) -> "PopartOptions":
        """Switches patterns on and off, over those of a level."""
        self._checkNotFrozen()
        assert isinstance(patterns, dict), f"Expected a dict of patterns, not {patterns!r}"
        assert isinstance(level, int) and 0 <= level <= 3, f"Levels are 0 to 3, not {level!r}"
        for name, enabled in patterns.items():
            assert isinstance(name, str) and isinstance(enabled, bool), (
                f"A pattern is a name and a bool, not {name!r}: {enabled!r}")
        self._patterns, self._level = dict(patterns), level
        return self

    def toDict(self) -> Dict[str, Any]:
        return {"popart": dict(self._options), "patterns": dict(self._patterns),
                "patterns_level": self._level}


def makePatterns(patterns: Dict[str, bool], level: int) -> Any:
    """These patterns as PopART's."""
    import popart

    levels = [popart.PatternsLevel.NoPatterns, popart.PatternsLevel.Minimal,
              popart.PatternsLevel.Default, popart.PatternsLevel.All]
    result = popart.Patterns(levels[level])
    for name, enabled in patterns.items():
        try:
            result.enablePattern(name, enabled)
        except Exception as error:
            raise Error(f"Unknown pattern {name!r}: {error}", "popart_exception") from error
    return result


def applyOptions(session: Any, options: Dict[str, Any]) -> None:
    """Writes options by name into popart.SessionOptions."""
    for key, value in options.items():
        if key != "saveInitializersToFile":  # no weights are in the model
            _apply(session, key, value)


def _apply(session: Any, key: str, value: Any) -> None:
    *fields, last = key.split(".")
    holder = session
    for field in [*fields, last]:
        if field.startswith("_") or not hasattr(holder, field):
            raise Error(f"Unknown PopART option '{key}'.")
        if field is not last:
            holder = getattr(holder, field)
    current = getattr(holder, last)
    try:
        if callable(current):  # enableExplicitIR
            current(value)
        else:
            _store(holder, last, _converted(key, current, value))
    except (TypeError, ValueError, AttributeError) as error:
        raise _wrongType(key, value) from error


def _store(holder: Any, field: str, value: Any) -> None:
    try:
        setattr(holder, field, value)
    except TypeError:  # a list of numbers, which may come as texts
        setattr(holder, field, [int(text) for text in value])


def _converted(key: str, current: Any, value: Any) -> Any:
    """The value in the type of the option's current one."""
    kind = _kind(current)
    if kind is None:
        return value
    if not isinstance(value, kind) or isinstance(value, bool) != isinstance(current, bool):
        raise _wrongType(key, value)
    if hasattr(type(current), "__members__"):
        return _enumMember(key, type(current), value)
    if _isTexts(current):
        return {**dict(current), **value}
    if isinstance(current, (set, list)):
        return _elements(key, current, value)
    return type(current)(value)


def _isTexts(value: Any) -> bool:
    return isinstance(value, dict) or type(value).__name__ in ("_Texts", "_Depths", "_Locations")


def _kind(current: Any) -> Any:
    """Types that may take the place of a value."""
    if isinstance(current, bool):
        return bool
    if isinstance(current, int) or hasattr(type(current), "__members__"):
        return int
    if isinstance(current, float):
        return (int, float)
    if isinstance(current, str):
        return str
    if _isTexts(current):
        return dict
    return (list, set) if isinstance(current, (list, set)) else None


def _enumMember(key: str, type_: Any, value: int) -> Any:
    for choice in type_.__members__.values():
        if int(choice) == value:
            return choice
    raise Error(f"Unknown value {value} of the PopART option '{key}': values are "
                f"{', '.join(f'{int(c)} ({n})' for n, c in type_.__members__.items())}.")


def _elements(key: str, current: Any, values: Any) -> Any:
    import popart

    if key == "hardwareInstrumentations":  # numbers, or names
        type_ = popart.Instrumentation
        values = [type_.__members__[value] if value in type_.__members__
                  else _enumMember(key, type_, value) for value in values]
    return type(current)(values)


def _wrongType(key: str, value: Any) -> Error:
    return Error(f"Unknown PopART option '{key}' of type {type(value).__name__}: the option has "
                 f"another type than the value {value!r}.")
