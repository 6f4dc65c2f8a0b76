"""Gradients of GridSample, of the image and of the grid. ONNX's own reference computes in float32,
so the rule stands here once more, in double.
"""
import itertools
import sys

import numpy as np

from harness import Case, Samples, check, fixed

normal = Samples(11).normal


def near(d):
    return (1.25 * d - 2.25) * d * d + 1


def far(d):
    return ((-0.75 * d + 3.75) * d - 6) * d + 3


def places(point, mode):
    """Pixels around a point in one dimension, with their weights."""
    if mode == "nearest":
        return [(int(np.rint(point)), 1.0)]
    low = int(np.floor(point))
    t = point - low
    if mode == "linear":
        return [(low, 1 - t), (low + 1, t)]
    return [(low - 1, far(1 + t)), (low, near(t)), (low + 1, near(1 - t)), (low + 2, far(2 - t))]


def reflected(point, low, high):
    """Walks to and fro between the ends."""
    if high == low:
        return low
    period = 2 * (high - low)
    rest = (point - low) % period
    return low + min(rest, period - rest)


def grid_sample(mode, padding, corners):
    def moved(point, extent):
        if padding == "border":
            return min(max(point, 0), extent - 1)
        if padding == "reflection":
            edge = 0 if corners else -0.5
            return reflected(point, edge, extent - 1 - edge)
        return point

    def pixel(image, y, x):
        height, width = image.shape[1:]
        if padding == "zeros" and not (0 <= y < height and 0 <= x < width):
            return np.zeros(image.shape[0])
        y, x = int(np.rint(moved(y, height))), int(np.rint(moved(x, width)))
        return image[:, min(max(y, 0), height - 1), min(max(x, 0), width - 1)]

    def in_pixels(point, extent):
        scaled = (point + 1) / 2 * (extent - 1) if corners else ((point + 1) * extent - 1) / 2
        edge = 0 if corners else -0.5
        if edge <= scaled <= extent - 1 - edge:  # else ONNX moves the point itself, too
            return scaled
        return moved(scaled, extent)

    def sample(images, grid):
        result = np.zeros(grid.shape[:3] + images.shape[1:2])
        for n, i, j in np.ndindex(*grid.shape[:3]):
            x, y = (in_pixels(grid[n, i, j, k], images.shape[3 - k]) for k in (0, 1))
            for (row, a), (column, b) in itertools.product(places(y, mode), places(x, mode)):
                result[n, i, j] += a * b * pixel(images[n], row, column)
        return result.transpose(0, 3, 1, 2)

    return sample


def case(image, grid, mode="linear", padding="zeros", corners=0):
    return Case("GridSample", image, grid, ref=grid_sample(mode, padding, corners), mode=mode,
                padding_mode=padding, align_corners=corners)


# Many points are beyond the image, some so far that they are reflected more than once.
families = {
    f"{mode}-{padding}": [case(normal(2, 3, 4, 5), 1.5 * normal(2, 3, 2, 2), mode, padding, corners)
                          for corners in (0, 1)]
    for mode in ("linear", "nearest", "cubic") for padding in ("zeros", "border", "reflection")}
families["others"] = [
    case(normal(1, 2, 1, 3), normal(1, 2, 2, 2), padding="border", corners=1),
    case(normal(1, 1, 3, 3), fixed(normal(1, 2, 2, 2))),
    case(normal(2, 2, 1, 1), normal(2, 2, 1, 2), "cubic", "reflection", corners=1),
    case(normal(2, 1, 2, 1), normal(2, 1, 3, 2), "cubic", "border"),
    case(fixed(normal(1, 1, 3, 3)), normal(1, 2, 2, 2)),
]
# Each mode and each padding on all machines; the other pairs where they compile quickly.
EVERYWHERE = {"linear-zeros", "cubic-reflection", "nearest-border", "others"}
machines = sys.argv[2:]
sys.exit(sum(check(cases, 23, name, machines if name in EVERYWHERE else machines[:1])
             for name, cases in families.items()) != 0)
