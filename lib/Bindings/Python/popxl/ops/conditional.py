# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that run one graph or another."""

from typing import Iterable, Mapping, Optional, Tuple

from popxl import context, dtypes
from popxl.call_site import ConditionalSiteInfo
from popxl.graph import Graph
from popxl.ops._make import checked
from popxl.ops.call import CallInputs, arguments, check_callee, unscoped
from popxl.tensor import Tensor, new_tensor


def conditional(cond: Tensor, then_branch: Graph, else_branch: Graph,
                then_inputs: Optional[Iterable[CallInputs]] = None,
                else_inputs: Optional[Iterable[CallInputs]] = None,
                then_inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None,
                else_inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None
                ) -> Tuple[Tensor, ...]:
    """Runs one graph where `cond` holds, a scalar bool, else the other one."""
    return conditional_with_info(cond, then_branch, else_branch, then_inputs, else_inputs,
                                 then_inputs_dict, else_inputs_dict).outputs


def conditional_with_info(cond: Tensor, then_branch: Graph, else_branch: Graph,
                          then_inputs: Optional[Iterable[CallInputs]] = None,
                          else_inputs: Optional[Iterable[CallInputs]] = None,
                          then_inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None,
                          else_inputs_dict: Optional[Mapping[Tensor, CallInputs]] = None
                          ) -> ConditionalSiteInfo:
    """`conditional` that returns what is known about the call."""
    parent = checked(cond=cond)
    for branch in (then_branch, else_branch):
        check_callee(parent, branch)
        if branch._by_ref_inputs:
            raise NotImplementedError("Inputs of a conditional cannot be passed by reference, as "
                                      f"in the graph {branch.name}.")
    if cond.dtype != dtypes.bool or cond.nelms != 1:
        raise ValueError(f"The condition has to be a scalar of bool, not {cond!r}.")
    if len(then_branch._outputs) != len(else_branch._outputs):
        raise ValueError("The branches of a conditional have to return equally many outputs: "
                         f"{len(then_branch._outputs)} and {len(else_branch._outputs)}.")
    for yes, no in zip(then_branch._outputs, else_branch._outputs):
        if yes.shape != no.shape or yes.dtype != no.dtype:
            raise ValueError("The branches of a conditional have to return the same shapes and "
                             f"types, unlike {yes!r} and {no!r}.")
    yes = arguments(parent, then_branch, then_inputs or (), then_inputs_dict)
    no = arguments(parent, else_branch, else_inputs or (), else_inputs_dict)
    op, values = parent._core.caller(
        "If", [then_branch._core, else_branch._core],
        [t._read() for t in [cond, *yes, *no]], {"then_inputs": len(yes)},
        context.scoped("conditional"), context.current_ipu())
    outputs = [new_tensor(parent, unscoped(what), value, dtype=what.dtype)
               for (kind, what), value in zip(then_branch._results, values) if kind == "output"]
    site = ConditionalSiteInfo._new(parent, then_branch, else_branch, cond, yes, no, outputs)
    site._record = parent._record("If", dict(enumerate([cond, *yes, *no])),
                                  dict(enumerate(outputs)), called=(then_branch, else_branch),
                                  again=lambda ts: conditional_with_info(
                                      ts[0], then_branch, else_branch,
                                      [ts[i + 1] for i in range(len(yes))],
                                      [ts[i + 1 + len(yes)] for i in range(len(no))]))
    then_branch._call_sites.append(site)
    else_branch._call_sites.append(site)
    return site
