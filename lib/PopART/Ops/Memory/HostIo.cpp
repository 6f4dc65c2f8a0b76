// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HostLoad and HostStore: transfers with the host within a graph. The attribute
// `stream` names the stream; each operator takes its next tensor, in execution
// order. RemoteLoad and RemoteStore read and write one row of a variable: of a
// buffer in the host's memory if it is off chip, else of memory on the tiles.
// Only programs that build graphs themselves use these operators; models
// cannot.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>
#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>

namespace populus::popir {

namespace {

class StreamOp : public DeviceOp {
public:
  explicit StreamOp(OpSpec newSpec) : DeviceOp(std::move(newSpec)) {
    if (stream().empty())
      failInput("it names no stream");
  }
  bool hasEffect() const override { return true; }
  bool isStateful() const override { return true; }

protected:
  std::string stream() const { return attributes().getString("stream", ""); }
};

class HostLoad final : public StreamOp {
public:
  using StreamOp::StreamOp;

  std::vector<TensorInfo> infer() const override {
    const std::int64_t number = attributes().getInt("data_type", 1);
    const std::optional<DataType> type = fromOnnx(static_cast<int>(number));
    if (!type)
      failUnsupported(fmt::format("its data_type {} is not supported", number));
    return {{*type, attributes().getInts("shape")}};
  }
  bool ownsResult() const override { return true; }
  void lower(Lowering &lowering) const override {
    poplar::Tensor result = lowering.createVariable(output());
    lowering.program().add(poplar::program::Copy(
        lowering.streamFromHost(*this, stream(), output().info), result, false,
        lowering.debug(*this)));
  }
};

class HostStore final : public StreamOp {
public:
  using StreamOp::StreamOp;

  std::vector<TensorInfo> infer() const override { return {}; }
  void lower(Lowering &lowering) const override {
    lowering.program().add(poplar::program::Copy(
        lowering.input(*this, 0),
        lowering.streamToHost(*this, stream(), input(0).info), false,
        lowering.debug(*this)));
  }
};

/// Operands: the buffer [entries, shape…], the number of an entry.
class RemoteOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;
  bool isStateful() const override { return true; }

protected:
  enum Input { Buffer, Offset, Row };

  TensorInfo row() const {
    const TensorInfo &buffer = input(Buffer).info;
    if (buffer.shape.empty() || input(Offset).info.numElements() != 1)
      failInput("it needs a buffer of entries and the number of one of them");
    return {buffer.type, {buffer.shape.begin() + 1, buffer.shape.end()}};
  }
  poplar::Tensor offset(Lowering &lowering) const {
    return lowering.input(*this, Offset).flatten();
  }
  /// Null if the buffer lies on the tiles.
  const poplar::RemoteBuffer *remote(Lowering &lowering) const {
    const Variable *variable = input(Buffer).variable();
    return variable && variable->isOffChip() ? &lowering.remoteBuffer(*variable)
                                             : nullptr;
  }
};

class RemoteLoad final : public RemoteOp {
public:
  using RemoteOp::RemoteOp;

  std::vector<TensorInfo> infer() const override { return {row()}; }
  bool ownsResult() const override { return true; }
  void lower(Lowering &lowering) const override {
    if (const poplar::RemoteBuffer *buffer = remote(lowering)) {
      poplar::Tensor result = lowering.createVariable(output());
      lowering.program().add(poplar::program::Copy(
          *buffer, result, offset(lowering), lowering.debug(*this)));
      return;
    }
    poplar::Tensor row = popops::dynamicSlice(
        lowering.graph(), lowering.input(*this, Buffer), offset(lowering), {0},
        {1}, lowering.program(), lowering.debug(*this));
    lowering.setOutput(*this, row.reshape(toPoplar(output().info.shape)));
  }
};

class RemoteStore final : public RemoteOp {
public:
  using RemoteOp::RemoteOp;

  std::vector<TensorInfo> infer() const override {
    if (input(Row).info != row())
      failInput(fmt::format("it stores {} into a buffer of {}",
                            toString(input(Row).info), toString(row())));
    return {};
  }
  OperandEffect effect(std::size_t operand) const override {
    return {true, operand == Buffer};
  }
  bool hasEffect() const override { return true; }
  void lower(Lowering &lowering) const override {
    if (const poplar::RemoteBuffer *buffer = remote(lowering)) {
      lowering.program().add(poplar::program::Copy(lowering.input(*this, Row),
                                                   *buffer, offset(lowering),
                                                   lowering.debug(*this)));
      return;
    }
    popops::dynamicUpdate(lowering.graph(), lowering.input(*this, Buffer),
                          lowering.input(*this, Row).expand({0}),
                          offset(lowering), {0}, {1}, lowering.program(),
                          lowering.debug(*this));
  }
};

const RegisterInternalOp<HostLoad> hostLoad("HostLoad");
const RegisterInternalOp<HostStore> hostStore("HostStore");
const RegisterInternalOp<RemoteLoad> remoteLoad("RemoteLoad");
const RegisterInternalOp<RemoteStore> remoteStore("RemoteStore");

} // namespace

} // namespace populus::popir
