// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view of a stopped program: the selected tile, context and frame, and the
// names that mean something there. Front ends select; text and JSON are made
// from the same view.

#ifndef POPULUS_LIB_DEBUGGER_INSPECTOR_H
#define POPULUS_LIB_DEBUGGER_INSPECTOR_H

#include "lib/Debugger/Debugger.h"
#include "lib/Debugger/Expression.h"
#include "lib/Debugger/Tensors.h"

namespace populus::debugger {

struct Frame {
  Registers registers;
  std::string function;
  SourcePlace line;
  unsigned inlined = 0; // functions that are inlined into each other here
  bool isInlined = false;
};

/// A field of the vertex, with what it points to.
struct Field {
  std::string name;
  Value value;
};

class Inspector : public Scope {
public:
  explicit Inspector(Debugger &debugger);

  /// Selects the context that has stopped.
  void reset();
  /// Selects a context of a tile. Throws DebugError if it has not run.
  void select(std::uint32_t tile, unsigned context);
  void selectFrame(unsigned number);

  std::uint32_t tile() const override { return tileNumber; }
  unsigned contextNumber() const { return context; }
  unsigned frameNumber() const { return frame; }
  /// The selected context; throws DebugError if there is none.
  ThreadState thread() const;
  bool hasThread() const;
  /// Innermost first; none if the context is idle.
  std::vector<Frame> frames() const;
  const Frame &selectedFrame(const std::vector<Frame> &frames) const;

  std::vector<Variable> locals() const;
  std::vector<Field> fields() const;
  const Tensors &allTensors() const { return tensors; }

  std::optional<Value> registerNamed(const std::string &name) const override;
  Value named(const std::string &name) const override;
  const Memory &memory() const override { return debugger; }

  /// "tile 3, worker 0: vertex 'Mean', compute set 'mean', cycle 120".
  std::string place() const;
  Place codePlace(Address pc) const {
    return {debugger.code().imageOfTile(tileNumber), pc};
  }

private:
  std::optional<Value> local(const std::string &name) const;
  std::optional<Value> field(const std::string &name) const;
  TypePtr elementType(const std::string &vertexType,
                      const runtime::FieldInfo &info) const;

  Debugger &debugger;
  const Tensors tensors;
  std::uint32_t tileNumber = 0;
  unsigned context = 0;
  unsigned frame = 0;
};

/// Contexts by their name: "worker 3", "supervisor".
std::string contextText(unsigned context);

} // namespace populus::debugger

#endif
