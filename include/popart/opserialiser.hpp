// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records an operator's attributes by name. The compiler compares these records
// to find equal operators.

#ifndef POPULUS_INCLUDE_POPART_OPSERIALISER_HPP
#define POPULUS_INCLUDE_POPART_OPSERIALISER_HPP

#include <popart/scope.hpp>
#include <popart/vendored/optional.hpp>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace popart {

class Op;

class OpSerialiserBase {
public:
  virtual ~OpSerialiserBase() {}

  virtual void appendAttribute(const std::string &name, float value) = 0;
  virtual void appendAttribute(const std::string &name, double value) = 0;
  virtual void appendAttribute(const std::string &name, int value) = 0;
  virtual void appendAttribute(const std::string &name, std::int64_t value) = 0;
  virtual void appendAttribute(const std::string &name,
                               std::uint32_t value) = 0;
  virtual void appendAttribute(const std::string &name,
                               std::uint64_t value) = 0;
  virtual void appendAttribute(const std::string &name,
                               const std::string &value) = 0;
  virtual void appendAttribute(const std::string &name,
                               const std::vector<float> &value) = 0;
  virtual void appendAttribute(const std::string &name,
                               const std::vector<double> &value) = 0;
  virtual void appendAttribute(const std::string &name,
                               const std::vector<std::int64_t> &value) = 0;
  virtual void appendAttribute(const std::string &name, bool value) = 0;
  virtual void appendAttribute(const std::string &name, const Scope &value) = 0;

  void appendAttribute(const std::string &name, const char *value) {
    appendAttribute(name, std::string(value));
  }
  template <class T>
  void appendAttribute(const std::string &name,
                       const nonstd::optional<T> &value) {
    if (value)
      appendAttribute(name, *value);
    else
      appendAttribute(name, std::string("none"));
  }
  /// Anything that can be printed.
  template <class T>
  void appendAttribute(const std::string &name, const T &value) {
    std::ostringstream text;
    text << value;
    appendAttribute(name, text.str());
  }
  virtual void appendForwardOp(const Op *op) = 0;
};

} // namespace popart

#endif
