#include "header.h"
#include <poplar/Vertex.hpp>

#ifdef GONE
#error "-U has no effect"
#endif

class NAME : public poplar::Vertex {
public:
  HeaderType fromHeader;
  ExtraType fromExtra;
  bool compute() { return true; }
};
