# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks a graph of ATen operators, and emits each by its lowering.

An operator without a lowering is taken apart by torch's own decomposition, if there is one,
and its parts are lowered in its place. All operators that remain are listed in one error.
"""

import operator

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from .. import _state
from .._emit import Value, narrow
from .._export import module_path, source_line
from ..errors import Error
from .table import TABLE, Unsupported


class _Walk:
    """The Values of the nodes of a graph, and operators that could not be lowered."""

    def __init__(self, emitter, modules, place, loss=None, outer=None):
        self.emitter = emitter
        self.modules = modules
        self.place = place  # is told the marks of each operator
        self.loss = loss    # the node of a training model's loss
        self.outer = outer  # the operator that this graph is a decomposition of
        self.unsupported = []

    def run(self, graph, values):
        """Lowers a graph whose placeholders have values; returns the values of all nodes."""
        values = dict(values)
        for node in graph.nodes:
            if node.op == "call_function":
                values[node] = self._call(node, values)
                if self.outer is not None and _writes_in_place(node):
                    values[node.args[0]] = values[node]
            elif node.op == "get_attr":
                values[node] = self._attribute(node)
        return values

    def _attribute(self, node):
        value = self.modules
        for part in node.target.split("."):
            value = value[part] if isinstance(value, dict) else getattr(value, part)
        return self.emitter.constant(value) if isinstance(value, torch.Tensor) else value

    def _call(self, node, values):
        lost = _Lost()
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs),
                                             lambda n: values.get(n, lost))
        if _has_lost(args) or _has_lost(kwargs.values()):
            return lost
        if self.emitter.has_bodies:
            torch.fx.node.map_aggregate((args, kwargs), self._check_visible)
        if node.target is operator.getitem:
            return self._item(node, *args)
        if not isinstance(node.target, torch._ops.OpOverload):
            return self._higher_order(node, args, kwargs)
        if self.outer is not None:  # it is where the operator is
            return self._lower(node, node.target, node.meta.get("val"), args, kwargs)
        self.emitter.caller = node
        marks = _state.marks_of(node)
        self.emitter.set_scope((*self._path(node), *marks.get("scope", ())))
        self.emitter.in_multi(marks.get("multiconv"))
        with self.place(marks):
            result = self._lower(node, node.target, node.meta.get("val"), args, kwargs)
            return self._marked(result) if node is self.loss else result

    def _item(self, node, results, index):
        """One of several results, of which a lowering may leave out some."""
        if not isinstance(results, tuple) or (
                index < len(results) and not isinstance(results[index], _Absent)):
            return results[index]
        source = node.args[0]
        self.unsupported.append((source, source.target, f"its result number {index}"))
        return _Lost()

    def _path(self, node):
        """The modules in the names of an operator."""
        return module_path(node) if self.emitter.module_scopes else ()

    def _check_visible(self, value):
        if isinstance(value, Value):
            self.emitter.check_visible(value)
        return value

    def _marked(self, result):
        """A loss with PopART's mark."""
        if isinstance(result, tuple):
            return (self._marked(result[0]), *result[1:])
        if isinstance(result, _Lost):
            return result
        return self.emitter.identity_loss(result, "NoReduction" if result.ndim else "Sum")

    def _lower(self, node, target, out, args, kwargs):
        if _is_complex(out):
            self.unsupported.append((node, target, "complex numbers are not supported"))
            return _Lost()
        lower = TABLE.get(str(target))
        if lower is None and self.outer is not None and _writes_in_place(node):
            lower = TABLE.get(_functional_name(target))
        if lower is None:
            return self._decompose(node, target, out, args, kwargs)
        before = self.emitter.out, self.emitter.node
        self.emitter.out, self.emitter.node = out, node
        try:
            result = lower(self.emitter, *args, **kwargs)
            if result is NotImplemented:
                return self._decompose(node, target, out, args, kwargs)
            return self._checked(target, result, out)
        except Unsupported as error:
            self.unsupported.append((node, target, str(error)))
            return _Lost()
        finally:
            self.emitter.out, self.emitter.node = before

    def _checked(self, target, result, out):
        """The result in the types of torch; its shape has to be torch's."""
        if isinstance(out, (tuple, list)):
            return tuple(self._checked_part(target, item, fake)
                         for item, fake in zip(result, out))
        if not isinstance(out, torch.Tensor) or not isinstance(result, Value):
            return result
        if result.shape != tuple(out.shape):
            raise Error(f"internal error: {target} has the shape {list(result.shape)} in place "
                        f"of {list(out.shape)}")
        return self.emitter.cast(result, narrow(out.dtype))

    def _checked_part(self, target, result, out):
        """One of several results. torch's decompositions may return another in place of one that
        nothing but its own gradient reads: it is an error only if the model reads it."""
        if not isinstance(out, torch.Tensor):
            return result
        if isinstance(result, Value) and result.shape == tuple(out.shape):
            return self._checked(target, result, out)
        if out.numel() == 0:
            return self.emitter.constant(torch.zeros(out.shape, dtype=narrow(out.dtype)))
        return _Absent()

    def _decompose(self, node, target, out, args, kwargs):
        parts = _decomposition(node, args, kwargs)
        if parts is None:
            self.unsupported.append((node, target, ""))
            return _Lost()
        module, flat = parts
        placeholders = [n for n in module.graph.nodes if n.op == "placeholder"]
        walk = _Walk(self.emitter, module, self.place, outer=node)
        values = walk.run(module.graph, dict(zip(placeholders, flat)))
        if walk.unsupported:
            self.unsupported += [(node, inner, text) for _, inner, text in walk.unsupported]
            return _Lost()
        output = next(n for n in module.graph.nodes if n.op == "output")
        result = torch.fx.node.map_arg(output.args[0], lambda n: values[n])
        result = tuple(result) if isinstance(result, (list, tuple)) else result
        return self._checked(target, result, out)

    def _higher_order(self, node, args, kwargs):
        name = str(node.target)
        if name in TABLE:
            self.emitter.set_scope(self._path(node))
            with self.place(_state.marks_of(node)):
                self.emitter.out = node.meta.get("val")
                return TABLE[name](self.emitter, self, *args, **kwargs)
        if callable(node.target) and not _has_values(args):
            return node.target(*args, **kwargs)  # arithmetic of shapes
        self.unsupported.append((node, node.target, ""))
        return _Lost()


