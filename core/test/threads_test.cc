// SPDX-License-Identifier: MIT
// Many threads draw from one generator, race with its closing and with steps of the clock: no ID
// comes twice, and each is larger than all that had been returned before its call began. These
// tests run under the thread sanitizer too.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "flake_test.h"

namespace {

using namespace flake_test;

using Random = std::mt19937_64;

int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

// Runs body(0), body(1), ... in threads that start at one moment, and waits for all.
void at_once(int threads, const std::function<void(int)> &body) {
  std::atomic<int> waiting{threads};
  std::vector<std::thread> running;
  for (int i = 0; i < threads; i++)
    running.emplace_back([&, i] {
      waiting--;
      while (waiting > 0) std::this_thread::yield();
      body(i);
    });
  for (std::thread &thread : running) thread.join();
}

void expect_all_different(std::vector<int64_t> ids, size_t count) {
  EXPECT_EQ(ids.size(), count);
  std::sort(ids.begin(), ids.end());
  auto twin = std::adjacent_find(ids.begin(), ids.end());
  EXPECT_EQ(twin, ids.end()) << "issued twice: " << *twin;
}

// What the threads of one test drew. Knows the largest ID that had been returned before each call
// began.
class Ledger {
 public:
  explicit Ledger(int threads) : pages_(static_cast<size_t>(threads)) {}

  int64_t draw(int thread, flake_generator *gen) {
    const int64_t before = returned_.load();
    const int64_t id = flake_next(gen);
    Page &page = pages_[static_cast<size_t>(thread)];
    if (id <= 0) {
      page.refused[id]++;
      return id;
    }
    if (id <= before) page.disorder++;
    page.ids.push_back(id);
    int64_t seen = before;
    while (seen < id && !returned_.compare_exchange_weak(seen, id)) {
    }
    return id;
  }

  // Checks all, once the threads are done; returns how many IDs there are.
  size_t check(const std::vector<int64_t> &refusals_allowed = {}) const {
    std::vector<int64_t> ids;
    for (const Page &page : pages_) {
      EXPECT_EQ(page.disorder, 0) << "IDs below one that had been returned before";
      EXPECT_TRUE(std::is_sorted(page.ids.begin(), page.ids.end()));
      ids.insert(ids.end(), page.ids.begin(), page.ids.end());
      for (auto [status, count] : page.refused)
        EXPECT_NE(std::count(refusals_allowed.begin(), refusals_allowed.end(), status), 0)
            << count << " calls gave " << said(status);
    }
    expect_all_different(ids, ids.size());
    return ids.size();
  }

  int64_t refused(int64_t status) const {
    int64_t sum = 0;
    for (const Page &page : pages_)
      if (page.refused.count(status)) sum += page.refused.at(status);
    return sum;
  }

