"""Operators whose forms ONNX's reference evaluator has not, or in float32 only: their rules once
more, in double.
"""
import itertools

import numpy as np


def roi_align(x, rois, indices, height, width, scale, half):
    """The rule of the operator's text, in double."""
    def weights(begin, end, bins, extent):
        begin, end = begin * scale - 0.5 * half, end * scale - 0.5 * half
        size = end - begin if half else max(end - begin, 1)
        count = int(np.ceil(np.float32(size) / np.float32(bins)))
        result = np.zeros((bins, extent))
        for i in range(bins):
            for k in range(count):
                p = begin + size / bins * (i + (k + 0.5) / count)
                if p < -1 or p > extent:
                    continue
                p = min(max(p, 0), extent - 1)
                low = int(p)
                result[i, low] += (1 - (p - low)) / count
                if low + 1 < extent:
                    result[i, low + 1] += (p - low) / count
        return result

    result = np.zeros((len(rois), x.shape[1], height, width))
    for r, (x1, y1, x2, y2) in enumerate(rois.astype(np.float64)):
        rows = weights(y1, y2, height, x.shape[2])
        columns = weights(x1, x2, width, x.shape[3])
        result[r] = np.einsum("iy,jx,cyx->cij", rows, columns, x[indices[r]])
    return result


def grid_sample(x, grid, padding, corners):
    """Of any number of dimensions, linear."""
    dims = x.ndim - 2
    result = np.zeros(grid.shape[:-1] + x.shape[1:2])
    for place in np.ndindex(*grid.shape[:-1]):
        points = []
        for i in range(dims):
            extent, g = x.shape[i + 2], grid[place + (dims - 1 - i,)]
            p = (g + 1) / 2 * (extent - 1) if corners else ((g + 1) * extent - 1) / 2
            if padding == "border":
                p = min(max(p, 0), extent - 1)
            if padding == "reflection":
                edge = 0 if corners else -0.5
                room = extent - 1 - 2 * edge
                p = (p - edge) % (2 * room)
                p = min(p, 2 * room - p) + edge
                p = min(max(p, 0), extent - 1)
            points.append(p)
        for sides in itertools.product((0, 1), repeat=dims):
            weight, where = 1.0, []
            for p, side, extent in zip(points, sides, x.shape[2:]):
                low = int(np.floor(p))
                weight *= p - low if side else 1 - (p - low)
                if not 0 <= low + side < extent:
                    weight = 0
                where.append(min(max(low + side, 0), extent - 1))
            result[place] += weight * x[(place[0], slice(None), *where)]
    return np.moveaxis(result, -1, 1)
