// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base of the operator sets of a Builder: builds a node's attributes and adds
// the node.

#ifndef POPULUS_INCLUDE_POPART_OPSETBASE_HPP
#define POPULUS_INCLUDE_POPART_OPSETBASE_HPP

#include <popart/any.hpp>
#include <popart/debugcontext.hpp>
#include <popart/names.hpp>
#include <popart/voiddata.hpp>

#include <map>
#include <string>
#include <vector>

namespace popart {

class Builder;
using TensorIds = std::vector<TensorId>;

namespace popart_detail {

/// An attribute that may be left out.
template <class T> class Optional {
public:
  Optional() : isSet(false), value() {}
  Optional(const T &value) : isSet(true), value(value) {}
  explicit operator bool() const { return isSet; }
  const T &operator*() const { return value; }

private:
  bool isSet;
  T value;
};

/// Attributes of a node. Empty ones are omitted.
class Attributes {
public:
  template <class T> Attributes &set(const char *name, const T &value) {
    values[name] = value;
    return *this;
  }
  template <class T>
  Attributes &set(const char *name, const std::vector<T> &value) {
    if (!value.empty())
      values[name] = value;
    return *this;
  }
  template <class T>
  Attributes &set(const char *name, const Optional<T> &value) {
    if (value)
      values[name] = *value;
    return *this;
  }

  std::map<std::string, any> values;
};

/// A subgraph of a node: the contents of the Builder when the node is made.
struct Subgraph {
  const Builder *builder;
};

class Opset {
public:
  Opset(Builder &builder, const std::string &domain, int version)
      : builder(&builder), domain(domain), version(version) {}
  int getOpsetVersion() const { return version; }

protected:
  using Ints = std::vector<std::int64_t>;
  using Floats = std::vector<float>;
  using Strings = std::vector<std::string>;

  TensorId one(const char *type, const TensorIds &args,
               const Attributes &attributes, const DebugContext &debug) {
    return many(type, args, 1, attributes, debug).front();
  }
  TensorIds many(const char *type, const TensorIds &args, unsigned num_outputs,
                 const Attributes &attributes, const DebugContext &debug);

  // Attributes that several operators share.
  static Attributes reduction(const Optional<Ints> &axes,
                              std::int64_t keepdims) {
    return Attributes().set("axes", axes).set("keepdims", keepdims);
  }
  static Attributes alongAxis(std::int64_t axis, std::int64_t keepdims) {
    return Attributes().set("axis", axis).set("keepdims", keepdims);
  }
  static Attributes convolution(const Ints &dilations, std::int64_t group,
                                const Ints &kernel_shape, const Ints &pads,
                                const Ints &strides) {
    return Attributes()
        .set("dilations", dilations)
        .set("group", group)
        .set("kernel_shape", kernel_shape)
        .set("pads", pads)
        .set("strides", strides);
  }

private:
  Builder *builder;
  std::string domain;
  int version;
};

} // namespace popart_detail

} // namespace popart

/// An operator without attributes, of one result.
#define POPART_OPERATOR(METHOD, TYPE)                                          \
  TensorId METHOD(const TensorIds &args, const DebugContext &debug = {}) {     \
    return one(#TYPE, args, {}, debug);                                        \
  }

#endif