 private:
  struct alignas(64) Page {
    std::vector<int64_t> ids;
    std::map<int64_t, int64_t> refused;
    int disorder = 0;
  };
  std::vector<Page> pages_;
  std::atomic<int64_t> returned_{0};
};

// Waits so long that no call fails: on the test clock a day passes while a thread is not scheduled.
flake_config patient(const char *layout) {
  flake_config config = make_config(layout);
  config.max_wait_ms = 86400000;
  return config;
}

flake_config ahead(const char *layout) {
  flake_config config = make_config(layout);
  config.mode = FLAKE_MODE_MONOTONIC;
  config.max_lead_ms = 86400000;
  return config;
}

// ---- many calls ---------------------------------------------------------------------------------

// Without anything between the threads that could order them but the generator itself.
void draw_apart(const flake_config &config, int threads, size_t each) {
  Generator gen(config);
  ASSERT_STATUS(FLAKE_OK, gen.status());
  std::vector<std::vector<int64_t>> drawn(static_cast<size_t>(threads));
  at_once(threads, [&](int thread) {
    std::vector<int64_t> ids(each);
    for (int64_t &id : ids) id = gen.next();
    drawn[static_cast<size_t>(thread)] = std::move(ids);
  });
  std::vector<int64_t> all;
  for (const std::vector<int64_t> &ids : drawn) {
    EXPECT_ID(*std::min_element(ids.begin(), ids.end()));
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    all.insert(all.end(), ids.begin(), ids.end());
  }
  expect_all_different(all, each * drawn.size());
}

TEST(Threads, AHundredThousandConcurrentCallsGiveAsManyIds) {
  draw_apart(make_config("41/10/12"), 8, 12500);
}

TEST(Threads, SixteenHundredThousandConcurrentCallsOnAWideLayoutGiveAsManyIds) {
  draw_apart(make_config("41/4/18"), 8, 200000);
}

TEST(Threads, MonotonicCallsRunAheadOfTheClockAndNoneIsLost) {
  draw_apart(ahead("41/10/6"), 8, 50000);
}

TEST(Threads, AnIdIsLargerThanEveryIdThatHadBeenReturnedBefore) {
  struct Case {
    flake_config config;
    int each;
  };
  for (const Case &c : {Case{patient("41/4/18"), 50000}, Case{patient("41/10/12"), 50000},
                        Case{patient("41/10/5"), 1000}, Case{ahead("41/10/2"), 50000}}) {
    Generator gen(c.config);
    ASSERT_STATUS(FLAKE_OK, gen.status());
    Ledger ledger(8);
    at_once(8, [&](int thread) {
      for (int i = 0; i < c.each; i++) ledger.draw(thread, gen);
    });
    EXPECT_EQ(ledger.check(), static_cast<size_t>(8 * c.each));
  }
}

// Two threads draw all they can; every tick must be counted up from 0 without a hole. Returns how
// many ticks were used to their end.
int ticks_filled_at_full_rate(const flake_config &config, int each) {
  Generator gen(config);
  EXPECT_STATUS(FLAKE_OK, gen.status());
  std::array<std::vector<int64_t>, 2> drawn;
  at_once(2, [&](int thread) {
    for (int i = 0; i < each; i++) drawn[static_cast<size_t>(thread)].push_back(gen.next());
  });
  std::vector<int64_t> ids = drawn[0];
  ids.insert(ids.end(), drawn[1].begin(), drawn[1].end());
  std::sort(ids.begin(), ids.end());
  flake_decoded last{};
  int filled = 0, wrong = 0;
  for (int64_t id : ids) {
    flake_decoded parts = decode(config.layout, id);
    wrong += parts.node != config.node;
    wrong += parts.sequence != (parts.tick == last.tick ? last.sequence + 1 : 0);
    filled += parts.sequence == (int64_t{1} << config.layout.seq_bits) - 1;
    last = parts;
  }
  EXPECT_EQ(wrong, 0);
  return filled;
}

TEST(Threads, AtFullRateTheNodeIsConstantAndTheSequenceNeverSpills) {
  flake_config config = patient("41/10/12");
  config.node = 1023;
  ticks_filled_at_full_rate(config, 100000);
  config = patient("41/10/7");
  config.node = 1023;
  EXPECT_GT(ticks_filled_at_full_rate(config, 20000), 10) << "the rate must reach the end of ticks";
}

// On the test clock the sleep of one thread moves the time of all, so ticks change all the time.
TEST(Threads, TicksThatChangeUnderTheThreadsRepeatAndReorderNothing) {
  for (const flake_config &config : {patient("41/10/0"), patient("41/10/2"), patient("41/10/4"),
                                     ahead("41/10/0"), ahead("41/10/3")}) {
    Clock clock;
    Generator gen(config, clock);
    Ledger ledger(4);
    at_once(4, [&](int thread) {
      for (int i = 0; i < 20000; i++) ledger.draw(thread, gen);
    });
    EXPECT_EQ(ledger.check(), 80000u);
  }
}

// ---- steps of the clock -------------------------------------------------------------------------

// Steps the test clock to and fro while others draw. The count is odd while it steps.
class Stepper {
 public:
  Stepper(Clock &clock, int64_t reach_ns) : clock_(clock), reach_ns_(reach_ns) {}

  void step(Random &random) {
    base_ns_ += 200000;
    steps_++;
    clock_.set_wall(base_ns_ + pick(random, -reach_ns_, reach_ns_));
    steps_++;
  }
  int64_t count() const { return steps_; }

