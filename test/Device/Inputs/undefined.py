# Lists, by target, the symbols that no object of an archive defines.
import json
import sys

targets = {}
for item in json.load(open(sys.argv[1]))["objects"]:
    defined, used = targets.setdefault(item["target"], (set(), set()))
    for symbol in item["symbols"]:
        (defined if symbol["section"] else used).add(symbol["name"])
for target, (defined, used) in targets.items():
    missing = ", ".join(sorted(used - defined)) or "none"
    print(f"{target}: undefined: {missing}")
