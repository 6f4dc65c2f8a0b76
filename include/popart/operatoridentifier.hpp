// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of an operator.

#ifndef POPULUS_INCLUDE_POPART_OPERATORIDENTIFIER_HPP
#define POPULUS_INCLUDE_POPART_OPERATORIDENTIFIER_HPP

#include <popart/names.hpp>

#include <ostream>
#include <tuple>

namespace popart {

namespace Domain {
static const OpDomain ai_onnx = "ai.onnx";
static const OpDomain ai_graphcore = "ai.graphcore";
} // namespace Domain

/// Number of operands of an operator. If min and max are equal, the number is
/// exact.
struct NumInputs {
  NumInputs() : min(0), max(0) {}
  NumInputs(int count) : min(count), max(count) {}
  NumInputs(int min, int max) : min(min), max(max) {}
  int min, max;
};

struct OperatorIdentifier {
  /// The empty domain is ONNX's own.
  OperatorIdentifier(const OpDomain &domain, const OpType &type,
                     OpVersion version, NumInputs numInputs = {},
                     int numOutputs = 0)
      : domain(domain.empty() ? "ai.onnx" : domain), type(type),
        version(version), numInputs(numInputs), numOutputs(numOutputs) {}

  bool operator==(const OperatorIdentifier &other) const {
    return domain == other.domain && type == other.type &&
           version == other.version;
  }
  bool operator!=(const OperatorIdentifier &other) const {
    return !(*this == other);
  }
  bool operator<(const OperatorIdentifier &other) const {
    return std::tie(domain, type, version) <
           std::tie(other.domain, other.type, other.version);
  }

  OpDomain domain;
  OpType type;
  OpVersion version;
  NumInputs numInputs;
  int numOutputs;
};

inline std::ostream &operator<<(std::ostream &out,
                                const OperatorIdentifier &id) {
  return out << id.domain << "." << id.type << ":" << id.version;
}

} // namespace popart

#endif
