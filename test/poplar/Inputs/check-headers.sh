# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles, for each host header of poplar/, a file that includes nothing else.
# The device headers, which are for codelets, are left out.
# Usage: check-headers.sh INCLUDE-DIR WORK-DIR
device="Vertex InOutTypes FieldTypes HalfFloat TileConstants StackSizeDefs
  VectorTypes Loops QuarterFloat"
for header in algorithm array chrono cstddef cstdint cstring functional \
  initializer_list iosfwd istream limits map memory ostream sstream stdexcept \
  string tuple type_traits utility vector; do
  echo "#include <$header>"
done > "$2/standard.h"
clang++-19 -std=c++11 -x c++-header "$2/standard.h" -o "$2/standard.pch" || exit 1
status=0
for header in "$1"/poplar/*.hpp; do
  name=$(basename "$header" .hpp)
  case " $(echo $device) " in *" $name "*) continue ;; esac
  echo "#include <poplar/$name.hpp>" > "$2/$name.cpp"
  clang++-19 -std=c++11 -include-pch "$2/standard.pch" -Wall -Wextra -Werror \
    -pedantic -fsyntax-only -I"$1" "$2/$name.cpp" || status=1
done
exit $status
