// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape inference of custom operators in a Builder. The Builder asks the
// operator itself (Op::setup); a registered function serves operators that have
// no class.

#ifndef POPULUS_INCLUDE_POPART_SHAPEINFERENCE_HPP
#define POPULUS_INCLUDE_POPART_SHAPEINFERENCE_HPP

#include <popart/attributes.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/tensorinfo.hpp>

#include <functional>
#include <map>

namespace popart {

class ShapeInferenceContext {
public:
  ShapeInferenceContext(const std::map<int, TensorInfo> &inputs,
                        const Attributes &attributes, int numOutputs)
      : inputs(inputs), attributes(attributes), numOutputs(numOutputs) {}

  const TensorInfo &inInfo(int index) const { return inputs.at(index); }
  const Shape &inShape(int index) const { return inInfo(index).shape(); }
  DataType inType(int index) const { return inInfo(index).dataType(); }
  bool hasInputShape(int index) const { return inputs.count(index) != 0; }
  TensorInfo &outInfo(int index) { return outputs[index]; }
  const Shape &outShape(int index) { return outInfo(index).shape(); }
  DataType outType(int index) { return outInfo(index).dataType(); }
  int getNumInputs() const { return static_cast<int>(inputs.size()); }
  int getNumOutputs() const { return numOutputs; }

  bool hasAttribute(const std::string &key) const {
    return attributes.hasAttribute(key);
  }
  template <class T> T getAttribute(const std::string &key) const {
    return attributes.getAttribute<T>(key);
  }
  template <class T>
  T getAttribute(const std::string &key, const T &defaultValue) const {
    return attributes.getAttribute<T>(key, defaultValue);
  }
  const Attributes &getAttributes() const { return attributes; }
  const std::map<int, TensorInfo> &getOutputs() const { return outputs; }

private:
  std::map<int, TensorInfo> inputs, outputs;
  Attributes attributes;
  int numOutputs;
};

using ShapeInferenceFunction = std::function<void(ShapeInferenceContext &)>;

class RegisterShapeInferenceFunction {
public:
  RegisterShapeInferenceFunction(const OperatorIdentifier &opid,
                                 const ShapeInferenceFunction &function);
};

inline void propagateElemTypeFromInputToOutput(ShapeInferenceContext &context,
                                               int input, int output) {
  context.outInfo(output).set(context.inType(input));
}
inline void propagateShapeFromInputToOutput(ShapeInferenceContext &context,
                                            int input, int output) {
  context.outInfo(output).set(context.outType(output), context.inShape(input));
}

} // namespace popart

#endif
