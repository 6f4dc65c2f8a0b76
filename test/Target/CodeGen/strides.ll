; A stride that a register holds is part of the access, in units of its size.
; RUN: %{llc} -O2 -asm-verbose=0 -verify-machineinstrs < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: column:
; CHECK:       shrs [[S:\$m[0-9]+]], $m2, 2
; CHECK:       rpt {{.*}}, 0
; CHECK-NEXT:  { ld32step $a{{[0-9]+}}, $m15, $m0+=, [[S]] ; f32add
define float @column(ptr %a, i32 %n, i32 %bytes) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr [ %a, %entry ], [ %q, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %x = load float, ptr %p, align 4
  %more = fadd float %sum, %x
  %q = getelementptr i8, ptr %p, i32 %bytes
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret float %more
}

; Bytes are units already. Words of the main file are stored without strides.
; CHECK-LABEL: bytes:
; CHECK-NOT:   shrs
; CHECK:       ldz8step $m{{[0-9]+}}, $m15, $m0+=, $m2
; CHECK-LABEL: words:
; CHECK:       shrs [[S:\$m[0-9]+]], $m3, 2
; CHECK:       ld32step $m{{[0-9]+}}, $m15, $m1+=, [[S]]
; CHECK:       add $m0, $m0, $m
define i32 @bytes(ptr %a, i32 %n, i32 %bytes) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr [ %a, %entry ], [ %q, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %x = load i8, ptr %p
  %wide = zext i8 %x to i32
  %more = add i32 %sum, %wide
  %q = getelementptr i8, ptr %p, i32 %bytes
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %more
}
define void @words(ptr noalias %to, ptr noalias %from, i32 %n, i32 %bytes, i32 %others) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr [ %from, %entry ], [ %p.next, %loop ]
  %q = phi ptr [ %to, %entry ], [ %q.next, %loop ]
  %x = load i32, ptr %p, align 4
  %y = shl i32 %x, 1
  store i32 %y, ptr %q, align 4
  %p.next = getelementptr i8, ptr %p, i32 %bytes
  %q.next = getelementptr i8, ptr %q, i32 %others
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A pointer that is needed after the loop moves by the bytes.
; CHECK-LABEL: kept:
; CHECK-NOT:   shrs
; CHECK:       add $m0, $m0, $m2
define ptr @kept(ptr %a, i32 %n, i32 %bytes, ptr %to) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = phi ptr [ %a, %entry ], [ %q, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %x = load float, ptr %p, align 4
  %more = fadd float %sum, %x
  %q = getelementptr i8, ptr %p, i32 %bytes
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  store float %more, ptr %to, align 4
  ret ptr %q
}
