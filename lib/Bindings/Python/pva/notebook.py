# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a notebook shows for a report: the machine, memory, cycles, and the steps that take the
most of them. The page that `ipu-report --html` writes says more."""

import html
from typing import Any, Iterable, List, Tuple

_MOST = 10


def _table(head: Tuple[str, ...], rows: Iterable[Tuple[Any, ...]]) -> str:
    def row(cells: Iterable[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in cells) + "</tr>"

    return f"<table>{row(head, 'th')}{''.join(row(r, 'td') for r in rows)}</table>"


def _rows_of_compilation(report: Any) -> List[Tuple[str, str]]:
    compilation = report.compilation
    target = compilation.target
    used = [tile.memory.total.includingGaps for tile in compilation.tiles]
    return [("machine", f"{target.numIPUs} IPU, {target.numTiles} tiles, {target.architecture}"),
            ("vertices", f"{compilation.graph.numVertices:,}"),
            ("bytes in all", f"{sum(used):,}"),
            ("bytes of the fullest tile", f"{max(used, default=0):,}")]


def _rows_of_execution(report: Any) -> List[Tuple[str, str]]:
    cycles = report.execution.totalCycles
    parts = [(name, getattr(cycles, name)) for name in ("compute", "exchange", "sync", "host")
             if hasattr(cycles, name)]
    return [("cycles", f"{cycles.total:,}")] + [
        (f"of these {name}", f"{100 * value / max(cycles.total, 1):.1f} %")
        for name, value in parts]


def html_of(report: Any) -> str:
    """Tables of HTML."""
    text = _table(("compiled", ""), _rows_of_compilation(report))
    if not report.hasExecution:
        return text
    steps = sorted(report.execution.steps, key=lambda step: step.cycles, reverse=True)
    most = [(step.program.name or step.program.type.name, f"{step.cycles:,}")
            for step in steps[:_MOST]]
    return text + _table(("run", ""), _rows_of_execution(report)) + _table(
        ("steps that take most", "cycles"), most)
