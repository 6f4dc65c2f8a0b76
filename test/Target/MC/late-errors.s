# Errors that are known only after layout; none may end the assembler.
# RUN: not %{llvm-mc} -filetype=obj %s -o %t.o 2>&1 | FileCheck %s

# CHECK-DAG: error: the size of 'function' must be a constant
.section .text.function, "ax"
.type function, @function
function:
  br $lr
.size function, elsewhere - function

# CHECK-DAG: error: the value of 'remainder' must be a constant, or a symbol and a constant
remainder = elsewhere % function
# CHECK-DAG: error: the value of 'sum' must be a constant, or a symbol and a constant
.set sum, elsewhere + function
fine = elsewhere + 4
known = (. - function) % 3
