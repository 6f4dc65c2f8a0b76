// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device type of a test of Boost, from its command line.

#define TEST_WITH_TARGET
#include <poplibs_support/TestDevice.hpp>

#include <iostream>

int main(int argc, char **argv) try {
  boost::unit_test::framework::master_test_suite().argc = argc;
  boost::unit_test::framework::master_test_suite().argv = argv;
  std::cout << TEST_TARGET << " ";
  const PoplibsTestTarget fixture;
  const auto device = poplibs_support::createTestDevice(TEST_TARGET, 1, 4);
  std::cout << TEST_TARGET << " " << device.getTarget().getNumTiles() << "\n";
} catch (const std::exception &error) {
  std::cout << error.what() << "\n";
}
