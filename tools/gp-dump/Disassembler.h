// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Disassembles machine code of archives' objects and of executables' code
// images.

#ifndef POPULUS_TOOLS_GPDUMP_DISASSEMBLER_H
#define POPULUS_TOOLS_GPDUMP_DISASSEMBLER_H

#include <llvm/ADT/ArrayRef.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace populus::gpdump {

struct Code {
  llvm::ArrayRef<std::uint8_t> bytes;
  std::uint64_t address = 0;
  std::map<std::uint64_t, std::vector<std::string>> labels; // by address
  std::map<std::uint64_t, std::string> notes; // by address: relocations
  std::map<std::uint64_t, std::string> lines; // by address: places in sources
};

class Disassembler {
public:
  /// `target` is a name of the target table; for IPU targets it stands in for
  /// the triple, which ELF files cannot tell.
  Disassembler(const std::string &triple, const std::string &target);
  ~Disassembler();

  bool isAvailable() const;
  std::string print(const Code &code) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace populus::gpdump

#endif
