// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the options that are passed to poplin.

#include "lib/PopLibs/popsparse/ProductOptions.h"

namespace popsparse {

poplar::OptionFlags denseProductOptions(const poplar::OptionFlags &options,
                                        const poplibs::OptionSpec &own) {
  poplar::OptionFlags result;
  for (const auto &[key, value] : options)
    if (key == "partialsType" || key == "availableMemoryProportion")
      result.set(key, value);
    else
      own.parse(key, value);
  return result;
}

} // namespace popsparse
