; Vectors of the auxiliary file: two floats and four halves in a pair, two halves in a
; register.
; RUN: %{llc} -O0 < %s -o /dev/null
; RUN: %{llc} -O2 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: float2:
; CHECK: f32v2add $a0:1, $a0:1, $a2:3
; CHECK: f32v2mul $a0:1, $a4:B, $a0:1
; CHECK: or [[ONE:\$a[0-9]]], $a15, 0x3f800000
; CHECK: f32v2sub $a0:1, [[ONE]]:B, $a0:1
define <2 x float> @float2(<2 x float> %a, <2 x float> %b, float %s) {
  %x = fadd <2 x float> %a, %b
  %i = insertelement <2 x float> poison, float %s, i32 0
  %all = shufflevector <2 x float> %i, <2 x float> poison, <2 x i32> zeroinitializer
  %y = fmul <2 x float> %x, %all
  %z = fsub <2 x float> <float 1.0, float 1.0>, %y
  ret <2 x float> %z
}

; CHECK-LABEL: half4:
; CHECK: f16v4add
; CHECK: f16v4mul {{.*}}$a4:BL
; CHECK: f16v4sub {{.*}}:BL
; CHECK: f16v4max
; CHECK-COUNT-2: f16v2exp
define <4 x half> @half4(<4 x half> %a, <4 x half> %b, half %s) {
  %x = fadd <4 x half> %a, %b
  %i = insertelement <4 x half> poison, half %s, i32 0
  %all = shufflevector <4 x half> %i, <4 x half> poison, <4 x i32> zeroinitializer
  %y = fmul <4 x half> %x, %all
  %n = fneg <4 x half> %y
  %m = call <4 x half> @llvm.maxnum.v4f16(<4 x half> %n, <4 x half> %b)
  %e = call <4 x half> @llvm.exp.v4f16(<4 x half> %m)
  ret <4 x half> %e
}

; CHECK-LABEL: half2:
; CHECK: f16v2mul $a0, $a1:BU, $a0
; CHECK: f16v2add $a0, $a2:BL, $a0
define <2 x half> @half2(<2 x half> %a, <2 x half> %b, half %s) {
  %upper = shufflevector <2 x half> %b, <2 x half> poison, <2 x i32> <i32 1, i32 1>
  %x = fmul <2 x half> %a, %upper
  %i = insertelement <2 x half> poison, half %s, i32 0
  %all = shufflevector <2 x half> %i, <2 x half> poison, <2 x i32> zeroinitializer
  %y = fadd <2 x half> %x, %all
  ret <2 x half> %y
}

; Four floats are two pairs.
; CHECK-LABEL: float4:
; CHECK-COUNT-2: f32v2mul
; CHECK-NOT: f32mul
define <4 x float> @float4(<4 x float> %a) {
  %r = fmul <4 x float> %a, %a
  ret <4 x float> %r
}

; CHECK-LABEL: divide:
; CHECK-COUNT-2: f16v2tof32
; CHECK-COUNT-2: f32div
; CHECK: f32v2tof16
define <2 x half> @divide(<2 x half> %a, <2 x half> %b) {
  %r = fdiv <2 x half> %a, %b
  ret <2 x half> %r
}

; CHECK-LABEL: choose:
; CHECK: f16v4cmplt [[M:\$a[0-9]:[0-9]]], $a0:1, $a2:3
; CHECK-DAG: and64 {{.*}}, $a0:1, [[M]]
; CHECK-DAG: andc64 {{.*}}, $a2:3, [[M]]
; CHECK: or64 $a0:1
define <4 x half> @choose(<4 x half> %a, <4 x half> %b) {
  %c = fcmp olt <4 x half> %a, %b
  %r = select <4 x i1> %c, <4 x half> %a, <4 x half> %b
  ret <4 x half> %r
}

; CHECK-LABEL: chooseWide:
; CHECK-NOT: br{{n?z}}
; CHECK-COUNT-2: f32v2cmp
; CHECK-NOT: br{{n?z}}
; CHECK: br $m10
define <4 x float> @chooseWide(<4 x float> %a) {
  %c = fcmp ugt <4 x float> %a, <float 1.0, float 1.0, float 1.0, float 1.0>
  %d = fcmp uno <4 x float> %a, zeroinitializer
  %e = or <4 x i1> %c, %d
  %r = select <4 x i1> %e, <4 x float> zeroinitializer, <4 x float> %a
  ret <4 x float> %r
}

; CHECK-LABEL: relu:
; CHECK: f32v2max $a0:1, $a0:1, $a14:15
define <2 x float> @relu(<2 x float> %a) {
  %c = fcmp ogt <2 x float> %a, zeroinitializer
  %r = select <2 x i1> %c, <2 x float> %a, <2 x float> zeroinitializer
  ret <2 x float> %r
}

; CHECK-LABEL: signs:
; CHECK: andc64
; CHECK: f32v2sub {{.*}}:B
define <2 x float> @signs(<2 x float> %a) {
  %x = call <2 x float> @llvm.fabs.v2f32(<2 x float> %a)
  %y = fneg <2 x float> %x
  ret <2 x float> %y
}

; Two lanes from anywhere are one instruction.
; CHECK-LABEL: shuffle:
; CHECK-DAG: sort4x16hi {{\$a[0-9]}}, $a0, $a3
; CHECK-DAG: roll16 {{\$a[0-9]}}, $a1, $a2
define <4 x half> @shuffle(<4 x half> %a, <4 x half> %b) {
  %x = shufflevector <4 x half> %a, <4 x half> %b, <4 x i32> <i32 3, i32 4, i32 1, i32 7>
  ret <4 x half> %x
}

