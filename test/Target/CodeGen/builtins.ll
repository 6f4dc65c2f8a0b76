; Functions called ipu_NAME are instructions; inline assembly chooses the register
; file by type.
; RUN: %{llc} -O0 < %s -o /dev/null
; RUN: %{llc} -O2 < %s | FileCheck %s
; RUN: %{llc} -O2 -filetype=obj < %s -o %t.o
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

declare i32 @ipu_get(i32)
declare void @ipu_put(i32, i32)
declare i32 @ipu_uget(i32)
declare void @ipu_uput(i32, i32)
declare float @ipu_f32oorx(float) memory(none)
declare i32 @ipu_roll8r(i32, i32) memory(none)
declare i32 @ipu_get_tile_id() memory(none)

; CHECK-LABEL: registers:
; CHECK: get [[C:\$m[0-9]]], 96
; CHECK: put 112, [[C]]
; CHECK: uget [[A:\$a[0-9]]], $FP_STS
; CHECK: uput $TAS
define i32 @registers() {
  %c = call i32 @ipu_get(i32 96)
  call void @ipu_put(i32 %c, i32 112)
  %s = call i32 @ipu_uget(i32 0)
  call void @ipu_uput(i32 %c, i32 8)
  ret i32 %s
}

; CHECK-LABEL: operations:
; CHECK: { roll8r $m0, $m0, $m1 ; f32oorx $a0, $a0 }
define float @operations(float %a, i32 %x, i32 %y, ptr %p) {
  %r = call float @ipu_f32oorx(float %a)
  %s = call i32 @ipu_roll8r(i32 %x, i32 %y)
  store i32 %s, ptr %p
  ret float %r
}

; CHECK-LABEL: tile:
; CHECK: get $m0, 3
define i32 @tile() "ipu-mode"="supervisor" {
  %t = call i32 @ipu_get_tile_id()
  ret i32 %t
}

; CHECK-LABEL: tileOfWorker:
; CHECK: get $m0, 98
define i32 @tileOfWorker() {
  %t = call i32 @ipu_get_tile_id()
  ret i32 %t
}

; CHECK-LABEL: tileOfBoth:
; CHECK: get $m0, 98
define i32 @tileOfBoth() "ipu-mode"="both" {
  %t = call i32 @ipu_get_tile_id()
  ret i32 %t
}

; CHECK-LABEL: assembly:
; CHECK-DAG: f32add $a0, $a0, $a0
; CHECK-DAG: { add $m0, $m0, 7 ; fnop }
; CHECK-DAG: ld32 $m{{[0-9]}}, $m1, $m15, 0
define float @assembly(float %a, i32 %b, ptr %p) {
  %r = call float asm "f32add $0, $1, $1", "=r,r"(float %a)
  %s = call i32 asm "{ add $0, $1, ${2:c} ; fnop }", "=r,r,i,~{$m3},~{memory}"(i32 %b, i32 7)
  %t = call i32 asm sideeffect "ld32 $0, $1", "=r,*m"(ptr elementtype(i32) %p)
  %u = add i32 %s, %t
  store i32 %u, ptr %p
  ret float %r
}

; What the assembly overwrites is not kept there.
; CHECK-LABEL: clobbered:
; CHECK: mov $a[[#KEPT:]], $a0
; CHECK: setzi $a0, 0
; CHECK: f32add $a0, $a[[#KEPT]], $a1
define float @clobbered(float %a, float %b) {
  call void asm sideeffect "setzi $$a0, 0", "~{$a0}"()
  %r = fadd float %a, %b
  ret float %r
}

; CHECK-LABEL: clobberedPair:
; CHECK-NOT: f32add {{.*}}$a2
; CHECK: fnop
; CHECK-NOT: f32add {{.*}}$a2
define float @clobberedPair(float %a, float %b, float %c, float %d) {
  call void asm sideeffect "fnop", "~{$a2:3},~{$m7}"()
  %r = fadd float %c, %d
  ret float %r
}

; Registers by name, and vectors in pairs.
; CHECK-LABEL: named:
; CHECK: f32v2add $a2:3, $a4:5, $a4:5
define <2 x float> @named(<2 x float> %a) {
  %r = call <2 x float> asm "f32v2add $0, $1, $1", "={$a2:3},{$a4:5}"(<2 x float> %a)
  ret <2 x float> %r
}

; CHECK-LABEL: namedInteger:
; CHECK: add $m4, $m3, 1
define i32 @namedInteger(i32 %a) {
  %r = call i32 asm "add $0, $1, 1", "={$m4},{$m3}"(i32 %a)
  ret i32 %r
}

; CHECK-LABEL: vectors:
; CHECK: f16v4add [[P:\$a[0-9]:[0-9]]], $a0:1, $a0:1
define <4 x half> @vectors(<4 x half> %a, half %b) {
  %r = call <4 x half> asm "f16v4add $0, $1, $1", "=r,r"(<4 x half> %a)
  ret <4 x half> %r
}
