// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of type QUARTER on the host: from and to numbers by their metadata,
// and what metadata a tensor has.

#ifndef POPULUS_LIB_POPLAR_GRAPH_QUARTERS_H
#define POPULUS_LIB_POPLAR_GRAPH_QUARTERS_H

#include "lib/Poplar/Graph/GraphImpl.h"

#include <poplar/Quarter.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace poplar::core {

/// `count` host values, each rounded once to the nearest quarter.
std::vector<std::uint8_t> convertToQuarters(QuarterMetadata metadata,
                                            const void *values,
                                            std::size_t count,
                                            const TypeTraits &traits,
                                            bool nanOnOverflow = false);
float quarterNumber(std::uint8_t quarter, QuarterMetadata metadata);

/// The metadata of a tensor of quarters, if they are constant.
std::optional<QuarterMetadata> fixedMetadata(const TensorView &tensor);
/// Returns true if both have the same metadata, or neither has any.
bool haveSameMetadata(const TensorView &a, const TensorView &b);
/// Returns the metadata at load time. Throws if there is no initial value.
QuarterMetadata initialMetadata(const Tensor &tensor);

/// The view of a tensor that is to be the metadata of elements of `type`: null
/// where none is given. Throws where `metadata` is not what `type` needs.
std::shared_ptr<const TensorView>
checkedMetadata(const GraphImpl &graph, Type type, const Tensor &metadata);
/// Throws not_supported_error if the graph's target has no quarters.
void requireQuarters(const GraphImpl &graph, Type type,
                     const std::string &name);

// ---- Transfers --------------------------------------------------------------
// The metadata of a stream or of a tensor that the host reads or writes travel
// by themselves: the stream or handle `x` has one `x.metadata` beside it. Where
// the device's metadata are constant there is none, and the executable says
// what they are.

/// The name of that fact of an executable.
std::string metadataFact(const char *kind, const std::string &handle);
inline constexpr const char *StreamFact = "stream";
inline constexpr const char *TensorFact = "tensor";

/// Throws unless quarters of one tensor mean the same in the other.
void requireSameMetadata(const std::string &where, const Tensor &source,
                         const Tensor &destination);
/// The stream that brings a tensor's metadata along; made when first needed.
std::optional<DataStream> metadataStream(const std::string &where,
                                         const DataStream &stream,
                                         const Tensor &tensor);
/// Lets the host reach the metadata of a tensor that it reads or writes.
void addMetadataHandle(GraphImpl &graph, const HostHandle &handle);
/// Throws for elements of type quarter, which `what` cannot have.
void refuseQuarters(Type type, const std::string &what);

} // namespace poplar::core

#endif
