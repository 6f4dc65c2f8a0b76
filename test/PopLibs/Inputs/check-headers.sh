# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles each public header of PopLibs by itself as C++11, with the standard headers precompiled,
# so that only missing headers of ours are found; then all of them as C++11 and C++20 without.
# Usage: check-headers.sh INCLUDE WORK
set -e
rm -rf "$2" && mkdir -p "$2"
cd "$1"
for header in poputil/*.hpp popops/*.hpp poplin/*.hpp popnn/*.hpp poprand/*.hpp popsolver/*.hpp \
  popsparse/*.hpp gcl/*.hpp */experimental/*.hpp; do
  echo "#include <$header>" > "$2/$(echo "$header" | tr / _).cpp"
done
sh "$(dirname "$0")/../../poplar/Inputs/standard-headers.sh" > "$2/standard.h"
g++ -std=c++11 -x c++-header "$2/standard.h" -o "$2/standard.h.gch"
ls "$2"/*.cpp | xargs -P 2 -n 1 g++ -std=c++11 -Wall -Wextra -Werror -include "$2/standard.h" \
  -fsyntax-only -I "$1"
cat "$2"/*.cpp > "$2/all.cc"
for standard in c++11 c++20; do
  g++ -std=$standard -Wall -Wextra -Werror -fsyntax-only -I "$1" "$2/all.cc"
done
