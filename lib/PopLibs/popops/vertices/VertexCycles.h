// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of this library's vertices in bundles of a worker, for the IPU Model.
// They were measured on the emulated tile, and a test compares them with it.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_VERTICES_VERTEXCYCLES_H
#define POPULUS_LIB_POPLIBS_POPOPS_VERTICES_VERTEXCYCLES_H

#include <poplar/Type.hpp>
#include <popops/ExprOp.hpp>
#include <popops/Operation.hpp>

#include <cstdint>
#include <vector>

namespace popops {

using RunLengths = std::vector<unsigned short>;

/// Form of the second operand of a binary operation.
enum class OperandForm {
  Dense,       // an element for each of the first
  Runs,        // a value for each run of elements
  ReversedRuns // the same, but as the first operand
};

std::uint64_t unaryCycles(expr::UnaryOpType op, const poplar::Type &type,
                          bool inPlace, std::size_t count);
/// \p runs are needed unless the form is Dense.
std::uint64_t binaryCycles(expr::BinaryOpType op, const poplar::Type &type,
                           OperandForm form, bool inPlace, std::size_t count,
                           const RunLengths &runs = {});
std::uint64_t selectCycles(const poplar::Type &type, std::size_t count);
std::uint64_t castCycles(const poplar::Type &from, const poplar::Type &to,
                         std::size_t count);
/// Bundles per element that an operation adds to a vertex with several
/// operations, without loads and stores.
double unaryBundles(expr::UnaryOpType op, const poplar::Type &type);
double binaryBundles(expr::BinaryOpType op, const poplar::Type &type);
double selectBundles(const poplar::Type &type);
double castBundles(const poplar::Type &from, const poplar::Type &to);
/// A vertex that does several operations on blocks: \p bundles of operations
/// for a block and \p accesses to memory, of 64 bits, of booleans or of
/// other types.
std::uint64_t fusedCycles(bool isOfBooleans, unsigned blockSize,
                          unsigned bundles, unsigned operands,
                          unsigned accesses, std::size_t count);

std::uint64_t fillCycles(const poplar::Type &type, std::size_t count);
std::uint64_t scaledAddCycles(const poplar::Type &type, std::size_t count);
/// Matrices that popops::TransposeBlocks transposes.
std::uint64_t transposeCycles(std::size_t elementBytes, std::size_t rows,
                              std::size_t columns, std::size_t matrices);
/// A block [rows][depth][width] of elements that becomes rows * width results;
/// \p stride elements from one row of columns to the next.
std::uint64_t reduceCycles(Operation op, const poplar::Type &type,
                           std::size_t rows, std::size_t depth,
                           std::size_t width, std::size_t stride);

} // namespace popops

#endif
