#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a set of drawn digits in the files and the format of MNIST.

Each digit is a character of 5 x 7 dots that is enlarged, moved, slanted and
smeared at random, so that a program has something to learn. Nothing is
downloaded, and a seed makes the same files each time.

usage: make_digits.py FOLDER [NUMBER-OF-TRAINING-IMAGES [NUMBER-OF-TEST-IMAGES]]
"""

import os
import random
import struct
import sys

SIZE = 28

# Rows of dots, from the top; bit 4 is the leftmost one.
FONT = [
    (14, 17, 19, 21, 25, 17, 14),
    (4, 12, 4, 4, 4, 4, 14),
    (14, 17, 1, 2, 4, 8, 31),
    (31, 2, 4, 2, 1, 17, 14),
    (2, 6, 10, 18, 31, 2, 2),
    (31, 16, 30, 1, 1, 17, 14),
    (6, 8, 16, 30, 17, 17, 14),
    (31, 1, 2, 4, 8, 8, 8),
    (14, 17, 17, 14, 17, 17, 14),
    (14, 17, 17, 15, 1, 2, 12),
]


def draw(digit, rng):
    """An image as SIZE * SIZE bytes, 0 for the background."""
    scale_x = rng.uniform(2.6, 3.6)
    scale_y = rng.uniform(2.4, 3.2)
    left = (SIZE - 5 * scale_x) / 2 + rng.uniform(-2, 2)
    top = (SIZE - 7 * scale_y) / 2 + rng.uniform(-2, 2)
    slant = rng.uniform(-0.15, 0.15)
    ink = rng.uniform(160, 255)
    pixels = bytearray(SIZE * SIZE)
    for y in range(SIZE):
        row = int((y - top) // scale_y)
        if not 0 <= row < 7:
            continue
        for x in range(SIZE):
            column = int((x - left + slant * (y - SIZE / 2)) // scale_x)
            if 0 <= column < 5 and FONT[digit][row] >> (4 - column) & 1:
                pixels[y * SIZE + x] = int(ink * rng.uniform(0.7, 1.0))
    return pixels


def write_set(folder, name, count, rng):
    labels = bytes(rng.randrange(10) for _ in range(count))
    with open(os.path.join(folder, name + "-images-idx3-ubyte"), "wb") as file:
        file.write(struct.pack(">4I", 0x803, count, SIZE, SIZE))
        for label in labels:
            file.write(draw(label, rng))
    with open(os.path.join(folder, name + "-labels-idx1-ubyte"), "wb") as file:
        file.write(struct.pack(">2I", 0x801, count))
        file.write(labels)


def main():
    if len(sys.argv) < 2 or len(sys.argv) > 4:
        sys.exit(__doc__.strip().splitlines()[-1])
    folder = sys.argv[1]
    train = int(sys.argv[2]) if len(sys.argv) > 2 else 6000
    test = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(1)
    write_set(folder, "train", train, rng)
    write_set(folder, "t10k", test, rng)


main()
