# Configures lit for the GoogleTest programs of bin/unit: every test case of every
# program whose name ends in "Tests".
import os

import lit.formats

config.name = "Populus-Unit"
config.suffixes = []
config.test_source_root = os.path.join(config.populus_build_dir, "bin", "unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
# So that the suite can be run with one engine.
if "POPULUS_ENGINE" in os.environ:
    config.environment["POPULUS_ENGINE"] = os.environ["POPULUS_ENGINE"]

# check-quick leaves some out.
if "unit_tests" in lit_config.params:
    config.environment["GTEST_FILTER"] = lit_config.params["unit_tests"]

# Verify the lowering in every test that compiles a graph.
config.environment["POPULUS_VERIFY_LOWERING"] = "1"

# Code that tests translate is kept in the build tree.
config.environment["POPULUS_TRANSLATION_CACHE"] = os.path.join(
    config.populus_build_dir, "translation-cache")

# So are the headers that tests' codelets begin with.
config.environment["POPULUS_HEADER_CACHE"] = os.path.join(
    config.populus_build_dir, "header-cache")

# So are the codelets that libraries write.
config.environment["POPULUS_CODELET_CACHE"] = os.path.join(
    config.populus_build_dir, "codelet-cache")
