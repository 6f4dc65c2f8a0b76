// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <poplar/Vertex.hpp>
// Adds up what words stand for; which are common, only a run tells.
class CommonWords : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<int>> in;
  poplar::Output<int> out;
  bool compute() {
    int sum = 0;
    for (unsigned i = 0; i != in.size(); ++i) {
      const int x = in[i];
      switch (x) {
      case 10:
        sum = sum * 31 + 7;
        break;
      case 700:
        sum ^= 5;
        break;
      case 7000:
        sum -= 1;
        break;
      case 70000:
        sum <<= 1;
        break;
      case 123:
        sum += x & 9;
        break;
      default:
        sum += x;
        break;
      }
    }
    *out = sum;
    return true;
  }
};
