# Errors that are known only after layout; none may end the assembler.
# RUN: not %{llvm-mc} -filetype=obj %s -o %t.o 2>&1 | FileCheck %s

# CHECK: error: the size of 'function' must be a constant
.section .text.function, "ax"
.type function, @function
function:
  br $lr
.size function, elsewhere - function
