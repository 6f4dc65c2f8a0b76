# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the models of elementwise_range.py on all kinds of device, and compares.
set -e
cd "$1"
page=$2
check=$3

# run TYPE KIND, then the options of popart-compile
run() {
  type=$1 kind=$2
  shift 2
  mkdir -p "$type-$kind"
  model=given inputs="--input x=$type-x.npy --input y=$type-y.npy"
  if [ "$kind" = folded ]; then model=folded inputs=; fi
  popart-compile "$type-$model.onnx" "$@" -o "$type-$kind.ipux"
  ipu-run "$type-$kind.ipux" --allow-native $inputs --output-dir "$type-$kind"
}

for type in float half; do
  run $type ipu --tiles 8
  run $type model --tiles 8 --device ipu-model
  run $type cpu --target cpu
  run $type folded --tiles 8
  $check check . "$type" "$page" ipu model cpu folded
done