 private:
  Clock &clock_;
  const int64_t reach_ns_;
  int64_t base_ns_ = kNowMs * kNsPerMs;
  std::atomic<int64_t> steps_{0};
};

// 4 threads draw, a fifth steps the clock. Returns how many IDs of strict mode were ahead of a
// clock that nobody stepped during the call.
int draw_under_steps(const flake_config &config, int64_t reach_ns, uint64_t seed, Ledger *ledger) {
  Clock clock;
  Generator gen(config, clock);
  Stepper stepper(clock, reach_ns);
  std::atomic<int> drawing{4}, early{0};
  at_once(5, [&](int thread) {
    if (thread == 4) {
      Random random(seed);
      while (drawing > 0) stepper.step(random);
      return;
    }
    for (int ids = 0; ids < 10000;) {
      const int64_t steps = stepper.count(), id = ledger->draw(thread, gen);
      const int64_t wall_ns = clock.wall();
      ids += id > 0;
      if (id <= 0 || steps % 2 || stepper.count() != steps) continue;
      flake_decoded parts{};
      if (flake_decode(&config.layout, static_cast<uint64_t>(id), &parts)) early++;
      if (config.mode == FLAKE_MODE_STRICT && parts.unix_ms * kNsPerMs > wall_ns) early++;
    }
    drawing--;
  });
  return early;
}

TEST(Threads, RandomStepsOfTheClockRepeatAndReorderNothing) {
  for (const char *layout : {"41/10/1", "41/10/4", "41/4/18"})
    for (int64_t reach_ns : {kNsPerMs / 2, 3 * kNsPerMs, kNsPerSecond})
      for (flake_config config : {make_config(layout), ahead(layout)}) {
        config.max_wait_ms = 2;
        SCOPED_TRACE(std::string(layout) + " reach_ns " + std::to_string(reach_ns) + " mode " +
                     std::to_string(config.mode));
        Ledger ledger(4);
        EXPECT_EQ(draw_under_steps(config, reach_ns, 42, &ledger), 0) << "ahead of the clock";
        EXPECT_GT(ledger.check({FLAKE_E_CLOCK_REWOUND, FLAKE_E_CLOCK_FROZEN, FLAKE_E_EXHAUSTED,
                                FLAKE_E_DEADLINE_PASSED}),
                  0u);
      }
}

TEST(Threads, ARewindOfAnHourIsRefusedByEveryThreadWithoutWaitingAndPassesByItself) {
  Clock clock;
  Generator gen(make_config("41/10/12"), clock);
  Ledger ledger(8);
  clock.advance(kNsPerMs);
  const int64_t wall = clock.wall();
  at_once(8, [&](int thread) {
    for (int i = 0; i < 100; i++) ledger.draw(thread, gen);
  });
  clock.set_wall(wall - 3600 * kNsPerSecond);
  const int64_t monotonic = clock.monotonic();
  std::array<std::vector<double>, 8> took_us;
  at_once(8, [&](int thread) {
    for (int i = 0; i < 1000; i++) {
      auto start = std::chrono::steady_clock::now();
      ledger.draw(thread, gen);
      std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
      took_us[static_cast<size_t>(thread)].push_back(took.count());
    }
  });
  EXPECT_EQ(ledger.refused(FLAKE_E_CLOCK_REWOUND), 8000);
  EXPECT_EQ(clock.monotonic(), monotonic) << "no call slept";
  for (std::vector<double> &us : took_us) {
    std::nth_element(us.begin(), us.begin() + 500, us.end());
    EXPECT_LT(us[500], 1000) << "the median call";
  }
  clock.set_wall(wall);
  at_once(8, [&](int thread) {
    for (int i = 0; i < 100; i++) ledger.draw(thread, gen);
  });
  EXPECT_EQ(ledger.check({FLAKE_E_CLOCK_REWOUND}), 1600u);
}

TEST(Threads, AFrozenClockIsFrozenForEveryThread) {
  flake_config config = make_config("41/10/2");
  config.max_wait_ms = 0;
  Clock clock;
  Generator gen(config, clock);
  clock.advance(kNsPerMs);
  clock.set_rate(0);
  for (int i = 0; i < 4; i++) EXPECT_ID(gen.next());
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, gen.next());
  clock.advance(2 * kNsPerMs);
  Ledger ledger(4);
  at_once(4, [&](int thread) {
    for (int i = 0; i < 20000; i++) ledger.draw(thread, gen);
  });
  EXPECT_EQ(ledger.check({FLAKE_E_CLOCK_FROZEN}), 0u);
  EXPECT_EQ(ledger.refused(FLAKE_E_CLOCK_FROZEN), 80000);
}

// ---- closing and opening ------------------------------------------------------------------------

