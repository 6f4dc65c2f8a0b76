# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes graphs of graphs, and changes them."""

from popxl.transforms.autodiff import (ExpectedConnection, ExpectedConnectionType, GradGraphInfo,
                                       autodiff)
from popxl.transforms.exchange import decompose_sum, io_tile_exchange, merge_exchange

__all__ = ["ExpectedConnection", "ExpectedConnectionType", "GradGraphInfo", "autodiff",
           "decompose_sum", "io_tile_exchange", "merge_exchange"]