def _functional_name(target):
    """The operator without its effect: aten.add.Tensor of aten.add_.Tensor."""
    name, overload = str(target).rsplit(".", 1)
    return f"{name.rstrip('_')}.{overload}"


def _is_complex(value):
    """True if one of an operator's results is a tensor of complex numbers."""
    values = value if isinstance(value, (list, tuple)) else [value]
    return any(isinstance(value, torch.Tensor) and value.is_complex() for value in values)


def _writes_in_place(node):
    """True of `x.add_(y)` in a decomposition, if x is a new tensor that has no views."""
    target = node.target
    if not isinstance(target, torch._ops.OpOverload) or not target._schema.is_mutable:
        return False
    written = node.args[0]
    return (written.op == "call_function" and not _is_view(written)
            and not any(_is_view(user) for user in written.users))


def _is_view(node):
    """True of results that share memory with an argument, or may."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return node.op != "output"
    schema = node.target._schema
    return not schema.is_mutable and any(r.alias_info is not None for r in schema.returns)


class _Lost:
    """Stands for results of operators without a lowering."""

    def __getitem__(self, index):
        return self


class _Absent:
    """In place of one of several results that a lowering does not have."""


def _has_lost(values):
    return any(isinstance(value, _Lost) or
               (isinstance(value, (list, tuple)) and _has_lost(value)) for value in values)


def _has_values(values):
    return any(isinstance(value, Value) or
               (isinstance(value, (list, tuple)) and _has_values(value)) for value in values)


def _decomposition(node, args, kwargs):
    """The graph of torch's decomposition of an operator, and the Values of its placeholders. Its
    fake tensors have torch's own types, for some operators want indices of int64."""
    target = node.target
    function = torch._decomp.decomposition_table.get(target)
    if function is None and torch._C._dispatch_has_kernel_for_dispatch_key(
            target.name(), "CompositeImplicitAutograd"):
        function = target.decompose
    if function is None:
        return None
    tree = torch.utils._pytree
    flat, examples = [], []
    # New tensors of the decomposition are on the device that an argument names.
    device = next((value for value in tree.tree_leaves(_plain((args, kwargs)))
                   if isinstance(value, torch.device)), "meta")

    def slot(value, fake):
        if not isinstance(value, Value):
            return value
        flat.append(value)
        examples.append(torch.empty_strided(fake.shape, fake.stride(), dtype=fake.dtype,
                                            device=device))
        return _Slot(len(flat) - 1)

    fakes = torch.fx.node.map_arg((node.args, node.kwargs), lambda n: n.meta.get("val"))
    # Plain lists, for some decompositions change the lists that they get.
    leaves, spec = tree.tree_flatten(_plain((args, kwargs)))
    fake_leaves, _ = tree.tree_flatten(_plain(fakes))
    template = tree.tree_unflatten([slot(*pair) for pair in zip(leaves, fake_leaves)], spec)

    def call(*tensors):
        given, named = tree.tree_map(
            lambda item: tensors[item.index] if isinstance(item, _Slot) else item, template)
        return function(*given, **named)

    try:
        module = make_fx(call, tracing_mode="fake")(*examples)
    except NotImplementedError:  # a part without a fake implementation, such as sparse tensors have
        return None
    if any(n.target is target for n in module.graph.nodes):
        return None  # a decomposition that is the operator itself
    return module, flat


def _plain(value):
    """fx's immutable lists and dicts as those of Python."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)(_plain(item) for item in value)
    return value


class _Slot:
    """The place of a tensor in arguments."""

    def __init__(self, index):
        self.index = index


def lower_graph(emitter, trace, values, place, loss=None):
    """Emits all operators of a trace. `values` are those of its placeholders; `place` makes a
    context from the marks of an operator; `loss` is the node of the loss. Returns the values of
    all nodes."""
    walk = _Walk(emitter, trace.modules, place, loss)
    result = walk.run(trace.graph, values)
    if walk.unsupported:
        raise Error(_unsupported_text(walk.unsupported))
    emitter.check_multi()
    return result


def _unsupported_text(found):
    names, lines = [], []
    for node, target, text in found:
        name = str(target).replace(".", "::", 1).split(".")[0] if "." in str(target) \
            else str(target)
        names += [name] if name not in names else []
        line = f"  {name} at {source_line(node)}" + (f": {text}" if text else "")
        lines += [line] if line not in lines else []
    return (f"Unsupported ops found in compiled model: [{', '.join(names)}]. Not all operations "
            "are supported yet:\n" + "\n".join(lines))
