; Sums of products and of halves in the accumulators, where another order and
; products that are not rounded are allowed.
; RUN: %{llc} -O2 -asm-verbose=0 < %s | FileCheck %s
; RUN: %{llc} -O1 -asm-verbose=0 < %s | FileCheck %s --check-prefix=LOW
; RUN: sed 's/nounwind/nounwind optsize/' %s | %{llc} -O2 | FileCheck %s --check-prefix=LOW
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; Two other vectors of four floats are all eight registers: none are left for
; instructions that take four.
; CHECK-LABEL: crowded:
; CHECK-NOT: f32v4
; CHECK: br $m10
define <4 x float> @crowded(i32 %n, ptr %a, ptr %b, ptr %c) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %s = phi <4 x float> [ zeroinitializer, %entry ], [ %s.next, %loop ]
  %t = phi <4 x float> [ zeroinitializer, %entry ], [ %t.next, %loop ]
  %u = phi <4 x float> [ zeroinitializer, %entry ], [ %u.next, %loop ]
  %pc = getelementptr half, ptr %c, i32 %i
  %hc = load <4 x half>, ptr %pc, align 8
  %vc = fpext <4 x half> %hc to <4 x float>
  %pb = getelementptr float, ptr %b, i32 %i
  %vb = load <4 x float>, ptr %pb, align 8
  %bc = fmul fast <4 x float> %vb, %vc
  %u.less = fsub fast <4 x float> %u, %vc
  %u.next = fadd fast <4 x float> %u.less, %bc
  %pa = getelementptr half, ptr %a, i32 %i
  %ha = load <4 x half>, ptr %pa, align 8
  %va = fpext <4 x half> %ha to <4 x float>
  %aa = fmul fast <4 x float> %va, %va
  %both = fadd fast <4 x float> %bc, %aa
  %t.next = fsub fast <4 x float> %t, %both
  %bb = fmul fast <4 x float> %vb, %vb
  %s.more = fadd fast <4 x float> %bc, %s
  %s.next = fadd fast <4 x float> %s.more, %bb
  %next = add nuw i32 %i, 4
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %st = fadd fast <4 x float> %s.next, %t.next
  %stu = fadd fast <4 x float> %st, %u.next
  ret <4 x float> %stu
}

declare float @llvm.vector.reduce.fadd.v2f32(float, <2 x float>)
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
declare half @llvm.vector.reduce.fadd.v4f16(half, <4 x half>)
declare <8 x float> @llvm.fabs.v8f32(<8 x float>)
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare <2 x float> @llvm.fmuladd.v2f32(<2 x float>, <2 x float>, <2 x float>)
declare void @ipu_f32v2mac(<2 x float>, <2 x float>)
declare <2 x float> @ipu_f32v2gina(<2 x float>, i32)
declare void @unknown()

; LOW-NOT: uput
; LOW-NOT: f16v4cmac

