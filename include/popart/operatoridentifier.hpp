// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of an operator.

#ifndef POPULUS_INCLUDE_POPART_OPERATORIDENTIFIER_HPP
#define POPULUS_INCLUDE_POPART_OPERATORIDENTIFIER_HPP

#include <popart/names.hpp>

#include <ostream>

namespace popart {

struct OperatorIdentifier {
  OperatorIdentifier(const OpDomain &domain, const OpType &type,
                     OpVersion version)
      : domain(domain), type(type), version(version) {}

  bool operator==(const OperatorIdentifier &other) const {
    return domain == other.domain && type == other.type &&
           version == other.version;
  }
  bool operator!=(const OperatorIdentifier &other) const {
    return !(*this == other);
  }

  OpDomain domain;
  OpType type;
  OpVersion version;
};

inline std::ostream &operator<<(std::ostream &out,
                                const OperatorIdentifier &id) {
  return out << id.domain << "." << id.type << ":" << id.version;
}

} // namespace popart

#endif
