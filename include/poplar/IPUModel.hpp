// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that runs codelets as host code and models what an IPU would need:
// set the members, then create the device.

#ifndef POPULUS_INCLUDE_POPLAR_IPUMODEL_HPP
#define POPULUS_INCLUDE_POPLAR_IPUMODEL_HPP

#include <poplar/Device.hpp>
#include <poplar/OptionFlags.hpp>

#include <string>

namespace poplar {

class IPUModel {
public:
  /// `version` is a target name: "ipu1", "ipu2" (the default) or "ipu21".
  IPUModel(const char *version = nullptr);

  Device createDevice(const OptionFlags &options = {},
                      bool accurateHalf = false) const;

  std::string IPUVersion;
  unsigned numIPUs;
  unsigned tilesPerIPU;
  /// Also compile codelets for the IPU, so that memory reports count code. Has
  /// no effect yet: programs are compiled for the host only.
  bool compileIPUCode;
};

} // namespace poplar

#endif
