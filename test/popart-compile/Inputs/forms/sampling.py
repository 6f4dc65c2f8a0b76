"""GridSample of lines, volumes and more dimensions, RoiAlign whose points follow from rectangles
that are known only when the model runs, and the places that MaxPool returns."""
import numpy as np

from definitions import roi_align
from harness import Case, Samples, check

normal = Samples(3).normal


def grid(size, *points):
    return (1.3 * normal(1 if size[0] == 1 else size[0], *points, len(size) - 2)).astype(np.float32)


def volume(size, points, **attributes):
    return Case("GridSample", normal(*size), grid(size, *points), halves=False, rtol=1e-4,
                atol=1e-4, **attributes)


volumes = [volume((2, 3, 3, 4, 5), (2, 2, 3), mode=mode, padding_mode=padding,
                  align_corners=corners)
           for mode in ("linear", "nearest") for padding in ("zeros", "border", "reflection")
           for corners in (0, 1)]
volumes += [
    volume((1, 1, 1, 1, 1), (1, 1, 2)),
    volume((1, 2, 1, 4, 2), (2, 1, 2), padding_mode="reflection"),
    volume((2, 2, 6), (5,)),
    volume((2, 2, 6), (5,), mode="nearest", padding_mode="border"),
]

# A point between the centre and the edge of an outer pixel is not moved, one beyond it is.
pictures = [volume((2, 2, *size), (2, 3), mode="cubic", padding_mode=padding, align_corners=corners)
            for padding, corners, size in (("zeros", 0, (1, 4)), ("border", 0, (2, 3)),
                                           ("border", 1, (1, 4)), ("reflection", 0, (1, 1)))]


def rois(x, boxes, indices, height, width, scale=1.0, half=True):
    mode = "half_pixel" if half else "output_half_pixel"
    return Case("RoiAlign", x, np.array(boxes, np.float32), np.array(indices, np.int64),
                ref=lambda x, r, n: roi_align(x, r, n, height, width, scale,
                                              half).astype(np.float32),
                output_height=height, output_width=width, spatial_scale=scale, sampling_ratio=0,
                coordinate_transformation_mode=mode, rtol=1e-4, atol=1e-4)


boxes = [[0.3, 0.2, 7.9, 8.8], [1, 1, 2.2, 2.1], [-3.5, 2, 12, 20], [5, 5, 5, 5],
         [0, 0, 8, 9], [6, 7, 3, 2], [-40, -30, 55, 66], [2, 3, 4.5, 300]]
rectangles = [
    rois(normal(1, 2, 9, 8), boxes, [0] * 8, 3, 2),
    rois(normal(3, 2, 9, 8), boxes, [0, 2, 1, 1, 2, 0, 1, 2], 2, 3),
    rois(normal(2, 1, 9, 8), boxes, [1, 0] * 4, 3, 3, half=False),
    rois(normal(2, 1, 5, 6), boxes, [1, 0] * 4, 1, 1, scale=0.5),
    rois(normal(1, 3, 1, 1), boxes, [0] * 8, 2, 2),
]

def largest(kernel, order):
    """The largest element of each window, and its place in the operand, whose images are stored by
    rows or by columns."""
    def of(x):
        images = x.reshape(-1, *x.shape[2:])
        windows = np.lib.stride_tricks.sliding_window_view(images, kernel, (1, 2, 3)[:len(kernel)])
        rank = len(kernel)
        numbers = np.arange(images[0].size).reshape(images.shape[1:], order=order)
        numbers = numbers + np.arange(len(images)).reshape(-1, *[1] * rank) * images[0].size
        places = np.lib.stride_tricks.sliding_window_view(numbers, kernel, (1, 2, 3)[:rank])
        shape = (*x.shape[:2], *windows.shape[1:1 + rank])
        windows, places = (a.reshape(*a.shape[:1 + rank], -1) for a in (windows, places))
        first = windows.argmax(-1)[..., None]
        return (windows.max(-1).reshape(shape),
                np.take_along_axis(places, first, -1).reshape(shape))
    return of


# ONNX's reference evaluator has other places for several channels; ONNX Runtime has these.
places = [Case("MaxPool", normal(2, 2, *field), results=2, kernel_shape=kernel,
               storage_order="CF".index(order), ref=largest(kernel, order))
          for field, kernel in (((3, 4), [2, 2]), ((3, 5, 4), [1, 3, 2])) for order in "CF"]

raise SystemExit(check(volumes, name="volumes", opset=22) +
                 check(pictures, name="pictures", opset=22) +
                 check(places, name="places", opset=22) +
                 check(rectangles, name="rectangles", opset=22) != 0)
