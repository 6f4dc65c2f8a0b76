; Line tables and stack sizes.
; RUN: %{llc} -O2 -filetype=obj --stack-size-section -function-sections < %s -o %t.o
; RUN: llvm-readelf -S %t.o | FileCheck %s
; RUN: %{llc} -O2 < %s | FileCheck %s --check-prefix=ASM
; CHECK-DAG: .text.f
; CHECK-DAG: .stack_sizes
; CHECK-DAG: .debug_line
; CHECK-DAG: .debug_info
; ASM: .loc 0 3 10 prologue_end
; ASM: add $m0, $m0, 1
; ASM: .loc 0 3 3
; ASM: br $m10
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

define i32 @f(i32 %x) !dbg !5 {
  %y = add i32 %x, 1, !dbg !8
  ret i32 %y, !dbg !9
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "test", isOptimized: true, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/")
!3 = !{i32 2, !"Dwarf Version", i32 5}
!4 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 2, type: !6, unit: !0, spFlags: DISPFlagDefinition)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = !DILocation(line: 3, column: 10, scope: !5)
!9 = !DILocation(line: 3, column: 3, scope: !5)
