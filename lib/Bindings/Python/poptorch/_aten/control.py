# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowerings of loops and branches (ops_control.py): operators between the marks go to a graph of
their own, which ONNX's Loop or If then has."""

import torch

from .table import lowering


def _token(e):
    return e.constant(0, torch.int32)


@lowering("populus_poptorch.begin_body.default")
def begin_body(e, values, kind):
    e.begin_body()
    if kind == "branch":  # which reads the values where they are
        return [*values, _token(e)]
    return [*e.loop_inputs(values), _token(e)]


@lowering("populus_poptorch.next_body.default")
def next_body(e, token, results, values):
    e.end_body(results)
    e.begin_body()
    return [*values, _token(e)]


@lowering("populus_poptorch.end_loop.default")
def end_loop(e, token, results, count):
    return e.loop(count, results)


@lowering("populus_poptorch.end_branches.default")
def end_branches(e, token, condition, results):
    return e.branches(condition, results)
