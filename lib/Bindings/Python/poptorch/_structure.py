# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes structures of tensors apart, and puts them together again.

A Structure is what is left of nested arguments when their tensors are taken out: lists,
tuples, dicts, values that are no tensors, and objects with a parser
(`registerCustomArgParser`). Two calls of a model have to have equal structures.
"""

import torch


class ICustomArgParser:
    """Takes objects of a type apart: a base class for parsers."""

    def yieldTensors(self, struct):
        """Yields the tensors of an object."""
        raise NotImplementedError

    def reconstruct(self, original_structure, tensor_iterator):
        """An object like another one with the tensors of an iterator."""
        raise NotImplementedError


_parsers = {}


def registerCustomArgParser(custom_type, parser):
    """Lets arguments and results of models have a type of one's own."""
    if not isinstance(parser, ICustomArgParser):
        raise AssertionError("the parser has to be an ICustomArgParser")
    _parsers[custom_type] = parser


def _parser_of(value):
    for custom_type, parser in _parsers.items():
        if isinstance(value, custom_type):
            return parser
    return None


class Structure:
    """A structure without its tensors."""

    def __init__(self, root, count):
        self._root = root
        self.count = count  # of tensors

    def rebuild(self, tensors):
        """The structure with the tensors of a sequence."""
        iterator = iter(tensors)
        return _rebuild(self._root, iterator)

    def __eq__(self, other):
        return isinstance(other, Structure) and self._root == other._root

    @property
    def root(self):
        """The nodes: (kind, …)."""
        return self._root


def flatten(value):
    """The tensors of a value, and its Structure."""
    tensors = []
    root = _flatten(value, tensors)
    return tensors, Structure(root, len(tensors))


def _flatten(value, tensors):
    parser = _parser_of(value)
    if parser is not None:
        found = list(parser.yieldTensors(value))
        tensors += found
        return ("custom", type(value), value, len(found), parser)
    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return ("tensor",)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ("namedtuple", type(value), tuple(_flatten(item, tensors) for item in value))
    if isinstance(value, (list, tuple)):
        kind = "list" if isinstance(value, list) else "tuple"
        return (kind, tuple(_flatten(item, tensors) for item in value))
    if isinstance(value, dict):
        return ("dict", type(value), tuple((key, _flatten(item, tensors))
                                           for key, item in value.items()))
    return _flatten_other(value, tensors)


def _flatten_other(value, tensors):
    """A node of torch's pytrees, a dataclass among them, or a value without tensors."""
    node = torch.utils._pytree.SUPPORTED_NODES.get(type(value))
    if node is None:
        return ("value", value)
    items, context = node.flatten_fn(value)
    return ("pytree", type(value), tuple(_flatten(item, tensors) for item in items), context)


def _rebuild(node, tensors):
    kind = node[0]
    if kind == "tensor":
        return next(tensors)
    if kind == "value":
        return node[1]
    if kind == "custom":
        own = [next(tensors) for _ in range(node[3])]
        return node[4].reconstruct(node[2], iter(own))
    if kind == "dict":
        return _rebuild_dict(node, tensors)
    if kind == "pytree":
        items = [_rebuild(item, tensors) for item in node[2]]
        return torch.utils._pytree.SUPPORTED_NODES[node[1]].unflatten_fn(items, node[3])
    items = [_rebuild(item, tensors) for item in node[-1]]
    if kind == "namedtuple":
        return node[1](*items)
    return items if kind == "list" else tuple(items)


def _rebuild_dict(node, tensors):
    items = {key: _rebuild(item, tensors) for key, item in node[2]}
    if node[1] is dict:
        return items
    try:
        return node[1](items)
    except TypeError:  # types such as transformers' outputs take keywords
        return node[1](**items)
