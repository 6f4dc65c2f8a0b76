# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradient graphs."""

from typing import Any, Dict

from popart.ir.ops.control_flow import CallInfo
from popxl.tensor import Tensor
from popxl.transforms.autodiff import ExpectedConnection, ExpectedConnectionType, GradGraphInfo
from popxl.transforms.autodiff import autodiff as _autodiff


class BwdGraphInfo(GradGraphInfo):
    """A gradient graph, with the names of popart.ir."""

    def get_input_tensors(self):
        return self.inputs

    def get_output_tensors(self):
        return self.outputs


def autodiff(*args: Any, **kwargs: Any) -> Any:
    """The gradient graph of a graph: see popxl.transforms.autodiff."""
    made = _autodiff(*args, **kwargs)
    for info in made.values() if isinstance(made, dict) else [made]:
        info.__class__ = BwdGraphInfo
    return made


def get_expected_forward_inputs_from_call(call_info: CallInfo,
                                          bwd_info: GradGraphInfo) -> Dict[Tensor, Tensor]:
    """By input of the gradient graph that is a forward tensor, that tensor where the forward
    graph was called."""
    return bwd_info.inputs_dict(call_info._site)
