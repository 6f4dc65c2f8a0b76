// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that C++ reaches through __builtin_ipu_NAME. The front end turns
// such a builtin into a call of the function ipu_NAME, IPUTargetIntrinsicInfo maps
// the name to the number that TableGen gives the record here, and instruction
// selection matches the record in patterns (IPUIntrinsicPatterns.td) or, where it
// has effects on the auxiliary pipe's state, in IPUIntrinsicSelect.cpp.
// IPUBuiltins.def lists the same names with their C types.

class IPUPure<list<LLVMType> result, list<LLVMType> operands>
    : Intrinsic<result, operands, [IntrNoMem]>;
class IPUEffect<list<LLVMType> result, list<LLVMType> operands>
    : Intrinsic<result, operands, [IntrNoMem, IntrHasSideEffects]>;

// The types of the auxiliary file, and their names in builtins.
class IPULaneType<string name, string words, LLVMType ty> {
  string Name = name;
  string Bits = words;
  LLVMType Ty = ty;
}
defvar IPULaneTypes = [
  IPULaneType<"f32", "f32", llvm_float_ty>,
  IPULaneType<"f32v2", "v2f32", llvm_v2f32_ty>,
  IPULaneType<"f16v2", "v2f16", llvm_v2f16_ty>,
  IPULaneType<"f16v4", "v4f16", llvm_v4f16_ty>
];

