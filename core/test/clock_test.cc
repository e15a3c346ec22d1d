// SPDX-License-Identifier: MIT
// The test clock: it moves when told and by the generator's sleeps, exactly, and in no other way.
#include <algorithm>
#include <atomic>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "flake_test.h"

namespace {

using flake_test::Clock;
using flake_test::Generator;
using flake_test::kNowMs;
using flake_test::kNsPerMs;
using flake_test::kNsPerSecond;
using flake_test::make_config;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
constexpr int64_t kNowNs = kNowMs * kNsPerMs;

// How far both clocks have moved since the last look.
class Moved {
 public:
  explicit Moved(const Clock &clock) : clock_(clock) { look(); }
  int64_t wall() { return clock_.wall() - wall_; }
  int64_t monotonic() { return clock_.monotonic() - monotonic_; }
  void look() {
    wall_ = clock_.wall();
    monotonic_ = clock_.monotonic();
  }

 private:
  const Clock &clock_;
  int64_t wall_ = 0, monotonic_ = 0;
};

#define EXPECT_MOVED(moved, wall_ns, monotonic_ns) \
  do {                                             \
    EXPECT_EQ((moved).wall(), wall_ns);            \
    EXPECT_EQ((moved).monotonic(), monotonic_ns);  \
    (moved).look();                                \
  } while (0)

// ---- alone --------------------------------------------------------------------------------------

TEST(TestClock, ReadsWhatItWasOpenedWithAndOneSecond) {
  for (int64_t wall_ns : {int64_t{0}, int64_t{1}, kNowNs, kHighest}) {
    const Clock clock(wall_ns);
    EXPECT_EQ(clock.wall(), wall_ns);
    EXPECT_EQ(clock.monotonic(), kNsPerSecond);
  }
}

TEST(TestClock, MovesBothClocksAlikeAtFirst) {
  Clock clock;
  Moved moved(clock);
  for (int64_t ns :
       {int64_t{0}, int64_t{1}, int64_t{999}, int64_t{1001}, kNsPerMs, 86400 * kNsPerSecond}) {
    clock.advance(ns);
    EXPECT_MOVED(moved, ns, ns);
  }
}

TEST(TestClock, MovesTheWallClockByTheRate) {
  Clock clock;
  Moved moved(clock);
  for (int64_t permille : {int64_t{1000}, int64_t{0}, int64_t{-1000}, int64_t{500}, int64_t{1},
                           int64_t{-1}, int64_t{1001}, int64_t{1000000}, int64_t{-1000000}}) {
    clock.set_rate(permille);
    EXPECT_MOVED(moved, 0, 0);
    clock.advance(kNsPerMs);
    EXPECT_MOVED(moved, kNsPerMs / 1000 * permille, kNsPerMs);
  }
}

TEST(TestClock, MovesTheWallClockByTheRateAlsoWithinAMicrosecond) {
  Clock clock;
  Moved moved(clock);
  clock.set_rate(500);
  clock.advance(1002);
  EXPECT_MOVED(moved, 501, 1002);
  clock.set_rate(-2000);
  clock.advance(7);
  EXPECT_MOVED(moved, -14, 7);
}

TEST(TestClock, LosesNothingInManySmallMoves) {
  for (int64_t permille : {1000, 500, 333, 1, 0, -1, -333, -1999}) {
    Clock clock;
    Moved moved(clock);
    clock.set_rate(permille);
    for (int i = 0; i < 1000; i++) clock.advance(1);
    EXPECT_EQ(moved.wall(), permille);
    EXPECT_EQ(moved.monotonic(), 1000);
  }
}

TEST(TestClock, SetWallMovesTheWallClockAloneAlsoBackwards) {
  Clock clock;
  clock.set_rate(2000);
  clock.script(2000, 5);
  for (int64_t wall_ns : {kNowNs + 7, kNowNs - 3600 * kNsPerSecond, int64_t{0}, kHighest, kNowNs}) {
    clock.set_wall(wall_ns);
    EXPECT_EQ(clock.wall(), wall_ns);
    EXPECT_EQ(clock.monotonic(), kNsPerSecond);
  }
  Moved moved(clock);
  clock.advance(1000);
  EXPECT_MOVED(moved, 2000, 1000);  // the rate stays
  clock.advance(1000);
  EXPECT_MOVED(moved, 2000 + 5, 1000);  // and so does the script
}

// ---- scripted steps -----------------------------------------------------------------------------

TEST(TestClock, AScriptedStepHappensWhenItFallsDueAndOnce) {
  Clock clock;
  Moved moved(clock);
  clock.script(1000, -300);
  EXPECT_MOVED(moved, 0, 0);
  clock.advance(999);
  EXPECT_MOVED(moved, 999, 999);
  clock.advance(1);
  EXPECT_MOVED(moved, 1 - 300, 1);
  clock.advance(5000);
  EXPECT_MOVED(moved, 5000, 5000);
}

TEST(TestClock, AStepIsDueAfterMonotonicTimeWhateverTheWallClockDoes) {
  Clock clock;
  Moved moved(clock);
  clock.set_rate(0);
  clock.script(1000, 1);
  clock.set_wall(kNowNs + 5000);
  clock.advance(999);
  EXPECT_MOVED(moved, 5000, 999);
  clock.advance(1);
  EXPECT_MOVED(moved, 1, 1);
}

TEST(TestClock, AStepAfterNothingHappensWithTheNextMove) {
  Clock clock;
  Moved moved(clock);
  clock.script(0, -7);
  clock.advance(0);
  EXPECT_MOVED(moved, -7, 0);
}

TEST(TestClock, TheMonotonicClockNeverGoesBeyondWhatItCanTell) {
  Clock clock;
  clock.set_rate(0);
  const int64_t left = INT64_MAX - flake_test_clock_monotonic(clock);
  for (const int64_t ns : {left + 1, INT64_MAX, int64_t{-1}, INT64_MIN}) {
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_advance(clock, ns));
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_script(clock, ns, 1));
  }
  EXPECT_STATUS(FLAKE_OK, flake_test_clock_script(clock, left, 1));
  EXPECT_STATUS(FLAKE_OK, flake_test_clock_advance(clock, left));
  EXPECT_EQ(flake_test_clock_monotonic(clock), INT64_MAX);
  EXPECT_EQ(clock.wall(), kNowNs + 1);
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_advance(clock, 1));
}

