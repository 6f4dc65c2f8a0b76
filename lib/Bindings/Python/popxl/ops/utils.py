# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of operands and of attributes, for functions of programs that add operators."""

from typing import Any, Optional

from popxl._shim import OptionalFloat

from popxl.graph import Graph


def check_in_graph(graph: Graph, **tensors: Any) -> None:
    """ValueError where a tensor is of another graph, TypeError where it is none."""
    graph._check_own(**tensors)


def check_tensor_ipu_and_tile_set(**tensors: Any) -> None:
    """ValueError where tensors are on different IPUs or tile sets."""
    for tensor in tensors.values():
        tensor._graph._check_place(**tensors)
        return


def convert_optional_float(v: Optional[float]) -> OptionalFloat:
    """A number that an attribute may have, None for no number."""
    return OptionalFloat() if v is None else OptionalFloat(v)
