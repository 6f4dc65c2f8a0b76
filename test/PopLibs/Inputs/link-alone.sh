# link-alone.sh CXX LIB OUT LIBRARIES...: links an empty program with each library by itself.
CXX=$1 LIB=$2 OUT=$3
shift 3
printf 'int main() {}\n' >"$OUT.cpp"
for LIBRARY in "$@"; do
  $CXX "$OUT.cpp" -o "$OUT" -L "$LIB" -Wl,-rpath,"$LIB" -Wl,--no-as-needed "$LIBRARY" || exit 1
done
