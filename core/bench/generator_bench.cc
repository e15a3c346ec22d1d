// SPDX-License-Identifier: MIT
// What a call costs, beside what no generator can do without (a clock read) and what one would
// write instead (a mutex). Each benchmark says in items_per_second how many IDs all its threads got
// together; ci/bench runs this in rounds and judges the ratios.
#include <benchmark/benchmark.h>
#include <pthread.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "flakecore.h"

namespace {

constexpr std::string_view kWide = "40/2/21";    // 2,097,152 IDs per ms: single calls never wait
constexpr std::string_view kWidest = "39/0/24";  // 16,777,216 per ms: nor do batches
constexpr int64_t kNode = 1;

[[noreturn]] void give_up(const char *what, int64_t status) {
  std::fprintf(stderr, "%s: %s\n", what, flake_status_text(status));
  std::exit(1);
}

// A generator for the rest of the process, ready to issue. All checks are on.
flake_generator *open_generator(std::string_view space, std::string_view layout,
                                flake_clock_source clock = FLAKE_CLOCK_PRECISE) {
  flake_config config;
  flake_generator *gen = nullptr;
  flake_status status = flake_config_init(&config, sizeof config);
  if (!status) status = flake_layout_parse(layout.data(), layout.size(), &config.layout);
  config.node = config.layout.node_bits > 0 ? kNode : 0;
  config.clock_source = clock;
  space.copy(config.space, sizeof config.space - 1);
  config.space[space.size()] = 0;
  if (!status) status = flake_open(&config, nullptr, &gen);
  if (status) give_up("cannot open a generator", status);
  const int64_t id = flake_next(gen);
  if (id < 0) give_up("no first ID", id);
  return gen;
}

void count(benchmark::State &state, int64_t ids_per_call) {
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * ids_per_call);
}

// ---- a clock read -------------------------------------------------------------------------------

void bare_clock(benchmark::State &state) {
  for ([[maybe_unused]] auto _ : state) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    benchmark::DoNotOptimize(now);
  }
  count(state, 1);
}
BENCHMARK(bare_clock)->UseRealTime();

// ---- one ID -------------------------------------------------------------------------------------

void draw(benchmark::State &state, flake_generator *gen) {
  int64_t any_negative = 0;
  for ([[maybe_unused]] auto _ : state) any_negative |= flake_next(gen);
  if (any_negative < 0) state.SkipWithError("a call was refused");
  count(state, 1);
}

void next(benchmark::State &state) {
  static flake_generator *gen = open_generator("bench-next", kWide);
  draw(state, gen);
}
BENCHMARK(next)->UseRealTime()->Threads(1)->Threads(2);

void next_coarse(benchmark::State &state) {
  static flake_generator *gen = open_generator("bench-coarse", kWide, FLAKE_CLOCK_COARSE);
  draw(state, gen);
}
BENCHMARK(next_coarse)->UseRealTime();

// ---- many IDs -----------------------------------------------------------------------------------

constexpr int64_t kManyMax = 1000;

void next_many(benchmark::State &state) {
  static flake_generator *gen = open_generator("bench-many", kWidest);
  static std::array<int64_t, kManyMax> ids;
  const int64_t want = state.range(0);
  bool short_once = false;
  for ([[maybe_unused]] auto _ : state) {
    short_once |= flake_next_many(gen, ids.data(), want) != want;
    benchmark::ClobberMemory();
  }
  if (short_once) state.SkipWithError("a batch was refused");
  count(state, want);
}
BENCHMARK(next_many)->UseRealTime()->Arg(64)->Arg(kManyMax);

// May get fewer at the end of a tick, so it counts what it got.
void next_range(benchmark::State &state) {
  static flake_generator *gen = open_generator("bench-range", kWidest);
  const int64_t want = state.range(0);
  int64_t any_negative = 0, ids = 0;
  for ([[maybe_unused]] auto _ : state) {
    int64_t issued = 0;
    any_negative |= flake_next_range(gen, want, &issued);
    ids += issued;
  }
  if (any_negative < 0) state.SkipWithError("a range was refused");
  state.SetItemsProcessed(ids);
}
BENCHMARK(next_range)->UseRealTime()->Arg(64);

// ---- what one would write instead ---------------------------------------------------------------

// A careful generator of the layout kWide under one lock: it never goes back, never repeats, waits
// for the next tick when one is spent, and refuses on a clock that was set back.
class MutexGenerator {
 public:
  int64_t next() {
    for (;;) {
      pthread_mutex_lock(&lock_);
      const int64_t id = draw();
      pthread_mutex_unlock(&lock_);
      if (id != 0) return id;
      const timespec moment = {0, 100000};
      nanosleep(&moment, nullptr);
    }
  }

 private:
  static constexpr int kNodeBits = 2, kSeqBits = 21;

  // The next ID; -1: the clock was set back; 0: the tick is spent. Under the lock.
  int64_t draw() {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t tick = now.tv_sec * 1000 + now.tv_nsec / 1000000 - FLAKE_EPOCH_MS;
    if (tick < tick_) return -1;
    if (tick > tick_) {
      tick_ = tick;
      seq_ = 0;
    } else if (seq_ + 1 < (1 << kSeqBits)) {
      seq_++;
    } else {
      return 0;
    }
    return tick_ << (kNodeBits + kSeqBits) | node_ << kSeqBits | seq_;
  }

  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
  int64_t node_ = kNode;
  int64_t tick_ = 0;
  int64_t seq_ = 0;
};

void mutex_next(benchmark::State &state) {
  alignas(64) static MutexGenerator gen;
  int64_t any_negative = 0;
  for ([[maybe_unused]] auto _ : state) any_negative |= gen.next();
  if (any_negative < 0) state.SkipWithError("a call was refused");
  count(state, 1);
}
BENCHMARK(mutex_next)->UseRealTime()->Threads(1)->Threads(2);

}  // namespace

int main(int argc, char **argv) {
  // As in any server: until a process has had a second thread, glibc's mutex skips its atomics.
  std::thread([] {}).join();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 1;
}
