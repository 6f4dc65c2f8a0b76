# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`IPUStrategy`: inside its scope, models of Keras are compiled for the device."""

import contextlib
from typing import Any, Iterator, Optional

from ipu.config import system

_current: Optional["IPUStrategy"] = None


class IPUStrategy:
    """A strategy for the configured IPUs, each of which is a replica.

    Models that are built, compiled or run inside `scope()` run on the device, also after the
    scope has ended. Raises RuntimeError if Keras has another backend than JAX.
    """

    def __init__(self, ipu_device: str = "/device:IPU:0",
                 add_ipu_cross_replica_reductions: bool = True,
                 enable_dataset_iterators: bool = True,
                 enable_keras_extensions: bool = True) -> None:
        self._extends_keras = enable_keras_extensions

    @contextlib.contextmanager
    def scope(self) -> Iterator["IPUStrategy"]:
        """Models inside belong to this strategy."""
        from ipu import _models

        global _current
        _models.install()
        outer, _current = _current, self
        try:
            yield self
        finally:
            _current = outer

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas of models without a pipeline."""
        return system().num_ipus

    @property
    def num_ipus(self) -> int:
        """The number of IPUs that are configured."""
        return system().num_ipus

    def run(self, fn: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compiles a function of JAX for the device and runs it."""
        from ipu import _models

        return _models.compiled(fn)(*args, **(kwargs or {}))


IPUStrategyV1 = IPUStrategy


def current() -> Optional[IPUStrategy]:
    """The strategy of the innermost scope, if any."""
    return _current
