# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The versions of PyTorch that models can be traced with. The package imports this first, so that
an older one is refused with a sentence instead of a name that it lacks."""

import torch

OLDEST = "2.6"  # utils/wheel asks for it, too


def _numbers(version):
    return tuple(int(part) for part in version.split(".")[:2])


if _numbers(torch.__version__) < _numbers(OLDEST):
    raise ImportError(f"poptorch needs PyTorch {OLDEST} or newer, and this is {torch.__version__} "
                      f"({torch.__file__}); install another one with pip in a virtual environment")
