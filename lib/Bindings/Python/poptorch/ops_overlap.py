# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Transfers of inputs and results that take place while the device computes.

    def forward(self, x):
        x = poptorch.set_overlap_for_input(x, poptorch.OverlapMode.OverlapDeviceIterationLoop)
        return poptorch.set_overlap_for_output(self.layer(x), "overlap_device_iteration_loop")

The functions leave marks in the traced graph. Marked inputs and results go through the I/O tiles
(TensorLocations.numIOTiles), by PopART's exchange strategies.
"""

import popart
import torch
from torch.utils import _pytree

from .enums import OverlapMode
from .errors import Error
from .ops import _identity

_overlap = _identity("overlap(Tensor x, str function, str mode)")
_MARK = "populus_poptorch.overlap.default"

_STRATEGIES = {OverlapMode.OverlapAccumulationLoop: popart.ExchangeStrategy.OverlapInnerLoop,
               OverlapMode.OverlapDeviceIterationLoop: popart.ExchangeStrategy.OverlapLoops}


def _marked(function, tensors, mode):
    if isinstance(mode, str):
        mode = OverlapMode(mode)
    if not isinstance(mode, OverlapMode):
        raise Error(f"poptorch.{function}: the mode is a poptorch.OverlapMode, not {mode!r}")
    return _pytree.tree_map_only(torch.Tensor,
                                 lambda tensor: _overlap(tensor, function, mode.value), tensors)


def set_overlap_for_input(input_tensors, mode):
    """The tensors, inputs of the model, whose transfer to the device may overlap with computing."""
    return _marked("set_overlap_for_input", input_tensors, mode)


def set_overlap_for_output(output_tensors, mode):
    """The tensors, results of the model, whose transfer to the host may overlap with computing."""
    return _marked("set_overlap_for_output", output_tensors, mode)


# ---- Marks of a graph -------------------------------------------------------------------

def _mark(node, function):
    """The tensor and the mode of a mark that a function has left, or None."""
    if node.op != "call_function" or str(node.target) != _MARK or node.args[1] != function:
        return None
    return node.args[0], OverlapMode(node.args[2])


def input_strategies(graph, inputs):
    """Placeholder -> exchange strategy of the inputs that overlap."""
    found = {}
    for node in graph.nodes:
        mark = _mark(node, "set_overlap_for_input")
        if mark is None:
            continue
        if mark[0] not in inputs:
            raise Error("poptorch.set_overlap_for_input takes inputs of the model as they are: "
                        f"{mark[0].name} is computed")
        if mark[1] in _STRATEGIES:
            found[mark[0]] = _STRATEGIES[mark[1]]
    return found


def output_strategy(node):
    """The exchange strategy of a result that overlaps, or None."""
    mark = _mark(node, "set_overlap_for_output")
    return _STRATEGIES.get(mark[1]) if mark is not None else None


def check_outputs(graph, outputs):
    """An Error if a mark for results is at a tensor that is none."""
    for node in graph.nodes:
        if _mark(node, "set_overlap_for_output") is not None and node not in outputs:
            raise Error("poptorch.set_overlap_for_output takes results of the model: return the "
                        "tensor that it returns")


def require_tiles(options):
    """An Error without I/O tiles."""
    if not options.TensorLocations.num_io_tiles:
        raise Error("Inputs and results overlap with computing through I/O tiles, of which there "
                    "are none: call TensorLocations.numIOTiles of the options")
