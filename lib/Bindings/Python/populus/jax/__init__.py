# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles functions of JAX for IPUs.

`compile` traces a function with `jax.make_jaxpr`, translates the jaxpr into a module of PopIR,
and compiles that into one program. Donated arguments are variables of the device: their new
values stay there from call to call, as `DeviceArray`s.
"""

from populus.jax._arrays import DeviceArray
from populus.jax._compile import Compiled, compile
from populus.jax._errors import NumberFormatWarning, UnsupportedError
from populus.jax._pipeline import Pipeline, pipeline
from populus.jax._primitives import supported_primitives
from populus.jax._stages import stage

__all__ = ["Compiled", "DeviceArray", "NumberFormatWarning", "Pipeline", "UnsupportedError",
           "compile", "pipeline", "stage", "supported_primitives"]
