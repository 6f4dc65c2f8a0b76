# Writes copies of a model whose weights lie in other files: good.onnx, and some
# that must be refused. The fields are written by hand, for protobuf's Python classes
# of ONNX need not be there: external data are fields 13 and 14 of a TensorProto.
import os
import subprocess
import sys

source, folder = sys.argv[1], sys.argv[2]
text = subprocess.run(
    ["protoc", "--decode=onnx.ModelProto", "-I/usr/include/onnx", "onnx.proto"],
    stdin=open(source, "rb"), capture_output=True, check=True).stdout.decode(
        "latin-1")


def external(location):
    """The text of the model with raw data moved to `location`; the data."""
    lines, data, inside = [], b"", False
    for line in text.splitlines():
        if line.startswith("  initializer {"):
            inside = True
        elif line == "  }":
            inside = False
        if inside and line.strip().startswith("raw_data: "):
            raw = line.strip()[len('raw_data: "'):-1].encode("latin-1")
            raw = raw.decode("unicode_escape").encode("latin-1")
            for key, value in (("location", location), ("offset", len(data)),
                               ("length", len(raw))):
                lines.append('    external_data { key: "%s" value: "%s" }'
                             % (key, value))
            lines.append("    data_location: EXTERNAL")
            data += raw
        else:
            lines.append(line)
    return "\n".join(lines), data


for name, location in (("good", "weights.bin"), ("outside", "../weights.bin"),
                       ("missing", "nowhere.bin"), ("short", "short.bin")):
    model, data = external(location)
    encoded = subprocess.run(
        ["protoc", "--encode=onnx.ModelProto", "-I/usr/include/onnx", "onnx.proto"],
        input=model.encode("latin-1"), capture_output=True, check=True).stdout
    with open(os.path.join(folder, name + ".onnx"), "wb") as file:
        file.write(encoded)
    if name == "good":
        for path in ("weights.bin", "../weights.bin"):
            with open(os.path.join(folder, path), "wb") as file:
                file.write(data)
with open(os.path.join(folder, "short.bin"), "wb") as file:
    file.write(b"0123456789")
