// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information of an operator: its identifier and name.

#ifndef POPULUS_INCLUDE_POPART_OPDEBUGINFO_HPP
#define POPULUS_INCLUDE_POPART_OPDEBUGINFO_HPP

#include <popart/debugcontext.hpp>
#include <popart/op.hpp>

#include <sstream>

namespace popart {

class OpDebugInfo : public DebugInfo {
public:
  OpDebugInfo(const DebugContext &context, const Op &op)
      : DebugInfo(context, "popart") {
    std::ostringstream id;
    id << op.opid;
    setValue("category", "op");
    setValue("opid", id.str());
    setValue("instanceName", op.name());
  }
};

} // namespace popart

#endif
