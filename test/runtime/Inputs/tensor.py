# Writes test tensors of floats without any library: tensor.py FILE.npy VALUES
# (2 x 2, or flat with --flat before them), or FILE.pb NAME VALUES as an ONNX
# TensorProto.
import struct
import sys

path, args = sys.argv[1], sys.argv[2:]
flat = "--flat" in args
if flat:
    args.remove("--flat")
if path.endswith(".npy"):
    values = [float(a) for a in args]
    shape = f"({len(values)},)" if flat else "(2, 2)"
    header = ("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % shape)
    header = header.ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    data += struct.pack(f"<{len(values)}f", *values)
else:
    name, values = args[0].encode(), [float(a) for a in args[1:]]
    raw = struct.pack(f"<{len(values)}f", *values)
    # dims (field 1), data_type float (2), name (8), raw_data (9)
    dims = [len(values)] if flat else [2, 2]
    data = b"".join(b"\x08" + bytes([d]) for d in dims)
    data += b"\x10\x01" + b"\x42" + bytes([len(name)]) + name
    data += b"\x4a" + bytes([len(raw)]) + raw
with open(path, "wb") as file:
    file.write(data)
