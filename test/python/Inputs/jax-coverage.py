# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each row of the table of primitives is in a case of jax_cases or jax_rare_cases, values or
gradients, or below with the reason why not."""

import jax
import jax.extend.core
import jax_rare_cases  # noqa: F401: adds cases
from jax.extend.core import ClosedJaxpr, Jaxpr
from jax_cases import CASES, weighted

from populus.jax import supported_primitives

ELSEWHERE = {
    "keras-replicas.py": "all_gather axis_index pmax pmin ppermute psum reduce_scatter",
    "jax-matrices.py": "cholesky eigh geqrf householder_product lu lu_pivots_to_permutation qr svd "
                       "triangular_solve tridiagonal_solve",
    "jax-refusals.py, with an error": "debug_callback io_callback pure_callback",
    "under random_bits, which is translated into it": "threefry2x32 iota_2x32_shape",
    "of complex numbers only": "conj real",
    "of placements, which a program of one device has none of":
        "layout_constraint mesh_cast pvary reduce_barrier sharding_constraint tie device_put",
    "no function of JAX makes it, or only those of other versions":
        "broadcast_to call checkpoint closed_call composite copy_p core_call "
        "custom_vjp_call_jaxpr empty expand_dims linear_call pjit remat_call",
}
EXCUSED = {name for names in ELSEWHERE.values() for name in names.split()}


def names_of(jaxpr):
    """The primitives of a jaxpr and of all that it calls."""
    inner = jaxpr.jaxpr if isinstance(jaxpr, ClosedJaxpr) else jaxpr
    for eqn in inner.eqns:
        yield eqn.primitive.name
        for value in eqn.params.values():
            for part in value if isinstance(value, (tuple, list)) else (value,):
                if isinstance(part, (ClosedJaxpr, Jaxpr)):
                    yield from names_of(part)


seen = set()
for cases in CASES.values():
    for _, function, args, gradient, *_ in cases:
        seen.update(names_of(jax.make_jaxpr(function)(*args)))
        if gradient:
            seen.update(names_of(jax.make_jaxpr(weighted(function, args))(*args)))
rows = set(supported_primitives())
for name in sorted(rows - seen - EXCUSED):
    print(f"no case has {name}")
for name in sorted(EXCUSED - rows):
    print(f"{name} is no row")
print(len(rows & seen), "primitives have cases,", len(rows & EXCUSED - seen), "are elsewhere")
