# Compiles each public header of PopLibs by itself. Usage: check-headers.sh INCLUDE TMP
set -e
rm -rf "$2" && mkdir -p "$2"
cd "$1"
for header in poputil/*.hpp popops/*.hpp poplin/*.hpp popnn/*.hpp poprand/*.hpp popsolver/*.hpp \
  popsparse/*.hpp gcl/*.hpp */experimental/*.hpp; do
  echo "#include <$header>" > "$2/$(echo "$header" | tr / _).cpp"
done
ls "$2"/*.cpp | xargs -P 2 -n 1 g++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only -I "$1"
cat "$2"/*.cpp > "$2/all.cc"
g++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I "$1" "$2/all.cc"
