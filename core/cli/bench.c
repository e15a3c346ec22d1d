/* SPDX-License-Identifier: MIT */
/*
 * flake bench: threads that draw IDs as fast as they can from one generator. Says how many they
 * got, at what cost, and how long their calls took; fails when an ID did not rise or the generator
 * counted otherwise.
 *
 * A call is timed by one clock reading: the end of a call is the start of the next. While a run
 * lasts, nothing is allocated and the threads share nothing but the generator.
 */
#define _XOPEN_SOURCE 700
#include <inttypes.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static const char help[] =
    "Usage: flake bench [OPTION...]\n"
    "\n"
    "Lets threads draw IDs from one generator as fast as they can and prints, for each\n"
    "number of threads: the IDs they got a second, and the share of what the layout\n"
    "allows; the CPU time of the process in percent of one core; how long a call took,\n"
    "in microseconds, with the reading of a clock (50, 99 and 99.99 of 100 calls took at\n"
    "most so long, and the longest). The IDs are thrown away; the generator is one of the\n"
    "space \"bench\".\n"
    "\n"
    "      --threads N,N,...   the numbers of threads, 1 to 256 each (default 1,2,8)\n"
    "      --seconds N         how long each run lasts, 1 to 3600 (default 2)\n"
    "      --layout LAYOUT     how the bits of an ID are divided (default 41/10/12)\n"
    "      --node N            number of the generator (default 0)\n"
    "      --mode MODE         strict: never ahead of the clock, may wait (default)\n"
    "                          monotonic: never waits, runs ahead of the clock by up to\n"
    "                          one day\n"
    "      --json              one JSON object, with the counts of each run\n"
    "  -h, --help              print this\n"
    "\n"
    "Examples:\n"
    "  flake bench\n"
    "  flake bench --layout 40/2/21 --threads 1,2,4 --seconds 10\n";

#define SPACE "bench"
#define NS_PER_S INT64_C(1000000000)
#define MAX_WAIT_MS 20000 /* two of the longest ticks */
#define LEAD_MAX_MS 86400000

enum { RUNS_MAX = 16, THREADS_MAX = 256, SECONDS_MAX = 3600 };
enum { THREADS = 256, SECONDS, LAYOUT, NODE, MODE, JSON };

