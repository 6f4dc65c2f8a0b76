/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls every function of populus/runtime.h, rightly and wrongly, as a program in
 * plain C does; what does not hold is printed, and so are the messages.
 *
 *   embedding SCALE.ipux ENDLESS.ipux STRAY.ipux CPU.ipux TEXT
 */

#include <populus/runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char *what, int line) {
  if (!holds) {
    printf("line %d: not true: %s\n", line, what);
    ++failures;
  }
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

/** A call that has to fail, and what it says. */
#define REFUSED(condition)                                                     \
  do {                                                                         \
    CHECK(condition);                                                          \
    printf("refused: %s\n", populus_error());                                  \
  } while (0)

struct transfer {
  float values[4];
  size_t bytes;
  int calls;
};

static void give(void *user, void *buffer, size_t bytes) {
  struct transfer *from = user;
  memcpy(buffer, from->values, bytes);
  from->bytes = bytes;
  ++from->calls;
}

static void take(void *user, void *buffer, size_t bytes) {
  struct transfer *to = user;
  memcpy(to->values, buffer, bytes);
  to->bytes = bytes;
  ++to->calls;
}

/** A session of a program with an input and an output of four floats. */
static populus_session *open_connected(const populus_program *program,
                                       const populus_options *options,
                                       struct transfer *in,
                                       struct transfer *out) {
  populus_session *session = populus_open(program, options);
  CHECK(session != NULL);
  CHECK(populus_connect(session, 0, give, in) == POPULUS_OK);
  CHECK(populus_connect(session, 1, take, out) == POPULUS_OK);
  return session;
}

static void *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  void *bytes = malloc(1 << 20);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

static void loading(const char *scale, const char *cpu, const char *text) {
  size_t size;
  void *bytes = read_file(scale, &size);
  populus_program *program = populus_load_bytes(bytes, size, 0);
  CHECK(program != NULL);
  populus_unload(program);

  REFUSED(populus_load_bytes(bytes, size - 1, 0) == NULL);
  REFUSED(populus_load_bytes(bytes, 0, 0) == NULL);
  REFUSED(populus_load_bytes(NULL, size, 0) == NULL);
  free(bytes);

  REFUSED(populus_load("nowhere.ipux", 0) == NULL);
  REFUSED(populus_load(text, 0) == NULL);
  REFUSED(populus_load(NULL, 0) == NULL);
  REFUSED(populus_load(scale, 6) == NULL);
  REFUSED(populus_load(cpu, 0) == NULL);
  program = populus_load(cpu, POPULUS_ALLOW_NATIVE);
  CHECK(program != NULL);
  CHECK(strcmp(populus_target(program), "cpu") == 0);
  populus_unload(program);
  populus_unload(NULL);
}

static void questions(const populus_program *program) {
  populus_stream stream;
  CHECK(strcmp(populus_target(program), "ipu2") == 0);
  CHECK(populus_num_tiles(program) == 2);
  CHECK(populus_num_programs(program) == 1);
  CHECK(populus_num_streams(program) == 2);

  CHECK(populus_get_stream(program, 0, &stream) == POPULUS_OK);
  CHECK(strcmp(stream.name, "in") == 0 && stream.is_input);
  CHECK(strcmp(stream.type, "float") == 0 && stream.element_bytes == 4);
  CHECK(stream.num_dimensions == 2 && stream.shape[0] == 2 &&
        stream.shape[1] == 2);
  CHECK(stream.bytes == 16);
  CHECK(populus_get_stream(program, 1, &stream) == POPULUS_OK);
  CHECK(strcmp(stream.name, "out") == 0 && !stream.is_input);
  CHECK(stream.num_dimensions == 1 && stream.shape[0] == 4);

  REFUSED(populus_get_stream(program, 2, &stream) == POPULUS_BAD_ARGUMENT);
  REFUSED(populus_get_stream(program, 0, NULL) == POPULUS_BAD_ARGUMENT);
  REFUSED(populus_get_stream(NULL, 0, &stream) == POPULUS_BAD_ARGUMENT);
  REFUSED(populus_target(NULL) == NULL);
  CHECK(populus_num_tiles(NULL) == 0);
  CHECK(populus_num_programs(NULL) == 0);
  CHECK(populus_num_streams(NULL) == 0);
}

static void opening(const populus_program *program, const char *cpu) {
  populus_program *native = populus_load(cpu, POPULUS_ALLOW_NATIVE);
  populus_options options;
  memset(&options, 0, sizeof(options));
  REFUSED(populus_open(NULL, NULL) == NULL);
  options.engine = "fast";
  REFUSED(populus_open(program, &options) == NULL);
  options.engine = NULL;
  options.checks = "bound";
  REFUSED(populus_open(program, &options) == NULL);
  options.checks = "all";
  REFUSED(populus_open(native, &options) == NULL);
  options.checks = NULL;
  options.threads = 5000;
  REFUSED(populus_open(program, &options) == NULL);
  populus_unload(native);
  populus_close(NULL);
}

