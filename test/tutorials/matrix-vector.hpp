// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the host programs of Tutorials 6 and 7: reads the size of the
// matrix, and checks the product.

#ifndef POPULUS_TEST_TUTORIALS_MATRIX_VECTOR_HPP
#define POPULUS_TEST_TUTORIALS_MATRIX_VECTOR_HPP

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <vector>

struct MatrixSize {
  unsigned rows;
  unsigned cols;
};

/// The size that the command line gives.
inline MatrixSize readSize(int argc, char **argv) {
  MatrixSize size = {0, 0};
  if (argc == 3) {
    size.rows = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
    size.cols = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  }
  if (size.rows == 0 || size.cols == 0) {
    std::cerr << "usage: " << argv[0] << " numRows numCols\n";
    std::exit(2);
  }
  std::cout << "Multiplying matrix of size " << size.rows << "x" << size.cols
            << " by vector of size " << size.cols << "\n";
  return size;
}

/// `count` numbers between -1 and 1, the same ones in every run.
inline std::vector<float> makeNumbers(std::size_t count, unsigned seed) {
  std::vector<float> numbers(count);
  for (float &number : numbers) {
    seed = seed * 1664525u + 1013904223u;
    number = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return numbers;
}

/// Says whether the result is right; returns the exit code of the program.
inline int checkResult(const MatrixSize &size, const std::vector<float> &matrix,
                       const std::vector<float> &vector,
                       const std::vector<float> &result) {
  for (unsigned row = 0; row < size.rows; ++row) {
    double sum = 0, magnitude = 0;
    for (unsigned col = 0; col < size.cols; ++col) {
      const double product =
          double(matrix[std::size_t(row) * size.cols + col]) * vector[col];
      sum += product;
      magnitude += std::fabs(product);
    }
    if (!(std::fabs(result[row] - sum) <= 1e-5 * magnitude)) {
      std::cerr << "Multiplication result WRONG: row " << row << " is "
                << result[row] << ", should be " << sum << "\n";
      return 1;
    }
  }
  std::cout << "Multiplication result OK\n";
  return 0;
}

#endif
