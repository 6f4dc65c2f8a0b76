# same-everywhere.sh COMMAND...: runs it with both engines and different numbers of host
# threads; what it prints (results, cycles) has to be the same each time.
set -euo pipefail
for setting in interpreter-1 interpreter-4 translated-2 auto-4; do
  POPULUS_ENGINE=${setting%-*} POPULUS_THREADS=${setting#*-} "$@" \
    >"same-everywhere.$setting" 2>/dev/null
  diff same-everywhere.interpreter-1 "same-everywhere.$setting"
done
echo "the same everywhere"