static const struct option options[] = {
    {"threads", required_argument, NULL, THREADS},
    {"seconds", required_argument, NULL, SECONDS},
    {"layout", required_argument, NULL, LAYOUT},
    {"node", required_argument, NULL, NODE},
    {"mode", required_argument, NULL, MODE},
    {"json", no_argument, NULL, JSON},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static const char *const modes[] = {"strict", "monotonic", NULL};

typedef struct bench_request {
  flake_config config;
  int64_t seconds;
  int threads[RUNS_MAX];
  int runs;
  bool json;
} bench_request;

/* ---- what is asked for ----------------------------------------------------------------------- */

static void read_threads(bench_request *request) {
  const char *at = optarg;
  for (request->runs = 0; request->runs < RUNS_MAX;) {
    uint64_t threads;
    size_t len = strcspn(at, ",");
    if (parse_decimal(at, len, &threads) != PARSED || threads < 1 || threads > THREADS_MAX) break;
    request->threads[request->runs++] = (int)threads;
    if (at[len] == 0) return;
    at += len + 1;
  }
  fail(EXIT_USAGE, "--threads %s: write up to %d numbers of 1 to %d with commas, such as 1,2,8",
       quote_word(optarg).text, RUNS_MAX, THREADS_MAX);
}

static void read_option(int option, bench_request *request) {
  flake_config *config = &request->config;
  switch (option) {
    case THREADS:
      read_threads(request);
      break;
    case SECONDS:
      request->seconds = option_number();
      if (request->seconds < 1 || request->seconds > SECONDS_MAX)
        fail(EXIT_USAGE, "--seconds %s must be 1 to %d", quote_word(optarg).text, SECONDS_MAX);
      break;
    case LAYOUT:
      config->layout = option_layout(optarg);
      break;
    case NODE:
      config->node = option_number();
      break;
    case MODE:
      config->mode = (uint32_t)option_word(modes);
      break;
    default:
      request->json = true;
  }
}

static bench_request read_request(int argc, char **argv) {
  bench_request request = {.seconds = 2, .threads = {1, 2, 8}, .runs = 3};
  flake_status status = flake_config_init(&request.config, sizeof request.config);
  if (status) fail(EXIT_FAILED, "%s", flake_status_text(status));
  request.config.node = 0;
  request.config.max_wait_ms = MAX_WAIT_MS;
  memcpy(request.config.space, SPACE, sizeof SPACE);
  int option;
  while ((option = option_next(argc, argv, ":h", options)) != -1) read_option(option, &request);
  if (optind < argc) fail_usage("%s is not an option", quote_word(argv[optind]).text);
  if (request.config.mode == FLAKE_MODE_MONOTONIC) request.config.max_lead_ms = LEAD_MAX_MS;
  return request;
}

/* ---- lengths of calls ------------------------------------------------------------------------ */

/*
 * A histogram whose buckets grow with the value: the position of the leading bit is the row, the
 * five bits after it the column, so that a bucket is at most 1/32 of its values wide.
 */
enum { COLUMN_BITS = 5, COLUMNS = 1 << COLUMN_BITS, BUCKETS = (65 - COLUMN_BITS) << COLUMN_BITS };

static unsigned bucket_of(uint64_t ns) {
  if (ns < COLUMNS) return (unsigned)ns;
  unsigned shift = 63 - (unsigned)__builtin_clzll(ns) - COLUMN_BITS;
  return (shift << COLUMN_BITS) + (unsigned)(ns >> shift);
}

/* The largest value that falls into a bucket. */
static uint64_t bucket_end(unsigned bucket) {
  if (bucket < COLUMNS) return bucket;
  unsigned shift = (bucket >> COLUMN_BITS) - 1, column = bucket & (COLUMNS - 1);
  return ((uint64_t)(COLUMNS + column + 1) << shift) - 1;
}

/* ---- the threads ----------------------------------------------------------------------------- */

/* What a thread needs and counts, in memory of its own. */
typedef struct worker {
  alignas(64) flake_generator *gen;
  int64_t end_ns; /* when to stop */
  int64_t ended_ns;
  int64_t ids;
  int64_t max_ns;
  int64_t refused; /* the ID or status that ended it early, or 0 */
  pthread_t thread;
  uint64_t calls[BUCKETS];
} worker;

static int64_t monotonic_ns(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void *draw_all(void *self) {
  worker *w = self;
  int64_t now_ns = monotonic_ns(), last = 0, max_ns = 0, ids = 0;
  while (now_ns < w->end_ns) {
    int64_t id = flake_next(w->gen), took_ns = -now_ns;
    now_ns = monotonic_ns();
    took_ns += now_ns;
    if (id <= last) {
      w->refused = id;
      break;
    }
    last = id;
    ids++;
    w->calls[bucket_of((uint64_t)took_ns)]++;
    if (took_ns > max_ns) max_ns = took_ns;
  }
  w->ids = ids;
  w->max_ns = max_ns;
  w->ended_ns = now_ns;
  return NULL;
}

static void pause_until(int64_t until_ns) {
  int64_t left_ns = until_ns - monotonic_ns();
  if (left_ns <= 0) return;
  struct timespec left = {.tv_sec = (time_t)(left_ns / NS_PER_S),
                          .tv_nsec = (long)(left_ns % NS_PER_S)};
  nanosleep(&left, NULL);
}

/* Waits for the end of a run, and tells a terminal how far it is. */
static void watch(int threads, int64_t start_ns, int64_t end_ns) {
  const int64_t step_ns = NS_PER_S / 4;
  if (isatty(STDERR_FILENO)) {
    for (int64_t at_ns = start_ns + step_ns; at_ns < end_ns; at_ns += step_ns) {
      pause_until(at_ns);
      fprintf(stderr, "\rflake bench: %d threads, %.1f of %.0f s", threads,
              (double)(at_ns - start_ns) / NS_PER_S, (double)(end_ns - start_ns) / NS_PER_S);
    }
    fprintf(stderr, "\r%60s\r", "");
  }
  pause_until(end_ns);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* The sums of all threads. */
typedef struct bench_result {
  int threads;
  double elapsed_s;
  double cpu_s;
  int64_t ids;
  int64_t ids_least; /* of the thread that got the fewest */
  int64_t ids_most;
  int64_t max_ns;
  bool sound;
  uint64_t calls[BUCKETS];
} bench_result;

static double cpu_s(void) {
  struct rusage used = {0};
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static int64_t issued(flake_generator *gen) {
  flake_stats stats;
  flake_status status = flake_stats_get(gen, &stats, sizeof stats);
  if (status) fail(EXIT_FAILED, "%s", flake_status_text(status));
  return stats.issued;
}

static void add(bench_result *result, const worker *w) {
  if (w->refused < 0) complain("a call was refused: %s", flake_status_text(w->refused));
  if (w->refused > 0) complain("ID %" PRId64 " is not above the one before", w->refused);
  if (w->refused) result->sound = false;
  result->ids += w->ids;
  if (w->ids < result->ids_least) result->ids_least = w->ids;
  if (w->ids > result->ids_most) result->ids_most = w->ids;
  if (w->max_ns > result->max_ns) result->max_ns = w->max_ns;
  for (int i = 0; i < BUCKETS; i++) result->calls[i] += w->calls[i];
}

static worker *make_workers(flake_generator *gen, int threads) {
  size_t size = (size_t)threads * sizeof(worker);
  worker *workers = aligned_alloc(alignof(worker), size);
  if (!workers) fail(EXIT_FAILED, "no memory for %d threads", threads);
  memset(workers, 0, size);
  for (int i = 0; i < threads; i++) workers[i].gen = gen;
  return workers;
}

static bench_result run_threads(flake_generator *gen, int threads, int64_t seconds) {
  bench_result result = {.threads = threads, .ids_least = INT64_MAX, .sound = true};
  worker *workers = make_workers(gen, threads);
  int64_t issued_before = issued(gen);
  double cpu_before_s = cpu_s();
  int64_t start_ns = monotonic_ns(), end_ns = start_ns + seconds * NS_PER_S, ended_ns = end_ns;
  for (int i = 0; i < threads; i++) {
    workers[i].end_ns = end_ns;
    int error = pthread_create(&workers[i].thread, NULL, draw_all, &workers[i]);
    if (error) fail(EXIT_FAILED, "cannot start %d threads: %s", threads, strerror(error));
  }
  watch(threads, start_ns, end_ns);
  for (int i = 0; i < threads; i++) pthread_join(workers[i].thread, NULL);
  result.cpu_s = cpu_s() - cpu_before_s;
  for (int i = 0; i < threads; i++) {
    add(&result, &workers[i]);
    if (workers[i].ended_ns > ended_ns) ended_ns = workers[i].ended_ns;
  }
  result.elapsed_s = (double)(ended_ns - start_ns) / NS_PER_S;
  int64_t counted = issued(gen) - issued_before;
  if (counted != result.ids) {
    complain("the threads got %" PRId64 " IDs, the generator counted %" PRId64, result.ids,
             counted);
    result.sound = false;
  }
  free(workers);
  return result;
}

/* ---- what is printed ------------------------------------------------------------------------- */

/* How many IDs the sequence allows a second. */
static double allowed_per_s(const flake_layout *layout) {
  return (double)(UINT64_C(1) << layout->seq_bits) * 1000 / layout->tick_ms;
}

/* In microseconds: so long or less took so many of 10,000 calls. */
static double call_us(const bench_result *result, int64_t of_10000) {
  int64_t calls = 0;
  for (unsigned i = 0; i < BUCKETS; i++) {
    calls += (int64_t)result->calls[i];
    if (calls * 10000 < result->ids * of_10000) continue;
    uint64_t end_ns = bucket_end(i);
    return (double)(end_ns < (uint64_t)result->max_ns ? end_ns : (uint64_t)result->max_ns) / 1000;
  }
  return (double)result->max_ns / 1000;
}

static void print_heading(const bench_request *request) {
  char text[FLAKE_LAYOUT_TEXT_SIZE];
  char *line = out_line();
  if (flake_layout_format(&request->config.layout, text, sizeof text) < 0) strcpy(text, "?");
  const char *format = request->json ? "{\"layout\":\"%s\",\"mode\":\"%s\",\"seconds\":%" PRId64
                                       ",\"allowed_ids_per_s\":%.0f,\"runs\":["
                                     : "layout %s, %s, %" PRId64
                                       " s a run; the layout allows %.0f IDs/s\n"
                                       "threads        IDs/s  of layout     CPU   p50 us    p99 us"
                                       "  p99.99 us     max us";
  line += snprintf(line, OUT_LINE_SIZE - 1, format, text, modes[request->config.mode],
                   request->seconds, allowed_per_s(&request->config.layout));
  out_line_end(line);
  out_flush();
}

static void print_row(const bench_request *request, const bench_result *result) {
  double ids_per_s = (double)result->ids / result->elapsed_s;
  char *line = out_line();
  line +=
      snprintf(line, OUT_LINE_SIZE - 1, "%7d %12.0f %8.2f %% %5.1f %% %8.2f %9.1f %10.1f %10.1f",
               result->threads, ids_per_s, 100 * ids_per_s / allowed_per_s(&request->config.layout),
               100 * result->cpu_s / result->elapsed_s, call_us(result, 5000),
               call_us(result, 9900), call_us(result, 9999), (double)result->max_ns / 1000);
  out_line_end(line);
  out_flush();
}

static void print_json(const bench_result *result, bool last) {
  char *line = out_line();
  line +=
      snprintf(line, OUT_LINE_SIZE - 1,
               "{\"threads\":%d,\"ids\":%" PRId64 ",\"ids_least\":%" PRId64 ",\"ids_most\":%" PRId64
               ",\"elapsed_s\":%.6f,\"cpu_s\":%.6f,\"p50_us\":%.3f,\"p99_us\":%.3f,"
               "\"p99_99_us\":%.3f,\"max_us\":%.3f,\"sound\":%s}%s",
               result->threads, result->ids, result->ids_least, result->ids_most, result->elapsed_s,
               result->cpu_s, call_us(result, 5000), call_us(result, 9900), call_us(result, 9999),
               (double)result->max_ns / 1000, result->sound ? "true" : "false", last ? "]}" : ",");
  out_line_end(line);
}

/* ---- the command ----------------------------------------------------------------------------- */

static flake_generator *open_generator(const flake_config *config) {
  flake_generator *gen;
  char text[FLAKE_EXPLAIN_SIZE];
  flake_status status = flake_open(config, NULL, &gen);
  if (!status) return gen;
  flake_explain(config, status, text, sizeof text);
  fail(flake_status_class(status) == FLAKE_CLASS_CALLER ? EXIT_USAGE : EXIT_FAILED, "%s", text);
}

static int run(int argc, char **argv) {
  bench_request request = read_request(argc, argv);
  flake_generator *gen = open_generator(&request.config);
  int status = EXIT_DONE;
  int64_t first = flake_next(gen); /* waits for the first tick */
  if (first < 0) fail(EXIT_FAILED, "%s", flake_status_text(first));
  print_heading(&request);
  for (int i = 0; i < request.runs; i++) {
    bench_result result = run_threads(gen, request.threads[i], request.seconds);
    if (!result.sound) status = EXIT_FAILED;
    if (request.json)
      print_json(&result, i + 1 == request.runs);
    else
      print_row(&request, &result);
  }
  flake_close(gen);
  return status;
}

const command command_bench = {"bench", "measure rate, CPU and call times", help, run};
