"""ReverseSequence with lengths that are known only when the model runs."""
import numpy as np

from harness import Case, Samples, main

normal = Samples(2).normal


def case(shape, lengths, **attributes):
    x = (10 * normal(*shape)).astype(np.float32)
    return Case("ReverseSequence", x, np.array(lengths), **attributes)


main([
    case((4, 3), [1, 4, 2]),
    case((4, 3, 2, 2), [3, 4, 1], time_axis=0, batch_axis=1),
    case((3, 4), [1, 4, 2], time_axis=1, batch_axis=0),
    case((2, 5, 3), [5, 2], time_axis=1, batch_axis=0),
    case((1, 1), [1]),
    Case("ReverseSequence", np.arange(12, dtype=np.int32).reshape(4, 3), np.array([2, 3, 4])),
])
