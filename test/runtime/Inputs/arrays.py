# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the files of NumPy and the raw ones of inputs.test to the working directory."""
import numpy as np

value = np.array([[1, 2], [3, 4]], np.float32)
np.savez("stored.npz", other=np.zeros(3), **{"in": value})
np.savez_compressed("packed.npz", other=np.zeros(1000), **{"in": value})
np.savez("only.npz", x=value)
np.savez("others.npz", a=value, b=value)
np.save("columns.npy", np.asfortranarray(value))
np.savez("columns.npz", **{"in": np.asfortranarray(value)})
value.tofile("in.bin")
open("odd.bin", "wb").write(bytes(15))
