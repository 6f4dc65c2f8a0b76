// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of sparse products: some are for the dense products that they are
// computed by, the others are read and have no effect.

#ifndef POPULUS_LIB_POPLIBS_POPSPARSE_PRODUCTOPTIONS_H
#define POPULUS_LIB_POPLIBS_POPSPARSE_PRODUCTOPTIONS_H

#include <poplar/OptionFlags.hpp>
#include <poputil/OptionParsing.hpp>

namespace popsparse {

/// Options for poplin's products; \p own parses the others.
poplar::OptionFlags denseProductOptions(const poplar::OptionFlags &options,
                                        const poplibs::OptionSpec &own);

} // namespace popsparse

#endif
