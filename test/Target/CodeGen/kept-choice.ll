; A value that goes round a loop and is either kept or replaced stays in its register.
; RUN: %{llc} -O2 -asm-verbose=0 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: search:
; CHECK:     cmpslt [[LESS:\$m[0-9]+]]
; CHECK-NOT: mov
; CHECK-DAG: movnz $m{{[0-9]+}}, [[LESS]]
; CHECK-DAG: movz $m{{[0-9]+}}, [[LESS]]
; CHECK-NOT: mov
; CHECK:     brnz
define i32 @search(ptr %table, i32 %n, i32 %wanted) {
entry:
  br label %loop
loop:
  %low = phi i32 [ 0, %entry ], [ %low1, %loop ]
  %high = phi i32 [ %n, %entry ], [ %high1, %loop ]
  %sum = add i32 %low, %high
  %middle = lshr i32 %sum, 1
  %p = getelementptr i32, ptr %table, i32 %middle
  %x = load i32, ptr %p
  %less = icmp slt i32 %x, %wanted
  %behind = add nuw i32 %middle, 1
  %low1 = select i1 %less, i32 %behind, i32 %low
  %high1 = select i1 %less, i32 %high, i32 %middle
  %again = icmp ult i32 %low1, %high1
  br i1 %again, label %loop, label %end
end:
  ret i32 %low1
}
