"""Two files of `ipu-run --stats=json` must agree in all that the machine decides."""
import json
import sys

one, two = (json.load(open(path)) for path in sys.argv[1:])
for key in ("cycles", "bundles", "seconds_at_clock", "tile_balance"):
    assert one[key] == two[key], (key, one[key], two[key])
assert one["cycles"]["compute"] > 0
assert (one["threads"], two["threads"]) == (1, 2)
