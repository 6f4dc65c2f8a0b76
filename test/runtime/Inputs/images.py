"""Images for images.test, models that take them, and what these models should return.

    images.py make FOLDER       writes images and models
    images.py check FILE CASE   compares an output with the case's expected value
"""

import base64
import os
import struct
import sys
import zlib

import numpy as np

# 16x8 pixels of (120, 60, 200), which JPEG keeps to within 2.
JPEG = (
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNyws"
    "QFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09P"
    "T09PT09PT09PT09PT09PT09PT0//wAARCAAIABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEA"
    "AAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABAb/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIR"
    "AxEAPwCUAoi3/9k=")
MEAN, STD = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])


def pixels(height, width, channels, seed):
    return np.random.default_rng(seed).integers(0, 256, (height, width, channels), np.uint8)


IMAGES = {"wide": pixels(14, 20, 3, 1), "high": pixels(9, 5, 3, 2), "grey": pixels(8, 8, 1, 3)}


def png(image):
    height, width, channels = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) +
            chunk(b"IEND", b""))


def model(path, shape, kind="FLOAT"):
    """y = the input as floats."""
    from onnx import TensorProto, helper, save
    node = helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)
    if kind == "FLOAT":
        node = helper.make_node("Neg", ["x"], ["y"])
    graph = helper.make_graph(
        [node], "images",
        [helper.make_tensor_value_info("x", getattr(TensorProto, kind), shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7), path)


def make(folder):
    os.makedirs(os.path.join(folder, "several"))
    for name, image in IMAGES.items():
        with open(os.path.join(folder, name + ".png"), "wb") as file:
            file.write(png(image))
    for number, name in enumerate(["wide", "high"]):
        with open(os.path.join(folder, "several", f"{number}.png"), "wb") as file:
            file.write(png(IMAGES[name]))
    with open(os.path.join(folder, "plain.jpg"), "wb") as file:
        file.write(base64.b64decode(JPEG))
    with open(os.path.join(folder, "damaged.png"), "wb") as file:
        file.write(png(IMAGES["wide"])[:200])
    os.makedirs(os.path.join(folder, "empty"))
    model(os.path.join(folder, "chw.onnx"), [1, 3, 6, 8])
    model(os.path.join(folder, "hwc.onnx"), [2, 6, 8, 3])
    model(os.path.join(folder, "grey.onnx"), [8, 8])
    model(os.path.join(folder, "bytes.onnx"), [3, 28, 40], "UINT8")


def matrix(count, extent, begin, length):
    """Weights of a triangle filter, from `extent` pixels to `count`."""
    step = length / count
    centres = begin + (np.arange(count) + 0.5) * step
    distance = np.abs(np.arange(extent) + 0.5 - centres[:, None]) / max(step, 1)
    weights = np.maximum(1 - distance, 0)
    return weights / weights.sum(1, keepdims=True)


def scaled(image, height, width, crop):
    begin, length = [0, 0], [image.shape[0], image.shape[1]]
    if crop:
        step = min(image.shape[0] / height, image.shape[1] / width)
        length = [step * height, step * width]
        begin = [(image.shape[0] - length[0]) / 2, (image.shape[1] - length[1]) / 2]
    rows = matrix(height, image.shape[0], begin[0], length[0])
    columns = matrix(width, image.shape[1], begin[1], length[1])
    return np.einsum("yj,xi,jic->yxc", rows, columns, image.astype(np.float64))


def expected(case):
    wide, high = IMAGES["wide"], IMAGES["high"]
    if case == "crop":
        return -((scaled(wide, 6, 8, True) / 255 - MEAN) / STD).transpose(2, 0, 1)[None]
    if case == "stretch":
        return -np.stack([scaled(i, 6, 8, False) / 255 - 0.5 for i in (wide, high)])
    if case == "grey":
        return IMAGES["grey"][..., 0] / -255
    if case == "colours-as-grey":
        return -(scaled(wide, 8, 8, True) @ [0.299, 0.587, 0.114]) / 255
    if case == "bytes":
        return np.floor(scaled(wide, 28, 40, True) + 0.5).transpose(2, 0, 1)
    if case == "jpeg":
        return np.broadcast_to(-np.array([120, 60, 200])[None, :, None, None] / 255, (1, 3, 6, 8))
    raise ValueError(case)


def check(file, case):
    value, wanted = np.load(file), expected(case)
    tolerance = {"jpeg": 2 / 255, "bytes": 1e-6}.get(case, 1e-5)
    assert value.shape == wanted.shape, (value.shape, wanted.shape)
    # A pixel that lies between two numbers may be rounded to either.
    differing = np.abs(value - wanted) > tolerance
    assert differing.sum() <= (value.size // 500 if case == "bytes" else 0), differing.sum()
    print(case, "as expected")


{"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
