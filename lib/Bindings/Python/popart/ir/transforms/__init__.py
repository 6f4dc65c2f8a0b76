# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes graphs of graphs."""

from popart.ir.transforms import autodiff
from popart.ir.transforms.autodiff import get_expected_forward_inputs_from_call
from popxl.transforms import decompose_sum, io_tile_exchange, merge_exchange
