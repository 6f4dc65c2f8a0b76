# How lit runs the GoogleTest programs of bin/unit: every test case of every program
# whose name ends in "Tests".
import os

import lit.formats

config.name = "Populus-Unit"
config.suffixes = []
config.test_source_root = os.path.join(config.populus_build_dir, "bin", "unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
