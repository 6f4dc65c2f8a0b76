# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the loss of a training model.

PyTorch's own losses and `identity_loss` are marks. A loss that another one reads is only a
part of it; exactly one must remain.
"""

from .errors import Error

# ATen's losses; composite ones are whole in an exported graph.
LOSSES = {f"aten.{name}" for name in (
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss",
    "cross_entropy_loss", "ctc_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss",
    "margin_ranking_loss", "mse_loss", "multi_margin_loss", "multilabel_margin_loss",
    "multilabel_margin_loss_forward", "nll_loss", "nll_loss_nd", "nll_loss2d",
    "nll_loss_forward", "nll_loss2d_forward", "poisson_nll_loss", "smooth_l1_loss",
    "soft_margin_loss", "triplet_margin_loss")} | {
        "populus_poptorch.identity_loss", "populus_poptorch.ctc_loss"}


def is_loss(node):
    """True of an operator that is a loss."""
    return node.op == "call_function" and str(node.target).rsplit(".", 1)[0] in LOSSES


def find_loss(graph):
    """The node of the loss of a graph."""
    feeding = set()  # nodes that a loss reads, however far away
    independent = []
    for node in reversed(graph.nodes):
        if is_loss(node) and node not in feeding:
            independent.append(node)
        if node in feeding or is_loss(node):
            feeding.update(node.all_input_nodes)
    if not independent:
        raise Error("Couldn't find a loss in graph! A training model needs one of PyTorch's "
                    "losses, or poptorch.identity_loss around the tensor that is the loss")
    if len(independent) > 1:
        names = ", ".join(sorted(str(node.target) for node in independent))
        raise Error("Multiple independent losses found in graph! Combine them, and mark the "
                    f"result with poptorch.identity_loss: {names}")
    return independent[0]
