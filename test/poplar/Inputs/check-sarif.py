# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a SARIF log: everything that version 2.1.0 of the format requires is
there, of the right type, and every result is on a line that says `mistake`.

    python3 check-sarif.py LOG.sarif SOURCE
"""

import json
import sys
import urllib.parse

# Values of `level`
LEVELS = {"none", "note", "warning", "error"}


def require(thing, name, kind):
    value = thing[name]
    assert isinstance(value, kind), f"{name} is {value!r}"
    return value


def check_message(thing):
    assert require(thing, "text", str)


def check_location(location, source_lines, source):
    physical = location.get("physicalLocation")
    for logical in location.get("logicalLocations", []):
        require(logical, "name", str)
    if physical is None:
        return None
    uri = require(require(physical, "artifactLocation", dict), "uri", str)
    path = urllib.parse.unquote(urllib.parse.urlparse(uri).path)
    assert path.endswith(source.rsplit("/", 1)[-1]), path
    line = require(require(physical, "region", dict), "startLine", int)
    assert line >= 1
    assert "mistake" in source_lines[line - 1], source_lines[line - 1]
    return path


def check_result(result, rules, source_lines, source):
    check_message(require(result, "message", dict))
    assert result["level"] in LEVELS
    assert rules[require(result, "ruleIndex", int)]["id"] == result["ruleId"]
    assert require(result, "occurrenceCount", int) >= 1
    for other in result.get("relatedLocations", []):
        check_message(require(other, "message", dict))
    return {check_location(location, source_lines, source)
            for location in require(result, "locations", list)}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        log = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        source_lines = file.read().splitlines()
    assert log["version"] == "2.1.0"
    assert require(log, "$schema", str).endswith("sarif-2.1.0.json")
    files, count = set(), 0
    for run in require(log, "runs", list):
        driver = require(require(run, "tool", dict), "driver", dict)
        assert require(driver, "name", str)
        rules = require(driver, "rules", list)
        assert len({require(rule, "id", str) for rule in rules}) == len(rules)
        for rule in rules:
            check_message(require(rule, "shortDescription", dict))
        for result in require(run, "results", list):
            files |= check_result(result, rules, source_lines, sys.argv[2])
            count += 1
    print(f"{count} results in {len(files)} file")


main()
