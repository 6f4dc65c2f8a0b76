# An alignment that no place on a tile has is an error at its line; 31 would ask for 2 GiB of
# padding.
# RUN: not %{llvm-mc} -filetype=obj %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

.text
  nop
.p2align 10
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: an alignment of 2147483648 bytes is more than a tile's memory has
.p2align 31
.data
.byte 1
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: an alignment of 2097152 bytes is more than a tile's memory has
.p2align 21
.balign 16
