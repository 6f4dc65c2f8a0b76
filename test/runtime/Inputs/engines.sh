# engines.sh MODEL.ipux OUT OPTIONS...: runs with both engines and 1, 2 and 4 threads;
# outputs, cycles and bundles have to be the same, bit by bit.
set -euo pipefail
model=$1 out=$2
shift 2
for engine in interpreter translated auto; do
  for threads in 1 2 4; do
    run=$out/$engine-$threads
    mkdir -p "$run"
    ipu-run "$model" "$@" --engine $engine --threads $threads --repeat 3 \
      --output-dir "$run" --stats=json 2>"$out/errors" |
      python3 -c 'import json,sys; s = json.load(sys.stdin); print(s["cycles"], s["bundles"])' \
        >"$run/figures"
    diff -r "$out/interpreter-1" "$run"
  done
done
echo "all the same: $(cat "$out/interpreter-1/figures")"
