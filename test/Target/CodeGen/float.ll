; Floats in the auxiliary pipe, and the way between the files.
; RUN: %{llc} -O0 < %s -o /dev/null
; RUN: %{llc} -O2 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: arithmetic:
; CHECK: f32add $a0, $a0, $a1
; CHECK: f32mul $a0, $a0, $a1
; CHECK: f32sub $a0, $a0, $a1
; CHECK: f32div $a0, $a0, $a1
; CHECK: { br $m10 ; f32sqrt $a0, $a0 }
define float @arithmetic(float %a, float %b) {
  %x = fadd float %a, %b
  %y = fmul float %x, %b
  %z = fsub float %y, %b
  %w = fdiv float %z, %b
  %r = call float @llvm.sqrt.f32(float %w)
  ret float %r
}

; CHECK-LABEL: functions:
; CHECK: f32exp
; CHECK: f32ln
; CHECK: f32tanh
; CHECK: f32max
; CHECK: f32min
; CHECK: andc {{.*}}, 0x80000000
; CHECK: f32int {{.*}}, 2
; CHECK: f32sigm
define float @functions(float %a, float %b) {
  %x = call float @llvm.exp.f32(float %a)
  %y = call float @llvm.log.f32(float %x)
  %z = call float @llvm.tanh.f32(float %y)
  %m = call float @llvm.maxnum.f32(float %z, float %b)
  %n = call float @llvm.minnum.f32(float %m, float %b)
  %f = call float @llvm.fabs.f32(float %n)
  %g = call float @llvm.floor.f32(float %f)
  %h = call float @ipu_sigm(float %g)
  ret float %h
}

; CHECK-LABEL: negate:
; CHECK: or [[S:\$a[0-9]]], $a15, 0x80000000
; CHECK: f32sub $a0, [[S]], $a0
define float @negate(float %a) {
  %r = fneg float %a
  ret float %r
}

; CHECK-LABEL: constants:
; CHECK-DAG: or [[ONE:\$a[0-9]]], $a15, 0x3f800000
; CHECK-DAG: setzi [[T:\$a[0-9]]], 838861
; CHECK-DAG: or {{\$a[0-9]}}, [[T]], 0x3dc00000
define float @constants(float %a) {
  %x = fadd float %a, 1.0
  %y = fmul float %x, 0x3FB99999A0000000
  ret float %y
}

; Integers reach the auxiliary file through memory.
; CHECK-LABEL: conversions:
; CHECK: st32 $m0, $m11, $m15, [[#SLOT:]]
; CHECK: ld32 [[A:\$a[0-9]]], $m11, $m15, [[#SLOT]]
; CHECK: f32fromi32
; CHECK: f32int {{.*}}, 3
; CHECK: f32toui32
; CHECK: atom $m0
define i32 @conversions(i32 %i, float %b) {
  %f = sitofp i32 %i to float
  %s = fadd float %f, %b
  %r = fptoui float %s to i32
  ret i32 %r
}

; CHECK-LABEL: compare:
; CHECK: f32cmplt [[M:\$a[0-9]]], $a0, $a1
; CHECK: atom [[C:\$m[0-9]]], [[M]]
; CHECK: br{{n?z}} [[C]]
define void @compare(float %a, float %b, ptr %p) {
  %c = fcmp olt float %a, %b
  br i1 %c, label %yes, label %no
yes:
  store i32 1, ptr %p
  ret void
no:
  ret void
}

; A boolean is 0 or 1 in integers.
; CHECK-LABEL: boolean:
; CHECK: f32cmpge
; CHECK: atom
; CHECK: and $m0, $m0, 1
define zeroext i1 @boolean(float %a, float %b) {
  %c = fcmp oge float %a, %b
  ret i1 %c
}

; CHECK-LABEL: unordered:
; CHECK-COUNT-2: f32cmp
define zeroext i1 @unordered(float %a, float %b) {
  %c = fcmp uno float %a, %b
  ret i1 %c
}

; A choice by a comparison is made with its mask.
; CHECK-LABEL: choose:
; CHECK: f32cmplt [[M:\$a[0-9]]], $a0, $a1
; CHECK-NOT: br{{n?z}}
; CHECK-DAG: and {{\$a[0-9]}}, $a0, [[M]]
; CHECK-DAG: andc {{\$a[0-9]}}, $a1, [[M]]
; CHECK: or $a0
define float @choose(float %a, float %b) {
  %c = fcmp olt float %a, %b
  %r = select i1 %c, float %a, float %b
  ret float %r
}

; A NaN and a negative zero become the constant, as they do in the comparison.
; CHECK-LABEL: relu:
; CHECK-NEXT: # %bb.0:
; CHECK-NEXT: f32max $a0, $a0, $a15
define float @relu(float %a) nounwind {
  %c = fcmp ogt float %a, 0.0
  %r = select i1 %c, float %a, float 0.0
  ret float %r
}

; A maximum would lose the NaN.
; CHECK-LABEL: notMaximum:
; CHECK-NOT: f32max
; CHECK: andc $a0, $a0,
define float @notMaximum(float %a) {
  %c = fcmp olt float %a, 0.0
  %r = select i1 %c, float 0.0, float %a
  ret float %r
}

; CHECK-LABEL: library:
; CHECK: call $m10, sinf
; CHECK: call $m10, fmodf
; CHECK: call $m10, fmaf
define float @library(float %a, float %b) {
  %x = call float @llvm.sin.f32(float %a)
  %y = frem float %x, %b
  %z = call float @llvm.fma.f32(float %y, float %b, float %a)
  ret float %z
}

; The supervisor has no auxiliary file.
; CHECK-LABEL: supervisor:
; CHECK: .supervisor
; CHECK-NOT: $a
; CHECK: call $m10, __addsf3
; CHECK: br $m10
; CHECK: .worker
define float @supervisor(float %a, float %b) "ipu-mode"="supervisor" {
  %x = fadd float %a, %b
  ret float %x
}

declare float @llvm.sqrt.f32(float)
declare float @llvm.exp.f32(float)
declare float @llvm.log.f32(float)
declare float @llvm.tanh.f32(float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.floor.f32(float)
declare float @llvm.sin.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @ipu_sigm(float) memory(none)

; An integer that is only converted is loaded where it is converted.
; CHECK-LABEL: loaded_int:
; CHECK:      ld32 $a0, $m0, $m15, 0
; CHECK-NEXT: br $m10 ; f32fromi32 $a0, $a0
define float @loaded_int(ptr %p) {
  %i = load i32, ptr %p, align 4
  %f = sitofp i32 %i to float
  ret float %f
}
