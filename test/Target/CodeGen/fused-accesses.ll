; Loads and stores of 64 bits that one instruction does in a loop.
; RUN: %{llc} -O2 -asm-verbose=0 < %s | FileCheck %s
; RUN: %{llc} -O1 -filetype=obj < %s -o /dev/null
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; A load and the store of the iteration before the last one: three stages. A
; count of one does not come to the loop.
; CHECK-LABEL: maximum:
; CHECK:       cmpeq [[ONE:\$m[0-9]+]], [[COUNT:\$m[0-9]+]], 1
; CHECK:       brnz [[ONE]], [[SINGLE:\.L[A-Z0-9_]+]]
; CHECK:       ld64step {{.*}}+=, 1
; CHECK:       tapack [[PAIR:\$m[0-9]+:[0-9]+]]
; CHECK:       rpt [[COUNT]], 0
; CHECK-NEXT:  { ldst64pace $a{{[0-9:]+}}, $a{{[0-9:]+}}, [[PAIR]]+=, $m15, 0 ; f32v2max
; CHECK:       { st64pace {{.*}} [[PAIR]]+=, $m15, 0 ; f32v2max
; CHECK:       st64pace
; CHECK:       [[SINGLE]]:
; CHECK:       ld64step
; CHECK-NEXT:  f32v2max
; CHECK-NEXT:  st64step
define void @maximum(ptr noalias %to, ptr noalias %from, i32 %count) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %source = getelementptr <2 x float>, ptr %from, i32 %i
  %x = load <2 x float>, ptr %source, align 8
  %y = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %x, <2 x float> zeroinitializer)
  %place = getelementptr <2 x float>, ptr %to, i32 %i
  store <2 x float> %y, ptr %place, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Two loads, where the products and sums are as long as what is left.
; CHECK-LABEL: product:
; CHECK:       tapack
; CHECK:       rpt {{.*}}, 1
; CHECK-NEXT:  ld2x64pace {{.*}} ; f16v4
; CHECK-NEXT:  st64step {{.*}} ; f16v4
define void @product(ptr noalias %to, ptr noalias %a, ptr noalias %b, i32 %count) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %xp = getelementptr <4 x half>, ptr %a, i32 %i
  %x = load <4 x half>, ptr %xp, align 8
  %yp = getelementptr <4 x half>, ptr %b, i32 %i
  %y = load <4 x half>, ptr %yp, align 8
  %xy = fmul <4 x half> %x, %y
  %sum = fadd <4 x half> %xy, %x
  %place = getelementptr <4 x half>, ptr %to, i32 %i
  store <4 x half> %sum, ptr %place, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Two loads and the store of the iteration before the last one. Out of the loop
; they go their own ways, the second load behind the other one's bundle.
; CHECK-LABEL: sum:
; CHECK:       ld64step [[A:\$a[0-9:]+]], $m15, [[PA:\$m[0-9]+]]+=, 1
; CHECK-NEXT:  ld64step [[B:\$a[0-9:]+]], $m15, [[PB:\$m[0-9]+]]+=, 1
; CHECK-NEXT:  { ld64step [[A]], $m15, [[PA]]+=, 1 ; f32v2add [[C:\$a[0-9:]+]], [[A]], [[B]] }
; CHECK-NEXT:  ld64step [[B]], $m15, [[PB]]+=, 1
; CHECK-NEXT:  tapack [[PAIR:\$m[0-9]+:[0-9]+]], [[PA]], [[PB]],
; CHECK:       rpt {{.*}}, 0
; CHECK-NEXT:  { ld2xst64pace $a[[Q:[04]]]:{{[37]}}, [[C]], [[PAIR]]+=, $m15, 0 ; f32v2add [[C]], $a[[Q]]:
; CHECK:       { st64pace [[C]], [[PAIR]]+=, $m15, 0 ; f32v2add
; CHECK-NEXT:  st64pace [[C]], [[PAIR]]+=, $m15, 0
define void @sum(ptr noalias %to, ptr noalias %a, ptr noalias %b, i32 %count) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %xp = getelementptr <2 x float>, ptr %a, i32 %i
  %x = load <2 x float>, ptr %xp, align 8
  %yp = getelementptr <2 x float>, ptr %b, i32 %i
  %y = load <2 x float>, ptr %yp, align 8
  %sum = fadd <2 x float> %x, %y
  %place = getelementptr <2 x float>, ptr %to, i32 %i
  store <2 x float> %sum, ptr %place, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A copy needs no register for a value of its own, and two stages only.
; CHECK-LABEL: copy:
; CHECK-NOT:   cmpeq
; CHECK:       rpt {{.*}}, 0
; CHECK-NEXT:  { ldst64pace $a0:1, $a0:1, {{.*}} ; fnop }
; CHECK-NOT:   ld64step
define void @copy(ptr noalias %to, ptr noalias %from, i32 %count) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %source = getelementptr <2 x float>, ptr %from, i32 %i
  %x = load <2 x float>, ptr %source, align 8
  %place = getelementptr <2 x float>, ptr %to, i32 %i
  store <2 x float> %x, ptr %place, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Two loads by one pointer get one each, and a register says how far they go.
; CHECK-LABEL: neighbours:
; CHECK:       add [[OTHER:\$m[0-9]+]], [[P:\$m[0-9]+]], 8
; CHECK:       ld64step {{.*}}, $m15, [[P]]+=, 2
; CHECK:       ld64step {{.*}}, $m15, [[OTHER]]+=, 2
; CHECK:       tapack [[PAIR:\$m[0-9:]+]],
; CHECK-NEXT:  setzi [[TWO:\$m[0-9]+]], 2
; CHECK:       rpt {{.*}}, 0
; CHECK-NEXT:  { ld2xst64pace $a0:3, [[C:\$a[0-9:]+]], [[PAIR]]+=, [[TWO]], 5 ; f32v2max [[C]]
; CHECK:       st64pace [[C]], [[PAIR]]+=, [[TWO]], 0
define void @neighbours(ptr noalias %to, ptr noalias %from, i32 %count) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %source = getelementptr <4 x float>, ptr %from, i32 %i
  %x = load <2 x float>, ptr %source, align 8
  %neighbour = getelementptr i8, ptr %source, i32 8
  %y = load <2 x float>, ptr %neighbour, align 8
  %most = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %x, <2 x float> %y)
  %place = getelementptr <2 x float>, ptr %to, i32 %i
  store <2 x float> %most, ptr %place, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Three strides: the size of the access, and two more, one of them backwards.
; CHECK-LABEL: strides:
; CHECK:       tapack [[PAIR:\$m[0-9:]+]],
; CHECK-NEXT:  setzi [[S:\$m[0-9]+]], {{1047555|4093}}
; CHECK:       ld2xst64pace $a0:3, {{.*}}, [[PAIR]]+=, [[S]], {{33|36}} ;
; CHECK:       st64pace {{.*}}, [[PAIR]]+=, [[S]], 2
define void @strides(ptr noalias %to, ptr noalias %a, ptr noalias %b, i32 %count) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %i3 = mul i32 %i, 3
  %back = sub i32 0, %i
  %xp = getelementptr <2 x float>, ptr %a, i32 %i3
  %x = load <2 x float>, ptr %xp, align 8
  %yp = getelementptr <2 x float>, ptr %b, i32 %i
  %y = load <2 x float>, ptr %yp, align 8
  %sum = fadd <2 x float> %x, %y
  %place = getelementptr <2 x float>, ptr %to, i32 %back
  store <2 x float> %sum, ptr %place, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

; What may be the same memory stays in order, and so does code that is to be
; small.
; CHECK-LABEL: overlapping:
; CHECK-NOT:   pace
; CHECK-LABEL: small:
; CHECK-NOT:   pace
define void @overlapping(ptr %to, i32 %count) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %source = getelementptr <2 x float>, ptr %to, i32 %i
  %x = load <2 x float>, ptr %source, align 8
  %next = add nuw nsw i32 %i, 1
  %place = getelementptr <2 x float>, ptr %to, i32 %next
  store <2 x float> %x, ptr %place, align 8
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}
define void @small(ptr noalias %to, ptr noalias %from, i32 %count) optsize {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %source = getelementptr <2 x float>, ptr %from, i32 %i
  %x = load <2 x float>, ptr %source, align 8
  %place = getelementptr <2 x float>, ptr %to, i32 %i
  store <2 x float> %x, ptr %place, align 8
  %next = add nuw nsw i32 %i, 1
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}

declare <2 x float> @llvm.maxnum.v2f32(<2 x float>, <2 x float>)
