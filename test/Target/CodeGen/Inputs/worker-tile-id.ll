target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"
declare i32 @ipu_get_tile_id() memory(none)
define i32 @tile() {
  %t = call i32 @ipu_get_tile_id()
  ret i32 %t
}
