; Operands of inline assembly that are wider than what the code generator computes with:
; pairs of main registers, four auxiliary registers; by kind, by name, spilled. And those
; that are memory.
; RUN: %{llc} -O0 < %s | FileCheck %s --check-prefixes=CHECK
; RUN: %{llc} -O2 < %s | FileCheck %s --check-prefixes=CHECK,FAST
; RUN: %{llc} -O2 -filetype=obj < %s -o %t.o
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: pair:
; CHECK: tapack [[P:\$m[0-9]:[0-9]]], $m
; CHECK: st64pace $a{{[0-9]:[0-9]}}, [[Q:\$m[0-9]:[0-9]]]+=, $m15, 0
; FAST: add
define i64 @pair(ptr %p, i32 %n, <2 x float> %v) {
  %a = call i64 asm "tapack $0, $1, $1, $2", "=r,r,r"(ptr %p, i32 %n)
  %b = call i64 asm sideeffect "st64pace $2, $0+=, $$m15, 0", "=r,0,r"(i64 %a, <2 x float> %v)
  %c = add i64 %b, 1
  ret i64 %c
}

; CHECK-LABEL: vectors:
; CHECK: tapack $m{{[0-9]:[0-9]}}, $m{{[0-9]}}, $m{{[0-9]}}, $m{{[0-9]}}
define <2 x i32> @vectors(ptr %p) {
  %a = call <2 x i32> asm "tapack $0, $1, $1, $1", "=r,r"(ptr %p)
  ret <2 x i32> %a
}

; CHECK-LABEL: quads:
; CHECK: f16v8acc [[Q:\$a[0-9]:[0-9]]]
; CHECK: f32v4acc $a{{0:3|4:7}}
; CHECK: ld128 $a{{0:3|4:7}}, $m
define <4 x float> @quads(<4 x float> %x, ptr %p) {
  %h = load <8 x half>, ptr %p
  call void asm sideeffect "f16v8acc $0", "r"(<8 x half> %h)
  call void asm sideeffect "f32v4acc $0", "r"(<4 x float> %x)
  %v = call <4 x float> asm sideeffect "ld128 $0, $1, $$m15, 0", "=r,r"(ptr %p)
  ret <4 x float> %v
}

; A pair that assembly overwrites is not used for what lives across it.
; CHECK-LABEL: named:
; CHECK: tapack $m2:3, $m0, $m0, $m0
; CHECK-NOT: $m4
; CHECK: nop
; CHECK-NOT: $m4
define i64 @named(ptr %p, i32 %n) {
  %a = call i64 asm "tapack $0, $1, $1, $1", "={$m2:3},{$m0}"(ptr %p)
  call void asm sideeffect "nop", "~{$m4:5},~{$a0:3}"()
  ret i64 %a
}

; CHECK-LABEL: spilled:
; CHECK: ld128 [[Q:\$a[0-9]:[0-9]]], $m
; FAST: st64 $a0:1, $m11
; FAST: st64 $a2:3, $m11
; FAST: tapack $m[[#A:]]:[[#B:]], $m
; FAST: st32 $m[[#A]], $m11
; FAST: st32 $m[[#B]], $m11
; CHECK: nop
; FAST: ld32 $m[[#C:]], $m11
; FAST: ld32 $m[[#D:]], $m11
; FAST: st64pace $a{{.*}}, $m[[#C]]:[[#D]]+=
; FAST: ld64 $a0:1, $m11
; FAST: ld64 $a2:3, $m11
; CHECK: f32v4acc $a{{0:3|4:7}}
define void @spilled(ptr %p) {
  %q = call <4 x float> asm sideeffect "ld128 $0, $1, $$m15, 0", "=r,r"(ptr %p)
  %a = call i64 asm sideeffect "tapack $0, $1, $1, $1", "=r,r"(ptr %p)
  call void asm sideeffect "nop", "~{$m0},~{$m1},~{$m2},~{$m3},~{$m4},~{$m5},~{$m6},~{$m7},~{$m8},~{$m9},~{$m10},~{$a0:3},~{$a4:7}"()
  %b = call i64 asm sideeffect "st64pace $$a14:15, $0+=, $$m15, 0", "=r,0"(i64 %a)
  call void asm sideeffect "f32v4acc $0", "r"(<4 x float> %q)
  ret void
}

; A half is in the lower half of a register, not converted to what fills it.
; CHECK-LABEL: halves:
; CHECK-NOT: f16tof32
; CHECK-NOT: f32tof16
; CHECK: f16v2add [[H:\$a[0-9]+]], $a{{[0-9]+}}, $a1
; CHECK-NOT: f16tof32
; CHECK: f16v2mul $a0, [[H]], [[H]]
; CHECK-NOT: f32tof16
; CHECK: br $m10
define half @halves(half %a, half %b) {
  %x = call half asm "f16v2add $0, $1, $2", "=r,r,r"(half %a, half %b)
  %y = call half asm "f16v2mul $0, $1, $1", "={$a0},r"(half %x)
  ret half %y
}

; The address of a variable on the stack, also where it is far from the stack pointer.
; CHECK-LABEL: slots:
; CHECK: st32 [[X:\$m[0-9]+]], [[P:\$m[0-9]+]], $m15, 0
; CHECK: ld32 {{\$m[0-9]+}}, [[P]], $m15, 0
define i32 @slots(i32 %v) {
  %far = alloca [20000 x i32]
  %x = alloca i32
  %p = getelementptr [20000 x i32], ptr %far, i32 0, i32 19999
  call void asm sideeffect "st32 $1, $0", "=*m,r"(ptr elementtype(i32) %x, i32 %v)
  %a = call i32 asm sideeffect "ld32 $0, $1", "=r,*m,~{memory}"(ptr elementtype(i32) %x)
  %b = call i32 asm sideeffect "ld32 $0, $1", "=r,*m,~{memory}"(ptr elementtype(i32) %p)
  %s = add i32 %a, %b
  ret i32 %s
}

; CHECK-LABEL: supervisor:
; CHECK: nop
define i64 @supervisor(i64 %a, double %d) "ipu-mode"="supervisor" {
  %r = call i64 asm "nop // $0 $1 $2", "=r,r,r"(i64 %a, double %d)
  ret i64 %r
}
