# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs reach of PopART's own objects."""