TEST(TestClock, StepsHappenInTheOrderOfTheirTimesNotOfTheirScripting) {
  // From 10 ns: a step of -25 ns cannot go there before the one of +20 ns has happened.
  Clock clock(10);
  Moved moved(clock);
  clock.set_rate(0);
  clock.script(300, 100);
  clock.script(200, -25);
  clock.script(100, 20);
  clock.advance(250);
  EXPECT_MOVED(moved, -5, 250);
  clock.advance(50);
  EXPECT_MOVED(moved, 100, 50);
}

TEST(TestClock, AStepStartsFromTheWallTimeOfItsMoment) {
  Clock clock(10);  // where a step of -50 ns cannot go yet
  clock.script(100, -50);
  clock.advance(200);
  EXPECT_EQ(clock.wall(), 10 + 200 - 50);
}

TEST(TestClock, StepsDueTogetherHappenInTheOrderOfTheirScripting) {
  Clock clock(10);
  clock.set_rate(0);
  clock.script(100, 20);
  clock.script(100, -25);
  clock.advance(100);
  EXPECT_EQ(clock.wall(), 5);
}

TEST(TestClock, HasRoomFor16PendingSteps) {
  Clock clock;
  for (int64_t i = 1; i <= 16; i++) clock.script(i * 10, 1000);
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_script(clock, 5, 1000000));
  clock.advance(10);
  clock.script(1000, 1000000);  // one has fallen due, so there is room again
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_script(clock, 5, 1000000));
  Moved moved(clock);
  clock.advance(150);
  EXPECT_MOVED(moved, 150 + 15 * 1000, 150);
}

// The clock once more, as plain as can be.
struct Model {
  int64_t wall = kNowNs, monotonic = kNsPerSecond, permille = 1000;
  std::vector<std::pair<int64_t, int64_t>> pending;  // (due, step)

  void pass_until(int64_t ns) {
    wall += (ns - monotonic) / 1000 * permille;
    monotonic = ns;
  }
  void advance(int64_t ns) {
    const int64_t end = monotonic + ns;
    std::stable_sort(pending.begin(), pending.end(),
                     [](auto a, auto b) { return a.first < b.first; });
    while (!pending.empty() && pending.front().first <= end) {
      pass_until(pending.front().first);
      wall += pending.front().second;
      pending.erase(pending.begin());
    }
    pass_until(end);
  }
};

TEST(TestClock, MovesAsAPlainModelDoesInAnySequenceOfOrders) {
  constexpr uint64_t kSeed = 11;
  std::mt19937_64 engine(kSeed);
  const auto up_to = [&](int64_t max) {
    return std::uniform_int_distribution<int64_t>(0, max)(engine);
  };
  for (int round = 0; round < 300 && !testing::Test::HasFailure(); round++) {
    Clock clock;
    Model model;
    for (int order = 0; order < 100; order++) {
      SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(round) +
                   ", order " + std::to_string(order));
      const int64_t us = up_to(50) * 1000, step = up_to(2 * kNsPerMs) - kNsPerMs;
      switch (up_to(6)) {
        case 0:
          clock.set_wall(model.wall = kNowNs + step);
          break;
        case 1:
          clock.set_rate(model.permille = up_to(6000) - 3000);
          break;
        case 2:
        case 3:
          EXPECT_STATUS(model.pending.size() < 16 ? FLAKE_OK : FLAKE_E_INVALID_ARGUMENT,
                        flake_test_clock_script(clock, us, step));
          if (model.pending.size() < 16) model.pending.emplace_back(model.monotonic + us, step);
          break;
        default:
          clock.advance(us);
          model.advance(us);
      }
      ASSERT_EQ(clock.wall(), model.wall);
      ASSERT_EQ(clock.monotonic(), model.monotonic);
    }
  }
}

