; Entry points of workers: state from the vertex base, a stack only where it is
; used, exit with the result.
; RUN: %{llc} -O0 < %s | FileCheck %s --check-prefixes=CHECK,O0
; RUN: %{llc} -O2 < %s | FileCheck %s --check-prefixes=CHECK,O2
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

declare ptr @ipu_get_vertex_base() memory(none)
declare i32 @ipu_get_worker_id() memory(none)
declare i1 @compute(ptr)

; CHECK-LABEL: leaf:
; O2-NOT: $m11
; O2: ld32 $m0, $m13, $m15, 0
; O2: ld32 $a0, $m0, $m15, 0
; O2: f32add $a0, $a0, $a0
; O2: st32 $a0, $m0, $m15, 0
; O0: f32add
; CHECK: exitz $m15
define void @leaf() "ipu-entry"="worker" {
  %state = call ptr @ipu_get_vertex_base()
  %p = load ptr, ptr %state
  %v = load float, ptr %p
  %s = fadd float %v, %v
  store float %s, ptr %p
  ret void
}

; The return address is not saved, for nobody returns.
; CHECK-LABEL: calls:
; CHECK: add $m11, $m12, {{-?[0-9]+}}
; CHECK-NOT: st32 $m10
; O2: mov $m0, $m13
; CHECK: call $m10, compute
; CHECK: and $m0, $m0, 1
; CHECK: exitnz $m0
define i1 @calls() "ipu-entry"="worker" {
  %state = call ptr @ipu_get_vertex_base()
  %r = call i1 @compute(ptr %state)
  ret i1 %r
}

; CHECK-LABEL: many:
; O2: get $m0, 1
; O2: and $m0, $m0, 7
; O2-NOT: st32 $m7
; CHECK: exitnz
define i1 @many() "ipu-entry"="worker" {
  %state = call ptr @ipu_get_vertex_base()
  %id = call i32 @ipu_get_worker_id()
  %q = getelementptr i32, ptr %state, i32 %id
  store i32 %id, ptr %q
  ret i1 true
}