static void running(const populus_program *program) {
  static const char *const engines[] = {"interpreter", "translated", "auto",
                                        NULL};
  struct transfer in = {{1, 2, 3, 4}, 0, 0}, out = {{0}, 0, 0};
  populus_stats stats;
  uint64_t cycles = 0;
  populus_session *session = populus_open(program, NULL);
  size_t i;
  REFUSED(populus_run(session, 0) == POPULUS_RUN_FAILED); /* not connected */
  CHECK(populus_fault_json()[0] == 0);
  REFUSED(populus_run(session, 1) == POPULUS_BAD_ARGUMENT);
  REFUSED(populus_run(NULL, 0) == POPULUS_BAD_ARGUMENT);
  REFUSED(populus_connect(session, 2, take, &out) == POPULUS_BAD_ARGUMENT);
  REFUSED(populus_connect(session, 0, NULL, &in) == POPULUS_BAD_ARGUMENT);
  REFUSED(populus_connect(NULL, 0, give, &in) == POPULUS_BAD_ARGUMENT);
  populus_close(session);

  for (i = 0; i != sizeof(engines) / sizeof(*engines); ++i) {
    populus_options options;
    memset(&options, 0, sizeof(options));
    memset(&out, 0, sizeof(out));
    options.threads = 2;
    options.engine = engines[i];
    in.calls = 0;
    session = open_connected(program, &options, &in, &out);
    CHECK(populus_run(session, 0) == POPULUS_OK);
    CHECK(populus_get_stats(session, &stats) == POPULUS_OK);
    CHECK(i == 0 || stats.total_cycles == cycles);
    cycles = stats.total_cycles;
    CHECK(stats.total_cycles == stats.compute_cycles + stats.exchange_cycles +
                                    stats.sync_cycles + stats.host_cycles);
    CHECK(stats.bundles != 0 && stats.seconds_at_clock > 0 &&
          stats.host_seconds > 0 && stats.tile_balance > 0);
    /* A second run is added to the first one. */
    CHECK(populus_run(session, 0) == POPULUS_OK);
    CHECK(populus_get_stats(session, &stats) == POPULUS_OK);
    CHECK(stats.total_cycles == 2 * cycles);
    CHECK(in.calls == 2 && out.calls == 2);
    CHECK(in.bytes == 16 && out.bytes == 16);
    CHECK(out.values[0] == 2.5 && out.values[3] == 10);
    CHECK(populus_num_findings(session) == 0);
    populus_close(session);
  }
  REFUSED(populus_get_stats(NULL, &stats) == POPULUS_BAD_ARGUMENT);
  CHECK(populus_num_findings(NULL) == 0);
  REFUSED(populus_finding_json(NULL, 0) == NULL);
}

static void failing(const char *endless) {
  struct transfer in = {{0}, 0, 0}, out = {{0}, 0, 0};
  populus_program *program = populus_load(endless, 0);
  populus_options options;
  populus_session *session;
  memset(&options, 0, sizeof(options));
  options.max_cycles = 10000;
  session = open_connected(program, &options, &in, &out);
  REFUSED(populus_run(session, 0) == POPULUS_RUN_FAILED);
  CHECK(strstr(populus_fault_json(), "{\"fault\":\"cycle-limit\"") != NULL);
  CHECK(out.calls == 0);
  /* Not of the last run any more. */
  CHECK(populus_run(session, 7) == POPULUS_BAD_ARGUMENT);
  CHECK(populus_fault_json()[0] == 0);
  populus_close(session);
  populus_unload(program);
}

static void findings(const char *stray) {
  struct transfer in = {{0}, 0, 0}, out = {{0}, 0, 0};
  populus_program *program = populus_load(stray, 0);
  populus_options options;
  populus_session *session;
  memset(&options, 0, sizeof(options));
  options.checks = "bounds,races";
  session = open_connected(program, &options, &in, &out);
  /* The session keeps what it needs of its program. */
  populus_unload(program);
  CHECK(populus_run(session, 0) == POPULUS_OK);
  CHECK(populus_num_findings(session) == 1);
  printf("finding: %s\n", populus_finding_json(session, 0));
  REFUSED(populus_finding_json(session, 1) == NULL);
  populus_close(session);
}

int main(int argc, char **argv) {
  populus_program *program;
  if (argc != 6)
    return 2;
  CHECK(populus_error()[0] == 0 && populus_fault_json()[0] == 0);
  loading(argv[1], argv[4], argv[5]);
  program = populus_load(argv[1], 0);
  CHECK(program != NULL);
  questions(program);
  opening(program, argv[4]);
  running(program);
  populus_unload(program);
  failing(argv[2]);
  findings(argv[3]);
  printf("%d failures\n", failures);
  return failures != 0;
}