// ---- what it refuses ----------------------------------------------------------------------------

TEST(TestClock, RefusesANullPointer) {
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_open(kNowNs, nullptr));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_set_wall(nullptr, kNowNs));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_set_rate(nullptr, 1000));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_advance(nullptr, 1));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_script(nullptr, 1, 1));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_stop_sleeps(nullptr, 1));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_wall(nullptr));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_monotonic(nullptr));
  flake_test_clock_close(nullptr);  // allowed
}

TEST(TestClock, RefusesATimeBefore1970) {
  flake_test_clock *none = nullptr;
  for (int64_t wall_ns : {int64_t{-1}, kLowest}) {
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_open(wall_ns, &none));
    EXPECT_EQ(none, nullptr);
    Clock clock;
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_set_wall(clock, wall_ns));
    EXPECT_EQ(clock.wall(), kNowNs);
  }
}

TEST(TestClock, RefusesARateOutsideItsRangeAndKeepsTheOldOne) {
  Clock clock;
  clock.set_rate(3000);
  for (int64_t permille :
       {int64_t{1000001}, int64_t{-1000001}, (int64_t{1} << 32) + 1000, kLowest, kHighest})
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_set_rate(clock, permille)) << permille;
  Moved moved(clock);
  clock.advance(1000);
  EXPECT_MOVED(moved, 3000, 1000);
}

TEST(TestClock, RefusesToGoBackInMonotonicTime) {
  Clock clock;
  Moved moved(clock);
  for (int64_t ns : {int64_t{-1}, -kNsPerSecond, kLowest}) {
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_advance(clock, ns));
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_test_clock_script(clock, ns, 1000));
  }
  EXPECT_MOVED(moved, 0, 0);
  clock.advance(1000);
  EXPECT_MOVED(moved, 1000, 1000);
}

TEST(TestClock, NeverReadsANegativeWallTime) {
  Clock clock(500);
  clock.set_rate(-1000);
  clock.advance(10000);
  EXPECT_GE(clock.wall(), 0);
  EXPECT_EQ(clock.monotonic(), kNsPerSecond + 10000);
  clock.script(0, kLowest);
  clock.advance(0);
  EXPECT_GE(clock.wall(), 0);
}

TEST(TestClock, NeverReadsAWallTimeThatWrapped) {
  for (int64_t permille : {int64_t{1000}, int64_t{1000000}, int64_t{-1000000}}) {
    Clock clock(kHighest - 500);
    clock.set_rate(permille);
    clock.advance(9223372036854999);  // times 1000 this passes 2^63
    EXPECT_GE(clock.wall(), 0) << permille;
    clock.script(0, kHighest);
    clock.advance(0);
    EXPECT_GE(clock.wall(), 0) << permille;
  }
}

// ---- with a generator ---------------------------------------------------------------------------

TEST(TestClock, IsMovedExactlyByTheSleepsOfAGenerator) {
  Clock clock(kNowNs + 400123);
  Generator gen(make_config(), clock);
  ASSERT_STATUS(FLAKE_OK, gen.status());
  Moved moved(clock);
  EXPECT_ID(gen.next());  // sleeps to the first tick after opening
  EXPECT_MOVED(moved, kNsPerMs - 400123, kNsPerMs - 400123);
  for (int i = 1; i < 4096; i++) ASSERT_ID(gen.next());
  EXPECT_MOVED(moved, 0, 0);  // the sequence lasts: no sleep
  EXPECT_ID(gen.next());
  EXPECT_MOVED(moved, kNsPerMs, kNsPerMs);
}

TEST(TestClock, LetsScriptedStepsHappenDuringASleep) {
  Clock clock(kNowNs + 400000);
  Generator gen(make_config(), clock);
  Moved moved(clock);
  clock.script(100000, 3 * kNsPerMs);  // 100 us into a sleep of 600 us
  const int64_t id = gen.next();
  ASSERT_ID(id);
  EXPECT_MOVED(moved, 600000 + 3 * kNsPerMs, 600000);
  EXPECT_EQ(flake_test::decode(flake_test::parse("41/10/12"), id).unix_ms, kNowMs + 4);
}

