/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Running executable files (.ipux) from any program: the interface in C of the
 * runtime, in libpopulus-runtime.so. docs/embedding.md shows its use.
 *
 * Functions that can fail return a status or a null pointer, and
 * populus_error() then says what was wrong; so it does where a question about
 * a null pointer is answered with 0 or null. A program may be opened by several
 * sessions; a session is used by one thread at a time. Texts that are returned
 * belong to the library; they stay until the object that they are about is
 * used again, or ended.
 */

#ifndef POPULUS_RUNTIME_H
#define POPULUS_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A verified executable. */
typedef struct populus_program populus_program;
/** A program on a device of its own. */
typedef struct populus_session populus_session;

typedef enum {
  POPULUS_OK = 0,
  /** The file cannot be read, or is not an executable. */
  POPULUS_BAD_FILE = 1,
  /** An index, a name or a size is wrong. */
  POPULUS_BAD_ARGUMENT = 2,
  /** The run has failed: a fault, an abort, a limit. */
  POPULUS_RUN_FAILED = 3,
  /** The host has no room for it. */
  POPULUS_OUT_OF_MEMORY = 4
} populus_status;

/** What the last function that has failed in this thread has to say. */
const char *populus_error(void);
/** The fault that ended the last failed populus_run() of this thread, as one
 * JSON object (docs/machine.md); empty if it was not a fault. */
const char *populus_fault_json(void);

/* ---- Programs ------------------------------------------------------------ */

enum {
  /** Also load programs for the CPU and IPU Model devices. They hold host
   * code, which can do anything that the process can. */
  POPULUS_ALLOW_NATIVE = 1
};

/** Reads a file. `flags`: 0 or POPULUS_ALLOW_NATIVE. Null: failed. */
populus_program *populus_load(const char *path, unsigned flags);
/** The same for a file's bytes, which are copied. */
populus_program *populus_load_bytes(const void *bytes, size_t size,
                                    unsigned flags);
/** Ends the use of a program; its sessions may live on. */
void populus_unload(populus_program *program);

/** The name of the target, such as "ipu2". */
const char *populus_target(const populus_program *program);
uint32_t populus_num_tiles(const populus_program *program);
/** Control programs that populus_run() can run; popart-compile makes one. */
uint32_t populus_num_programs(const populus_program *program);

/** An input (host to device) or an output (device to host). */
typedef struct {
  const char *name;
  int is_input;
  /** Name of the element type: "float", "half", "int", "bool", ... */
  const char *type;
  size_t element_bytes;
  /** Extents; a scalar has none. */
  const uint64_t *shape;
  size_t num_dimensions;
  /** Of one transfer. */
  size_t bytes;
} populus_stream;

uint32_t populus_num_streams(const populus_program *program);
populus_status populus_get_stream(const populus_program *program,
                                  uint32_t index, populus_stream *stream);

/* ---- Sessions ------------------------------------------------------------ */

/** Zero-initialise it: every zero is a default. */
typedef struct {
  /** Host threads, at most 1,024; 0: POPULUS_THREADS, or all there are. */
  uint32_t threads;
  /** Stop a session after so many modelled cycles; 0: no limit. */
  uint64_t max_cycles;
  /** "auto", "interpreter" or "translated"; null: auto. */
  const char *engine;
  /** Checks of codelets, such as "bounds,races" or "all"; null: none. */
  const char *checks;
} populus_options;

/** Loads a program on a device. `options` may be null. Null: failed. */
populus_session *populus_open(const populus_program *program,
                              const populus_options *options);
void populus_close(populus_session *session);

/** Fills `buffer` with the next `bytes` of an input, or takes those of an
 * output. It must not use the session. */
typedef void (*populus_transfer)(void *user, void *buffer, size_t bytes);
populus_status populus_connect(populus_session *session, uint32_t stream,
                               populus_transfer function, void *user);

/** Runs a control program to its end. */
populus_status populus_run(populus_session *session, uint32_t program);

/** Modelled cycles and more, summed up over the session's runs. */
typedef struct {
  uint64_t total_cycles;
  uint64_t compute_cycles;
  uint64_t exchange_cycles;
  uint64_t sync_cycles;
  uint64_t host_cycles;
  uint64_t bundles;
  /** The total at the target's clock. */
  double seconds_at_clock;
  double host_seconds;
  /** Mean of the tiles' compute cycles over those of the slowest one. */
  double tile_balance;
} populus_stats;

populus_status populus_get_stats(const populus_session *session,
                                 populus_stats *stats);

/** What the checks have found, each as one JSON object (null: there is none of
 * that index). */
size_t populus_num_findings(const populus_session *session);
const char *populus_finding_json(populus_session *session, size_t index);

#ifdef __cplusplus
}
#endif

#endif
