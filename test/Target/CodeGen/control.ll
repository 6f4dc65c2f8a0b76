; Branches, loops, jump tables, calls.
; RUN: %{llc} -O0 < %s -o /dev/null
; RUN: %{llc} -O2 < %s | FileCheck %s
; RUN: %{llc} -O2 -filetype=obj < %s -o %t.o
; RUN: llvm-readelf -r %t.o | FileCheck %s --check-prefix=RELOC
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: signs:
; CHECK: br{{pos|neg}} $m{{[0-9]}}, .L
define i32 @signs(i32 %x, ptr %p) {
  %c = icmp slt i32 %x, 0
  br i1 %c, label %negative, label %done
negative:
  store i32 0, ptr %p
  br label %done
done:
  %r = phi i32 [ 1, %negative ], [ 2, %0 ]
  ret i32 %r
}

; CHECK-LABEL: loop:
; CHECK: brz {{.*}}, [[END:.L[A-Z0-9_]+]]
; CHECK: rpt $m1, 0
; CHECK-NEXT: { ld32step {{\$a[0-9]}}, $m15, $m0+=, 1 ; f32add
define float @loop(ptr %p, i32 %n) {
entry:
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %q = getelementptr float, ptr %p, i32 %i
  %v = load float, ptr %q
  %s1 = fadd float %s, %v
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %body, label %end
end:
  %r = phi float [ 0.0, %entry ], [ %s1, %body ]
  ret float %r
}

; CHECK-LABEL: table:
; CHECK: setzi [[T:\$m[0-9]+]], .LJTI
; CHECK: ld32 [[A:\$m[0-9]+]], [[T]], $m15, $m0
; CHECK: br [[A]]
; CHECK: .long .LBB
; RELOC: .rela.rodata
; RELOC: {{[0-9a-f]+}}01 Unknown {{.*}} .text
define void @table(i32 %x, ptr %p) {
  switch i32 %x, label %e [ i32 0, label %a
                            i32 1, label %b
                            i32 2, label %c
                            i32 3, label %d ]
a:
  store volatile i32 1, ptr %p
  ret void
b:
  store volatile i32 5, ptr %p
  ret void
c:
  call void @outside()
  ret void
d:
  store volatile i32 0, ptr %p
  call void @outside()
  ret void
e:
  ret void
}
declare void @outside()

; The return address of an indirect call is a label behind the branch.
; CHECK-LABEL: indirect:
; CHECK: st32 $m10
; CHECK: setzi $m10, [[NEXT:.Lret[0-9]+]]
; CHECK-NEXT: br $m
; CHECK-NEXT: [[NEXT]]:
; CHECK: ld32 $m10
; CHECK: br $m10
define i32 @indirect(ptr %f, i32 %x) {
  %r = call i32 %f(i32 %x)
  %s = add i32 %r, 1
  ret i32 %s
}

; Four integers and six floats in registers, the rest on the stack.
; CHECK-LABEL: arguments:
; CHECK-DAG: ld32 {{\$m[0-9]+}}, $m11, $m15, 0
; CHECK-DAG: ld32 {{\$a[0-9]+}}, $m11, $m15, 1
; CHECK: f32add
define float @arguments(i32 %a, float %b, i32 %c, i32 %d, i32 %e, i32 %f,
                        float %g, float %h, float %i, float %j, float %k,
                        float %l, ptr %p) {
  store i32 %f, ptr @global
  %r = fadd float %b, %l
  ret float %r
}
@global = global i32 0

; CHECK-LABEL: variadic:
; CHECK: setzi $m0, 1
; CHECK: st32 {{.*}}, $m11, $m15, 0
; CHECK: call $m10, printf_like
define void @variadic() {
  call void (i32, ...) @printf_like(i32 1, i32 2)
  ret void
}
declare void @printf_like(i32, ...)

; The caller copies, the callee gets the address.
; CHECK-LABEL: byvalue:
; CHECK: ld32 [[V:\$m[0-9]+]], $m0, $m15, 1
; CHECK: st32 [[V]], $m11, $m15
; CHECK: call $m10, take
define void @byvalue(ptr %p) {
  call void @take(ptr byval({ i32, i32 }) align 4 %p)
  ret void
}
declare void @take(ptr byval({ i32, i32 }) align 4)
