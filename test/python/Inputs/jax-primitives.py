# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares primitives on a device with jax.jit on the CPU.

    jax-primitives.py DEVICE [FAMILY...] [--alone] [--every N] [--skip FAMILY]

All cases of a family are one program; --alone makes a program of each. --every takes only each
Nth case.
"""

import argparse
import traceback

import jax
import numpy as np
import jax_rare_cases  # noqa: F401: adds cases
from jax_cases import CASES, weighted

import populus.jax


def program_of(cases):
    """One function of the arguments of all cases: values, and gradients where wanted."""
    def function(arguments):
        return [(f(*args), weighted(f, args)(*args) if gradient else None)
                for (_, f, _, gradient, _, _), args in zip(cases, arguments)]
    return function


def differs(actual, expected, rtol, atol):
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(expected)):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{a.dtype}{a.shape}, expected {b.dtype}{b.shape}"
        if b.dtype.name == "bfloat16":
            a, b = a.astype(np.float32), b.astype(np.float32)
        exact = b.dtype.kind in "iub"
        if not np.allclose(a, b, rtol=0 if exact else rtol, atol=0 if exact else atol,
                           equal_nan=True):
            return f"{a.ravel()[:12]}, expected {b.ravel()[:12]}"
    return None


def check(cases, device):
    """The number of cases that differ; prints them."""
    function, arguments = program_of(cases), [args for _, _, args, *_ in cases]
    expected = jax.jit(function)(arguments)
    try:
        actual = populus.jax.compile(function, device=device)(arguments)
    except Exception as error:
        print(f"{', '.join(name for name, *_ in cases)}: {type(error).__name__}: {error}")
        if not isinstance(error, populus.jax.UnsupportedError):
            traceback.print_exc()
        return len(cases)
    bad = 0
    for (name, _, _, _, rtol, atol), a, b in zip(cases, actual, expected):
        for what, x, y, factor in (("value", a[0], b[0], 1), ("gradient", a[1], b[1], 10)):
            problem = differs(x, y, rtol * factor, atol * factor)
            if problem:
                bad += 1
                print(f"{name}: {what}: {problem}")
    return bad


parser = argparse.ArgumentParser()
parser.add_argument("device")
parser.add_argument("families", nargs="*")
parser.add_argument("--alone", action="store_true")
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--skip", action="append", default=[])
options = parser.parse_args()
count = problems = 0
for family, cases in CASES.items():
    if family in options.skip or options.families and family not in options.families:
        continue
    cases = cases[::options.every]
    count += len(cases)
    for group in ([[c] for c in cases] if options.alone else [cases]):
        problems += check(group, options.device)
print(f"{count} cases, {problems} problems")
