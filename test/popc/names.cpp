// The names are what programs give to addVertex; entry symbols are what assembly
// codelets define. Only explicit instantiations and specialisations count.
// RUN: popc %s --target=cpu -o %t.gp
// RUN: gp-dump %t.gp | FileCheck %s --implicit-check-not=vertex

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {
enum class Kind { ADD, MULTIPLY };
enum Old { FIRST, SECOND };
struct ReduceAdd {};
template <typename T> struct Wrapper {};
} // namespace popops

namespace lib {
inline namespace v1 {
template <typename T, typename U, popops::Kind K, bool B, int N, popops::Old O,
          typename C, typename... Rest>
class Many : public Vertex {
public:
  Input<T> in;
  bool compute() { return B; }
};
template class Many<unsigned, long long, popops::Kind::MULTIPLY, true, -3,
                    popops::SECOND, popops::Wrapper<popops::ReduceAdd>>;
template class Many<half, unsigned char, popops::Kind::ADD, false, 4,
                    popops::FIRST, popops::ReduceAdd, float, short>;
} // namespace v1
} // namespace lib
// CHECK: vertex Outer::Inner (worker)
// CHECK: entry __runCodelet_Outer__Inner{{$}}
struct Outer {
  class Inner : public Vertex {
  public:
    bool compute() { return true; }
  };
};

// CHECK: vertex Uniform<int> (worker)
// CHECK: entry __runCodelet_Uniform___int{{$}}
// CHECK: field special: Output<int>
template <typename T> class Uniform : public Vertex {
public:
  Output<T> plain;
  bool compute() { return true; }
};
template <> class Uniform<int> : public Vertex {
public:
  Output<int> special;
  bool compute() { return true; }
};
// An implicit instantiation and a base without compute do not count.
inline unsigned size = sizeof(Uniform<float>);
class Base : public Vertex {
public:
  Input<int> in;
};
// CHECK: vertex WithBase (worker)
struct WithBase : Base {
  void compute() {}
};
// CHECK: vertex lib::Many<half,unsigned char,popops::Kind::ADD,false,4,popops::FIRST,popops::ReduceAdd,float,short> (worker)
// CHECK: entry __runCodelet_lib__Many___half_unsigned_char_popops__Kind__ADD_false_4_popops__FIRST_popops__ReduceAdd_float_short{{$}}
// CHECK: vertex lib::Many<unsigned int,long long,popops::Kind::MULTIPLY,true,-3,popops::SECOND,popops::Wrapper<popops::ReduceAdd>> (worker)
// CHECK: entry __runCodelet_lib__Many___unsigned_int_long_long_popops__Kind__MULTIPLY_true__3_popops__SECOND_popops__Wrapper___popops__ReduceAdd{{$}}
