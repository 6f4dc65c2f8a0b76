; A multiple of one vector added to another is one instruction in a loop, where
; the product need not be rounded.
; RUN: %{llc} -O2 -asm-verbose=0 < %s | FileCheck %s
; RUN: %{llc} -O1 -asm-verbose=0 < %s | FileCheck %s --check-prefix=LOW
; RUN: sed 's/nounwind/nounwind optsize/' %s | %{llc} -O2 | FileCheck %s --check-prefix=LOW
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

declare <2 x float> @llvm.fmuladd.v2f32(<2 x float>, <2 x float>, <2 x float>)
declare void @ipu_f32v2mac(<2 x float>, <2 x float>)

; LOW-NOT: axpy

; Four stages: the first result comes from the second f32v2axpy, the last one
; from f32v2gina. Less than three iterations go their own way.
; CHECK-LABEL: scaled:
; CHECK:       uput $FP_CLR
; CHECK:       uput $TAS, $a0
; CHECK:       cmpult [[FEW:\$m[0-9]+]], [[COUNT:\$m[0-9]+]], 3
; CHECK-NEXT:  brnz [[FEW]], [[LOOP:\.L[A-Z0-9_]+]]
; CHECK:       f32v2axpy $a14:15, [[X:\$a[0-9:]+]], [[Y:\$a[0-9:]+]]
; CHECK:       f32v2axpy [[R:\$a[0-9:]+]], [[X]], [[Y]]
; CHECK:       rpt {{.*}}, 0
; CHECK-NEXT:  { ld2xst64pace {{.*}}, [[R]], {{.*}} ; f32v2axpy [[R]], [[X]], [[Y]] }
; CHECK:       { st64pace [[R]], {{.*}} ; f32v2axpy [[R]], [[X]], [[Y]] }
; CHECK-NEXT:  { st64pace [[R]], {{.*}} ; f32v2gina [[R]], $a14:15, 0 }
; CHECK-NEXT:  st64pace [[R]]
; CHECK:       [[LOOP]]:
; CHECK:       add [[COUNT]], [[COUNT]], -1
; CHECK:       f32v2axpy $a14:15,
; CHECK:       f32v2gina
; CHECK:       st64step
; CHECK-NEXT:  brnz [[COUNT]], [[LOOP]]
define void @scaled(ptr noalias %to, ptr noalias %a, ptr noalias %b, i32 %n, float %s) nounwind {
entry:
  %one = insertelement <2 x float> poison, float %s, i32 0
  %factor = shufflevector <2 x float> %one, <2 x float> poison, <2 x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %pb = getelementptr <2 x float>, ptr %b, i32 %i
  %pt = getelementptr <2 x float>, ptr %to, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %y = load <2 x float>, ptr %pb, align 8
  %sum = call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %x, <2 x float> %factor, <2 x float> %y)
  store <2 x float> %sum, ptr %pt, align 8
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; A constant, of a product and a sum that may be contracted; not without leave.
; CHECK-LABEL: constant:
; CHECK:       uput $TAS
; CHECK:       rpt
; CHECK:       f32v2axpy
; CHECK-LABEL: rounded:
; CHECK-NOT:   axpy
; CHECK:       f32v2mul
; CHECK-NOT:   axpy
; CHECK:       f32v2add
; CHECK-NOT:   axpy
define void @constant(ptr noalias %to, ptr noalias %a, i32 %n, <2 x float> %y) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %pt = getelementptr <2 x float>, ptr %to, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %p = fmul contract <2 x float> %x, <float 3.0, float 3.0>
  %sum = fadd contract <2 x float> %y, %p
  store <2 x float> %sum, ptr %pt, align 8
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
define void @rounded(ptr noalias %to, ptr noalias %a, i32 %n, <2 x float> %y) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %pt = getelementptr <2 x float>, ptr %to, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %p = fmul <2 x float> %x, <float 3.0, float 3.0>
  %sum = fadd contract <2 x float> %y, %p
  store <2 x float> %sum, ptr %pt, align 8
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; What the next iteration waits for gains nothing.
; CHECK-LABEL: horner:
; CHECK-NOT:   axpy
define <2 x float> @horner(ptr %a, i32 %n, <2 x float> %start) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <2 x float> [ %start, %entry ], [ %more, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %more = call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %sum, <2 x float> <float 3.0, float 3.0>, <2 x float> %x)
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret <2 x float> %more
}

; The accumulators are the program's own.
; CHECK-LABEL: owner:
; CHECK-NOT:   axpy
define void @owner(ptr noalias %to, ptr noalias %a, i32 %n, <2 x float> %y) nounwind {
entry:
  call void @ipu_f32v2mac(<2 x float> %y, <2 x float> %y)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %pt = getelementptr <2 x float>, ptr %to, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %sum = call <2 x float> @llvm.fmuladd.v2f32(<2 x float> %x, <2 x float> <float 3.0, float 3.0>, <2 x float> %y)
  store <2 x float> %sum, ptr %pt, align 8
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
