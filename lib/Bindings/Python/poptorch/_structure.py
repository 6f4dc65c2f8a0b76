# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes structures of tensors apart, and puts them together again.

A Structure is what is left of nested arguments when their tensors are taken out: lists,
tuples, dicts, dataclasses, values that are no tensors, and objects with a parser
(`registerCustomArgParser`). Two calls of a model have to have equal structures.
"""

import copy
import dataclasses

import torch

from .errors import Error


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

    def is_like(self, other):
        """True of an equal structure; objects with a parser need an equal type only."""
        return _without_objects(self._root) == _without_objects(other._root)

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
    """A node of torch's pytrees, a dataclass, or a value without tensors."""
    node = torch.utils._pytree.SUPPORTED_NODES.get(type(value))
    if node is not None:
        items, context = node.flatten_fn(value)
        return ("pytree", type(value), tuple(_flatten(item, tensors) for item in items), context)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return ("dataclass", type(value), _Shell(value), tuple(
            (field.name, _flatten(getattr(value, field.name), tensors))
            for field in dataclasses.fields(value)))
    _refuse_hidden(value)
    return ("value", value)


class _Shell:
    """An object of which the fields do not count."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, _Shell)


def _refuse_hidden(value):
    """An Error of an object with tensors, which would be constants of the program, or results
    without elements."""
    members = getattr(value, "__dict__", None)
    if not isinstance(members, dict) or isinstance(value, (torch.nn.Module, type)):
        return
    for member in members.values():
        items = member if isinstance(member, (list, tuple)) else [member]
        if any(isinstance(item, torch.Tensor) for item in items):
            raise Error(f"An argument or a result of the type {type(value).__name__} holds "
                        "tensors: a dataclass or a named tuple can, and any type that has a "
                        "parser, which poptorch.registerCustomArgParser takes")


def _without_objects(node):
    """A node in which an object with a parser is its type and number of tensors."""
    if not isinstance(node, tuple):
        return node
    if node and node[0] == "custom":
        return ("custom", node[1], node[3])
    return tuple(map(_without_objects, node))


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
    if kind == "dataclass":
        return _rebuild_dataclass(node, tensors)
    if kind == "pytree":
        items = [_rebuild(item, tensors) for item in node[2]]
        return torch.utils._pytree.SUPPORTED_NODES[node[1]].unflatten_fn(items, node[3])
    items = [_rebuild(item, tensors) for item in node[-1]]
    if kind == "namedtuple":
        return node[1](*items)
    return items if kind == "list" else tuple(items)


def _rebuild_dataclass(node, tensors):
    result = copy.copy(node[2].value)
    for name, item in node[3]:
        object.__setattr__(result, name, _rebuild(item, tensors))
    return result


def _rebuild_dict(node, tensors):
    items = {key: _rebuild(item, tensors) for key, item in node[2]}
    if node[1] is dict:
        return items
    try:
        return node[1](items)
    except TypeError:  # types such as transformers' outputs take keywords
        return node[1](**items)
