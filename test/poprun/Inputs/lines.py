# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many long lines."""

import os

for _ in range(200):
    print(os.environ["POPDIST_INSTANCE_INDEX"] + "x" * 500)
