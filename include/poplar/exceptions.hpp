// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions of libpoplar. Errors in the use of the interface and in graphs
// derive from poplar_error; failures while a program runs derive from
// runtime_error.

#ifndef POPULUS_INCLUDE_POPLAR_EXCEPTIONS_HPP
#define POPULUS_INCLUDE_POPLAR_EXCEPTIONS_HPP

#include <iosfwd>
#include <stdexcept>
#include <string>

namespace poplar {

struct poplar_error : public std::runtime_error {
  explicit poplar_error(const std::string &message);
  explicit poplar_error(const char *message);
  std::string type;

protected:
  poplar_error(const char *type, const std::string &message);
};

#define POPULUS_POPLAR_ERROR(NAME, BASE)                                       \
  struct NAME : public BASE {                                                  \
    explicit NAME(const std::string &message) : BASE(#NAME, message) {}        \
                                                                               \
  protected:                                                                   \
    NAME(const char *type, const std::string &message)                         \
        : BASE(type, message) {}                                               \
  };

POPULUS_POPLAR_ERROR(control_program_error, poplar_error)
POPULUS_POPLAR_ERROR(file_load_error, poplar_error)
POPULUS_POPLAR_ERROR(graph_connection_error, poplar_error)
POPULUS_POPLAR_ERROR(graph_cycle_error, poplar_error)
POPULUS_POPLAR_ERROR(graph_object_creation_error, poplar_error)
POPULUS_POPLAR_ERROR(graph_object_load_error, poplar_error)
POPULUS_POPLAR_ERROR(graph_program_compilation_error, poplar_error)
POPULUS_POPLAR_ERROR(graph_recursion_error, poplar_error)
POPULUS_POPLAR_ERROR(graph_replication_error, poplar_error)
POPULUS_POPLAR_ERROR(index_error, poplar_error)
POPULUS_POPLAR_ERROR(invalid_machine_model, poplar_error)
POPULUS_POPLAR_ERROR(invalid_option, poplar_error)
POPULUS_POPLAR_ERROR(invalid_tile_mapping, poplar_error)
POPULUS_POPLAR_ERROR(memory_elem_constraints_error, poplar_error)
POPULUS_POPLAR_ERROR(missing_perf_estimate, poplar_error)
POPULUS_POPLAR_ERROR(no_environment, poplar_error)
POPULUS_POPLAR_ERROR(no_size_specified, poplar_error)
POPULUS_POPLAR_ERROR(not_supported_error, poplar_error)
POPULUS_POPLAR_ERROR(parse_error, poplar_error)
POPULUS_POPLAR_ERROR(profiling_disabled, poplar_error)
POPULUS_POPLAR_ERROR(stream_connection_error, poplar_error)
POPULUS_POPLAR_ERROR(stream_memory_allocation_error, poplar_error)
POPULUS_POPLAR_ERROR(tensor_creation_error, poplar_error)
POPULUS_POPLAR_ERROR(tensor_io_state_error, poplar_error)
POPULUS_POPLAR_ERROR(total_memory_error, poplar_error)
POPULUS_POPLAR_ERROR(type_error, poplar_error)
POPULUS_POPLAR_ERROR(unknown_field, poplar_error)
POPULUS_POPLAR_ERROR(unknown_vertex_type, poplar_error)

/// Linking of codelets failed; `output` holds the linker's messages.
struct link_error : public poplar_error {
  explicit link_error(const std::string &message,
                      const std::string &output = "");
  std::string output;
};

/// The program does not fit in the memory of a tile.
struct graph_memory_allocation_error : public poplar_error {
  explicit graph_memory_allocation_error(const std::string &message);
  /// Path of the memory profile; empty if none was written.
  std::string profilePath;
};

/// The base of failures while a program runs on a device.
struct runtime_error : public poplar_error {
  explicit runtime_error(const std::string &message);

protected:
  runtime_error(const char *type, const std::string &message);
};

POPULUS_POPLAR_ERROR(application_runtime_error, runtime_error)
POPULUS_POPLAR_ERROR(system_runtime_error, runtime_error)
POPULUS_POPLAR_ERROR(unrecoverable_runtime_error, system_runtime_error)
POPULUS_POPLAR_ERROR(unknown_runtime_error, system_runtime_error)

enum class RecoveryAction {
  IPU_RESET,
  LINK_RESET,
  PARTITION_RESET,
  FULL_RESET
};
std::string toString(RecoveryAction action);
std::ostream &operator<<(std::ostream &out, RecoveryAction action);

struct recoverable_runtime_error : public system_runtime_error {
  recoverable_runtime_error(const std::string &message, RecoveryAction action);
  RecoveryAction getRecoveryAction() const { return action; }

private:
  RecoveryAction action;
};

#undef POPULUS_POPLAR_ERROR

} // namespace poplar

#endif
