# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PopART: builds ONNX models, and runs and trains them on an IPU, its model or the CPU."""

from popart_core import *
