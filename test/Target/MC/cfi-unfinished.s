# Frames of .cfi directives may lie in each other, in different sections. One that is not
# finished is an error, whichever it is.
# RUN: %{llvm-mc} -filetype=obj %s -defsym FINISHED=1 -o %t.o
# RUN: not %{llvm-mc} -filetype=obj %s -defsym FINISHED=0 -o %t.o 2>&1 | FileCheck %s
# CHECK: error: a frame begins with .cfi_startproc and is not finished by .cfi_endproc
.text
f:
.cfi_startproc
br $lr
.section .text.g, "ax"
g:
.cfi_startproc
br $lr
.cfi_endproc
.text
.if FINISHED
.cfi_endproc
.endif
