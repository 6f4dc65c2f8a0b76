; Choices by comparisons of floats: a mask chooses between integers as it is, and a
; slope below zero is a maximum with the product.
; RUN: %{llc} -O2 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: integers:
; CHECK: f32cmpgt [[C:\$a[0-9]+]], $a0, $a1
; CHECK: atom [[M:\$m[0-9]+]], [[C]]
; CHECK-NEXT: movnz {{\$m[0-9]+}}, [[M]], {{\$m[0-9]+}}
define i32 @integers(float %a, float %b, i32 %x, i32 %y) {
  %c = fcmp ogt float %a, %b
  %s = select i1 %c, i32 %x, i32 %y
  ret i32 %s
}

; CHECK-LABEL: of_halves:
; CHECK: f16v2cmplt
; CHECK-NOT: and
; CHECK: movnz
define i32 @of_halves(half %a, half %b, i32 %x, i32 %y) {
  %c = fcmp olt half %a, %b
  %s = select i1 %c, i32 %x, i32 %y
  ret i32 %s
}

; A number is 0 or 1.
; CHECK-LABEL: number:
; CHECK: f32cmpgt
; CHECK: and {{\$m[0-9]+}}, {{\$m[0-9]+}}, 1
define i32 @number(float %a, float %b) {
  %c = fcmp ogt float %a, %b
  %s = zext i1 %c to i32
  ret i32 %s
}

; CHECK-LABEL: slope:
; CHECK: f32v2mul [[P:\$a[0-9:]+]], {{.*}}, $a0:1
; CHECK-NEXT: br $m10 ; f32v2max $a0:1, $a0:1, [[P]]
define <2 x float> @slope(<2 x float> %x) {
  %p = fmul <2 x float> %x, <float 0.25, float 0.25>
  %c = fcmp ogt <2 x float> %x, zeroinitializer
  %s = select <2 x i1> %c, <2 x float> %x, <2 x float> %p
  ret <2 x float> %s
}

; CHECK-LABEL: limited:
; CHECK: f32v2max
; CHECK: f32v2cmp
; CHECK-NOT: f32v2cmp
; CHECK: br $m10
define <2 x float> @limited(<2 x float> %x) {
  %p = fmul <2 x float> %x, <float 0.25, float 0.25>
  %above = fcmp ogt <2 x float> %x, <float 6.0, float 6.0>
  %y = select <2 x i1> %above, <2 x float> <float 6.0, float 6.0>, <2 x float> %x
  %below = fcmp olt <2 x float> %x, zeroinitializer
  %s = select <2 x i1> %below, <2 x float> %p, <2 x float> %y
  ret <2 x float> %s
}

; Not for slopes above one or below zero, other numbers than zero, limits below zero, or
; the product on the other side.
; CHECK-LABEL: steep:
; CHECK-NOT: max
; CHECK: br $m10
define float @steep(float %x) {
  %p = fmul float %x, 1.5
  %c = fcmp olt float %x, 0.0
  %s = select i1 %c, float %p, float %x
  ret float %s
}

; CHECK-LABEL: mirrored:
; CHECK-NOT: max
; CHECK: br $m10
define float @mirrored(float %x) {
  %p = fmul float %x, -0.5
  %c = fcmp olt float %x, 0.0
  %s = select i1 %c, float %p, float %x
  ret float %s
}

; CHECK-LABEL: elsewhere:
; CHECK-NOT: max
; CHECK: br $m10
define float @elsewhere(float %x) {
  %p = fmul float %x, 0.5
  %c = fcmp olt float %x, 1.0
  %s = select i1 %c, float %p, float %x
  ret float %s
}

; CHECK-LABEL: low_limit:
; CHECK-NOT: max
; CHECK: br $m10
define float @low_limit(float %x) {
  %p = fmul float %x, 0.5
  %above = fcmp ogt float %x, -2.0
  %y = select i1 %above, float -2.0, float %x
  %below = fcmp olt float %x, 0.0
  %s = select i1 %below, float %p, float %y
  ret float %s
}

; CHECK-LABEL: upside_down:
; CHECK-NOT: max
; CHECK: br $m10
define float @upside_down(float %x) {
  %p = fmul float %x, 0.5
  %c = fcmp ogt float %x, 0.0
  %s = select i1 %c, float %p, float %x
  ret float %s
}
