; Counted loops: rpt with overlapping iterations, brnzdec where rpt cannot be.
; RUN: %{llc} -O2 -asm-verbose=0 < %s | FileCheck %s
; RUN: %{llc} -O2 -asm-verbose=0 -mcpu=ipu1 < %s | FileCheck %s --check-prefix=IPU1
; RUN: %{llc} -O1 -filetype=obj < %s -o /dev/null
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; Two bundles an element: the loads for the next product share them with the product
; and the sum of this one. The count may have more than 16 bits: rpt counts the low half,
; and each one in the high half is 65536 more, one of which is not counted.
; CHECK-LABEL: dot:
; CHECK: brz $m2, [[NONE:.L[A-Z0-9_]+]]
; CHECK: add $m2, $m2, -1
; CHECK: .p2align 3
; CHECK: [[LOOP:.L[A-Z0-9_]+]]:
; CHECK-NEXT: { rpt $m2, 1 ; fnop }
; CHECK-NEXT: { ld32step [[X:\$a[0-9]+]], $m15, $m0+=, 1 ; f32mul [[P:\$a[0-9]+]], [[X]], [[Y:\$a[0-9]+]] }
; CHECK-NEXT: { ld32step [[Y]], $m15, $m1+=, 1 ; f32add [[S:\$a[0-9]+]], {{.*}} }
; CHECK-NEXT: shr $m2, $m2, 16
; CHECK-NEXT: brz $m2, [[AFTER:.L[A-Z0-9_]+]]
; CHECK-NEXT: { ld32step [[X]], $m15, $m0+=, 1 ; f32mul [[P]], [[X]], [[Y]] }
; CHECK-NEXT: { ld32step [[Y]], $m15, $m1+=, 1 ; f32add [[S]], {{.*}} }
; CHECK-NEXT: shl $m2, $m2, 16
; CHECK-NEXT: add $m2, $m2, -1
; CHECK-NEXT: bri [[LOOP]]
; CHECK-NEXT: [[AFTER]]:
; CHECK-NEXT: f32mul [[P]], [[X]], [[Y]]
; CHECK: f32add [[S]], {{.*}}
define float @dot(ptr %a, ptr %b, i32 %n) {
entry:
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %pa = getelementptr float, ptr %a, i32 %i
  %pb = getelementptr float, ptr %b, i32 %i
  %x = load float, ptr %pa
  %y = load float, ptr %pb
  %m = fmul float %x, %y
  %s1 = fadd float %s, %m
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %body, label %end
end:
  %r = phi float [ 0.0, %entry ], [ %s1, %body ]
  ret float %r
}

; A count of 16 bits has no high half.
; CHECK-LABEL: short_count:
; CHECK: { rpt $m1, 0 ; fnop }
; CHECK-NOT: shr
; CHECK: br $m10
define float @short_count(ptr %a, i16 zeroext %n16) {
entry:
  %n = zext i16 %n16 to i32
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %pa = getelementptr float, ptr %a, i32 %i
  %x = load float, ptr %pa
  %s1 = fadd float %s, %x
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %body, label %end
end:
  %r = phi float [ 0.0, %entry ], [ %s1, %body ]
  ret float %r
}

