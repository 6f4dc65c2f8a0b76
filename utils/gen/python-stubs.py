#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the type stubs (.pyi) of an extension module that pybind11 made.

    python-stubs.py MODULE > MODULE.pyi

pybind11 puts the signature of each function, with types, at the beginning of its docstring;
this takes them from there. Defaults become `...`.
"""

import importlib
import keyword
import re
import sys

# Special methods that a caller's code uses by way of the language.
SPECIAL = ("__init__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__",
           "__len__")
SIGNATURE = re.compile(r"^(?:\d+\. )?(\w+)\((.*)\) -> (.+)$")


def split_arguments(text):
    """At commas outside of brackets and of texts."""
    depth, quote, part, parts = 0, "", "", []
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "[(<{":
            depth += 1
        elif c in "])>}":
            depth -= 1
        if c == "," and not depth and not quote:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()] if part.strip() else parts


class Writer:
    def __init__(self, module):
        self.module = module
        self.prefix = module.__name__ + "."

    def type_of(self, text):
        """A type as pybind11 writes it; what it could not name is any object."""
        if not text or re.search(r"::|<|(Items|Keys|Values)View", text):
            return "Any"
        text = text.replace(self.prefix, "").replace("numpy.dtype", "Any")
        text = re.sub(r"\b(handle|capsule|buffer)\b", "object", text)
        return re.sub(r"\b(Callable|Dict|List|Set|Tuple|Optional|Iterator|Iterable)\b",
                      r"typing.\1", text).replace("object", "Any")

    def argument(self, text):
        if text.startswith("*"):
            return text.split(":")[0]
        name, _, rest = text.partition(":")
        kind, has_default, _ = rest.partition(" = ")
        name = name.strip()
        if keyword.iskeyword(name):
            name += "_"
        if name == "self":
            return name
        kind = self.type_of(kind.strip())
        if kind == "DebugContext":  # a str becomes one
            kind = "typing.Union[str, DebugContext]"
        return f"{name}: {kind}" + (" = ..." if has_default else "")

    def function(self, name, value, indent, decorators=()):
        lines = []
        signatures = [SIGNATURE.match(line) for line in (value.__doc__ or "").splitlines()]
        signatures = [s for s in signatures if s and s[1] == name]
        for s in signatures:
            if len(signatures) > 1:
                lines.append(f"{indent}@typing.overload")
            lines += [indent + d for d in decorators]
            arguments = ", ".join(self.argument(a) for a in split_arguments(s[2]))
            lines.append(f"{indent}def {name}({arguments}) -> {self.type_of(s[3])}: ...")
        return lines

    def property(self, name, value, indent):
        getter = (value.fget.__doc__ or "") if value.fget else ""
        found = re.search(r"-> (.+)", getter)
        kind = self.type_of(found[1]) if found else "Any"
        lines = [f"{indent}@property", f"{indent}def {name}(self) -> {kind}: ..."]
        if value.fset:
            lines += [f"{indent}@{name}.setter",
                      f"{indent}def {name}(self, value: Any) -> None: ..."]
        return lines

    def member(self, owner, name, value, indent):
        if isinstance(value, type):
            nested = value.__qualname__ == f"{owner.__qualname__}.{name}"
            return [indent + line for line in self.class_lines(name, value)] if nested else []
        if isinstance(value, property):
            return self.property(name, value, indent)
        if isinstance(value, staticmethod):
            return self.function(name, value.__func__, indent, ["@staticmethod"])
        if callable(value):
            return self.function(name, value, indent)
        if isinstance(value, owner) and not keyword.iskeyword(name):  # of an enum
            return [f"{indent}{name}: {owner.__name__}"]
        return []

    def class_lines(self, name, value):
        bases = [b.__name__ for b in value.__bases__ if b.__module__ == self.module.__name__]
        if not bases and issubclass(value, Exception):
            bases = [value.__bases__[0].__name__]
        lines = [f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"]
        for member, what in vars(value).items():
            if member in SPECIAL or not member.startswith("__"):
                lines += self.member(value, member, what, "    ")
        return lines + ["    ..."] if len(lines) == 1 else lines

    def lines(self):
        yield "# Written by utils/gen/python-stubs.py."
        yield "# mypy: disable-error-code=\"override, misc, overload-overlap, overload-cannot-match\""
        yield "import typing\nfrom typing import Any\n\nimport numpy\n"
        for name, value in vars(self.module).items():
            if isinstance(value, type) and name.isidentifier():
                yield "\n".join(self.class_lines(name, value))
            elif callable(value):
                yield from self.function(name, value, "")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("\n".join(Writer(importlib.import_module(sys.argv[1])).lines()))


main()
