// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A proposal to compute an operator in place: the operator's gate, and the
// operand whose memory the result takes. Operators return it from
// popart::Op::mapInplaceProposal, which the compiler never calls: it decides by
// itself.

#ifndef POPULUS_INCLUDE_POPRITHMS_MEMORY_INPLACE_PROPOSAL_HPP
#define POPULUS_INCLUDE_POPRITHMS_MEMORY_INPLACE_PROPOSAL_HPP

#include <cstdint>
#include <ostream>
#include <vector>

namespace poprithms {
namespace memory {
namespace inplace {

class OpId {
public:
  explicit OpId(std::int64_t number) : number(number) {}
  std::int64_t get() const { return number; }
  bool operator==(OpId other) const { return number == other.number; }
  bool operator!=(OpId other) const { return number != other.number; }
  bool operator<(OpId other) const { return number < other.number; }

private:
  std::int64_t number;
};

class Proposal {
public:
  Proposal(OpId gate, std::int64_t input) : gate(gate), input(input) {}

  OpId gateId() const { return gate; }
  /// Index of the operand.
  std::int64_t inIndex() const { return input; }

  bool operator==(const Proposal &other) const {
    return gate == other.gate && input == other.input;
  }
  bool operator!=(const Proposal &other) const { return !(*this == other); }
  bool operator<(const Proposal &other) const {
    return gate < other.gate || (gate == other.gate && input < other.input);
  }

private:
  OpId gate;
  std::int64_t input;
};

using Proposals = std::vector<Proposal>;

inline std::ostream &operator<<(std::ostream &out, OpId id) {
  return out << id.get();
}
inline std::ostream &operator<<(std::ostream &out, const Proposal &proposal) {
  return out << "(" << proposal.gateId() << " <- " << proposal.inIndex() << ")";
}

} // namespace inplace
} // namespace memory
} // namespace poprithms

#endif