// 3 threads draw through the handle that a fourth closes and opens again, in turn with each config.
void draw_while_reopened(const std::vector<flake_config> &configs, flake_test_clock *clock,
                         int runs) {
  flake_generator *gen = nullptr;
  ASSERT_STATUS(FLAKE_OK, flake_open(&configs[0], clock, &gen));
  std::atomic<flake_generator *> current{gen};
  std::atomic<bool> done{false};
  Ledger ledger(4);
  at_once(4, [&](int thread) {
    if (thread < 3) {
      while (!done) ledger.draw(thread, current);
      return;
    }
    for (int run = 0; run < runs; run++) {
      EXPECT_ID(ledger.draw(thread, gen));
      EXPECT_STATUS(FLAKE_OK, flake_close(gen));
      const flake_config &config = configs[static_cast<size_t>(run) % configs.size()];
      EXPECT_STATUS(FLAKE_OK, flake_open(&config, clock, &gen));
      current = gen;
    }
    done = true;
  });
  EXPECT_GE(ledger.check({FLAKE_E_CLOSED}), static_cast<size_t>(runs));
  EXPECT_STATUS(FLAKE_OK, flake_close(gen));
}

TEST(Threads, ThreadsThatRaceWithClosingAndOpeningGetAnIdOrClosed) {
  for (const flake_config &config : {patient("41/10/12"), patient("41/10/3"), ahead("41/10/3")}) {
    Clock clock;
    draw_while_reopened({config}, clock, 5000);
    draw_while_reopened({config}, nullptr, 100);
  }
}

TEST(Threads, ThreadsThatRaceWithAChangeOfOptionsGetAnIdOrClosed) {
  flake_config one = patient("41/10/4"), two = one, three = one;
  two.max_wait_ms--;
  three.mode = FLAKE_MODE_MONOTONIC;
  three.max_lead_ms = 86400000;
  Clock clock;
  draw_while_reopened({one, two, one, three}, clock, 5000);
}

TEST(Threads, ThreadsThatOpenAndCloseEqualConfigsAtOnceNeverFail) {
  struct Case {
    bool real;
    int each;
  };
  for (const Case &c : {Case{false, 3000}, Case{true, 100}}) {
    const flake_config config = patient("41/10/4");
    Clock clock;
    Ledger ledger(4);
    at_once(4, [&](int thread) {
      for (int i = 0; i < c.each; i++) {
        Generator gen(config, c.real ? nullptr : static_cast<flake_test_clock *>(clock));
        ASSERT_STATUS(FLAKE_OK, gen.status());
        for (int n = 0; n < 3; n++) ledger.draw(thread, gen);
        ASSERT_STATUS(FLAKE_OK, gen.close());
      }
    });
    EXPECT_EQ(ledger.check(), static_cast<size_t>(4 * 3 * c.each));
  }
}

TEST(Threads, OfThreadsThatOpenOneNodeWithDifferentOptionsOnlyEqualOnesShareIt) {
  Clock clock;
  const flake_config base = patient("41/10/4");
  Ledger ledger(4);
  std::atomic<int> opened{0}, refused{0};
  at_once(4, [&](int thread) {
    flake_config config = base;
    config.max_wait_ms -= thread % 2;
    for (int i = 0; i < 3000; i++) {
      Generator gen(config, clock);
      if (gen.status() == FLAKE_E_NODE_IN_USE) {
        refused++;
        continue;
      }
      ASSERT_STATUS(FLAKE_OK, gen.status());
      opened++;
      ledger.draw(thread, gen);
    }
  });
  EXPECT_EQ(ledger.check(), static_cast<size_t>(opened));
  EXPECT_EQ(opened + refused, 12000);
}

TEST(Threads, GeneratorsOfDifferentNodesShareNothing) {
  flake_config base = patient("41/3/8");
  std::array<std::vector<int64_t>, 8> drawn;
  at_once(8, [&](int thread) {
    flake_config config = base;
    config.node = thread;
    for (int run = 0; run < 5; run++) {
      Generator gen(config);
      for (int i = 0; i < 1000; i++) drawn[static_cast<size_t>(thread)].push_back(gen.next());
    }
  });
  std::vector<int64_t> all;
  for (size_t node = 0; node < drawn.size(); node++)
    for (int64_t id : drawn[node]) {
      ASSERT_EQ(decode(base.layout, id).node, static_cast<int64_t>(node));
      all.push_back(id);
    }
  expect_all_different(all, 40000);
}

}  // namespace
