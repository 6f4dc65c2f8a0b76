// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that C++ reaches through __builtin_ipu_NAME. The front end turns
// such a builtin into a call of the function ipu_NAME, IPUTargetIntrinsicInfo maps
// the name to the number that TableGen gives the record here, and instruction
// selection matches the record in patterns. IPUBuiltins.def lists the same names
// with their C types.

let TargetPrefix = "ipu" in {
  // Read-only facts about the running context.
  def int_ipu_get_vertex_base : Intrinsic<[llvm_ptr_ty], [], [IntrNoMem]>;
  def int_ipu_get_worker_id : Intrinsic<[llvm_i32_ty], [], [IntrNoMem]>;
  def int_ipu_get_tile_id : Intrinsic<[llvm_i32_ty], [], [IntrNoMem]>;

  // Control registers, named by a constant index.
  def int_ipu_get
      : Intrinsic<[llvm_i32_ty], [llvm_i32_ty], [IntrNoMem, IntrHasSideEffects]>;
  def int_ipu_put
      : Intrinsic<[], [llvm_i32_ty, llvm_i32_ty], [IntrNoMem, IntrHasSideEffects]>;
  def int_ipu_uget
      : Intrinsic<[llvm_i32_ty], [llvm_i32_ty], [IntrNoMem, IntrHasSideEffects]>;
  def int_ipu_uput
      : Intrinsic<[], [llvm_i32_ty, llvm_i32_ty], [IntrNoMem, IntrHasSideEffects]>;
  def int_ipu_ugetf
      : Intrinsic<[llvm_float_ty], [llvm_i32_ty], [IntrNoMem, IntrHasSideEffects]>;
  def int_ipu_uputf
      : Intrinsic<[], [llvm_float_ty, llvm_i32_ty], [IntrNoMem, IntrHasSideEffects]>;

  // Elementary functions, one instruction each.
  class IPUUnaryF32
      : Intrinsic<[llvm_float_ty], [llvm_float_ty], [IntrNoMem]>;
  foreach F = ["sqrt", "oox", "oorx", "exp", "exp2", "ln", "log2", "tanh",
               "sigm"] in {
    def int_ipu_#F : IPUUnaryF32;
    def int_ipu_f32#F : IPUUnaryF32;
  }
  class IPUBinaryF32
      : Intrinsic<[llvm_float_ty], [llvm_float_ty, llvm_float_ty], [IntrNoMem]>;
  foreach F = ["f32absadd", "f32absmax", "and_f32", "andc_f32", "or_f32"] in
    def int_ipu_#F : IPUBinaryF32;
  def int_ipu_not_f32 : IPUUnaryF32;

  // Integer permutes and counts.
  class IPUBinaryI32
      : Intrinsic<[llvm_i32_ty], [llvm_i32_ty, llvm_i32_ty], [IntrNoMem]>;
  class IPUUnaryI32 : Intrinsic<[llvm_i32_ty], [llvm_i32_ty], [IntrNoMem]>;
  foreach F = ["roll8l", "roll8r", "shuf8x8lo", "shuf8x8hi", "sort8x8lo",
               "sort8x8hi"] in
    def int_ipu_#F : IPUBinaryI32;
  foreach F = ["sort8", "swap8", "bitrev8", "cms"] in
    def int_ipu_#F : IPUUnaryI32;

  def int_ipu_urand32 : Intrinsic<[llvm_i32_ty], [], [IntrNoMem, IntrHasSideEffects]>;
}
