"""Transposed convolutions to a given shape, which may be smaller or larger than what they reach,
negative padding, and extremes of no integers."""
import numpy as np

from harness import Case, constant, main


def reached(elements, size, output, auto_pad, expected):
    """Of 1, 2, … by 1, 10, …: each digit shows which products have met."""
    x = np.arange(1, 1 + elements, dtype=np.float32).reshape(1, 1, -1)
    w = (10**np.arange(size)).astype(np.float32).reshape(1, 1, -1)
    return Case("ConvTranspose", x, w, output_shape=[output], auto_pad=auto_pad, halves=False,
                ref=lambda *_: np.float32([[expected]]))


def wrapped(pads, expected):
    """Negative padding comes first."""
    return Case("Pad", np.float32([1, 2, 3, 4]), constant(pads), mode="wrap",
                ref=lambda *_: np.float32(expected))


def none(op, kind, expected):
    return Case(op, np.zeros((2, 0), kind), constant([1]),
                ref=lambda *_: np.full((2, 1), expected, kind))


main([
    # An odd number too many: the operator's text says where the larger half is.
    reached(3, 3, 4, "NOTSET", [12, 123, 230, 300]),
    reached(3, 3, 4, "VALID", [12, 123, 230, 300]),
    reached(3, 3, 4, "SAME_LOWER", [12, 123, 230, 300]),
    reached(3, 3, 4, "SAME_UPPER", [1, 12, 123, 230]),
    reached(3, 3, 3, "NOTSET", [12, 123, 230]),
    reached(2, 1, 3, "NOTSET", [1, 2, 0]),
    reached(2, 1, 3, "SAME_LOWER", [1, 2, 0]),
    reached(2, 1, 3, "SAME_UPPER", [0, 1, 2]),
    reached(2, 2, 5, "SAME_LOWER", [0, 1, 12, 20, 0]),
    wrapped([-1, 1], [2, 3, 4, 2]), wrapped([1, -1], [3, 1, 2, 3]), wrapped([2, -2], [1, 2, 1, 2]),
    wrapped([-2, 3], [3, 4, 3, 4, 3]), wrapped([5, 1], [4, 1, 2, 3, 4, 1, 2, 3, 4, 1]),
    # A dimension without elements that is not padded.
    Case("Pad", np.zeros((2, 0, 3), np.float32), constant([0, 0, 1, 0, 0, 1]), mode="reflect",
         ref=lambda *_: np.zeros((2, 0, 5), np.float32)),
    # The padding takes all.
    Case("ConvTranspose", np.ones((2, 1, 1, 5), np.float32), np.ones((1, 2, 2, 1), np.float32),
         pads=[1, 0, 1, 0], ref=lambda *_: np.zeros((2, 2, 0, 5), np.float32)),
    none("ReduceMin", np.uint8, 255), none("ReduceMax", np.uint8, 0),
    none("ReduceMin", np.int8, 127), none("ReduceMax", np.int8, -128),
    none("ReduceMin", np.int32, 2**31 - 1), none("ReduceMax", np.int32, -2**31),
])
