; Loads of every size, merging stores of bytes and halves, addresses.
; RUN: %{llc} -O0 < %s -o /dev/null
; RUN: %{llc} -O2 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: loads:
; CHECK-DAG: ldz8 {{\$m[0-9]+}}, $m0, $m15, 3
; CHECK-DAG: lds8 {{\$m[0-9]+}}, $m0, $m15, 4
; CHECK-DAG: ldz16 {{\$m[0-9]+}}, $m0, $m15, 4
; CHECK-DAG: lds16 {{\$m[0-9]+}}, $m0, $m15, 5
; CHECK-DAG: ld32 {{\$m[0-9]+}}, $m0, $m15, 4095
define i32 @loads(ptr %p) {
  %p3 = getelementptr i8, ptr %p, i32 3
  %p4 = getelementptr i8, ptr %p, i32 4
  %p8 = getelementptr i8, ptr %p, i32 8
  %p10 = getelementptr i8, ptr %p, i32 10
  %pf = getelementptr i8, ptr %p, i32 16380
  %a = load i8, ptr %p3
  %b = load i8, ptr %p4
  %c = load i16, ptr %p8
  %d = load i16, ptr %p10
  %e = load i32, ptr %pf
  %az = zext i8 %a to i32
  %bs = sext i8 %b to i32
  %cz = zext i16 %c to i32
  %ds = sext i16 %d to i32
  %s1 = add i32 %az, %bs
  %s2 = add i32 %cz, %ds
  %s3 = add i32 %s1, %s2
  %s4 = add i32 %s3, %e
  ret i32 %s4
}

; A byte in an unknown place of its word.
; CHECK-LABEL: byte:
; CHECK: ld32 [[OLD:\$m[0-9]+]], [[WORD:\$m[0-9]+]], $m15, 0
; CHECK: andc [[KEPT:\$m[0-9]+]], [[OLD]]
; CHECK: or [[NEW:\$m[0-9]+]], [[KEPT]]
; CHECK: st32 [[NEW]], [[WORD]], $m15, 0
define void @byte(ptr %p, i8 %v) {
  store i8 %v, ptr %p
  ret void
}

; In a known place no shift is needed, and the address is used as it is.
; CHECK-LABEL: aligned_half:
; CHECK-NOT: shl
; CHECK: ld32 [[OLD:\$m[0-9]+]], $m0, $m15, 2
; CHECK: st32 {{\$m[0-9]+}}, $m0, $m15, 2
define void @aligned_half(ptr %p, i16 %v) {
  %q = getelementptr i8, ptr %p, i32 8
  store i16 %v, ptr %q, align 4
  ret void
}

; Two bytes of one word: the second merge reads what the first one wrote.
; CHECK-LABEL: two_bytes:
; CHECK: ld32
; CHECK: st32
; CHECK: ld32
; CHECK: st32
; CHECK: br $m10
define void @two_bytes(ptr %p, i8 %v, i8 %w) {
  %q = getelementptr i8, ptr %p, i32 1
  store i8 %v, ptr %p, align 4
  store i8 %w, ptr %q, align 1
  ret void
}

; CHECK-LABEL: indexed:
; CHECK: ld32 $m0, $m0, $m15, $m1
define i32 @indexed(ptr %p, i32 %i) {
  %q = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %q
  ret i32 %v
}

; A delta beside the index, except in stores from the main file.
; CHECK-LABEL: twice_indexed:
; CHECK: ld32 [[V:\$a[0-9]+]], $m0, $m1, $m2
; CHECK: st32 [[V]], $m0, $m15, $m1
define void @twice_indexed(ptr %p, i32 %delta, i32 %i) {
  %q = getelementptr i8, ptr %p, i32 %delta
  %r = getelementptr float, ptr %q, i32 %i
  %v = load float, ptr %r
  %s = getelementptr float, ptr %p, i32 %delta
  store float %v, ptr %s
  ret void
}

; CHECK-LABEL: indexed_sizes:
; CHECK: lds16 [[V:\$m[0-9]+]], $m0, $m15, $m2
; CHECK: stm32 [[V]], $m1, $m2
define void @indexed_sizes(ptr %p, ptr %q, i32 %i) {
  %ph = getelementptr i16, ptr %p, i32 %i
  %h = load i16, ptr %ph
  %v = sext i16 %h to i32
  %qw = getelementptr i32, ptr %q, i32 %i
  store i32 %v, ptr %qw
  ret void
}

; CHECK-LABEL: symbol:
; CHECK: setzi [[A:\$m[0-9]+]], table+8
; CHECK: ld32 $m0, [[A]], $m15, 0
@table = external global [10 x i32]
define i32 @symbol() {
  %v = load i32, ptr getelementptr (i8, ptr @table, i32 8)
  ret i32 %v
}

; A frame beyond the reach of an immediate.
; CHECK-LABEL: big_frame:
; CHECK: add $m11, $m11, -30
; CHECK: setzi [[OFF:\$m[0-9]+]], 30
; CHECK: st32 $m10, $m11, [[OFF]], 0
; CHECK: call $m10, sink
define void @big_frame() {
  %a = alloca [30000 x i8], align 4
  call void @sink(ptr %a)
  ret void
}
declare void @sink(ptr)

; Variable-sized objects: $m9 keeps the frame, and is saved through $sp.
; CHECK-LABEL: variable:
; CHECK: st32 $m9, $m11
; CHECK: add $m9, $m11, 0
; CHECK: sub {{.*}}, $m11,
; CHECK: call $m10, sink
; CHECK: add $m11, $m9, 0
; CHECK: ld32 $m9, $m11
define void @variable(i32 %n) {
  %a = alloca i8, i32 %n
  call void @sink(ptr %a)
  ret void
}

; Contexts do not interrupt one another: atomics are plain.
; CHECK-LABEL: atomics:
; CHECK: ld32 [[OLD:\$m[0-9]+]], $m0, $m15, 0
; CHECK: add [[NEW:\$m[0-9]+]], [[OLD]], 1
; CHECK: st32 [[NEW]], $m0, $m15, 0
define i32 @atomics(ptr %p) {
  %r = atomicrmw add ptr %p, i32 1 seq_cst
  fence seq_cst
  ret i32 %r
}
