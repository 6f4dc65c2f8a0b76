# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads reports of programs: what was compiled, and how it ran.

    import pva
    report = pva.openReport("profile.pop")
    for step in report.execution.steps:
        print(step.program.name, step.cycles)
"""

from pva import pva_core as _core
from pva.pva_core import *
from pva.pva_core import __version__
from pva.notebook import html_of as _html_of

Report._repr_html_ = _html_of  # type: ignore[attr-defined]

# Members that the text of an object shows, without lists, which can be long.
for _name, _shown in {
        "ComputeSet": "name",
        "Cycles": "total compute exchange sync host",
        "Graph": "numVertices numEdges numVars numComputeSets",
        "LiveMemory": "bytes",
        "LivenessVariable": "name size",
        "MemoryTotal": "includingGaps excludingGaps",
        "PoplarVersion": "string",
        "Program": "name",
        "Run": "name",
        "Target": "type architecture numIPUs tilesPerIpu bytesPerTile",
        "VertexMemory": "count size"}.items():
    def _text_of(self, _shown=_shown.split()):  # type: ignore[no-untyped-def]
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in _shown)
        return f"{type(self).__name__}({values})"
    getattr(_core, _name).__repr__ = _text_of
