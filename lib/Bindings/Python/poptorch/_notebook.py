# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The form of objects in notebooks: HTML."""

import html
from typing import Any, Iterable, Tuple


def table(title: str, rows: Iterable[Tuple[str, Any]], more: str = "") -> str:
    """A table of names and values, and maybe a text that is folded."""
    cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                    f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>"
                    for name, value in rows)
    folded = (f"<details><summary>Model</summary><pre>{html.escape(more)}</pre></details>"
              if more else "")
    return f"<b>{html.escape(title)}</b><table>{cells}</table>{folded}"
