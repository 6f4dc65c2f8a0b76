// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of lowerings of operators that programs define. An Opx adds the
// operator to the tile program (grow).

#ifndef POPULUS_INCLUDE_POPART_POPX_OPX_HPP
#define POPULUS_INCLUDE_POPART_POPX_OPX_HPP

#include <popart/datatype.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/irlowering.hpp>
#include <popart/region.hpp>

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <set>
#include <string>
#include <vector>

namespace popart {
namespace popx {

/// Says whether an operator can choose the layout of a tensor that it reads.
enum class InputCreatorType {
  CanCreate = 0,
  CanUnwind,
  CanCreateOrUnwind,
  Deadend,
  CanDelegate,
  CanDelegateOrUnwind,
};

poplar::Type popType(const TensorInfo &info);
poplar::Type popType(DataType type);

class Opx {
public:
  Opx(Op *op, Devicex *device) : op_p(op), dv_p(device) {}
  virtual ~Opx() {}

  /// Adds the operator to a program. The default is an error.
  virtual void grow(poplar::program::Sequence &) const;

  // ---- Layouts --------------------------------------------------------------

  virtual InputCreatorType getInputCreatorType(InIndex) const {
    return InputCreatorType::Deadend;
  }
  virtual poplar::Tensor createInput(InIndex index,
                                     const poplar::DebugNameAndId &name) const;
  virtual poplar::Tensor
  createInputTensor(InIndex index, const poplar::DebugNameAndId &name) const {
    return createInput(index, name);
  }
  virtual poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex,
                                            OutIndex) const {
    return tensor;
  }
  virtual view::RegMap unwindRegion(InIndex, OutIndex) const;
  virtual std::set<TensorId> mustExistBeforeCreate(InIndex) const { return {}; }

  // ---- The operator ---------------------------------------------------------

  template <class OP> OP &getOp() const {
    OP *op = dynamic_cast<OP *>(op_p);
    if (!op)
      throw error("Failed to cast to op to type");
    return *op;
  }
  template <class OP>
  void verifyOp(Op *op, const std::vector<OperatorIdentifier> &opids) const {
    verifyOp<OP>(op);
    for (const OperatorIdentifier &opid : opids)
      if (op->opid == opid)
        return;
    failVerify(op);
  }
  template <class OP>
  void verifyOp(Op *op, const OperatorIdentifier &opid) const {
    verifyOp<OP>(op, std::vector<OperatorIdentifier>{opid});
  }
  template <class OP> void verifyOp(Op *op) const {
    if (!dynamic_cast<OP *>(op))
      failVerify(op);
  }

  const TensorInfo &inInfo(InIndex index) const { return op_p->inInfo(index); }
  const TensorInfo &outInfo(OutIndex index) const {
    return op_p->outInfo(index);
  }
  const Shape &inShape(InIndex index) const { return op_p->inShape(index); }
  const Shape &outShape(OutIndex index) const { return op_p->outShape(index); }
  std::vector<std::size_t> inShapeSzt(InIndex index) const;
  std::vector<std::size_t> outShapeSzt(OutIndex index) const;
  const TensorId &inId(InIndex index) const { return op_p->inId(index); }
  const TensorId &outId(OutIndex index) const { return op_p->outId(index); }
  Tensor *inTensor(InIndex index) const { return op_p->inTensor(index); }
  Tensor *outTensor(OutIndex index) const { return op_p->outTensor(index); }
  bool hasInput(InIndex index) const { return op_p->hasInput(index); }
  bool hasOutput(OutIndex index) const { return op_p->hasOutput(index); }
  VGraphId getVirtualGraphId() const {
    return op_p->hasVirtualGraphId() ? op_p->getVirtualGraphId() : 0;
  }

  // ---- The program ----------------------------------------------------------

  /// Virtual graph of the operator's IPU, and the graph of the whole device.
  poplar::Graph &graph() const;
  poplar::Graph &topLevelGraph() const;
  const poplar::Tensor &getInTensor(InIndex index) const;
  const poplar::Tensor &getOutTensor(OutIndex index) const;
  void setOutTensor(OutIndex index, const poplar::Tensor &tensor) const;
  bool hasInViewChangers(InIndex) const { return false; }
  /// Tensor of an operand or result of the operator, by name.
  poplar::Tensor get(const TensorId &id) const;
  void insert(const TensorId &id, const poplar::Tensor &tensor) const;

  poplar::DebugNameAndId getDebugNameAndId(const std::string &name = "") const;
  poplar::DebugContext debugContext(const std::string &name = "") const;
  /// The older form: a string.
  std::string debugPrefix(const std::string &name = "") const;

  poplar::Tensor cloneNcopy(poplar::program::Sequence &program,
                            const TensorId &id) const;
  poplar::Tensor cloneNcopy(poplar::program::Sequence &program,
                            const poplar::Tensor &tensor,
                            const std::string &name = "") const;
  poplar::Tensor broadcast(const std::vector<std::int64_t> &shape,
                           const TensorId &id) const;
  poplar::Tensor broadcast(const std::vector<std::int64_t> &shape,
                           poplar::Tensor tensor) const;
  poplar::Tensor getConst(const poplar::Type &type,
                          const std::vector<std::size_t> &shape, double value,
                          const std::string &name) const;
  poplar::Tensor getScalarVariable(const poplar::Type &type,
                                   const std::string &name) const;
  poplar::Tensor getZerosTensor(const std::vector<std::size_t> &shape,
                                const poplar::Type &type,
                                const std::string &name) const;

  Op *op_p;
  double inputCreatorPriority = 0.0;

protected:
  Devicex *dv_p;

private:
  friend class OpxAccess;
  [[noreturn]] void failVerify(const Op *op) const;

  /// State of the lowering. Its type is private to the compiler.
  struct OpxState *state = nullptr;
};

} // namespace popx
} // namespace popart

#endif
