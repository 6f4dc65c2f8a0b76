"""Lists the operators that the headers named by the arguments have identifiers of, as
popart-compile/Inputs/guide_operators.py reads them: a name and a version on each line."""
import re
import sys

DOMAINS = {"ai_onnx": "", "ai_graphcore": "ai.graphcore."}
for name in sys.argv[1:]:
    with open(name) as file:
        text = file.read()
    for domain, operator, version in re.findall(
            r'OperatorIdentifier\s+\w+\(Domain::(\w+),\s*"(\w+)",\s*(\d+)\)', text):
        print(DOMAINS[domain] + operator, version)
