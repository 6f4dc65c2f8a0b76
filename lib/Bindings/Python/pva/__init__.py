# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads reports of programs: what was compiled, and how it ran.

    import pva
    report = pva.openReport("profile.pop")
    for step in report.execution.steps:
        print(step.program.name, step.cycles)
"""

from pva.pva_core import *
from pva.pva_core import __version__
from pva.notebook import html_of as _html_of

Report._repr_html_ = _html_of  # type: ignore[attr-defined]
