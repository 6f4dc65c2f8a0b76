# Compares the output of popart-compile --list-operators (standard input) with the
# list in the named file, and prints what is missing.
import sys

listed = {}
for line in sys.stdin:
    name, versions = line.split(" ", 1)
    listed[name] = {int(version) for version in versions.split(",")}
missing = []
for line in open(sys.argv[1]):
    name, *versions = line.split()
    if name != "#":
        missing += [f"{name}-{version}" for version in map(int, versions)
                    if version not in listed.get(name, ())]
print("missing:", *missing or ["nothing"])
