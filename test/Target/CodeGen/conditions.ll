; Branches on every condition, where the block that follows is the one that a true
; condition leads to: the branch must be inverted.
; RUN: %{llc} -O0 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

declare void @yes()
declare void @no()

; CHECK-LABEL: slt:
; CHECK: cmpslt $m0, $m0, $m1
; CHECK-NEXT: brz $m0, [[NO:.L[A-Z0-9_]+]]
; CHECK: call $m10, yes
; CHECK: [[NO]]:
; CHECK: call $m10, no
define void @slt(i32 %a, i32 %b) {
  %c = icmp slt i32 %a, %b
  br i1 %c, label %yes, label %no
yes:
  call void @yes()
  ret void
no:
  call void @no()
  ret void
}

; CHECK-LABEL: sgt:
; CHECK: cmpslt $m0, $m1, $m0
; CHECK-NEXT: brz $m0, [[NO:.L[A-Z0-9_]+]]
; CHECK: call $m10, yes
; CHECK: [[NO]]:
define void @sgt(i32 %a, i32 %b) {
  %c = icmp sgt i32 %a, %b
  br i1 %c, label %yes, label %no
yes:
  call void @yes()
  ret void
no:
  call void @no()
  ret void
}

; CHECK-LABEL: uge:
; CHECK: cmpult $m0, $m0, $m1
; CHECK-NEXT: brnz $m0, [[NO:.L[A-Z0-9_]+]]
; CHECK: call $m10, yes
; CHECK: [[NO]]:
define void @uge(i32 %a, i32 %b) {
  %c = icmp uge i32 %a, %b
  br i1 %c, label %yes, label %no
yes:
  call void @yes()
  ret void
no:
  call void @no()
  ret void
}

; The opposite of "less" is "not less", which is true of NaN.
; CHECK-LABEL: less:
; CHECK: f32cmplt [[MASK:\$a[0-9]]], $a0, $a1
; CHECK: atom [[C:\$m[0-9]]], [[MASK]]
; CHECK: brz [[C]], [[NO:.L[A-Z0-9_]+]]
; CHECK: call $m10, yes
; CHECK: [[NO]]:
define void @less(float %a, float %b) {
  %c = fcmp olt float %a, %b
  br i1 %c, label %yes, label %no
yes:
  call void @yes()
  ret void
no:
  call void @no()
  ret void
}

; CHECK-LABEL: not_less:
; CHECK: f32cmplt [[MASK:\$a[0-9]]], $a0, $a1
; CHECK: atom [[C:\$m[0-9]]], [[MASK]]
; CHECK: brnz [[C]], [[NO:.L[A-Z0-9_]+]]
; CHECK: call $m10, yes
; CHECK: [[NO]]:
define void @not_less(float %a, float %b) {
  %c = fcmp uge float %a, %b
  br i1 %c, label %yes, label %no
yes:
  call void @yes()
  ret void
no:
  call void @no()
  ret void
}

; CHECK-LABEL: values:
; CHECK: cmpslt [[L:\$m[0-9]+]], {{\$m[0-9]+}}, {{\$m[0-9]+}}
; CHECK: cmpeq {{\$m[0-9]+}}, [[L]], 0
define zeroext i1 @values(i32 %a, i32 %b) {
  %c = icmp sge i32 %a, %b
  ret i1 %c
}

; CHECK-LABEL: equal_or_unordered:
; CHECK-DAG: f32cmplt
; CHECK-DAG: f32cmpgt
; CHECK: or
; CHECK: not
define zeroext i1 @equal_or_unordered(float %a, float %b) {
  %c = fcmp ueq float %a, %b
  ret i1 %c
}
