// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a graph of a model. The main graph's is empty.

#ifndef POPULUS_INCLUDE_POPART_GRAPHID_HPP
#define POPULUS_INCLUDE_POPART_GRAPHID_HPP

#include <functional>
#include <ostream>
#include <string>

namespace popart {

class GraphId {
public:
  GraphId() {}
  GraphId(const std::string &name) : name(name) {}
  GraphId(const char *name) : name(name) {}

  /// The id of the main graph.
  static const GraphId &root() {
    static const GraphId main;
    return main;
  }

  const std::string &str() const { return name; }

  bool operator==(const GraphId &other) const { return name == other.name; }
  bool operator!=(const GraphId &other) const { return name != other.name; }
  bool operator<(const GraphId &other) const { return name < other.name; }

private:
  std::string name;
};

inline std::ostream &operator<<(std::ostream &out, const GraphId &id) {
  return out << id.str();
}

} // namespace popart

namespace std {
template <> struct hash<popart::GraphId> {
  std::size_t operator()(const popart::GraphId &id) const {
    return std::hash<std::string>()(id.str());
  }
};
} // namespace std

#endif
