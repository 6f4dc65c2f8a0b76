# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints includes of the standard headers that public headers use, to be precompiled.
for header in algorithm array chrono cstddef cstdint cstring functional \
  initializer_list iosfwd istream limits map memory ostream sstream stdexcept \
  string tuple type_traits utility vector; do
  echo "#include <$header>"
done
