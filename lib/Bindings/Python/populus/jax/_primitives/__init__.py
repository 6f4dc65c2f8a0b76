# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of primitives. Each file is a family and has a `TABLE` from names to rules."""

from typing import Callable, Dict, List

from populus.jax._primitives import (arithmetic, collectives, control, conversions,
                                     convolutions, cumulative, incomplete, indexing, linalg,
                                     logic, products, random, reductions, shapes, sorting,
                                     special, windows)

_FAMILIES = (arithmetic, collectives, control, conversions, convolutions, cumulative, incomplete,
             indexing, linalg, logic, products, random, reductions, shapes, sorting, special,
             windows)

TABLE: Dict[str, Callable] = {}
for _family in _FAMILIES:
    assert not TABLE.keys() & _family.TABLE.keys(), "a primitive has two rules"
    TABLE.update(_family.TABLE)


def supported_primitives() -> List[str]:
    """The names of all primitives that have a rule."""
    return sorted(TABLE)
