# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damaged_objects.py FOLDER: changes fields of ELF headers in an archive, one at a time."""

import struct
import subprocess
import sys

folder = sys.argv[1]
source, archive, damaged = (f"{folder}/{name}" for name in ("a.cpp", "a.gp", "damaged.gp"))
with open(source, "w") as file:
    file.write("""#include <poplar/Vertex.hpp>
#include <cmath>
class Scale : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> data;
  bool compute() { for (float &x : data) x = std::exp(x) * 2; return true; }
};
""")
subprocess.run(["popc", "-g", "--target=ipu2", source, "-o", archive], check=True)
good = open(archive, "rb").read()


def places():
    """Offsets of fields in the headers of the tables of symbols, names and relocations: where they
    are, how long, of which other section, and with entries of which size."""
    at = good.find(b"\x7fELF")
    while at != -1:
        wide = good[at + 4] == 2
        header = struct.unpack_from("<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH", good, at + 16)
        table, entry, number = header[5], header[10], header[11]
        for section in range(number):
            start = at + table + section * entry
            kind, = struct.unpack_from("<I", good, start + 4)
            if kind in (2, 3, 4, 11):  # symbols, names, relocations, dynamic symbols
                for field in (24, 32, 40, 56) if wide else (16, 20, 24, 36):
                    yield start + field
        at = good.find(b"\x7fELF", at + 4)


tried = refused = 0
for place in places():
    for value in (0xFFFFFFFF, 0x00000101):
        with open(damaged, "wb") as file:
            file.write(good[:place] + struct.pack("<I", value) + good[place + 4:])
        result = subprocess.run(
            ["gp-dump", "--target=ipu2", "-d", "--symbols", damaged], capture_output=True)
        assert result.returncode in (0, 1), (place, value, result)
        if result.returncode == 1:
            assert result.stderr.startswith(b"gp-dump: error: "), (place, value, result.stderr)
            assert result.stderr.count(b"\n") == 1, (place, value, result.stderr)
            refused += 1
        tried += 1
print(tried, "damaged archives,", refused, "of them refused")
