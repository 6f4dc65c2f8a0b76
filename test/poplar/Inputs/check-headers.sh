# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles, for each host header of poplar/, pva/ and pvti/, a file that includes nothing else.
# The device headers, which are for codelets, are left out. The standard headers are
# precompiled, so that each file takes some 50 ms.
# Usage: check-headers.sh COMPILER STANDARD INCLUDE-DIR WORK-DIR
compiler=$1 standard=$2 include=$3 work=$4
device="Vertex InOutTypes FieldTypes HalfFloat TileConstants StackSizeDefs
  VectorTypes Loops QuarterFloat Alignment StandardNames"
mkdir -p "$work"
sh "$(dirname "$0")/standard-headers.sh" > "$work/standard.h"
for header in "$include"/poplar/*.hpp "$include"/pva/*.hpp "$include"/pvti/*.hpp; do
  name=$(basename "$header" .hpp)
  folder=$(basename "$(dirname "$header")")
  case " $(echo $device) " in *" $name "*) continue ;; esac
  echo "#include <$folder/$name.hpp>" > "$work/$folder-$name.cpp"
done
flags="-std=$standard -Wall -Wextra -Werror -pedantic"
case $compiler in
clang*)
  precompiled="$work/standard.pch"
  use="-include-pch $precompiled" ;;
*)
  precompiled="$work/standard.h.gch"
  use="-include $work/standard.h" ;;
esac
$compiler -std=$standard -pedantic -x c++-header "$work/standard.h" \
  -o "$precompiled" || exit 1
exec $compiler $flags $use -fsyntax-only -I"$include" "$work"/*.cpp
