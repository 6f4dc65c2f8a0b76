// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of Executable::metadata that several components use: popart-compile
// writes these entries, and ipu-run reads or hides them.

#ifndef POPULUS_RUNTIME_FORMAT_METADATAKEYS_H
#define POPULUS_RUNTIME_FORMAT_METADATAKEYS_H

namespace populus::runtime {

/// The ONNX model that was compiled, for --save-weights.
inline constexpr char ModelKey[] = "onnx_model";
/// The variables of its weights, as JSON.
inline constexpr char WeightsKey[] = "weights";
/// Notes and warnings of the compilation, as JSON, for caches.
inline constexpr char SaidKey[] = "said";
/// Behind it, the handle of a remote buffer. The entry has the elements that
/// all rows of each replica begin with, one row after the other.
inline constexpr char RemoteValuesKey[] = "remote_values/";

} // namespace populus::runtime

#endif
