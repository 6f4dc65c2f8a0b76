# .cfi directives are for debuggers only, so they go to .debug_frame: nothing unwinds on
# a tile.
# RUN: popc --target=ipu2 -c %s -o %t.o
# RUN: llvm-readelf -S %t.o | FileCheck %s
# CHECK-NOT: .eh_frame
# CHECK: .debug_frame
f:
.cfi_startproc
add $m0, $m0, 1
.cfi_def_cfa_offset 8
br $lr
.cfi_endproc
