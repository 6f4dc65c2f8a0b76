# engines.sh MODEL.ipux OUT OPTIONS...: runs with both engines and 1, 2 and 4 threads;
# outputs, cycles, bundles, the registers of all tiles and the memory of tile 0 have to be
# the same, bit by bit.
set -euo pipefail
model=$1 out=$2
shift 2
for engine in interpreter translated auto; do
  for threads in 1 2 4; do
    run=$out/$engine-$threads
    mkdir -p "$run"
    ipu-run "$model" "$@" --engine $engine --threads $threads --repeat 3 \
      --output-dir "$run" --stats=json --dump-state --dump-tile 0 2>"$out/errors" |
      python3 -c '
import json, sys
text = sys.stdin.read()
figures, end = json.JSONDecoder().raw_decode(text)  # the state of the tiles follows
for name in ("host_seconds", "bundles_per_second", "translated_bundles", "engine", "threads",
             "host_ms", "samples_ms"):
    figures.pop(name)
print(json.dumps(figures, indent=2), text[end:])' >"$run/figures"
    diff -r "$out/interpreter-1" "$run"
  done
done
echo "all the same: $(grep '"total"' "$out/interpreter-1/figures")"
