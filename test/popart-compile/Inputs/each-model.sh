# Compiles the model of each folder and compares its results with the test data there, exactly.
#   each-model.sh FOLDER
cd "$1" || exit 1
for model in */; do
  echo "$model"
  popart-compile "$model/model.onnx" --tiles 4 -o "$model/p.ipux" &&
    ipu-run "$model/p.ipux" --test-data "$model" --rtol 0 --atol 0 || exit 1
done
