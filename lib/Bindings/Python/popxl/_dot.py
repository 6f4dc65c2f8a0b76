# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drawings of graphs in the language of Graphviz."""

import os
from pathlib import Path
from typing import Any, List, Optional, Union


def write_checkpoint(ir: Any, check: str, save_dir: Optional[Union[Path, str]]) -> None:
    """A file for each graph, `<check>_<graph>.dot`, where the check is wanted."""
    options = ir._options
    wanted = {str(c) for c in options.dotChecks}
    wanted |= {c for c in os.environ.get("POPART_DOT_CHECKS", "").split(":") if c}
    if not wanted:
        options.dotChecks = {"ALL"}
        wanted = {"ALL"}
    if save_dir is not None:
        options.logDir = str(save_dir)
    if check not in wanted and "ALL" not in wanted:
        return
    folder = Path(options.logDir or ".")
    for number, graph in enumerate(ir._graphs):
        name = check if number == 0 else f"{check}_{graph.name}"
        safe = "".join(c if c.isalnum() or c in "._-()" else "_" for c in name)
        (folder / f"{safe}.dot").write_text(_drawing(graph))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _drawing(graph: Any) -> str:
    lines: List[str] = [f"digraph {_quoted(graph.name or 'main')} {{"]
    for op in graph._ops:
        node = _quoted(f"{op.op_type} {op.id}")
        lines.append(f"  {node} [shape=box];")
        lines += [f"  {_quoted(t.id)} -> {node};" for t in op.inputs.values()]
        lines += [f"  {node} -> {_quoted(t.id)};" for t in op.outputs.values()]
    return "\n".join(lines + ["}"]) + "\n"
