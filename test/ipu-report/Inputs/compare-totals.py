"""Compares totals of a page (totals.js) with those of ipu-report --json.

    compare-totals.py REPORT.json PAGE.txt
"""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    page = file.read()
memory = report["memory"]
expected = {
    r"use of the fullest tile adds up to (\d+)": memory["fullest_bytes"],
    r"live, always: (\d+)": memory["always_live_bytes"],
    r"live, both: (\d+)": memory["peak_live_bytes"],
}
if "cycles" in report:
    expected[r"activities add up to (\d+)"] = report["cycles"]["total"]
if not report["fits"]:
    expected[r"says too much 1, tile (\d+)"] = memory["fullest_tile"]
for pattern, number in expected.items():
    found = re.search(pattern, page)
    if not found or int(found[1]) != number:
        print(pattern, "differs:", found and found[1], "for", number)
if sum(memory["categories"].values()) != memory["bytes"]:
    print("categories differ from all memory")
print("compared")
