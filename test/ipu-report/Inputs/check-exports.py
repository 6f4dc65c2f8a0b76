# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the exports of lines with the views' JSON; reads pprof's wire format itself."""

import collections
import json


def fields(data):
    """Numbers and values of a protobuf message's fields."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size


def varints(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values


lines = json.load(open("source.json"))["lines"]
vertex = json.load(open("vertex.json"))["vertices"][0]

by_line = collections.defaultdict(lambda: [0, 0, 0, 0])
for code in vertex["code"]:
    entry = by_line[code["line"]]
    entry[0] += code["cycles"]
    entry[1] += max(0, code["cycles"] - 6 * code["times"])
    entry[2] += code["times"]
    entry[3] = max(entry[3], code["times"])
view = collections.defaultdict(lambda: [0, 0, 0, 0])
for line in lines:
    entry = view[line["line"]]
    for i, name in enumerate(("cycles", "stalls", "bundles")):
        entry[i] += line[name]
    entry[3] = max(entry[3], line["times"])
print("lines of the view:", view == by_line)

total = sum(line["cycles"] for line in lines)
print("folded:", sum(int(row.rsplit(" ", 1)[1]) for row in open("good.folded")) == total)

profile = list(fields(open("good.pb", "rb").read()))
strings = [value.decode() for field, value in profile if field == 6]
types = [dict(fields(value)) for field, value in profile if field == 1]
locations = {}
for field, value in profile:
    if field == 4:
        parts = dict(fields(value))
        locations[parts[1]] = dict(fields(parts[4])).get(2, 0)
found = collections.Counter()
for field, value in profile:
    if field == 2:
        sample = dict(fields(value))
        for i, number in enumerate(varints(sample[2])):
            found[locations[varints(sample[1])[0]], i] += number
expected = {(line, i): by_line[line][i] for line in by_line for i in range(3)}
print("pprof:", all(found[key] == value for key, value in expected.items()),
      [(strings[t[1]], strings[t[2]]) for t in types])

counts, summary = {}, {}
for row in open("good.info"):
    kind, _, rest = row.strip().partition(":")
    if kind == "DA":
        line, times = rest.split(",")
        counts[int(line)] = int(times)
    elif kind in ("LF", "LH"):
        summary[kind] = int(rest)
matches = counts == {line: entry[3] for line, entry in by_line.items() if line}
sums = {"LF": len(counts), "LH": sum(times != 0 for times in counts.values())}
print(f"lcov: {matches}, lines found and hit: {summary == sums}")
