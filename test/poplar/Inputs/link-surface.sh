# link-surface.sh CXX INCLUDE LIB OUT FOLDER LIBRARIES...: makes a program of each source in
# the folder. What a header lacks is an error of the compiler, what a library lacks one of
# the linker.
CXX=$1 INCLUDE=$2 LIB=$3 OUT=$4 FOLDER=$5
shift 5
for SOURCE in "$FOLDER"/*.cpp; do
  $CXX -std=c++17 -Wall -Werror -Wno-unused-variable -Wno-unused-value \
    -Wno-unused-but-set-variable -Wno-deprecated-declarations -I "$INCLUDE" \
    "$SOURCE" -o "$OUT" -L "$LIB" -Wl,-rpath,"$LIB" "$@" || exit 1
done
