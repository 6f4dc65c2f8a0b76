; Halves are computed by the instructions for two of them; what those lack is done in
; float. The upper half of the register repeats the lower one.
; RUN: %{llc} -O0 < %s -o /dev/null
; RUN: %{llc} -O2 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: arithmetic:
; CHECK: f16v2add [[X:\$a[0-9]]], $a0, $a1
; CHECK-NOT: f16tof32
; CHECK: f16v2mul
; CHECK: f16v2sub
; CHECK: { br $m10 ; f16v2max
define half @arithmetic(half %a, half %b) {
  %x = fadd half %a, %b
  %y = fmul half %x, %b
  %z = fsub half %y, %a
  %r = call half @llvm.maxnum.f16(half %z, half %b)
  ret half %r
}

; A constant is in both halves: 2.5 is 0x4100.
; CHECK-LABEL: constant:
; CHECK: setzi [[C:\$a[0-9]]], 16640
; CHECK: or [[C]], [[C]], 0x41000000
; CHECK: f16v2mul $a0, $a0, [[C]]
define half @constant(half %a) {
  %r = fmul half %a, 2.5
  ret half %r
}

; CHECK-LABEL: inFloat:
; CHECK-COUNT-2: f16tof32
; CHECK: f32div
; CHECK: f32tof16
; CHECK: f16tof32
; CHECK: f32sqrt
; CHECK: f32tof16
define half @inFloat(half %a, half %b) {
  %x = fdiv half %a, %b
  %r = call half @llvm.sqrt.f16(half %x)
  ret half %r
}

; CHECK-LABEL: functions:
; CHECK: f16v2exp $a0, $a0
; CHECK: f16v2ln $a0, $a0
; CHECK: f16v2exp2 $a0, $a0
; CHECK: f16v2log2 $a0, $a0
; CHECK: f16v2tanh $a0, $a0
define half @functions(half %a) {
  %e = call half @llvm.exp.f16(half %a)
  %l = call half @llvm.log.f16(half %e)
  %e2 = call half @llvm.exp2.f16(half %l)
  %l2 = call half @llvm.log2.f16(half %e2)
  %t = call half @llvm.tanh.f16(half %l2)
  ret half %t
}

; CHECK-LABEL: negate:
; CHECK: setzi [[S:\$a[0-9]]], 32768
; CHECK: or [[S]], [[S]], 0x80000000
; CHECK: f16v2sub $a0, [[S]], $a0
define half @negate(half %a) {
  %n = fneg half %a
  ret half %n
}

; CHECK-LABEL: sign:
; CHECK-DAG: and {{\$a[0-9], \$a1}}
; CHECK-DAG: andc {{\$a[0-9], \$a0}}
; CHECK: or $a0
define half @sign(half %a, half %b) {
  %r = call half @llvm.copysign.f16(half %a, half %b)
  ret half %r
}

; The upper halves could differ (by stochastic rounding): the lower one decides.
; CHECK-LABEL: compare:
; CHECK: f16v2cmplt [[M:\$a[0-9]]], $a0, $a1
; CHECK: sort4x16lo [[M]], [[M]], [[M]]
; CHECK: atom [[C:\$m[0-9]]], [[M]]
; CHECK: movnz $m0, [[C]]
define i32 @compare(half %a, half %b) {
  %c = fcmp olt half %a, %b
  br i1 %c, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}

; CHECK-LABEL: memory:
; CHECK: ldb16 {{\$a[0-9]}}, $m0, $m15, 1
; CHECK: f16v2add
; CHECK: atom
; CHECK: st32
define void @memory(ptr %p, half %a) {
  %q = getelementptr half, ptr %p, i32 1
  %v = load half, ptr %q
  %s = fadd half %v, %a
  store half %s, ptr %q
  ret void
}

; CHECK-LABEL: bits:
; CHECK: st32 $m0, $m11, $m15, 1
; CHECK: ldb16 $a0, $m11, $m15, 2
define half @bits(i16 %a) {
  %r = bitcast i16 %a to half
  ret half %r
}

; A sign from the other type.
; CHECK-LABEL: signOfFloat:
; CHECK: sort4x16hi {{\$a[0-9]}}, $a1, $a1
define half @signOfFloat(half %a, float %b) {
  %h = fptrunc float %b to half
  %r = call half @llvm.copysign.f16(half %a, half %h)
  ret half %r
}

declare half @llvm.maxnum.f16(half, half)
declare half @llvm.sqrt.f16(half)
declare half @llvm.exp.f16(half)
declare half @llvm.exp2.f16(half)
declare half @llvm.log.f16(half)
declare half @llvm.log2.f16(half)
declare half @llvm.tanh.f16(half)
declare half @llvm.copysign.f16(half, half)

; The constant wins where the other operand is the zero that is greater.
; CHECK-LABEL: greater_than_minus_zero:
; CHECK-NOT: f16v2max
; CHECK: f16v2cmpgt
; CHECK-NOT: f16v2max
; CHECK: br $m10
define half @greater_than_minus_zero(half %x) {
  %greater = fcmp ogt half %x, -0.0
  %result = select i1 %greater, half %x, half -0.0
  ret half %result
}
; CHECK-LABEL: less_than_zero:
; CHECK: f32v2cmp
; CHECK-NOT: f32v2min
; CHECK: br $m10
define <2 x float> @less_than_zero(<2 x float> %x) {
  %less = fcmp olt <2 x float> %x, zeroinitializer
  %result = select <2 x i1> %less, <2 x float> %x, <2 x float> zeroinitializer
  ret <2 x float> %result
}

; A half at the start of a word is sorted into it.
; CHECK-LABEL: storeLow:
; CHECK: ld32 $a1, $m0, $m15, 0
; CHECK-NEXT: sort4x16hi $a0, $a0:BL, $a1
; CHECK-NEXT: st32 $a0, $m0, $m15, 0
define void @storeLow(ptr align 4 %p, half %a) {
  store half %a, ptr %p, align 4
  ret void
}
