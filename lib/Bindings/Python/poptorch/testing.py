# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons of structures of tensors, for tests of models."""

from typing import Any

import torch


def allclose(expected: Any, actual: Any, rtol: float = 1e-05, atol: float = 1e-08,
             equal_nan: bool = False) -> bool:
    """Returns true if two structures are alike and their tensors are close to each other."""
    if isinstance(expected, torch.Tensor):
        return (isinstance(actual, torch.Tensor) and expected.shape == actual.shape
                and torch.allclose(expected.to(torch.promote_types(expected.dtype, actual.dtype)),
                                   actual.to(torch.promote_types(expected.dtype, actual.dtype)),
                                   rtol, atol, equal_nan))
    if isinstance(expected, (list, tuple)):
        return (isinstance(actual, (list, tuple)) and len(expected) == len(actual)
                and all(allclose(one, other, rtol, atol, equal_nan)
                        for one, other in zip(expected, actual)))
    if isinstance(expected, dict):
        return (isinstance(actual, dict) and expected.keys() == actual.keys()
                and all(allclose(expected[key], actual[key], rtol, atol, equal_nan)
                        for key in expected))
    return bool(expected == actual)


def assert_allclose(*, actual: Any, expected: Any, rtol: float = 1e-05, atol: float = 1e-08,
                    equal_nan: bool = False) -> None:
    """An AssertionError unless they are."""
    assert allclose(expected, actual, rtol, atol, equal_nan), (
        f"not close enough: expected {expected!r}, found {actual!r}")
