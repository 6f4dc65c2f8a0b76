# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules: functions with a state that make graphs."""

from typing import Any


class Module:
    """The base of classes whose method `build` makes a graph; `Ir.create_graph` takes objects
    of them. What `build` keeps in attributes can be used after that."""

    def build(self, *args: Any, **kwargs: Any) -> Any:
        """Adds operators to the current graph and returns its outputs."""
        raise NotImplementedError("Your popxl.Module must implement the `build` method.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.build(*args, **kwargs)