; A constant one is part of the instruction, or of 16 bits, or more.
; CHECK-LABEL: hundred:
; CHECK: { rpt 100, 0 ; fnop }
; CHECK-NEXT: { mul
; CHECK: br $m10
define i32 @hundred(i32 %x) {
  br label %body
body:
  %i = phi i32 [ 100, %0 ], [ %i1, %body ]
  %v = phi i32 [ %x, %0 ], [ %v1, %body ]
  %v1 = mul i32 %v, %v
  %i1 = add i32 %i, -1
  %more = icmp ne i32 %i1, 0
  br i1 %more, label %body, label %end
end:
  ret i32 %v1
}

; On ipu1, which counts 12 bits, this is more.
; IPU1-LABEL: most:
; IPU1: setzi [[N:\$m[0-9]+]], 65535
; IPU1: { rpt [[N]], 0 ; fnop }
; IPU1: shr [[N]], [[N]], 12
; IPU1: shl [[N]], [[N]], 12
; CHECK-LABEL: most:
; CHECK: setzi [[N:\$m[0-9]+]], 65535
; CHECK: { rpt [[N]], 0 ; fnop }
; CHECK-NOT: shr
; CHECK: br $m10
define i32 @most(i32 %x) {
  br label %body
body:
  %i = phi i32 [ 65535, %0 ], [ %i1, %body ]
  %v = phi i32 [ %x, %0 ], [ %v1, %body ]
  %v1 = mul i32 %v, %v
  %i1 = add i32 %i, -1
  %more = icmp ne i32 %i1, 0
  br i1 %more, label %body, label %end
end:
  ret i32 %v1
}

; CHECK-LABEL: one_more:
; CHECK: setzi [[N:\$m[0-9]+]], 65536
; CHECK: { rpt [[N]], 0 ; fnop }
; CHECK: shr [[N]], [[N]], 16
define i32 @one_more(i32 %x) {
  br label %body
body:
  %i = phi i32 [ 65536, %0 ], [ %i1, %body ]
  %v = phi i32 [ %x, %0 ], [ %v1, %body ]
  %v1 = mul i32 %v, %v
  %i1 = add i32 %i, -1
  %more = icmp ne i32 %i1, 0
  br i1 %more, label %body, label %end
end:
  ret i32 %v1
}

; Zero stands for 2^32 iterations here. One is done after the rpt, which takes zero for
; none.
; CHECK-LABEL: zero_is_all:
; CHECK: add $m0, $m0, -1
; CHECK: { rpt $m0, 0 ; fnop }
; CHECK-NEXT: { mul [[V:\$m[0-9]+]], [[V]], [[V]] ; fnop }
; CHECK-NEXT: shr $m0, $m0, 16
; CHECK-NEXT: brz $m0, [[AFTER:.L[A-Z0-9_]+]]
; CHECK: [[AFTER]]:
; CHECK-NEXT: mul [[V]], [[V]], [[V]]
define i32 @zero_is_all(i32 %n, i32 %x) {
  br label %body
body:
  %i = phi i32 [ %n, %0 ], [ %i1, %body ]
  %v = phi i32 [ %x, %0 ], [ %v1, %body ]
  %v1 = mul i32 %v, %v
  %i1 = add i32 %i, -1
  %more = icmp ne i32 %i1, 0
  br i1 %more, label %body, label %end
end:
  ret i32 %v1
}

; A system instruction cannot be in rpt.
; CHECK-LABEL: system:
; CHECK: setzi [[N:\$m[0-9]+]], 9
; CHECK: [[BODY:.L[A-Z0-9_]+]]:
; CHECK: get
; CHECK: st32
; CHECK-NEXT: brnzdec [[N]], [[BODY]]
declare i32 @ipu_get(i32)
define void @system(ptr %p) {
  br label %body
body:
  %i = phi i32 [ 10, %0 ], [ %i1, %body ]
  %v = call i32 @ipu_get(i32 96)
  store volatile i32 %v, ptr %p
  %i1 = add i32 %i, -1
  %more = icmp ne i32 %i1, 0
  br i1 %more, label %body, label %end
end:
  ret void
}

; The supervisor has no rpt.
; CHECK-LABEL: supervisor:
; CHECK: [[BODY:.L[A-Z0-9_]+]]:
; CHECK: mul
; CHECK-NEXT: brnzdec $m{{[0-9]+}}, [[BODY]]
define i32 @supervisor(i32 %x) "ipu-mode"="supervisor" {
  br label %body
body:
  %i = phi i32 [ 100, %0 ], [ %i1, %body ]
  %v = phi i32 [ %x, %0 ], [ %v1, %body ]
  %v1 = mul i32 %v, %v
  %i1 = add i32 %i, -1
  %more = icmp ne i32 %i1, 0
  br i1 %more, label %body, label %end
end:
  ret i32 %v1
}

; For size: nothing of the loop outside of it; where that cannot be, brnzdec.
; CHECK-LABEL: small:
; CHECK: { rpt {{.*}} ; fnop }
; CHECK-NEXT: { ld32step [[X:\$a[0-9]+]], $m15, $m0+=, 1 ; fnop }
; CHECK-NEXT: { nop ; f32add [[S:\$a[0-9]+]], [[S]], [[X]] }
; CHECK-NOT: f32add
; CHECK: br $m10
; CHECK-LABEL: small_unknown:
; CHECK: [[LOOP:.L[A-Z0-9_]+]]:
; CHECK-NEXT: ld32step [[X:\$a[0-9]+]], $m15, $m0+=, 1
; CHECK-NEXT: { brnzdec {{.*}}, [[LOOP]] ; f32add
; CHECK-NOT: f32add
; CHECK: br $m10
define float @small(ptr %a, i16 zeroext %n16) optsize {
entry:
  %n = zext i16 %n16 to i32
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %pa = getelementptr float, ptr %a, i32 %i
  %x = load float, ptr %pa
  %s1 = fadd float %s, %x
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %body, label %end
end:
  %r = phi float [ 0.0, %entry ], [ %s1, %body ]
  ret float %r
}
define float @small_unknown(ptr %a, i32 %n) optsize {
entry:
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %s = phi float [ 0.0, %entry ], [ %s1, %body ]
  %pa = getelementptr float, ptr %a, i32 %i
  %x = load float, ptr %pa
  %s1 = fadd float %s, %x
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %body, label %end
end:
  %r = phi float [ 0.0, %entry ], [ %s1, %body ]
  ret float %r
}

; In place: the loads run ahead of the stores, on a pointer of their own.
; CHECK-LABEL: in_place:
; CHECK: add [[AHEAD:\$m[0-9]+]], $m0, 0
; CHECK: { rpt {{.*}}, 1 ; fnop }
; CHECK-NEXT: { ld32step [[X:\$a[0-9]+]], $m15, [[AHEAD]]+=, 1 ; fnop }
; CHECK-NEXT: { st32step [[Y:\$a[0-9]+]], $m15, $m0+=, 1 ; f32add [[Y]], [[X]], [[X]] }
define void @in_place(ptr %a, i16 zeroext %n16) {
entry:
  %n = zext i16 %n16 to i32
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %pa = getelementptr float, ptr %a, i32 %i
  %x = load float, ptr %pa
  %y = fadd float %x, %x
  store float %y, ptr %pa
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %body, label %end
end:
  ret void
}

; Another array may be the same one, moved by an element: a load waits for the store
; of the iteration before.
; CHECK-LABEL: may_overlap:
; CHECK: { rpt {{.*}}, 2 ; fnop }
; CHECK-NEXT: { ld32step [[X:\$a[0-9]+]]
; CHECK-NEXT: { nop ; f32add [[Y:\$a[0-9]+]], [[X]], [[X]] }
; CHECK-NEXT: { st32step [[Y]]
define void @may_overlap(ptr %to, ptr %from, i16 zeroext %n16) {
entry:
  %n = zext i16 %n16 to i32
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %pf = getelementptr float, ptr %from, i32 %i
  %x = load float, ptr %pf
  %y = fadd float %x, %x
  %pt = getelementptr float, ptr %to, i32 %i
  store float %y, ptr %pt
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %body, label %end
end:
  ret void
}

; Two pointers that start at the same place: what is loaded next is not what was stored.
; CHECK-LABEL: two_pointers:
; CHECK: { rpt {{.*}}, 1 ; fnop }
; CHECK-NEXT: { ld32step [[X:\$a[0-9]+]], $m15, [[FROM:\$m[0-9]+]]+=, 1 ; fnop }
; CHECK-NEXT: { st32step [[Y:\$a[0-9]+]], $m15, {{.*}}+=, 1 ; f32add [[Y]], [[X]], [[X]] }
define void @two_pointers(ptr %a, i16 zeroext %n16) {
entry:
  %n = zext i16 %n16 to i32
  %none = icmp eq i32 %n, 0
  br i1 %none, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %from = phi ptr [ %a, %entry ], [ %from1, %body ]
  %to = phi ptr [ %a, %entry ], [ %to1, %body ]
  %x = load float, ptr %from
  %from1 = getelementptr float, ptr %from, i32 1
  %y = fadd float %x, %x
  store float %y, ptr %to
  %to1 = getelementptr float, ptr %to, i32 1
  %i1 = add nuw i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %body, label %end
end:
  ret void
}