let TargetPrefix = "ipu" in {
  // Read-only facts about the running context.
  def int_ipu_get_vertex_base : IPUPure<[llvm_ptr_ty], []>;
  def int_ipu_get_worker_id : IPUPure<[llvm_i32_ty], []>;
  def int_ipu_get_tile_id : IPUPure<[llvm_i32_ty], []>;
  def int_ipu_is_worker_mode : IPUPure<[llvm_i32_ty], []>;

  // Control registers, named by a constant index.
  def int_ipu_get : IPUEffect<[llvm_i32_ty], [llvm_i32_ty]>;
  def int_ipu_put : IPUEffect<[], [llvm_i32_ty, llvm_i32_ty]>;
  def int_ipu_uget : IPUEffect<[llvm_i32_ty], [llvm_i32_ty]>;
  def int_ipu_uput : IPUEffect<[], [llvm_i32_ty, llvm_i32_ty]>;
  def int_ipu_ugetf : IPUEffect<[llvm_float_ty], [llvm_i32_ty]>;
  def int_ipu_uputf : IPUEffect<[], [llvm_float_ty, llvm_i32_ty]>;
  def int_ipu_get_scount_l : IPUEffect<[llvm_i32_ty], []>;
  def int_ipu_get_scount_u : IPUEffect<[llvm_i32_ty], []>;
  def int_ipu_ld64putcs : IPUEffect<[], [llvm_i32_ty]>;
  def int_ipu_ld128putcs : IPUEffect<[], [llvm_i32_ty]>;

  // Elementary functions, one instruction each.
  foreach F = ["sqrt", "oox", "oorx", "exp", "exp2", "ln", "log2", "tanh",
               "sigm"] in {
    def int_ipu_#F : IPUPure<[llvm_float_ty], [llvm_float_ty]>;
    def int_ipu_f32#F : IPUPure<[llvm_float_ty], [llvm_float_ty]>;
  }
  foreach F = ["exp", "exp2", "ln", "log2", "tanh", "sigm"] in
    def int_ipu_f16v2#F : IPUPure<[llvm_v2f16_ty], [llvm_v2f16_ty]>;

  foreach T = IPULaneTypes in {
    foreach F = ["absadd", "absmax", "min", "max", "cmpeq", "cmpne", "cmplt",
                 "cmple", "cmpgt", "cmpge"] in
      def int_ipu_#T.Name#F : IPUPure<[T.Ty], [T.Ty, T.Ty]>;
    def int_ipu_#T.Name#"class" : IPUPure<[llvm_i32_ty], [T.Ty]>;
    foreach F = ["and", "andc", "or"] in
      def int_ipu_#F#"_"#T.Bits : IPUPure<[T.Ty], [T.Ty, T.Ty]>;
    def int_ipu_not_#T.Bits : IPUPure<[T.Ty], [T.Ty]>;
  }
  def int_ipu_f32clamp
      : IPUPure<[llvm_float_ty], [llvm_float_ty, llvm_v2f32_ty]>;
  def int_ipu_f32v2clamp
      : IPUPure<[llvm_v2f32_ty], [llvm_v2f32_ty, llvm_v2f32_ty]>;
  def int_ipu_f16v2clamp
      : IPUPure<[llvm_v2f16_ty], [llvm_v2f16_ty, llvm_v2f16_ty]>;
  def int_ipu_f16v4clamp
      : IPUPure<[llvm_v4f16_ty], [llvm_v4f16_ty, llvm_v2f16_ty]>;

  def int_ipu_f16tof32 : IPUPure<[llvm_float_ty], [llvm_half_ty]>;
  def int_ipu_f16v2tof32 : IPUPure<[llvm_v2f32_ty], [llvm_v2f16_ty]>;
  def int_ipu_f32tof16 : IPUPure<[llvm_half_ty], [llvm_float_ty]>;
  def int_ipu_f32v2tof16 : IPUPure<[llvm_v2f16_ty], [llvm_v2f32_ty]>;
  def int_ipu_f32int : IPUPure<[llvm_float_ty], [llvm_float_ty, llvm_i32_ty]>;
  def int_ipu_f16v2sum : IPUPure<[llvm_float_ty], [llvm_v2f16_ty]>;
  def int_ipu_f16v4sum : IPUPure<[llvm_v2f32_ty], [llvm_v4f16_ty]>;
  def int_ipu_f16v2maxc : IPUPure<[llvm_half_ty], [llvm_v2f16_ty]>;
  def int_ipu_f16v4maxc : IPUPure<[llvm_v2f16_ty], [llvm_v4f16_ty]>;

  foreach F = ["roll32", "sort4x32lo", "sort4x32hi"] in
    def int_ipu_#F : IPUPure<[llvm_v2f32_ty], [llvm_v2f32_ty, llvm_v2f32_ty]>;

  // Integer permutes and counts.
  foreach F = ["roll8l", "roll8r", "shuf8x8lo", "shuf8x8hi", "sort8x8lo",
               "sort8x8hi"] in
    def int_ipu_#F : IPUPure<[llvm_i32_ty], [llvm_i32_ty, llvm_i32_ty]>;
  foreach F = ["sort8", "swap8", "bitrev8", "cms"] in
    def int_ipu_#F : IPUPure<[llvm_i32_ty], [llvm_i32_ty]>;

  // Accumulators.
  def int_ipu_f32mac : IPUEffect<[], [llvm_float_ty, llvm_float_ty]>;
  def int_ipu_f32v2mac : IPUEffect<[], [llvm_v2f32_ty, llvm_v2f32_ty]>;
  def int_ipu_f16v2cmac : IPUEffect<[], [llvm_v2f16_ty, llvm_v2f16_ty]>;
  def int_ipu_f16v4cmac : IPUEffect<[], [llvm_v4f16_ty, llvm_v4f16_ty]>;
  foreach F = ["acc", "absacc", "sqacc"] in {
    def int_ipu_f32v4#F : IPUEffect<[], [llvm_v4f32_ty]>;
    def int_ipu_f16v8#F : IPUEffect<[], [llvm_v8f16_ty]>;
  }
  def int_ipu_f16v4acc : IPUEffect<[], [llvm_v4f16_ty]>;
  def int_ipu_f16v4absacc : IPUEffect<[], [llvm_v4f16_ty]>;
  def int_ipu_f32v2aop
      : IPUEffect<[], [llvm_v2f32_ty, llvm_v2f32_ty, llvm_i32_ty]>;
  def int_ipu_f32v2axpy
      : IPUEffect<[llvm_v2f32_ty], [llvm_v2f32_ty, llvm_v2f32_ty]>;
  def int_ipu_f16v4mix
      : IPUEffect<[llvm_v4f16_ty], [llvm_v4f16_ty, llvm_v4f16_ty]>;
  def int_ipu_f32v2gina
      : IPUEffect<[llvm_v2f32_ty], [llvm_v2f32_ty, llvm_i32_ty]>;
  def int_ipu_f16v2gina
      : IPUEffect<[llvm_v2f16_ty], [llvm_v2f16_ty, llvm_i32_ty]>;
  def int_ipu_f16v4gacc : IPUEffect<[llvm_v4f16_ty], []>;

  // Matrix and slim-convolution units.
  class IPUEngine<LLVMType out, LLVMType data, LLVMType sums>
      : IPUEffect<[out], [data, sums, llvm_i32_ty]>;
  foreach U = ["amp", "slic"] in {
    def int_ipu_f32siso#U
        : IPUEngine<llvm_v2f32_ty, llvm_float_ty, llvm_v2f32_ty>;
    def int_ipu_f16v4siso#U
        : IPUEngine<llvm_v2f32_ty, llvm_v4f16_ty, llvm_v2f32_ty>;
    def int_ipu_f16v4siho#U
        : IPUEngine<llvm_v2f16_ty, llvm_v4f16_ty, llvm_v2f32_ty>;
    def int_ipu_f16v4hiho#U
        : IPUEngine<llvm_v2f16_ty, llvm_v4f16_ty, llvm_v2f16_ty>;
    def int_ipu_f16v4hihov4#U
        : IPUEngine<llvm_v4f16_ty, llvm_v4f16_ty, llvm_v4f16_ty>;
  }
  def int_ipu_f32sisov2amp
      : IPUEngine<llvm_v2f32_ty, llvm_float_ty, llvm_v2f32_ty>;

  // Random numbers.
  def int_ipu_urand32 : IPUEffect<[llvm_i32_ty], []>;
  def int_ipu_urand64 : IPUEffect<[llvm_i64_ty], []>;
  def int_ipu_urand_f32 : IPUEffect<[llvm_float_ty], []>;
  def int_ipu_urand_f16 : IPUEffect<[llvm_v2f16_ty], []>;
  def int_ipu_f32v2grand : IPUEffect<[llvm_v2f32_ty], []>;
  def int_ipu_f16v2grand : IPUEffect<[llvm_v2f16_ty], []>;
  def int_ipu_f32v2rmask
      : IPUEffect<[llvm_v2f32_ty], [llvm_v2f32_ty, llvm_float_ty]>;
  def int_ipu_f16v4rmask
      : IPUEffect<[llvm_v4f16_ty], [llvm_v4f16_ty, llvm_float_ty]>;
}