TEST(TestClock, ThatRunsAtAnotherRateIsSleptOnUntilTheTickBegins) {
  Clock clock(kNowNs + 500000);
  clock.set_rate(500);
  Generator gen(make_config(), clock);
  Moved moved(clock);
  EXPECT_ID(gen.next());
  EXPECT_GE(moved.wall(), 500000);
  EXPECT_LT(moved.wall(), kNsPerMs);
  EXPECT_LE(moved.monotonic() - 2 * moved.wall(), 20) << "what the roundings lose";
}

TEST(TestClock, WithStoppedSleepsIsNotMovedByAGenerator) {
  for (bool stopped : {true, false}) {
    Clock clock(kNowNs + 400000);
    Generator gen(make_config(), clock);
    Moved moved(clock);
    clock.stop_sleeps(true);
    EXPECT_STATUS(FLAKE_E_DEADLINE_PASSED, gen.next());
    EXPECT_MOVED(moved, 0, 0);
    clock.stop_sleeps(stopped);
    EXPECT_STATUS(FLAKE_OK, flake_test_clock_stop_sleeps(clock, stopped ? -1 : 0));
    EXPECT_EQ(gen.next() > 0, !stopped);
    EXPECT_MOVED(moved, stopped ? 0 : 600000, stopped ? 0 : 600000);
    clock.advance(7);  // stops sleeps only
    EXPECT_MOVED(moved, 7, 7);
  }
}

TEST(TestClock, ReachesAGeneratorAtOnce) {
  Clock clock;
  const flake_layout layout = flake_test::parse("41/10/12");
  Generator gen(make_config(), clock);
  for (int64_t ahead_ms : {5, 6, 100, 86400000}) {
    clock.set_wall((kNowMs + ahead_ms) * kNsPerMs);
    EXPECT_EQ(flake_test::decode(layout, gen.next()).unix_ms, kNowMs + ahead_ms);
  }
}

TEST(TestClock, At1970IsNotTakenForAFrozenOne) {
  Clock clock(0);
  flake_config config = make_config("41/10/12@0");
  config.max_wait_ms = 0;
  Generator gen(config, clock);
  EXPECT_STATUS(FLAKE_E_DEADLINE_PASSED, gen.next());
}

// ---- with threads -------------------------------------------------------------------------------

TEST(TestClock, LosesNothingWhenManyThreadsMoveIt) {
  constexpr int kThreads = 4, kMoves = 5000;
  Clock clock;
  for (int i = 1; i <= 16; i++) clock.script(i * 7000, kNsPerSecond);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++)
    threads.emplace_back([&clock] {
      int64_t seen = 0;
      for (int i = 0; i < kMoves; i++) {
        clock.advance(7);
        const int64_t now = clock.monotonic();
        if (now <= seen) ADD_FAILURE() << now << " after " << seen;
        seen = now;
      }
    });
  for (std::thread &thread : threads) thread.join();
  const int64_t passed = 7 * kThreads * kMoves;
  EXPECT_EQ(clock.monotonic(), kNsPerSecond + passed);
  EXPECT_EQ(clock.wall(), kNowNs + passed + 16 * kNsPerSecond);
}

TEST(TestClock, IsNeverTurnedBackByASleepThatItHasOvertaken) {
  Clock clock;
  std::atomic<bool> done{false};
  std::thread mover([&] {  // by more than a tick, nearly always while the other wants to sleep
    for (int64_t seen = 0; !done;) {
      clock.advance(3 * kNsPerMs);
      const int64_t now = clock.monotonic();
      if (now <= seen) ADD_FAILURE() << now << " after " << seen;
      seen = now;
    }
  });
  Generator gen(make_config("41/1/0"), clock);
  for (int i = 0; i < 2000; i++) EXPECT_ID(gen.next());
  done = true;
  mover.join();
  EXPECT_EQ(clock.wall() - kNowNs, clock.monotonic() - kNsPerSecond);
}

TEST(TestClock, MayBeOrderedByManyThreadsAtOnce) {
  Clock clock;
  Generator gen(make_config(), clock);
  const auto order = [&clock](int kind) {
    for (int i = 0; i < 2000; i++) {
      if (kind == 0) clock.set_wall(kNowNs + i * kNsPerMs);
      if (kind == 1) clock.set_rate(i % 2000);
      if (kind == 2) clock.stop_sleeps(i % 2);
      if (kind == 3 && flake_test_clock_script(clock, i, 1) != FLAKE_OK) clock.advance(i);
    }
  };
  std::vector<std::thread> threads;
  for (int kind = 0; kind < 4; kind++) threads.emplace_back(order, kind);
  int64_t last = 0;
  for (int i = 0; i < 2000; i++) {
    const int64_t id = gen.next();
    if (id < 0) continue;
    EXPECT_GT(id, last);
    last = id;
  }
  for (std::thread &thread : threads) thread.join();
  EXPECT_GE(clock.wall(), kNowNs);
}

}  // namespace
