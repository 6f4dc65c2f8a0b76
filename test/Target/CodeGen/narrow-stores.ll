; Vectors of bytes and shorts are stored as words: whole words where they are only
; copied or changed by logic, else joined of their lanes.
; RUN: %{llc} -O2 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: invert:
; CHECK:      ld32 [[W:\$m[0-9]+]], $m0, $m15, 0
; CHECK-NEXT: xnor [[W]], [[W]], $m15
; CHECK-NEXT: st32 [[W]], $m1, $m15, 0
; CHECK-NEXT: br $m10
define void @invert(ptr %a, ptr %b) {
  %x = load <4 x i8>, ptr %a, align 4
  %y = xor <4 x i8> %x, <i8 -1, i8 -1, i8 -1, i8 -1>
  store <4 x i8> %y, ptr %b, align 4
  ret void
}

; A copy of 64 bits needs one register; a constant is put together.
; CHECK-LABEL: copy:
; CHECK:      ld64
; CHECK-NEXT: st64
; CHECK-NEXT: br $m10
define void @copy(ptr %a, ptr %b) {
  %x = load <8 x i8>, ptr %a, align 8
  store <8 x i8> %x, ptr %b, align 8
  ret void
}

; CHECK-LABEL: masked:
; CHECK: setzi [[C:\$m[0-9]+]], 262145
; CHECK: and {{.*}}, [[C]]
; CHECK: st32
; CHECK-NOT: st32
; CHECK: br $m10
define void @masked(ptr %a, ptr %b) {
  %x = load <2 x i16>, ptr %a, align 4
  %y = and <2 x i16> %x, <i16 1, i16 4>
  store <2 x i16> %y, ptr %b, align 4
  ret void
}

; The upper bits of a lane are not computed.
; CHECK-LABEL: sums:
; CHECK-COUNT-4: ldz8
; CHECK-COUNT-4: add
; CHECK-NOT: and
; CHECK-COUNT-2: shuf8x8lo
; CHECK-NEXT: sort4x16lo [[W:\$m[0-9]+]],
; CHECK-NEXT: st32 [[W]], $m1, $m15, 0
; CHECK-NEXT: br $m10
define void @sums(ptr %a, ptr %b) {
  %x = load <4 x i8>, ptr %a, align 1
  %y = add <4 x i8> %x, <i8 1, i8 2, i8 -1, i8 -2>
  store <4 x i8> %y, ptr %b, align 4
  ret void
}

; CHECK-LABEL: shorts:
; CHECK-COUNT-2: ldz16
; CHECK: sort4x16lo
; CHECK-NEXT: st32
; CHECK-NEXT: br $m10
define void @shorts(ptr %a, ptr %b) {
  %x = load <2 x i16>, ptr %a, align 4
  %y = lshr <2 x i16> %x, <i16 1, i16 1>
  store <2 x i16> %y, ptr %b, align 4
  ret void
}

; Bits of conditions are masked once, when they are joined.
; CHECK-LABEL: conditions:
; CHECK-COUNT-4: atom
; CHECK: sort4x16lo [[W:\$m[0-9]+]],
; CHECK: and [[W]], [[W]],
; CHECK-NEXT: st32 [[W]], $m2, $m15, 0
; CHECK-NEXT: br $m10
define void @conditions(ptr %a, ptr %b, ptr %c) {
  %x = load <4 x float>, ptr %a, align 8
  %y = load <4 x float>, ptr %b, align 8
  %z = fcmp olt <4 x float> %x, %y
  %w = zext <4 x i1> %z to <4 x i8>
  store <4 x i8> %w, ptr %c, align 4
  ret void
}

; Where no word begins, each byte is merged into its word.
; CHECK-LABEL: unaligned:
; CHECK-COUNT-4: st32
define void @unaligned(ptr %a, ptr %b) {
  %x = load <4 x i8>, ptr %a, align 4
  store <4 x i8> %x, ptr %b, align 1
  ret void
}

; Volatile accesses keep their number and size.
; CHECK-LABEL: volatile:
; CHECK-COUNT-4: st32
define void @volatile(ptr %b) {
  store volatile <4 x i8> <i8 1, i8 2, i8 3, i8 4>, ptr %b, align 4
  ret void
}
