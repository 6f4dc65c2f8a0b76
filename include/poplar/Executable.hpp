// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled program: what compileGraph returns and an Engine runs. It can be
// saved as an .ipux file.

#ifndef POPULUS_INCLUDE_POPLAR_EXECUTABLE_HPP
#define POPULUS_INCLUDE_POPLAR_EXECUTABLE_HPP

#include <istream>
#include <memory>
#include <ostream>

namespace poplar {

namespace core {
struct ExecutableData;
struct Access;
} // namespace core

class Executable {
public:
  /// An invalid executable, to be assigned to.
  Executable();
  Executable(Executable &&other) noexcept;
  Executable &operator=(Executable &&other) noexcept;
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;
  ~Executable();

  void serialize(std::ostream &out) const;
  static Executable deserialize(std::istream &in);
  static Executable deserialize(std::unique_ptr<std::istream> in);

private:
  friend struct core::Access;
  std::shared_ptr<core::ExecutableData> data;
};

} // namespace poplar

#endif
