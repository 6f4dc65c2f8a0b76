#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the bindings of a class of a Builder's operators, for pybind11.

    python-opsets.py CLASS HEADER...

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

template <class T> using Optional = popart::popart_detail::Optional<T>;
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
CLASS = re.compile(r"^class (\w+) : public ((?:popart_detail::)?\w+) \{(.*?)^\};", re.M | re.S)
PARAMETER = re.compile(r"(?:const )?(?P<type>[\w:<>]+) (?:& ?)?(?P<name>\w+)(?: = (?P<default>.*))?$",
                       re.S)

# Names that Python has for what C++ calls otherwise.
NAMES = {"debug": "debugContext"}


class Parameter:
    def __init__(self, text):
        # A parameter that is not used has its name in a comment.
        match = PARAMETER.match(" ".join(re.sub(r"/\*(\w+)\*/", r"\1", text).split()))
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


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    write_bindings(sys.argv[1], classes_of(sys.argv[2:]))


main()
