# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Front ends that are imported by need: `populus.jax` compiles functions of JAX."""
