# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Notices that the host changes a tensor which a program holds as a constant.

Integers that the model does not write are constants of the program, so that indices and masks
fold. The host may write them between two calls: a call compares small ones with the program's,
and of large ones the number by which torch counts writes; an upload compares all. A buffer that
has changed once becomes a variable of the program that is then made, and is uploaded when it
changes again.
"""

import torch

_SMALL = 1 << 14  # elements that are compared at each call


class _Constant:
    """One tensor, and the elements that the program has."""

    def __init__(self, name, find, is_variable=False):
        self.name = name
        self.is_variable = is_variable  # which an upload brings up to date
        self._find = find
        self.take()

    def take(self):
        """The program has the host's elements."""
        self._tensor = self._find()
        self._elements = self._tensor.detach().clone()
        self._version = self._tensor._version

    def has_changed(self, thoroughly):
        """True if the host's elements are others."""
        tensor = self._find()
        if tensor is self._tensor and tensor._version == self._version \
                and not thoroughly and tensor.numel() > _SMALL:
            return False
        if not _equal(tensor, self._elements):
            return True
        self._tensor, self._version = tensor, tensor._version
        return False


def _equal(a, b):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not a.is_floating_point():
        return torch.equal(a, b)
    return bool(((a == b) | (a.isnan() & b.isnan())).all())


class Constants:
    """The constants of a program."""

    def __init__(self, find, names, variables, tensors):
        """`find` returns a buffer by its name, of which those of `variables` are variables;
        `tensors` are those without a name."""
        self._all = [_Constant(name, lambda name=name: find(name), name in variables)
                     for name in [*names, *variables]]
        self._all += [_Constant(None, lambda tensor=tensor: tensor) for tensor in tensors]

    def changed(self, thoroughly=False):
        """Those that have changed."""
        return [constant for constant in self._all if constant.has_changed(thoroughly)]
