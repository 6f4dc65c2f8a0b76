; Conditions of vectors are masks in the type of their operands, also where they are
; inverted, exclusive, or chosen (LLVM's && and ||): no lane goes to the main file.
; RUN: %{llc} -O2 < %s | FileCheck %s --implicit-check-not=atom --implicit-check-not=brnz --implicit-check-not=brz
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: inverted:
; CHECK-DAG: f32v2cmplt [[C:\$a[0-9:]+]], $a0:1, $a14:15
; CHECK-DAG: f32v2cmpgt [[D:\$a[0-9:]+]],
; CHECK: andc64 {{.*}}, [[D]], [[C]]
; CHECK: br $m10
define <2 x float> @inverted(<2 x float> %x, <2 x float> %y, <2 x float> %z) {
  %c = fcmp olt <2 x float> %x, zeroinitializer
  %d = fcmp ogt <2 x float> %x, %y
  %n = xor <2 x i1> %c, <i1 true, i1 true>
  %a = and <2 x i1> %d, %n
  %s = select <2 x i1> %a, <2 x float> %y, <2 x float> %x
  %t = select <2 x i1> %c, <2 x float> %z, <2 x float> %s
  ret <2 x float> %t
}

; A choice by an inverted mask exchanges what is chosen.
; CHECK-LABEL: exchanged:
; CHECK: f32v2cmplt [[C:\$a[0-9:]+]], $a0:1, $a2:3
; CHECK-NOT: not
; CHECK-DAG: and64 {{.*}}, $a2:3, [[C]]
; CHECK-DAG: andc64 {{.*}}, $a0:1, [[C]]
; CHECK: br $m10
define <2 x float> @exchanged(<2 x float> %x, <2 x float> %y) {
  %c = fcmp uge <2 x float> %x, %y
  %s = select <2 x i1> %c, <2 x float> %x, <2 x float> %y
  ret <2 x float> %s
}

; CHECK-LABEL: exclusive:
; CHECK-COUNT-2: f16v4cmp
; CHECK-COUNT-2: andc64
; CHECK: or64
; CHECK: br $m10
define <4 x half> @exclusive(<4 x half> %x, <4 x half> %y) {
  %c = fcmp olt <4 x half> %x, zeroinitializer
  %d = fcmp ogt <4 x half> %x, %y
  %n = xor <4 x i1> %c, %d
  %s = select <4 x i1> %n, <4 x half> %y, <4 x half> %x
  ret <4 x half> %s
}

; CHECK-LABEL: both:
; CHECK-COUNT-2: f32v2cmp
; CHECK: and64
; CHECK: br $m10
define <2 x float> @both(<2 x float> %x, <2 x float> %y) {
  %c = fcmp olt <2 x float> %x, zeroinitializer
  %d = fcmp ogt <2 x float> %y, zeroinitializer
  %n = select <2 x i1> %c, <2 x i1> %d, <2 x i1> zeroinitializer
  %s = select <2 x i1> %n, <2 x float> %y, <2 x float> %x
  ret <2 x float> %s
}

; CHECK-LABEL: scalar:
; CHECK: f32cmp
; CHECK: f32cmp
; CHECK: br $m10
define float @scalar(float %x, float %y) {
  %c = fcmp olt float %x, 0.0
  %d = fcmp ogt float %x, %y
  %n = xor i1 %c, true
  %a = and i1 %d, %n
  %s = select i1 %a, float %y, float %x
  ret float %s
}
