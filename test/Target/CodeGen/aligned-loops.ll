; A loop over pairs of an aligned array, from a place in it that only the run knows, gets a
; copy: with aligned pairs, if a test of the first addresses allows it.
; RUN: %{llc} -O2 -asm-verbose=0 < %s | FileCheck %s
; RUN: %{llc} -O1 -asm-verbose=0 < %s | FileCheck %s --check-prefix=PLAIN
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

declare void @llvm.assume(i1)

; Rows of k floats: aligned for even k.
; CHECK-LABEL: rows:
; CHECK:     and [[BITS:\$m[0-9]+]], $m{{[0-9]+}}, 7
; CHECK:     {{brz|brnz}} [[BITS]]
; CHECK-DAG: ld64step
; CHECK-DAG: ld32
; PLAIN-LABEL: rows:
; PLAIN-NOT: ld64
; PLAIN: br $m10
define <2 x float> @rows(ptr %a, i32 %row, i32 %k) {
entry:
  call void @llvm.assume(i1 true) [ "align"(ptr %a, i32 8) ]
  %offset = mul i32 %row, %k
  %first = getelementptr float, ptr %a, i32 %offset
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %body ]
  %p = getelementptr float, ptr %first, i32 %i
  %x = load <2 x float>, ptr %p, align 4
  %more = fadd <2 x float> %sum, %x
  %next = add nuw i32 %i, 2
  %done = icmp eq i32 %next, %k
  br i1 %done, label %end, label %body
end:
  ret <2 x float> %more
}

; Always beside a pair: no test.
; CHECK-LABEL: beside:
; CHECK-NOT: and
; CHECK-NOT: ld64
; CHECK: br $m10
define <2 x float> @beside(ptr %a, i32 %row, i32 %k) {
entry:
  call void @llvm.assume(i1 true) [ "align"(ptr %a, i32 8) ]
  %offset = mul i32 %row, 64
  %second = or disjoint i32 %offset, 1
  %first = getelementptr float, ptr %a, i32 %second
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %body ]
  %p = getelementptr float, ptr %first, i32 %i
  %x = load <2 x float>, ptr %p, align 4
  %more = fadd <2 x float> %sum, %x
  %next = add nuw i32 %i, 2
  %done = icmp eq i32 %next, %k
  br i1 %done, label %end, label %body
end:
  ret <2 x float> %more
}

; Nothing says that the array is aligned, or the code is to be small.
; CHECK-LABEL: anywhere:
; CHECK-NOT: ld64
; CHECK: br $m10
define <2 x float> @anywhere(ptr %a, i32 %row, i32 %k) {
entry:
  %offset = mul i32 %row, %k
  %first = getelementptr float, ptr %a, i32 %offset
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %body ]
  %p = getelementptr float, ptr %first, i32 %i
  %x = load <2 x float>, ptr %p, align 4
  %more = fadd <2 x float> %sum, %x
  %next = add nuw i32 %i, 2
  %done = icmp eq i32 %next, %k
  br i1 %done, label %end, label %body
end:
  ret <2 x float> %more
}

; CHECK-LABEL: small:
; CHECK-NOT: ld64
; CHECK: br $m10
define <2 x float> @small(ptr %a, i32 %row, i32 %k) optsize {
entry:
  call void @llvm.assume(i1 true) [ "align"(ptr %a, i32 8) ]
  %offset = mul i32 %row, %k
  %first = getelementptr float, ptr %a, i32 %offset
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %sum = phi <2 x float> [ zeroinitializer, %entry ], [ %more, %body ]
  %p = getelementptr float, ptr %first, i32 %i
  %x = load <2 x float>, ptr %p, align 4
  %more = fadd <2 x float> %sum, %x
  %next = add nuw i32 %i, 2
  %done = icmp eq i32 %next, %k
  br i1 %done, label %end, label %body
end:
  ret <2 x float> %more
}
