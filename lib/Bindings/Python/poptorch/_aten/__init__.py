# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowerings of ATen operators, by families; table.py has the table, graph.py walks a graph."""

from . import (activations, bags, bits, control, convolution, elementwise, gradients, indexing, integers,
               losses, markers, normalization, order, pooling, products, random, recurrent,
               reduction, resize, shape, special)
from .graph import lower_graph
from .table import TABLE
