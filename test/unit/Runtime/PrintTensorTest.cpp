// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of PrintTensor, as the user guide shows it.

#include "runtime/Session/PrintTensor.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

using namespace populus::runtime;

namespace {

template <typename T>
std::string print(ElementType type, std::vector<std::uint64_t> shape,
                  std::vector<T> data) {
  std::ostringstream out;
  printTensor(out, "v", type, shape, data.data());
  return out.str();
}

TEST(PrintTensorTest, OneDimensionIsOneLine) {
  EXPECT_EQ(print<float>(ElementType::Float, {4}, {1, 1.5, 2, 2.5}),
            "v: {1,1.5,2,2.5}\n");
}

TEST(PrintTensorTest, ScalarsAndEmptyTensors) {
  EXPECT_EQ(print<float>(ElementType::Float, {}, {-0.25}), "v: {-0.25}\n");
  EXPECT_EQ(print<float>(ElementType::Float, {0}, {}), "v: {}\n");
}

TEST(PrintTensorTest, TwoDimensionsHaveALineForEachRow) {
  EXPECT_EQ(print<float>(ElementType::Float, {2, 2}, {5, 4.5, 4, 3.5}),
            "v: {\n {5,4.5},\n {4,3.5}\n}\n");
}

TEST(PrintTensorTest, ThreeDimensionsNest) {
  EXPECT_EQ(print<int>(ElementType::Int, {2, 1, 2}, {1, 2, 3, -4}),
            "v: {\n {\n  {1,2}\n },\n {\n  {3,-4}\n }\n}\n");
}

TEST(PrintTensorTest, EveryTypeIsANumber) {
  EXPECT_EQ(print<std::uint8_t>(ElementType::Bool, {2}, {0, 1}), "v: {0,1}\n");
  EXPECT_EQ(print<std::uint8_t>(ElementType::Char, {2}, {65, 0xff}),
            "v: {65,-1}\n");
  EXPECT_EQ(print<std::uint8_t>(ElementType::UnsignedChar, {1}, {0xff}),
            "v: {255}\n");
  EXPECT_EQ(print<std::uint16_t>(ElementType::Half, {2}, {0x3c00, 0xc100}),
            "v: {1,-2.5}\n");
  EXPECT_EQ(print<std::uint64_t>(ElementType::UnsignedLongLong, {1},
                                 {~std::uint64_t(0)}),
            "v: {18446744073709551615}\n");
  EXPECT_EQ(print<std::uint32_t>(ElementType::Int, {1}, {0xfffffffe}),
            "v: {-2}\n");
  EXPECT_EQ(print<std::uint32_t>(ElementType::UnsignedInt, {1}, {0xfffffffe}),
            "v: {4294967294}\n");
}

} // namespace
