# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A group of options: named values of known types, set by methods of the group that return it, and
read as attributes.

    class Training(Group):
        FIELDS = {"gradient_accumulation": Field(1, int)}

A frozen group refuses changes: a DataLoader or a model has already been made from it.
"""

import enum
import numbers
from typing import Any, Dict, Tuple, Type


class Field:
    """A value's default, and the types that it may have; None too, if that is the default."""

    def __init__(self, default: Any, *types: Type):
        self.default = default
        self._types: Tuple[Type, ...] = types
        self._optional = default is None

    def checked(self, name: str, value: Any) -> Any:
        """The value; an AssertionError if it has another type."""
        if value is None and self._optional:
            return None
        if int in self._types and isinstance(value, numbers.Integral) and not isinstance(
                value, (bool, enum.Enum)):
            return int(value)
        right = isinstance(value, self._types) and not (
            isinstance(value, (bool, enum.Enum)) and type(value) not in self._types)
        names = " or ".join(type_.__name__ for type_ in self._types)
        assert right, f"{name} must be of type {names}, not {type(value).__name__}: {value!r}"
        return value


def positive(name: str, value: Any) -> None:
    """An AssertionError unless the value is a number above 0."""
    assert isinstance(value, numbers.Integral) and not isinstance(value, bool) and value > 0, (
        f"{name} must be a number greater than 0, not {value!r}")


def boolean(name: str, value: Any) -> None:
    """An AssertionError unless the value is a bool."""
    assert isinstance(value, bool), f"{name} must be True or False, not {value!r}"


def member(name: str, value: Any, type_: Type[enum.Enum]) -> None:
    """An AssertionError unless the value is one of an enum."""
    assert isinstance(value, type_), f"{name} must be a poptorch.{type_.__name__}, not {value!r}"


class Group:
    """Values by name. A derived class lists them in FIELDS."""
    FIELDS: Dict[str, Field] = {}

    def __init__(self) -> None:
        object.__setattr__(self, "_frozen", False)
        object.__setattr__(self, "_values", {
            name: _copied(field.default) for name, field in self.FIELDS.items()})

    def _set(self, **values: Any) -> Any:
        """Sets values after checks of their types, and returns the group."""
        for name, value in values.items():
            self._checkNotFrozen()
            self._values[name] = self.FIELDS[name].checked(name, value)
        return self

    def _checkNotFrozen(self) -> None:
        if self._frozen:
            raise AttributeError("Can't modify frozen Options")

    def _freeze(self, frozen: bool = True) -> None:
        object.__setattr__(self, "_frozen", frozen)

    def __getattr__(self, name: str) -> Any:
        # Only for names that are no attributes, or before __init__ when an object is copied.
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        raise AttributeError(f"{type(self).__name__} has no option {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        elif name in self.FIELDS:
            self._set(**{name: value})
        else:
            self._checkNotFrozen()
            raise AttributeError(f"{type(self).__name__} has no option {name!r}")

    def toDict(self) -> Dict[str, Any]:
        """All values by name."""
        return {name: _copied(value) for name, value in self._values.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and type(self) is type(other) and (
            self.toDict() == other.toDict())

    __hash__ = None  # type: ignore[assignment]


def _copied(value: Any) -> Any:
    return type(value)(value) if isinstance(value, (dict, list, set)) else value
