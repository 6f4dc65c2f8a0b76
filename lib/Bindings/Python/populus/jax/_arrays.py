# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that are variables of a compiled program. They are read from the device when somebody
asks for their elements."""

from typing import Any, Optional, Tuple

import jax
import numpy as np


class DeviceArray:
    """A result that stays on the device, to be donated to the next call.

    `numpy.asarray`, `jax.numpy.asarray`, indexing and arithmetic read it. It is deleted by the
    call that it is donated to, as arrays of JAX are.
    """

    def __init__(self, program: Any, index: int, aval: Any) -> None:
        self._program: Optional[Any] = program
        self._index = index
        self._aval = aval
        self._host: Optional[np.ndarray] = None

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(self._aval.shape)

    @property
    def dtype(self) -> Any:
        return self._aval.dtype

    @property
    def ndim(self) -> int:
        return len(self._aval.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def is_deleted(self) -> bool:
        """True after the array was donated."""
        return self._program is None and self._host is None

    def delete(self) -> None:
        """Gives the array up; its elements cannot be read any more."""
        self._program = self._host = None

    def block_until_ready(self) -> "DeviceArray":
        """Returns at once: a call returns when the device has finished."""
        return self

    def _is_in(self, program: Any, index: int) -> bool:
        return self._program is program and self._index == index

    def _read(self) -> np.ndarray:
        if self.is_deleted():
            raise RuntimeError("The array has been deleted: it was donated to a later call.")
        if self._host is None:
            self._host = self._program.read(self._index)
        return self._host

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        array = self._read()
        return np.array(array, dtype) if copy or dtype is not None else np.array(array)

    def __jax_array__(self) -> jax.Array:
        if jax.dtypes.issubdtype(self.dtype, jax.dtypes.prng_key):
            return jax.random.wrap_key_data(np.array(self._read()))
        return jax.numpy.asarray(np.array(self._read()))

    def __float__(self) -> float:
        return float(self._read())

    def __int__(self) -> int:
        return int(self._read())

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        return self.__jax_array__()[index]

    def __repr__(self) -> str:
        if self.is_deleted():
            return f"DeviceArray(deleted, shape={self.shape}, dtype={self.dtype})"
        return f"DeviceArray({self._read()!r})"


def _operator(name: str) -> Any:
    def method(self: DeviceArray, *others: Any) -> Any:
        others = [o.__jax_array__() if isinstance(o, DeviceArray) else o for o in others]
        return getattr(self.__jax_array__(), name)(*others)
    return method


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow",
              "matmul", "rmatmul", "neg", "abs", "lt", "le", "gt", "ge"):
    setattr(DeviceArray, f"__{_name}__", _operator(f"__{_name}__"))
