#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what Python knows of a Builder's operators: bindings for pybind11, and stubs.

    python-opsets.py bindings CLASS HEADER...   the bindings of one class, in C++
    python-opsets.py stubs HEADER...            a .pyi of all classes

The headers that declare the classes of opsets are the only place with the operators' names,
arguments and defaults. They are regular, and anything that is not is an error here.
"""

import re
import sys

BINDINGS = """\
// Written by utils/gen/python-opsets.py.

#include "lib/Bindings/Python/popart/Bindings.h"
#include "lib/Bindings/Python/popart/Casters.h"

#include <popart/builder.hpp>

namespace py = pybind11;
using namespace popart;

namespace populus::python {{

template <class T> using Optional = popart::detail::Optional<T>;
using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Strings = std::vector<std::string>;

void bind{name}(py::module_ &module) {{
  py::class_<{name}{bases}>(module, "{name}")
{methods};
}}

}} // namespace populus::python
"""

METHOD = re.compile(
    r"(?:(?P<docs>(?:^ *///[^\n]*\n)+))?"
    r"^ *(?P<result>TensorId|TensorIds|void)\s+(?P<name>\w+)\((?P<params>[^;]*?)\) \{$",
    re.M)
OPERATOR = re.compile(r"^ *POPART_OPERATOR\((?P<name>\w+), (?P<type>\w+)\)$", re.M)
CLASS = re.compile(r"^class (\w+) : public ((?:detail::)?\w+) \{(.*?)^\};", re.M | re.S)
PARAMETER = re.compile(r"(?:const )?(?P<type>[\w:<>]+) &?(?P<name>\w+)(?: = (?P<default>.*))?$",
                       re.S)

PYTHON_TYPES = {
    "TensorId": "str", "TensorIds": "List[str]", "void": "None", "std::int64_t": "int",
    "unsigned": "int", "int": "int", "bool": "bool", "float": "float", "std::string": "str",
    "Ints": "Sequence[int]", "Floats": "Sequence[float]", "Strings": "Sequence[str]",
    "std::vector<TensorIds>": "Sequence[Sequence[str]]",
    "std::vector<Ints>": "Sequence[Sequence[int]]", "ConstVoidData": "numpy.ndarray",
    "Builder": "Builder", "DebugContext": "Union[str, DebugContext]",
    "ReductionType": "ReductionType", "ScatterReduction": "ScatterReduction",
    "InitType": "InitType", "TensorRemapType": "TensorRemapType",
}
# Names that Python has for what C++ calls otherwise.
NAMES = {"debug": "debugContext"}


def python_type(text):
    optional = re.fullmatch(r"Optional<(.*)>", text)
    return f"Optional[{python_type(optional[1])}]" if optional else PYTHON_TYPES[text]


class Parameter:
    def __init__(self, text):
        match = PARAMETER.match(" ".join(text.split()))
        if not match:
            sys.exit(f"python-opsets.py: '{text}' is not a parameter")
        self.type, self.name, self.default = match["type"], match["name"], match["default"]
        self.name = NAMES.get(self.name, self.name)

    def binding(self):
        name = f'py::arg("{self.name}")'
        if self.default is None:
            return name
        if self.default.startswith("{"):
            return f"{name} = {self.type}{self.default}"
        if self.type in ("std::string", "std::int64_t", "unsigned"):
            return f"{name} = {self.type}({self.default})"
        return f"{name} = {self.default}"

    def stub(self):
        if self.name == "lambda":
            return "lambda_: float"  # a word of Python: only by its place
        kind = python_type(self.type)
        return f"{self.name}: {kind}" + (" = ..." if self.default is not None else "")


def split_parameters(text):
    """At commas outside of <> and {}."""
    depth, part, parts = 0, "", []
    for c in text:
        depth += (c in "<{") - (c in ">}")
        if c == "," and not depth:
            parts.append(part)
            part = ""
        else:
            part += c
    return [Parameter(p) for p in parts + [part] if p.strip()]


class Method:
    def __init__(self, name, result, parameters, docs):
        self.name, self.result, self.parameters, self.docs = name, result, parameters, docs

    def binding(self, owner):
        parts = [f'"{self.name}"', f"&{owner}::{self.name}"]
        parts += [p.binding() for p in self.parameters]
        if self.docs:
            parts.append('"' + self.docs.replace('"', '\\"') + '"')
        return f"      .def({', '.join(parts)})"

    def stub(self):
        parameters = "".join(f", {p.stub()}" for p in self.parameters)
        docs = f'\n        """{self.docs}"""\n       ' if self.docs else ""
        return (f"    def {self.name}(self{parameters}) -> {python_type(self.result)}:"
                f"{docs} ...")


def methods_of(body):
    public = body.split("private:")[0]
    plain = [Parameter("const TensorIds &args"), Parameter("const DebugContext &debug = {}")]
    found = [(m.start(), Method(m["name"], "TensorId", plain, f"{m['type']}."))
             for m in OPERATOR.finditer(public)]
    for m in METHOD.finditer(public):
        docs = " ".join(line.strip().removeprefix("///").strip()
                        for line in (m["docs"] or "").splitlines())
        found.append((m.start(),
                      Method(m["name"], m["result"], split_parameters(m["params"]), docs)))
    return [method for _, method in sorted(found, key=lambda f: f[0])]


def classes_of(headers):
    classes = {}
    for header in headers:
        with open(header, encoding="utf-8") as file:
            for name, base, body in CLASS.findall(file.read()):
                classes[name] = (base, methods_of(body))
    return classes


def write_bindings(name, classes):
    base, methods = classes[name]
    bases = f", {base}" if base in classes else ""
    print(BINDINGS.format(name=name, bases=bases,
                          methods="\n".join(m.binding(name) for m in methods)), end="")


def write_stubs(classes):
    print("# Written by utils/gen/python-opsets.py.\n"
          "from typing import List, Optional, Sequence, Union\n\n"
          "import numpy\n\n"
          "from popart import (Builder, DebugContext, InitType, ReductionType,\n"
          "                    ScatterReduction, TensorRemapType)\n")
    for name, (base, methods) in classes.items():
        print(f"\nclass {name}{f'({base})' if base in classes else ''}:")
        for method in methods:
            print(method.stub() + ("  # type: ignore[override]" if base in classes else ""))


def main():
    if sys.argv[1:2] == ["bindings"] and len(sys.argv) > 3:
        write_bindings(sys.argv[2], classes_of(sys.argv[3:]))
    elif sys.argv[1:2] == ["stubs"] and len(sys.argv) > 2:
        write_stubs(classes_of(sys.argv[2:]))
    else:
        sys.exit(__doc__)


main()
