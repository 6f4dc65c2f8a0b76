// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes that are asked for while a model is being made.
#include <popart/builder.hpp>

#include <iostream>

static void show(const popart::Builder &builder, const popart::TensorId &id) {
  std::cout << builder.getTensorDtypeString(id);
  for (std::int64_t extent : builder.getTensorShape(id))
    std::cout << " " << extent;
  std::cout << "\n";
}

int main() {
  auto builder = popart::Builder::create();
  auto opset = builder->aiOnnxOpset9();
  auto x = builder->addInputTensor("FLOAT", {2, 3, 4});
  show(*builder, x);
  auto flat = builder->customOp({"", "Flatten", 9}, 9, {x}, 1, {})[0];
  show(*builder, flat);
  builder->addNodeAttribute("axis", std::int64_t(2), {flat});
  show(*builder, flat);
  builder->virtualGraph(flat, 1);
  float w[8] = {};
  auto weight = builder->addInitializedInputTensor(
      {w, popart::TensorInfo("FLOAT", popart::Shape{4, 2})});
  auto y = opset.matmul({flat, weight});
  show(*builder, y);
  show(*builder, builder->aiGraphcoreOpset1().gelu({y}));
  auto late = builder->addInputTensor("INT32", {6});
  show(*builder, opset.cast({late}, "FLOAT16"));

  // Many operators, each asked for its shape.
  for (int i = 0; i != 5000; ++i) {
    y = opset.relu({opset.add({y, y})});
    if (builder->getTensorShape(y) != popart::Shape{6, 2})
      std::cout << "wrong\n";
  }
  std::cout << y << "\n";

  auto nothing = builder->customOp({"", "Nothing", 9}, 9, {x}, 1, {})[0];
  try {
    builder->getTensorShape(nothing);
  } catch (const popart::error &error) {
    std::cout << error.what() << "\n";
  }
}
