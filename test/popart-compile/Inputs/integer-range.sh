# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the models of integer_range.py on all kinds of device, and compares.
set -e
cd "$1"
check=$2

# compare TYPE KIND MODEL INPUTS, then the options of popart-compile
compare() {
  type=$1 kind=$2 model=$1-$3 inputs=$4
  shift 4
  echo "$type $kind"
  mkdir -p "$type-$kind"
  popart-compile "$model.onnx" "$@" -o "$type-$kind.ipux"
  ipu-run "$type-$kind.ipux" --allow-native $inputs --output-dir "$type-$kind"
  $check check . "$model" "$type-$kind"
}

for type in int32 uint32 int16 uint16 int8 uint8; do
  inputs="--input x=$type-given-x.npy --input y=$type-given-y.npy"
  compare $type ipu given "$inputs" --tiles 4
  compare $type model given "$inputs" --tiles 4 --device ipu-model
  compare $type cpu given "$inputs" --target cpu
  compare $type folded folded "" --tiles 4
done
