// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata of 8-bit floats, which tensors cannot have yet.

#include <poplar/MetadataCreation.hpp>
#include <poplar/Quarter.hpp>

#include <poplar/exceptions.hpp>

#include <ostream>

namespace poplar {

QuarterMetadata::QuarterMetadata(Format format, int scale)
    : format(format), scale(scale) {
  if (scale < -32 || scale > 31)
    throw poplar_error("the scale of 8-bit floats is " + std::to_string(scale) +
                       ", but must be from -32 to 31");
}

std::string toString(QuarterMetadata::Format format) {
  return format == QuarterMetadata::Format::F143 ? "F143" : "F152";
}

std::string QuarterMetadata::toString() const {
  return poplar::toString(format) + " scaled by 2^" + std::to_string(scale);
}

std::ostream &operator<<(std::ostream &out, QuarterMetadata::Format format) {
  return out << toString(format);
}
std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata) {
  return out << metadata.toString();
}

namespace {

[[noreturn]] void refuse(const DebugContext &debugContext) {
  throw not_supported_error("metadata tensor '" + debugContext.getPathName() +
                            "': elements of type QUARTER (8-bit floats) are "
                            "not supported");
}

} // namespace

Tensor createConstantMetadataTensor(Graph &, QuarterMetadata::Format, int,
                                    const DebugContext &debugContext) {
  refuse(debugContext);
}
Tensor createVariableMetadataTensor(Graph &, QuarterMetadata::Format, int,
                                    const DebugContext &debugContext) {
  refuse(debugContext);
}
Tensor createVariableMetadataTensor(Graph &, QuarterMetadata::Format,
                                    const Tensor &, program::Sequence &,
                                    const DebugContext &debugContext) {
  refuse(debugContext);
}
void setMetadataTensor(Graph &, QuarterMetadata::Format, const Tensor &,
                       const Tensor &, program::Sequence &,
                       const DebugContext &debugContext) {
  refuse(debugContext);
}

} // namespace poplar
