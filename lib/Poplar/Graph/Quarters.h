// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host side of QUARTER elements: conversion with their metadata, and the
// metadata of a tensor.

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

/// Metadata of a tensor of quarters, if constant.
std::optional<QuarterMetadata> fixedMetadata(const TensorView &tensor);
/// Returns true if both have the same metadata, or neither has any.
bool haveSameMetadata(const TensorView &a, const TensorView &b);
/// Returns the metadata at load time. Throws if there is no initial value.
QuarterMetadata initialMetadata(const Tensor &tensor);

/// Returns the view of `metadata` for elements of `type`; null if none is
/// given. Throws if `metadata` does not match `type`.
std::shared_ptr<const TensorView>
checkedMetadata(const GraphImpl &graph, Type type, const Tensor &metadata);
/// Throws not_supported_error if the graph's target has no quarters.
void requireQuarters(const GraphImpl &graph, Type type,
                     const std::string &name);

// ---- Transfers --------------------------------------------------------------
// Metadata of streams and host tensors is transferred separately: a stream or
// handle `x` has a second one, `x.metadata`. Constant metadata is stored in the
// executable instead.

/// Key of that metadata entry of an executable.
std::string metadataFact(const char *kind, const std::string &handle);
inline constexpr const char *StreamFact = "stream";
inline constexpr const char *TensorFact = "tensor";

/// Throws unless both tensors have equal metadata.
void requireSameMetadata(const std::string &where, const Tensor &source,
                         const Tensor &destination);
/// Stream of a tensor's metadata, made on demand.
std::optional<DataStream> metadataStream(const std::string &where,
                                         const DataStream &stream,
                                         const Tensor &tensor);
/// Adds a handle for the metadata of a host tensor.
void addMetadataHandle(GraphImpl &graph, const HostHandle &handle);
/// Throws for elements of type QUARTER, which `what` does not support.
void refuseQuarters(Type type, const std::string &what);

} // namespace poplar::core

#endif
