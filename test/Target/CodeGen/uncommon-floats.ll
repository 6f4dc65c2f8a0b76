; Operations on floats that C++ hardly has: of types that are no register types, with
; other rounding modes (there are none), and functions of halves.
; RUN: %{llc} -O0 < %s -o /dev/null
; RUN: %{llc} -O2 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; Quiet: as arithmetic leaves it.
; CHECK-LABEL: canonical:
; CHECK: f32sub $a0, $a0, $a15
define float @canonical(float %a) {
  %r = call float @llvm.canonicalize.f32(float %a)
  ret float %r
}
; CHECK-LABEL: canonical_halves:
; CHECK-COUNT-4: f32sub
define <4 x half> @canonical_halves(<4 x half> %a) {
  %r = call <4 x half> @llvm.canonicalize.v4f16(<4 x half> %a)
  ret <4 x half> %r
}
; CHECK-LABEL: canonical_double:
; CHECK: call $m10, __unorddf2
define double @canonical_double(double %a) {
  %r = call double @llvm.canonicalize.f64(double %a)
  ret double %r
}
; CHECK-LABEL: least_doubles:
; CHECK: call $m10, __{{(ltdf2|unorddf2)}}
define <2 x double> @least_doubles(<2 x double> %a, <2 x double> %b) {
  %r = call <2 x double> @llvm.minimum.v2f64(<2 x double> %a, <2 x double> %b)
  ret <2 x double> %r
}

; CHECK-LABEL: nearest:
; CHECK: f16tof32
; CHECK: call $m10, lroundf
define i32 @nearest(half %a) {
  %r = call i32 @llvm.lround.i32.f16(half %a)
  ret i32 %r
}
; CHECK-LABEL: scale:
; CHECK: f16tof32
; CHECK: call $m10, ldexpf
; CHECK: f32tof16
define half @scale(half %a, i32 %e) {
  %r = call half @llvm.ldexp.f16.i32(half %a, i32 %e)
  ret half %r
}

; CHECK-LABEL: strict:
; CHECK: f32mul
; CHECK: f32sqrt
; CHECK: f32cmplt
define i1 @strict(float %a, float %b) strictfp {
  %p = call float @llvm.experimental.constrained.fmul.f32(float %a, float %b, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %s = call float @llvm.experimental.constrained.sqrt.f32(float %p, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %r = call i1 @llvm.experimental.constrained.fcmps.f32(float %s, float %a, metadata !"olt", metadata !"fpexcept.strict") strictfp
  ret i1 %r
}
; CHECK-LABEL: strict_half:
; CHECK: f32div
; CHECK: f32toi32
define i32 @strict_half(half %a, half %b) strictfp {
  %q = call half @llvm.experimental.constrained.fdiv.f16(half %a, half %b, metadata !"round.tonearest", metadata !"fpexcept.strict") strictfp
  %r = call i32 @llvm.experimental.constrained.fptosi.i32.f16(half %q, metadata !"fpexcept.strict") strictfp
  ret i32 %r
}

; Supervisors call functions that pass floats in integer registers.
; CHECK-LABEL: supervisor:
; CHECK: call $m10, __extendsfdf2.supervisor
; CHECK: call $m10, __muldf3{{$}}
; CHECK: call $m10, __truncdfhf2.supervisor
define half @supervisor(float %a) #0 {
  %d = fpext float %a to double
  %m = fmul double %d, %d
  %r = fptrunc double %m to half
  ret half %r
}
; Rounded after each operation.
; CHECK-LABEL: supervisor_halves:
; CHECK: call $m10, __mulsf3
; CHECK: call $m10, __truncsfhf2.supervisor
; CHECK: call $m10, __extendhfsf2.supervisor
; CHECK: call $m10, __addsf3
; CHECK: call $m10, __truncsfhf2.supervisor
define half @supervisor_halves(half %a, half %b) #0 {
  %m = fmul half %a, %b
  %r = fadd half %m, %b
  ret half %r
}

attributes #0 = { "ipu-mode"="supervisor" }

declare float @llvm.canonicalize.f32(float)
declare double @llvm.canonicalize.f64(double)
declare <4 x half> @llvm.canonicalize.v4f16(<4 x half>)
declare <2 x double> @llvm.minimum.v2f64(<2 x double>, <2 x double>)
declare i32 @llvm.lround.i32.f16(half)
declare half @llvm.ldexp.f16.i32(half, i32)
declare float @llvm.experimental.constrained.fmul.f32(float, float, metadata, metadata)
declare float @llvm.experimental.constrained.sqrt.f32(float, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmps.f32(float, float, metadata, metadata)
declare half @llvm.experimental.constrained.fdiv.f16(half, half, metadata, metadata)
declare i32 @llvm.experimental.constrained.fptosi.i32.f16(half, metadata)