; CHECK-LABEL: dot:
; CHECK:       setzi [[EIGHT:\$a[0-9]+]], 8
; CHECK:       uput $FP_CLR, [[EIGHT]]
; CHECK:       rpt {{.*}}, 0
; CHECK-NEXT:  { ld2x64pace [[A:\$a[0-9:]+]], [[B:\$a[0-9:]+]], {{.*}} ; f32v2mac [[A]], [[B]]
; CHECK:       f32v2gina [[SUMS:\$a[0-9:]+]], $a14:15, 0
; CHECK-NEXT:  f32v2add $a0:1, $a{{[0-9]+}}:B, [[SUMS]]
define float @dot(ptr %a, ptr %b, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <2 x float> [ <float 0.0, float -0.0>, %entry ], [ %more, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %pb = getelementptr <2 x float>, ptr %b, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %y = load <2 x float>, ptr %pb, align 8
  %product = fmul fast <2 x float> %x, %y
  %more = fadd fast <2 x float> %sum, %product
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %result = call fast float @llvm.vector.reduce.fadd.v2f32(float -0.0, <2 x float> %more)
  ret float %result
}

; The lanes are used one by one, and start from something.
; CHECK-LABEL: lanes:
; CHECK:       f32v2mac
; CHECK:       f32v2gina [[SUMS:\$a[0-9:]+]], $a14:15, 0
; CHECK:       f32v2add $a0:1, $a{{[0-9:]+}}, [[SUMS]]
define <2 x float> @lanes(ptr %a, ptr %b, i32 %n, <2 x float> %start) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <2 x float> [ %start, %entry ], [ %more, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %pb = getelementptr <2 x float>, ptr %b, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %y = load <2 x float>, ptr %pb, align 8
  %more = call reassoc nsz <2 x float> @llvm.fmuladd.v2f32(<2 x float> %x, <2 x float> %y, <2 x float> %sum)
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret <2 x float> %more
}

; Halves multiplied as they are; the difference has to be computed in floats.
; CHECK-LABEL: wide:
; CHECK:       uput $FP_CLR
; CHECK:       f16v4cmac
; CHECK-NOT:   f16v2tof32
; CHECK:       f32v2gina
; CHECK-NOT:   f32v2gina
; CHECK-LABEL: difference:
; CHECK:       rpt {{.*}}
; CHECK-DAG:   f16v2tof32
; CHECK-DAG:   f32v4sqacc
; CHECK:       f32v2gina
define float @wide(ptr %a, ptr %b, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <4 x half>, ptr %a, i32 %i
  %pb = getelementptr <4 x half>, ptr %b, i32 %i
  %ha = load <4 x half>, ptr %pa, align 8
  %hb = load <4 x half>, ptr %pb, align 8
  %x = fpext <4 x half> %ha to <4 x float>
  %y = fpext <4 x half> %hb to <4 x float>
  %product = fmul fast <4 x float> %x, %y
  %more = fadd fast <4 x float> %product, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %result = call fast float @llvm.vector.reduce.fadd.v4f32(float -0.0, <4 x float> %more)
  ret float %result
}

define float @difference(ptr %a, i32 %n, <4 x float> %mean) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <4 x half>, ptr %a, i32 %i
  %ha = load <4 x half>, ptr %pa, align 8
  %x = fpext <4 x half> %ha to <4 x float>
  %d = fsub fast <4 x float> %x, %mean
  %square = fmul fast <4 x float> %d, %d
  %more = fadd fast <4 x float> %square, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %result = call fast float @llvm.vector.reduce.fadd.v4f32(float -0.0, <4 x float> %more)
  ret float %result
}

; Four sums, as floats and as halves.
; CHECK-LABEL: halves:
; CHECK:       uput $FP_CLR
; CHECK:       { ld64step [[H:\$a[0-9:]+]], {{.*}} ; f16v4acc [[H]]
; CHECK:       f32v2gina
; CHECK:       f32v2gina
; CHECK-LABEL: narrow:
; CHECK:       f16v4acc
; CHECK:       f16v4gacc
define float @halves(ptr %a, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <4 x half>, ptr %a, i32 %i
  %ha = load <4 x half>, ptr %pa, align 8
  %x = fpext <4 x half> %ha to <4 x float>
  %more = fadd fast <4 x float> %x, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %result = call fast float @llvm.vector.reduce.fadd.v4f32(float -0.0, <4 x float> %more)
  ret float %result
}

define <4 x half> @narrow(ptr %a, i32 %n, <4 x half> %start) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x half> [ %start, %entry ], [ %more, %loop ]
  %pa = getelementptr <4 x half>, ptr %a, i32 %i
  %x = load <4 x half>, ptr %pa, align 8
  %more = fadd fast <4 x half> %x, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret <4 x half> %more
}

; Four floats, their squares, and eight halves an instruction, as fast as two
; loads bring them. Nothing is stored on the way.
; CHECK-LABEL: floats:
; CHECK:       uput $FP_CLR
; CHECK:       tapack [[PAIR:\$m[0-9:]+]]
; CHECK:       setzi [[TWO:\$m[0-9]+]], 2
; CHECK:       rpt {{.*}}, 0
; CHECK-NEXT:  { ld2x64pace $a{{[0-9:]+}}, $a{{[0-9:]+}}, [[PAIR]]+=, [[TWO]], 5 ; f32v4acc $a{{0:3|4:7}} }
; CHECK-NOT:   st64
; CHECK-COUNT-2: f32v2gina
define float @floats(ptr %a, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <4 x float>, ptr %a, i32 %i
  %x = load <4 x float>, ptr %pa, align 8
  %more = fadd fast <4 x float> %x, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %result = call fast float @llvm.vector.reduce.fadd.v4f32(float -0.0, <4 x float> %more)
  ret float %result
}
; CHECK-LABEL: norm:
; CHECK:       ld2x64pace {{.*}} ; f32v4sqacc
define <4 x float> @norm(ptr %a, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <4 x float>, ptr %a, i32 %i
  %x = load <4 x float>, ptr %pa, align 8
  %more = call fast <4 x float> @llvm.fmuladd.v4f32(<4 x float> %x, <4 x float> %x, <4 x float> %sum)
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret <4 x float> %more
}
; CHECK-LABEL: eights:
; CHECK:       ld2x64pace {{.*}} ; f16v8absacc
; CHECK-COUNT-4: f32v2gina
define <8 x float> @eights(ptr %a, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <8 x half>, ptr %a, i32 %i
  %ha = load <8 x half>, ptr %pa, align 8
  %x = fpext <8 x half> %ha to <8 x float>
  %m = call <8 x float> @llvm.fabs.v8f32(<8 x float> %x)
  %more = fadd fast <8 x float> %m, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret <8 x float> %more
}

; A sum of halves is rounded once.
; CHECK-LABEL: squares:
; CHECK:       f16v4cmac [[X:\$a[0-9:]+]], [[X]]
; CHECK:       f32v2gina
; CHECK:       f32tof16
define half @squares(ptr %a, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x half> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <4 x half>, ptr %a, i32 %i
  %x = load <4 x half>, ptr %pa, align 8
  %square = fmul fast <4 x half> %x, %x
  %more = fadd fast <4 x half> %square, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %result = call fast half @llvm.vector.reduce.fadd.v4f16(half -0.0, <4 x half> %more)
  ret half %result
}

; In order; with a rounded product; where the lanes of halves count; where the
; sign of a zero does; with a call.
; CHECK-LABEL: ordered:
; CHECK-NOT:   uput
; CHECK-LABEL: user:
; CHECK-NOT:   uput
define <2 x float> @ordered(ptr %a, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %square = fmul contract <2 x float> %x, %x
  %more = fadd contract nsz <2 x float> %square, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret <2 x float> %more
}

define <2 x float> @rounded(ptr %a, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %square = fmul reassoc nsz <2 x float> %x, %x
  %more = fadd reassoc nsz <2 x float> %square, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret <2 x float> %more
}

define <4 x half> @half_lanes(ptr %a, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x half> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <4 x half>, ptr %a, i32 %i
  %x = load <4 x half>, ptr %pa, align 8
  %square = fmul fast <4 x half> %x, %x
  %more = fadd fast <4 x half> %square, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret <4 x half> %more
}

define float @signed_zero(ptr %a, i32 %n, float %start) nounwind {
entry:
  %first = insertelement <2 x float> <float -0.0, float -0.0>, float %start, i32 0
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <2 x float> [ %first, %entry ], [ %more, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %more = call reassoc <2 x float> @llvm.fmuladd.v2f32(<2 x float> %x, <2 x float> %x, <2 x float> %sum)
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %result = call reassoc float @llvm.vector.reduce.fadd.v2f32(float -0.0, <2 x float> %more)
  ret float %result
}

define <2 x float> @calls(ptr %a, i32 %n) nounwind {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %square = fmul fast <2 x float> %x, %x
  %more = fadd fast <2 x float> %square, %sum
  %ignored = call <2 x float> @lanes(ptr %a, ptr %a, i32 1, <2 x float> zeroinitializer)
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret <2 x float> %more
}

; One that uses accumulators itself, and one whose callee calls something unknown.
define <2 x float> @user(ptr %a, <2 x float> %y, i32 %n) nounwind {
entry:
  call void @ipu_f32v2mac(<2 x float> %y, <2 x float> %y)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %square = fmul fast <2 x float> %x, %x
  %more = fadd fast <2 x float> %square, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  %own = call <2 x float> @ipu_f32v2gina(<2 x float> zeroinitializer, i32 0)
  %both = fadd <2 x float> %own, %more
  ret <2 x float> %both
}

define void @caller() nounwind {
  call void @unknown()
  ret void
}

define <2 x float> @outer(ptr %a, i32 %n) nounwind {
entry:
  call void @caller()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %loop ]
  %pa = getelementptr <2 x float>, ptr %a, i32 %i
  %x = load <2 x float>, ptr %pa, align 8
  %square = fmul fast <2 x float> %x, %x
  %more = fadd fast <2 x float> %square, %sum
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  call void @caller()
  ret <2 x float> %more
}
