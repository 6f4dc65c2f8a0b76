# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes that take part in a collective: all, or those of execute_on_instances."""

import contextlib
import threading
from typing import Iterator, List

from popdist import _job

_current = threading.local()


def current() -> List[int]:
    """The numbers of the processes, this one among them."""
    known = getattr(_current, "members", None)
    return known if known is not None else list(range(_job.number("NUM_INSTANCES", 1)))


@contextlib.contextmanager
def only(members: List[int]) -> Iterator[None]:
    """Collectives inside are among these."""
    before = getattr(_current, "members", None)
    wrong = [i for i in members if before is not None and i not in before]
    if wrong:
        raise ValueError(f"Instance {wrong[0]} takes no part in the call that this one is in.")
    _current.members = members
    try:
        yield
    finally:
        _current.members = before