; CHECK-LABEL: shuffleFloat:
; CHECK: roll32 $a0:1, $a0:1, $a2:3
define <2 x float> @shuffleFloat(<2 x float> %a, <2 x float> %b) {
  %x = shufflevector <2 x float> %a, <2 x float> %b, <2 x i32> <i32 1, i32 2>
  ret <2 x float> %x
}

; CHECK-LABEL: lanes:
; CHECK: sort4x16hi {{\$a[0-9]}}, $a2:BL, $a0
; CHECK: sort4x16lo {{\$a[0-9]}}, $a1, $a3
define <4 x half> @lanes(<4 x half> %a, half %x, half %y) {
  %b = insertelement <4 x half> %a, half %x, i32 0
  %c = insertelement <4 x half> %b, half %y, i32 3
  ret <4 x half> %c
}

; A lane whose number is not known goes through memory.
; CHECK-LABEL: someLane:
; CHECK: st64 $a0:1
; CHECK: ld32 $a0
define float @someLane(<2 x float> %a, i32 %i) {
  %r = extractelement <2 x float> %a, i32 %i
  ret float %r
}

; The lane's place in its word has to be computed.
; CHECK-LABEL: someLaneInMemory:
; CHECK: ld32
; CHECK: shl
; CHECK: st32
define void @someLaneInMemory(ptr %p, half %x, i32 %i) {
  %v = load <2 x half>, ptr %p
  %w = insertelement <2 x half> %v, half %x, i32 %i
  store <2 x half> %w, ptr %p
  ret void
}

; Accesses need their alignment.
; CHECK-LABEL: memory:
; CHECK-DAG: ld64 {{\$a[0-9]:[0-9]}}, $m0, $m15, 0
; CHECK-DAG: ld32 {{\$a[0-9]}}, $m1, $m15, 0
; CHECK-DAG: ld32 {{\$a[0-9]}}, $m1, $m15, 1
; CHECK-DAG: ldb16 {{\$a[0-9]}}, $m1, $m15, 4
; CHECK-DAG: ldb16 {{\$a[0-9]}}, $m1, $m15, 5
; CHECK: st64 {{\$a[0-9]:[0-9]}}, $m0, $m15, 2
define void @memory(ptr %p, ptr %q) {
  %x = load <4 x half>, ptr %p, align 8
  %y = load <4 x half>, ptr %q, align 4
  %r = getelementptr <4 x half>, ptr %q, i32 1
  %z = load <2 x half>, ptr %r, align 2
  %s = fadd <4 x half> %x, %y
  %t = getelementptr <4 x half>, ptr %p, i32 2
  store <4 x half> %s, ptr %t, align 8
  %u = getelementptr <4 x half>, ptr %p, i32 3
  store <2 x half> %z, ptr %u, align 8
  ret void
}

; Aligned data is copied in pairs.
; CHECK-LABEL: copy:
; CHECK: ld32
; CHECK-COUNT-3: ld64
; CHECK: ld64 [[P:\$a[0-9]:[0-9]]], $m1, $m15, 0
; CHECK: st64 [[P]], $m0, $m15, 9
define void @copy(ptr %p, ptr %q) {
  call void @llvm.memcpy.p0.p0.i32(ptr align 8 %p, ptr align 8 %q, i32 28, i1 false)
  %v = load i64, ptr %q, align 8
  %r = getelementptr i64, ptr %p, i32 9
  store i64 %v, ptr %r, align 8
  ret void
}

; CHECK-LABEL: clear:
; CHECK-COUNT-2: st64 $a14:15
define void @clear(ptr %p) {
  call void @llvm.memset.p0.i32(ptr align 8 %p, i8 0, i32 16, i1 false)
  ret void
}

; The supervisor has no pairs.
; CHECK-LABEL: copySupervisor:
; CHECK-NOT: $a
; CHECK: br $m10
define void @copySupervisor(ptr %p, ptr %q) "ipu-mode"="supervisor" {
  call void @llvm.memcpy.p0.p0.i32(ptr align 8 %p, ptr align 8 %q, i32 16, i1 false)
  ret void
}

; CHECK-LABEL: integers:
; CHECK: atom $m0, $a0
; CHECK: atom $m1, $a1
define i64 @integers(<2 x float> %a) {
  %r = bitcast <2 x float> %a to i64
  ret i64 %r
}

; The pointers move with the accesses.
; CHECK-LABEL: loop:
; CHECK-DAG: ld64step {{.*}}+=, 1
; CHECK-DAG: st64step {{.*}}+=, 1
define void @loop(ptr %p, ptr %q, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %a = getelementptr <2 x float>, ptr %p, i32 %i
  %b = getelementptr <2 x float>, ptr %q, i32 %i
  %v = load <2 x float>, ptr %a
  %w = fadd <2 x float> %v, %v
  store <2 x float> %w, ptr %b
  %next = add i32 %i, 1
  %more = icmp ne i32 %next, %n
  br i1 %more, label %body, label %done
done:
  ret void
}

declare <4 x half> @llvm.maxnum.v4f16(<4 x half>, <4 x half>)
declare <4 x half> @llvm.exp.v4f16(<4 x half>)
declare <2 x float> @llvm.fabs.v2f32(<2 x float>)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
