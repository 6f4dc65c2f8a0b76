# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the models of elementwise_range.py on all kinds of device, and compares.
set -e
cd "$1"
page=$2
check=$3

# compare TYPE KIND, then the options of popart-compile
compare() {
  type=$1 kind=$2
  shift 2
  echo "$type $kind"
  mkdir -p "$type-$kind"
  model=given inputs="--input x=$type-x.npy --input y=$type-y.npy"
  if [ "$kind" = folded ]; then model=folded inputs=; fi
  popart-compile "$type-$model.onnx" "$@" -o "$type-$kind.ipux"
  ipu-run "$type-$kind.ipux" --allow-native $inputs --output-dir "$type-$kind"
  $check check . "$type" "$type-$kind" "$page"
}

for type in float half; do
  compare $type ipu --tiles 8
  compare $type model --tiles 8 --device ipu-model
  compare $type cpu --target cpu
  compare $type folded --tiles 8
done
