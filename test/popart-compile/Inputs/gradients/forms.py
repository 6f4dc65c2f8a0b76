"""Gradients of forms that are made of other operators: Einsum of several operands,
ReverseSequence with lengths at run time, GridSample of volumes, RoiAlign whose points follow from
rectangles at run time.
"""
import os
import sys

import numpy as np

from harness import Case, Samples, fixed, main

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "forms"))
from definitions import grid_sample, roi_align  # noqa: E402

normal = Samples(12).normal


def einsum(equation, *operands):
    return Case("Einsum", *operands, equation=equation, ref=lambda *x: np.einsum(equation, *x))


def volume(size, points, padding, corners=0, mode="linear"):
    return Case("GridSample", normal(*size), 1.2 * normal(size[0], *points, len(size) - 2),
                mode=mode, padding_mode=padding, align_corners=corners,
                ref=lambda x, grid: grid_sample(x, grid, padding, corners))


def rectangles(images, boxes, indices, half=True):
    mode = "half_pixel" if half else "output_half_pixel"
    return Case("RoiAlign", images, fixed(np.array(boxes, np.float32)), np.array(indices),
                ref=lambda x, r, n: roi_align(x, r, n, 2, 3, 0.8, half), output_height=2,
                output_width=3, sampling_ratio=0, spatial_scale=0.8,
                coordinate_transformation_mode=mode)


boxes = [[0, 0, 3, 4], [1.2, 0.5, 4.4, 9.2], [-1, -1, 7, 8]]
main([
    einsum("ij,jk,kl->il", normal(2, 3), normal(3, 2), normal(2, 2)),
    einsum("ii,ij,j", normal(2, 2), normal(2, 3), normal(3)),
    einsum("...i,i,...i->...", normal(2, 3), normal(3), normal(2, 3)),
    einsum("ij,ij->i", normal(3, 1), normal(3, 4)),
    Case("ReverseSequence", normal(4, 3, 2), np.array([3, 0, 4])),
    Case("ReverseSequence", normal(3, 4), np.array([3, 1, 4]), time_axis=1, batch_axis=0),
    volume((1, 2, 2, 3, 3), (1, 2, 2), "zeros"),
    volume((2, 1, 2, 3, 2), (2, 1, 2), "border", 1),
    volume((1, 2, 3, 2, 3), (1, 2, 2), "reflection"),
    volume((2, 2, 5), (4,), "zeros"),
    rectangles(normal(2, 2, 6, 5), boxes, [1, 0, 1]),
    rectangles(normal(1, 2, 4, 5), boxes, [0, 0, 0], half=False),
], opset=22)
