# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs and Irs whose properties can be called, too."""

from typing import Dict, Tuple

import popxl
from popxl import context


class Graph(popxl.Graph):
    """A graph. `ir.main_graph()` is `ir.main_graph`."""

    def __call__(self) -> "Graph":
        return self

    def get_main_graph(self) -> "Graph":
        return self.main_graph

    def get_input_tensors(self) -> Tuple[popxl.Tensor, ...]:
        return self.inputs

    def get_output_tensors(self) -> Tuple[popxl.Tensor, ...]:
        return self.outputs

    def get_tensors(self) -> Tuple[popxl.Tensor, ...]:
        return self.tensors

    def get_variables(self) -> Tuple[popxl.Variable, ...]:
        return self.variables

    def get_constants(self) -> Tuple[popxl.Constant, ...]:
        return self.constants

    def get_input_tensors_by_name(self) -> Dict[str, popxl.Tensor]:
        return self.inputs_by_name


class Ir(popxl.Ir):
    """A program under construction. `graph.ir()` is `graph.ir`."""

    _graph_class = Graph

    def __call__(self) -> "Ir":
        return self


def get_current_graph() -> Graph:
    return context.get_current_graph()


def get_main_graph() -> Graph:
    return context.get_main_graph()
