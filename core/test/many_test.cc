// SPDX-License-Identifier: MIT
// Batches: a range and many IDs are exactly what as many single calls would have given, in both
// modes, through every fault, and among threads that mix all calls. These tests run under the
// thread sanitizer too.
#include <algorithm>
#include <atomic>
#include <climits>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "flake_test.h"
#include "small_generator.h"

namespace {

using namespace flake_test;

using Number = std::pair<int64_t, int64_t>;  // tick and sequence
using Ids = std::vector<int64_t>;

constexpr int64_t kNow = kNowMs - FLAKE_EPOCH_MS;  // the tick at kNowMs, of 1 ms and default epoch
constexpr int64_t kUntouched = -77;

Number number_of(const flake_config &config, int64_t id) {
  flake_decoded parts = decode(config.layout, id);
  EXPECT_EQ(parts.node, config.node) << said(id);
  return {parts.tick, parts.sequence};
}

std::vector<Number> numbers_of(const flake_config &config, const Ids &ids) {
  std::vector<Number> numbers;
  for (int64_t id : ids) numbers.push_back(number_of(config, id));
  return numbers;
}

// The first count numbers from tick on, each tick counted from 0 to its end.
std::vector<Number> whole_ticks(const flake_config &config, int64_t tick, int64_t count) {
  std::vector<Number> numbers;
  const int64_t span = int64_t{1} << config.layout.seq_bits;
  for (int64_t i = 0; i < count; i++) numbers.emplace_back(tick + i / span, i % span);
  return numbers;
}

// How much monotonic time a call took on the test clock, that is: slept.
template <typename Call>
int64_t slept(const Clock &clock, Call call) {
  int64_t before = clock.monotonic();
  call();
  return clock.monotonic() - before;
}

// What a call for a batch gave: the IDs, and the status when there are none.
struct Batch {
  int64_t status;
  Ids ids;
};

// A refused range must leave issued alone.
Batch batch_of_range(const flake_config &config, int64_t first, int64_t issued, int64_t count) {
  if (first <= 0) {
    EXPECT_EQ(issued, kUntouched) << said(first);
    return {first, {}};
  }
  EXPECT_GE(issued, 1);
  EXPECT_LE(issued, count);
  Batch batch{FLAKE_OK, Ids(static_cast<size_t>(issued))};
  const int64_t stride = flake_layout_stride(&config.layout);
  for (int64_t i = 0; i < issued; i++) batch.ids[static_cast<size_t>(i)] = first + i * stride;
  return batch;
}

Batch range(const flake_config &config, flake_generator *gen, int64_t count) {
  int64_t issued = kUntouched;
  const int64_t first = flake_next_range(gen, count, &issued);
  return batch_of_range(config, first, issued, count);
}

Batch range_step(const flake_config &config, flake_generator *gen, flake_attempt *attempt,
                 int64_t count) {
  int64_t issued = kUntouched;
  const int64_t first = flake_next_range_step(gen, attempt, count, &issued);
  return batch_of_range(config, first, issued, count);
}

// Calls fill with a buffer for count IDs; what it does not return it must not have touched.
Batch filled(int64_t count, const std::function<int64_t(int64_t *)> &fill) {
  Ids ids(static_cast<size_t>(count) + 1, kUntouched);
  const int64_t got = fill(ids.data());
  EXPECT_LE(got, count);
  const size_t len = got > 0 ? static_cast<size_t>(got) : 0;
  EXPECT_EQ(std::count(ids.begin(), ids.end(), kUntouched), static_cast<int64_t>(ids.size() - len));
  ids.resize(len);
  for (int64_t id : ids) EXPECT_ID(id);
  return {std::min<int64_t>(got, FLAKE_OK), ids};
}

Batch many(flake_generator *gen, int64_t count) {
  return filled(count, [&](int64_t *ids) { return flake_next_many(gen, ids, count); });
}

Batch many_step(flake_generator *gen, flake_attempt *attempt, int64_t count) {
  return filled(count,
                [&](int64_t *ids) { return flake_next_many_step(gen, attempt, ids, count); });
}

// All IDs of a test in the order in which they came; each must be larger than the one before.
class Rising {
 public:
  void add(int64_t id) {
    EXPECT_ID(id);
    EXPECT_GT(id, last_);
    last_ = id;
  }
  void add(const Ids &ids) {
    for (int64_t id : ids) add(id);
  }

 private:
  int64_t last_ = 0;
};

// ---- the stride ---------------------------------------------------------------------------------

TEST(Stride, IsTheDifferenceOfTwoIdsWhoseSequenceNumbersFollowEachOther) {
  const flake_layout none{};
  for (int32_t i = 0; const char *name = flake_layout_preset(i); i++) {
    flake_layout layout = parse(name);
    if (flake_layout_check(&layout, kNowMs) == FLAKE_E_NOT_SUPPORTED) continue;
    const int64_t ms = layout.epoch_ms + layout.tick_ms;
    EXPECT_EQ(flake_layout_stride(&layout),
              flake_compose(&layout, ms, 0, 1) - flake_compose(&layout, ms, 0, 0))
        << name;
  }
  const flake_layout snowflake = parse("snowflake"), sonyflake = parse("sonyflake"),
                     spread = parse("t30s2n32"), without = parse("41/10/0");
  EXPECT_EQ(flake_layout_stride(&snowflake), 1);
  EXPECT_EQ(flake_layout_stride(&sonyflake), 65536);
  EXPECT_EQ(flake_layout_stride(&spread), int64_t{1} << 32);
  EXPECT_EQ(flake_layout_stride(&without), 1);
  EXPECT_STATUS(FLAKE_E_BAD_LAYOUT, flake_layout_stride(&none));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_layout_stride(nullptr));
}

// ---- a range ------------------------------------------------------------------------------------

// Layouts with the node above, below, and missing, each with its largest node.
std::vector<flake_config> ranged_configs() {
  std::vector<flake_config> configs;
  for (const char *layout : {"41/10/12", "sonyflake", "41/0/12", "t41s12n10", "t39s8n16*1s"})
    for (flake_config config : {strict(layout, 5000), monotonic(layout, 60000)}) {
      config.node = (int64_t{1} << config.layout.node_bits) - 1;
      configs.push_back(config);
    }
  return configs;
}

TEST(Range, IsNumbersThatFollowEachOtherInOneTickWithSingleCallsBetween) {
  for (const flake_config &config : ranged_configs()) {
    Clock clock;
    Generator gen = open_now(config, clock);
    Ids ids;
    for (int64_t count : {1, 5, 2, 64, 3, 100}) {
      Batch batch = range(config, gen, count);
      EXPECT_EQ(batch.ids.size(), static_cast<size_t>(count));
      ids.insert(ids.end(), batch.ids.begin(), batch.ids.end());
      ids.push_back(gen.next());
    }
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    const int64_t tick = decode(config.layout, ids[0]).tick;
    EXPECT_EQ(numbers_of(config, ids), whole_ticks(config, tick, 181));
  }
}

TEST(Range, IsCutAtTheEndOfTheTick) {
  for (const flake_config &config : {strict("41/10/4"), monotonic("41/10/4")}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    for (int i = 0; i < 10; i++) EXPECT_ID(gen.next());
    Batch rest = range(config, gen, 16);
    EXPECT_EQ(rest.ids.size(), 6u);
    EXPECT_EQ(number_of(config, rest.ids.back()), Number(kNow + 1, 15));
    const int64_t wait_ns = config.mode == FLAKE_MODE_STRICT ? kNsPerMs : 0;
    EXPECT_EQ(slept(clock,
                    [&] {
                      EXPECT_EQ(numbers_of(config, range(config, gen, 16).ids),
                                whole_ticks(config, kNow + 2, 16));
                    }),
              wait_ns);
  }
}

TEST(Range, OfOneIsOneId) {
  for (const flake_config &config : {strict(), monotonic()}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    Ids ids;
    for (int i = 0; i < 10; i++) {
      Batch batch = range(config, gen, 1);
      ASSERT_EQ(batch.ids.size(), 1u);
      ids.push_back(batch.ids[0]);
    }
    EXPECT_EQ(numbers_of(config, ids), whole_ticks(config, kNow + 1, 10));
  }
}

TEST(Range, OfAHugeCountIsTheRestOfTheTick) {
  for (int64_t count : {INT64_MAX, INT64_MAX - 1, int64_t{1} << 62, int64_t{1} << 32, int64_t{4}}) {
    for (const flake_config &config : {strict(), monotonic()}) {
      Clock clock;
      Generator gen = open_now(config, clock);
      EXPECT_EQ(numbers_of(config, range(config, gen, count).ids),
                whole_ticks(config, kNow + 1, 4));
      EXPECT_ID(gen.next());
      EXPECT_EQ(range(config, gen, count).ids.size(), 3u) << "also where single calls pass quickly";
    }
  }
}

TEST(Range, OfTheWidestSequenceIsAllOfItAtThePriceOfOneCall) {
  flake_config config = strict("t31s32@" + std::to_string(kNowMs - 1000));
  config.node = 0;
  Clock clock;
  Generator gen = open_now(config, clock);
  EXPECT_EQ(number_of(config, gen.next()), Number(1001, 0));
  int64_t issued = 0;
  const int64_t first = flake_next_range(gen, INT64_MAX, &issued);
  EXPECT_EQ(number_of(config, first), Number(1001, 1));
  EXPECT_EQ(issued, (int64_t{1} << 32) - 1);
  EXPECT_EQ(number_of(config, gen.next()), Number(1002, 0));
}

TEST(Range, InALayoutWithoutSequenceFieldIsOneId) {
  const flake_config config = strict("41/10/0");
  Clock clock;
  Generator gen = open_now(config, clock);
  for (int64_t tick = 1; tick < 10; tick++)
    EXPECT_EQ(numbers_of(config, range(config, gen, 1000).ids),
              std::vector<Number>({{kNow + tick, 0}}));
}

TEST(Range, OfNoneOrFewerIsRefusedAndTakesNothing) {
  const flake_config config = strict();
  Clock clock;
  Generator gen = open_now(config, clock);
  EXPECT_ID(gen.next());
  flake_attempt attempt{};
  for (int64_t count : {int64_t{0}, int64_t{-1}, int64_t{FLAKE_E_AGAIN}, INT64_MIN}) {
    int64_t issued = kUntouched;
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_range(gen, count, &issued));
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_range_step(gen, &attempt, count, &issued));
    EXPECT_EQ(issued, kUntouched);
  }
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 1));
}

TEST(Range, RefusesANullPointer) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  flake_attempt attempt{};
  int64_t issued = kUntouched;
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_range(nullptr, 1, &issued));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_range(gen, 1, nullptr));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_range_step(nullptr, &attempt, 1, &issued));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_range_step(gen, nullptr, 1, &issued));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_range_step(gen, &attempt, 1, nullptr));
  EXPECT_EQ(issued, kUntouched);
}

TEST(Range, WithRandomStartsRunsFromTheStartOfItsTickToTheEnd) {
  for (flake_config config : {strict("41/10/6"), monotonic("41/10/6"), strict("t41s6n10")}) {
    config.seq_spread_bits = 5;
    Clock clock;
    Generator gen = open_now(config, clock);
    std::set<int64_t> starts;
    for (int i = 0; i < 2000; i++) {
      clock.advance(kNsPerMs);
      const int64_t start = number_of(config, gen.next()).second;
      EXPECT_LT(start, 32);
      starts.insert(start);
      Ids ids = range(config, gen, 5).ids, rest = range(config, gen, 1000).ids;
      ids.insert(ids.end(), rest.begin(), rest.end());
      ASSERT_EQ(ids.size(), static_cast<size_t>(63 - start));
      for (size_t n = 0; n < ids.size(); n++)
        EXPECT_EQ(number_of(config, ids[n]).second, start + 1 + static_cast<int64_t>(n));
    }
    EXPECT_EQ(starts.size(), 32u);
  }
}

TEST(Range, ThatBeginsATickStartsAtItsRandomStart) {
  flake_config config = strict("41/10/6");
  config.seq_spread_bits = 6;
  Clock clock;
  Generator gen = open_now(config, clock);
  std::set<int64_t> starts;
  for (int i = 0; i < 3000; i++) {
    clock.advance(kNsPerMs);
    Ids ids = range(config, gen, 64).ids;
    const int64_t start = number_of(config, ids[0]).second;
    EXPECT_EQ(ids.size(), static_cast<size_t>(64 - start));
    starts.insert(start);
  }
  EXPECT_EQ(starts.size(), 64u);
}

// ---- a range that must wait, or cannot be had ---------------------------------------------------

TEST(Range, WaitsOnceForTheFirstTickAndForTheNext) {
  const flake_config config = strict("41/10/2*10ms");
  Clock clock;
  clock.advance(3 * kNsPerMs);
  Generator gen(config, clock);
  EXPECT_EQ(slept(clock, [&] { EXPECT_EQ(range(config, gen, 9).ids.size(), 4u); }), 7 * kNsPerMs);
  EXPECT_EQ(slept(clock, [&] { EXPECT_EQ(range(config, gen, 9).ids.size(), 4u); }), 10 * kNsPerMs);
}

TEST(Range, WaitsOutARewindWithinTheLimitAndGoesOnInItsTick) {
  const flake_config config = strict("41/10/4");
  Clock clock;
  Generator gen = open_now(config, clock);
  EXPECT_EQ(range(config, gen, 5).ids.size(), 5u);
  clock.set_wall(clock.wall() - 800 * kNsPerMs);
  EXPECT_EQ(slept(clock,
                  [&] {
                    EXPECT_EQ(numbers_of(config, range(config, gen, 3).ids),
                              std::vector<Number>({{kNow + 1, 5}, {kNow + 1, 6}, {kNow + 1, 7}}));
                  }),
            800 * kNsPerMs);
}

// One way to be refused: a config, and what must happen to an open generator of it.
struct Fault {
  flake_status status;
  flake_config config;
  std::function<void(Generator &, Clock &)> bring;
};

void spend_tick(Generator &gen, Clock &) {
  for (int i = 0; i < 4; i++) EXPECT_ID(gen.next());
}

std::vector<Fault> faults() {
  flake_config capped = strict();
  capped.ceiling_ms = kNowMs + 2;
  return {
      {FLAKE_E_EXHAUSTED, strict("41/10/2*1s", 300), spend_tick},
      {FLAKE_E_EXHAUSTED, monotonic("41/10/2", 0), spend_tick},
      {FLAKE_E_CLOCK_REWOUND, strict(),
       [](Generator &gen, Clock &clock) {
         EXPECT_ID(gen.next());
         clock.set_wall(clock.wall() - kHour);
       }},
      {FLAKE_E_CLOCK_REWOUND, monotonic(),
       [](Generator &gen, Clock &clock) {
         EXPECT_ID(gen.next());
         clock.set_wall(clock.wall() - kHour);
       }},
      {FLAKE_E_CLOCK_FROZEN, strict(),
       [](Generator &gen, Clock &clock) {
         spend_tick(gen, clock);
         clock.set_rate(0);
       }},
      {FLAKE_E_DEADLINE_PASSED, strict("41/10/2*1s", 300),
       [](Generator &, Clock &clock) { clock.set_wall(clock.wall() - kNsPerSecond); }},
      {FLAKE_E_BEFORE_EPOCH, strict(),
       [](Generator &gen, Clock &clock) {
         EXPECT_ID(gen.next());
         clock.set_wall((FLAKE_EPOCH_MS - 1) * kNsPerMs);
       }},
      {FLAKE_E_TIME_USED_UP, strict("t10n4s2@" + std::to_string(kNowMs - 1022)), spend_tick},
      {FLAKE_E_CEILING_REACHED, capped, spend_tick},
      {FLAKE_E_CLOSED, strict(),
       [](Generator &gen, Clock &) { EXPECT_STATUS(FLAKE_OK, gen.close()); }},
  };
}

TEST(Range, IsRefusedAsASingleCallIs) {
  for (const Fault &fault : faults()) {
    SCOPED_TRACE(flake_status_name(fault.status));
    Clock clock;
    Generator gen = open_now(fault.config, clock);
    fault.bring(gen, clock);
    EXPECT_STATUS(fault.status, range(fault.config, gen, 3).status);
    EXPECT_STATUS(fault.status, gen.next());
  }
}

TEST(Many, IsRefusedAsASingleCallIsWhenThereIsNone) {
  for (const Fault &fault : faults()) {
    SCOPED_TRACE(flake_status_name(fault.status));
    Clock clock;
    Generator gen = open_now(fault.config, clock);
    fault.bring(gen, clock);
    EXPECT_STATUS(fault.status, many(gen, 3).status);
    EXPECT_STATUS(fault.status, gen.next());
  }
}

TEST(Range, ThatWasRefusedLeavesTheSequenceAlone) {
  for (const flake_config &config : {strict("41/10/4"), monotonic("41/10/4")}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    const int64_t wall = clock.wall();
    EXPECT_EQ(range(config, gen, 5).ids.size(), 5u);
    clock.set_wall(wall - kHour);
    for (int64_t count : {int64_t{1}, int64_t{7}, INT64_MAX}) {
      EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, range(config, gen, count).status);
      EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, many(gen, std::min(count, int64_t{100})).status);
    }
    clock.set_wall(wall);
    EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 5));
  }
}

// ---- many ---------------------------------------------------------------------------------------

TEST(Many, FillsTickAfterTickAndSleepsAsSingleCallsWould) {
  for (const char *layout : {"41/10/2", "t41s2n10", "41/0/2"}) {
    flake_config config = strict(layout);
    config.node = (int64_t{1} << config.layout.node_bits) - 1;
    Clock clock;
    Generator gen = open_now(config, clock);
    EXPECT_EQ(slept(clock,
                    [&] {
                      EXPECT_EQ(numbers_of(config, many(gen, 10).ids),
                                whole_ticks(config, kNow + 1, 10));
                    }),
              2 * kNsPerMs);
    EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 3, 2));
  }
}

TEST(Many, MonotonicRunsAheadWithoutSleepingUpToItsLead) {
  const flake_config config = monotonic("41/10/2", 5);
  Clock clock;
  Generator gen = open_now(config, clock);
  EXPECT_EQ(slept(clock,
                  [&] {
                    EXPECT_EQ(numbers_of(config, many(gen, 1000).ids),
                              whole_ticks(config, kNow + 1, 24));
                    EXPECT_STATUS(FLAKE_E_EXHAUSTED, many(gen, 1000).status);
                  }),
            0);
  clock.advance(kNsPerMs);
  EXPECT_EQ(numbers_of(config, many(gen, 1000).ids), whole_ticks(config, kNow + 7, 4));
}

TEST(Many, WithinATickAreAMillionIdsInOneStride) {
  for (const flake_config &config : {strict("38/4/20"), strict("t38s20n4")}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    const int64_t first = gen.next(), stride = flake_layout_stride(&config.layout);
    Ids ids = many(gen, 1000000).ids;
    ASSERT_EQ(ids.size(), 1000000u);
    for (size_t i = 0; i < ids.size(); i++)
      ASSERT_EQ(ids[i], first + static_cast<int64_t>(i + 1) * stride);
  }
}

TEST(Many, ReachTheLargestIdThereIs) {
  flake_config config = strict("41/10/12");
  config.node = 1023;
  Clock clock((flake_layout_expires_ms(&config.layout) - 2) * kNsPerMs);
  Generator gen = open_now(config, clock);
  Ids ids = many(gen, 5000).ids;
  ASSERT_EQ(ids.size(), 4096u);
  EXPECT_EQ(ids.back(), INT64_MAX);
  EXPECT_STATUS(FLAKE_E_TIME_USED_UP, many(gen, 1).status);
}

TEST(Range, ReachesTheLargestIdThereIs) {
  flake_config config = strict("t41s12n10");
  config.node = 1023;
  Clock clock((flake_layout_expires_ms(&config.layout) - 2) * kNsPerMs);
  Generator gen = open_now(config, clock);
  int64_t issued = 0;
  const int64_t first = flake_next_range(gen, INT64_MAX, &issued);
  EXPECT_EQ(first + (issued - 1) * flake_layout_stride(&config.layout), INT64_MAX);
}

TEST(Many, InALayoutWithoutSequenceFieldAreOneATick) {
  const flake_config config = strict("41/10/0");
  Clock clock;
  Generator gen = open_now(config, clock);
  EXPECT_EQ(numbers_of(config, many(gen, 50).ids), whole_ticks(config, kNow + 1, 50));
}

TEST(Many, OfNoneAreNoneWhateverTheGeneratorFares) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  int64_t untouched = kUntouched;
  flake_attempt attempt{};
  EXPECT_EQ(flake_next_many(gen, &untouched, 0), 0);
  EXPECT_EQ(flake_next_many_step(gen, &attempt, &untouched, 0), 0);
  EXPECT_STATUS(FLAKE_OK, gen.close());
  EXPECT_EQ(flake_next_many(gen, &untouched, 0), 0);
  EXPECT_EQ(flake_next_many_step(gen, &attempt, &untouched, 0), 0);
  EXPECT_EQ(untouched, kUntouched);
}

TEST(Many, RefusesANegativeLengthAndANullPointer) {
  const flake_config config = strict();
  Clock clock;
  Generator gen = open_now(config, clock);
  int64_t id = kUntouched;
  flake_attempt attempt{};
  for (int64_t len : {int64_t{-1}, int64_t{FLAKE_E_AGAIN}, INT64_MIN}) {
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_many(gen, &id, len));
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_many_step(gen, &attempt, &id, len));
  }
  for (int64_t len : {0, 1}) {
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_many(gen, nullptr, len));
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_many(nullptr, &id, len));
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_many_step(gen, &attempt, nullptr, len));
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_many_step(gen, nullptr, &id, len));
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_many_step(nullptr, &attempt, &id, len));
  }
  EXPECT_EQ(id, kUntouched);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 0));
}

TEST(Many, OfAHugeLengthWriteNoMoreThanTheyReturn) {
  Clock clock;
  Generator gen = open_now(strict("41/10/2", 0), clock);
  Ids ids(4);
  EXPECT_EQ(flake_next_many(gen, ids.data(), INT64_MAX), 4);
  clock.advance(kNsPerMs);
  flake_attempt attempt{};
  EXPECT_EQ(flake_next_many_step(gen, &attempt, ids.data(), INT64_MAX), 4);
}

// ---- many that are cut short --------------------------------------------------------------------

TEST(Many, ShareOneDeadlineAndAreShortWhenItEndsThem) {
  for (int64_t into_tick_ns : {0, 300000}) {
    const flake_config config = strict("41/10/2", 5);
    Clock clock;
    Generator gen = open_now(config, clock);
    clock.advance(into_tick_ns);
    EXPECT_EQ(slept(clock,
                    [&] {
                      EXPECT_EQ(numbers_of(config, many(gen, 1000).ids),
                                whole_ticks(config, kNow + 1, 24));
                    }),
              5 * kNsPerMs);
    EXPECT_GE(number_of(config, gen.next()), Number(kNow + 7, 0)) << "nothing comes again";
  }
}

TEST(Many, AreAllThereWhenTheLastComesAtTheDeadline) {
  const flake_config config = strict("41/10/2", 5);
  Clock clock;
  Generator gen = open_now(config, clock);
  EXPECT_EQ(many(gen, 24).ids.size(), 24u);
}

TEST(Many, OfThousandsOfTicksAreNotCutByTheBoundOfRounds) {
  const flake_config config = strict("41/10/0", 10000);
  Clock clock;
  Generator gen = open_now(config, clock);
  EXPECT_EQ(many(gen, 10000).ids.size(), 10000u);
}

TEST(Many, AreShortAtTheCeilingAndNoneComesAfterIt) {
  for (flake_config config : {strict(), monotonic()}) {
    config.ceiling_ms = kNowMs + 4;
    Clock clock;
    Generator gen = open_now(config, clock);
    EXPECT_EQ(numbers_of(config, many(gen, 100).ids), whole_ticks(config, kNow + 1, 12));
    EXPECT_STATUS(FLAKE_E_CEILING_REACHED, many(gen, 100).status);
    EXPECT_STATUS(FLAKE_E_CEILING_REACHED, range(config, gen, 100).status);
  }
}

TEST(Many, AreShortAtTheEndOfTimeAndNoneComesAfterIt) {
  for (const flake_config &config : {strict("t10n2s2@" + std::to_string(kNowMs - 1020)),
                                     monotonic("t10n2s2@" + std::to_string(kNowMs - 1020))}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    EXPECT_EQ(numbers_of(config, many(gen, 100).ids), whole_ticks(config, 1021, 12));
    EXPECT_STATUS(FLAKE_E_TIME_USED_UP, many(gen, 100).status);
    EXPECT_STATUS(FLAKE_E_TIME_USED_UP, range(config, gen, 100).status);
  }
}

TEST(Many, AreShortWhenTheClockIsRewoundMeanwhileAndNothingComesAgain) {
  const flake_config config = strict();
  Clock clock;
  Generator gen = open_now(config, clock);
  clock.script(3 * kNsPerMs / 2, -kHour);
  Rising all;
  Ids ids = many(gen, 100).ids;
  all.add(ids);
  EXPECT_EQ(numbers_of(config, ids), whole_ticks(config, kNow + 1, 8));
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, many(gen, 100).status);
  clock.set_wall(clock.wall() + kHour);
  all.add(gen.next());
  all.add(many(gen, 100).ids);
}

TEST(Many, RideOutARewindWithinTheDeadline) {
  const flake_config config = strict();
  Clock clock;
  Generator gen = open_now(config, clock);
  clock.script(3 * kNsPerMs / 2, -500 * kNsPerMs);
  EXPECT_EQ(slept(clock,
                  [&] {
                    EXPECT_EQ(numbers_of(config, many(gen, 12).ids),
                              whole_ticks(config, kNow + 1, 12));
                  }),
            502 * kNsPerMs);
}

TEST(Many, AreShortWhenTheClockFreezesMeanwhile) {
  const flake_config config = strict("41/10/2", 20);
  Clock clock;
  Generator gen = open_now(config, clock);
  clock.set_rate(0);
  EXPECT_EQ(slept(clock, [&] { EXPECT_EQ(many(gen, 100).ids.size(), 4u); }), 20 * kNsPerMs);
  EXPECT_STATUS(FLAKE_E_CLOCK_FROZEN, many(gen, 100).status);
  clock.set_rate(1000);
  EXPECT_EQ(numbers_of(config, many(gen, 8).ids), whole_ticks(config, kNow + 2, 8));
}

// ---- the steps ----------------------------------------------------------------------------------

TEST(RangeStep, NeverSleepsAndSaysHowLongToSleepAndWhy) {
  const flake_config config = strict();
  Clock clock;
  Generator gen = open_now(config, clock);
  clock.advance(300000);
  flake_attempt attempt{};
  EXPECT_EQ(slept(clock,
                  [&] {
                    EXPECT_EQ(range_step(config, gen, &attempt, 9).ids.size(), 4u);
                    EXPECT_EQ(attempt.deadline_ns, 0);
                    EXPECT_STATUS(FLAKE_E_AGAIN, range_step(config, gen, &attempt, 9).status);
                  }),
            0);
  EXPECT_EQ(attempt.wait_ns, 700000);
  EXPECT_EQ(attempt.wake_ns, clock.monotonic() + 700000);
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, attempt.reason);
  clock.advance(attempt.wait_ns);
  EXPECT_EQ(numbers_of(config, range_step(config, gen, &attempt, 3).ids),
            whole_ticks(config, kNow + 2, 3));
}

TEST(ManyStep, GivesWhatCanBeHadAtOnceAndNeverSleeps) {
  const flake_config config = strict();
  Clock clock;
  Generator gen = open_now(config, clock);
  flake_attempt attempt{};
  EXPECT_EQ(slept(clock,
                  [&] {
                    EXPECT_EQ(many_step(gen, &attempt, 3).ids.size(), 3u);
                    EXPECT_EQ(many_step(gen, &attempt, 9).ids.size(), 1u);
                    EXPECT_STATUS(FLAKE_E_AGAIN, many_step(gen, &attempt, 9).status);
                  }),
            0);
  EXPECT_EQ(attempt.wait_ns, kNsPerMs);
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, attempt.reason);
}

TEST(ManyStep, InALoopWithASleepIsMany) {
  const flake_config config = strict("41/10/2", 5);
  Clock clock;
  Generator gen = open_now(config, clock);
  flake_attempt attempt{};
  Ids ids;
  int64_t status = FLAKE_OK;
  while (status >= 0 || status == FLAKE_E_AGAIN) {
    Batch batch = many_step(gen, &attempt, 1000);
    status = batch.status;
    ids.insert(ids.end(), batch.ids.begin(), batch.ids.end());
    if (status == FLAKE_E_AGAIN) clock.advance(attempt.wait_ns);
  }
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, status);
  EXPECT_EQ(numbers_of(config, ids), whole_ticks(config, kNow + 1, 24));
  EXPECT_EQ(clock.monotonic(), attempt.deadline_ns) << "one deadline for all steps";
}

// ---- against single calls -----------------------------------------------------------------------

flake_config random_config(Random &random) {
  std::string node = "n" + std::to_string(pick(random, 0, 3));
  std::string seq = "s" + std::to_string(pick(random, 0, 5));
  std::string text = "t" + std::to_string(pick(random, 6, 14));
  text += pick(random, 0, 1) ? node + seq : seq + node;
  text += "*" + std::to_string(pick(random, 0, 2) ? 1 : pick(random, 2, 20)) + "ms";
  text += "@" + std::to_string(kNowMs - pick(random, 0, 40));
  flake_config config = make_config(text);
  config.node = pick(random, 0, (int64_t{1} << config.layout.node_bits) - 1);
  config.max_wait_ms = pick(random, 0, 3) ? pick(random, 0, 60) : pick(random, 0, 3000);
  if (pick(random, 0, 1)) config.mode = FLAKE_MODE_MONOTONIC;
  config.max_lead_ms = pick(random, 0, 3) ? pick(random, 0, 60) : pick(random, 0, 3000);
  if (pick(random, 0, 3) == 0) config.start_floor_ms = kNowMs + pick(random, -50, 50);
  if (pick(random, 0, 3) == 0) config.ceiling_ms = kNowMs + pick(random, 0, 200);
  return config;
}

std::string text_of(const flake_config &config) {
  char text[FLAKE_LAYOUT_TEXT_SIZE];
  EXPECT_GT(flake_layout_format(&config.layout, text, sizeof text), 0);
  return text;
}

// Moves the clock, or clocks that read the same, in one of the ways in which clocks move.
void move_clocks(Random &random, const std::vector<Clock *> &clocks) {
  const int64_t what = pick(random, 0, 5), small = pick(random, 0, 3 * kNsPerMs),
                large = pick(random, 0, 80 * kNsPerMs), back = pick(random, -1, 1);
  for (Clock *clock : clocks) {
    if (what == 0) clock->advance(small);
    if (what == 1) clock->advance(large);
    if (what == 2) clock->set_wall(clock->wall() + back * small);
    if (what == 3) clock->set_wall(clock->wall() + back * large);
    if (what == 4) clock->set_wall((kNowMs - 60) * kNsPerMs + 4 * large);
    if (what == 5) {  // it stands still
      clock->set_rate(0);
      clock->advance(large);
      clock->set_rate(1000);
    }
  }
}

// One generator draws in batches, its twin in another space, on a clock that moves alike, singly.
class Twins {
 public:
  Twins(const flake_config &config, int64_t wall_ns)
      : config_(config), clock_(wall_ns), twin_clock_(wall_ns), gen_(config, clock_) {
    flake_config other = config;
    set_space(other, fresh_space());
    twin_.emplace_back(other, twin_clock_);
    EXPECT_STATUS(gen_.status(), twin_[0].status());
  }

  bool open() const { return gen_.status() == FLAKE_OK; }
  std::vector<Clock *> clocks() { return {&clock_, &twin_clock_}; }

  // Draws up to count by one step for a batch, then by single steps, and compares.
  void draw(int64_t count, bool as_range) {
    flake_attempt attempt{}, single{};
    Batch batch =
        as_range ? range_step(config_, gen_, &attempt, count) : many_step(gen_, &attempt, count);
    for (int64_t id : batch.ids) ASSERT_EQ(id, flake_next_step(twin_[0], &single));
    const int64_t len = static_cast<int64_t>(batch.ids.size());
    outcomes.insert(batch.status);
    if (as_range && len > 0) {
      const int64_t last = decode(config_.layout, batch.ids.back()).sequence;
      if (len < count) {
        ASSERT_EQ(last, (int64_t{1} << config_.layout.seq_bits) - 1);
      }
      ASSERT_EQ(number_of(config_, batch.ids[0]).first, number_of(config_, batch.ids.back()).first);
    } else if (len < count) {
      const int64_t status = flake_next_step(twin_[0], &single);
      if (len == 0) {
        ASSERT_STATUS(status, batch.status);
      }
      ASSERT_LT(status, 0) << "the batch could have been longer";
      if (status == FLAKE_E_AGAIN) {
        ASSERT_EQ(attempt.wait_ns, single.wait_ns);
        ASSERT_EQ(attempt.deadline_ns, single.deadline_ns);
        ASSERT_EQ(attempt.reason, single.reason);
      }
    }
  }

  std::set<int64_t> outcomes;

 private:
  flake_config config_;
  Clock clock_, twin_clock_;
  Generator gen_;
  std::vector<Generator> twin_;
};

TEST(Batches, AreExactlyWhatSingleCallsWouldHaveGivenInAnySituation) {
  std::set<int64_t> outcomes;
  for (uint64_t seed = 1; seed <= 1500; seed++) {
    Random random(seed);
    const flake_config config = random_config(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + " layout " + text_of(config));
    Twins twins(config, kNowMs * kNsPerMs + pick(random, 0, kNsPerMs));
    for (int i = 0; i < 60 && twins.open() && !HasFailure(); i++) {
      if (pick(random, 0, 2) == 0) move_clocks(random, twins.clocks());
      twins.draw(pick(random, 0, 3) ? pick(random, 1, 9) : pick(random, 1, 200),
                 pick(random, 0, 1) == 0);
    }
    ASSERT_FALSE(HasFailure());
    outcomes.insert(twins.outcomes.begin(), twins.outcomes.end());
  }
  EXPECT_EQ(outcomes,
            (std::set<int64_t>{FLAKE_OK, FLAKE_E_AGAIN, FLAKE_E_CLOCK_REWOUND, FLAKE_E_CLOCK_FROZEN,
                               FLAKE_E_BEFORE_EPOCH, FLAKE_E_TIME_USED_UP, FLAKE_E_EXHAUSTED,
                               FLAKE_E_DEADLINE_PASSED, FLAKE_E_CEILING_REACHED}))
      << "the actions must reach every row of the table";
}

TEST(Batches, ThatSleepGiveTheNumbersOfSingleCallsThatSleep) {
  for (const char *layout : {"41/10/0", "41/10/2", "t41s3n10", "41/10/5*10ms"}) {
    const flake_config config = strict(layout, 86400000);
    flake_config other = config;
    set_space(other, fresh_space());
    Clock clock, single_clock;
    Generator gen(config, clock), single(other, single_clock);
    Random random(7);
    for (int i = 0; i < 500; i++) {
      Ids ids;
      for (int64_t n = pick(random, 0, 30); n > 0; n--) {
        const int64_t count = pick(random, 1, 20);
        Batch batch = pick(random, 0, 1) ? range(config, gen, count) : many(gen, count);
        if (pick(random, 0, 1)) batch.ids.push_back(gen.next());
        ids.insert(ids.end(), batch.ids.begin(), batch.ids.end());
      }
      for (int64_t id : ids) ASSERT_EQ(id, single.next());
      ASSERT_EQ(clock.monotonic(), single_clock.monotonic()) << "they sleep alike";
      move_clocks(random, {&clock, &single_clock});
    }
  }
}

// ---- random mixtures ----------------------------------------------------------------------------

// Draws once in a random way that may sleep, and checks what came against all that came before.
void draw_in_any_way(Random &random, const flake_config &config, Generator &gen, Clock &clock,
                     Ids *all) {
  const int64_t count = pick(random, 0, 3) ? pick(random, 1, 9) : pick(random, 1, 300);
  Batch batch;
  switch (pick(random, 0, 2)) {
    case 0:
      batch.status = gen.next();
      if (batch.status > 0) batch.ids.push_back(batch.status);
      break;
    case 1:
      batch = range(config, gen, count);
      break;
    default:
      batch = many(gen, count);
  }
  for (int64_t id : batch.ids) {
    if (!all->empty()) {
      ASSERT_GT(id, all->back());
    }
    all->push_back(id);
  }
  // no clock moves but by these calls, so in strict mode the last ID's tick has begun
  if (!batch.ids.empty() && config.mode == FLAKE_MODE_STRICT) {
    ASSERT_LE(decode(config.layout, batch.ids.back()).unix_ms * kNsPerMs, clock.wall());
  }
}

TEST(Batches, InAnyMixtureRepeatNothingAndLeaveNoHole) {
  size_t drawn = 0;
  for (uint64_t seed = 1; seed <= 800; seed++) {
    Random random(seed);
    const flake_config config = random_config(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + " layout " + text_of(config));
    Clock clock(kNowMs * kNsPerMs + pick(random, 0, kNsPerMs));
    Generator gen(config, clock);
    Ids all;
    for (int i = 0; i < 40 && gen.status() == FLAKE_OK; i++) {
      if (pick(random, 0, 1)) move_clocks(random, {&clock});
      draw_in_any_way(random, config, gen, clock, &all);
      ASSERT_FALSE(HasFailure());
    }
    Number last(-1, 0);
    for (int64_t id : all) {
      const Number number = number_of(config, id);
      ASSERT_EQ(number.second, number.first == last.first ? last.second + 1 : 0);
      last = number;
    }
    drawn += all.size();
  }
  EXPECT_GT(drawn, 100000u);
}

// ---- threads ------------------------------------------------------------------------------------

constexpr int kThreads = 4;
constexpr size_t kEach = 125000;

// Draws by a random call into ids, at most want, and returns how many, or the status.
int64_t draw_mixed(Random &random, const flake_config &config, flake_generator *gen, int64_t *ids,
                   int64_t want) {
  const int64_t count = std::min(want, pick(random, 1, 100)), kind = pick(random, 0, 5);
  if (kind == 0) return flake_next_many(gen, ids, count);
  if (kind <= 2) {
    int64_t issued = 0;
    const int64_t first = flake_next_range(gen, count, &issued);
    for (int64_t i = 0; i < issued; i++) ids[i] = first + i * flake_layout_stride(&config.layout);
    return first > 0 ? issued : first;
  }
  ids[0] = flake_next(gen);
  return ids[0] > 0 ? 1 : ids[0];
}

// Each thread draws kEach IDs by calls of all kinds. When each call began is not known to another
// thread but through the highest ID returned so far, which it must exceed.
std::vector<Ids> draw_in_threads(const flake_config &config, flake_generator *gen) {
  std::vector<Ids> drawn(kThreads, Ids(kEach));
  std::atomic<int64_t> returned{0}, disorder{0}, refused{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; thread++)
    threads.emplace_back([&, thread] {
      Random random(static_cast<uint64_t>(thread));
      Ids &ids = drawn[static_cast<size_t>(thread)];
      for (size_t done = 0; done < kEach;) {
        const int64_t before = returned;
        const int64_t want = static_cast<int64_t>(kEach - done);
        const int64_t got = draw_mixed(random, config, gen, &ids[done], want);
        if (got <= 0) {
          refused++;
          continue;
        }
        if (ids[done] <= before) disorder++;
        done += static_cast<size_t>(got);
        int64_t seen = before;
        while (seen < ids[done - 1] && !returned.compare_exchange_weak(seen, ids[done - 1])) {
        }
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(disorder, 0) << "IDs below one that had been returned before";
  EXPECT_EQ(refused, 0);
  return drawn;
}

void expect_unique_and_rising(const std::vector<Ids> &drawn) {
  Ids all;
  for (const Ids &ids : drawn) {
    EXPECT_ID(ids.front());
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    all.insert(all.end(), ids.begin(), ids.end());
  }
  std::sort(all.begin(), all.end());
  auto twin = std::adjacent_find(all.begin(), all.end());
  EXPECT_EQ(twin, all.end()) << "issued twice: " << *twin;
  EXPECT_EQ(all.size(), kThreads * kEach);
}

TEST(Batches, OfThreadsThatMixAllCallsRepeatAndReorderNothing) {
  for (const flake_config &config : {strict("41/4/18", 60000), strict("t41s18n4", 60000),
                                     strict("41/10/12", 60000), monotonic("41/10/6", 86400000)}) {
    SCOPED_TRACE(text_of(config));
    Generator gen(config);
    ASSERT_STATUS(FLAKE_OK, gen.status());
    expect_unique_and_rising(draw_in_threads(config, gen));
  }
}

// On the test clock the sleep of one thread moves the time of all, so ticks change all the time.
TEST(Batches, OfThreadsWhoseTicksChangeUnderThemRepeatAndReorderNothing) {
  flake_config spread = strict("41/10/6", 60000);
  spread.seq_spread_bits = 5;
  for (const flake_config &config :
       {strict("41/10/4", 60000), monotonic("41/10/2", 86400000), spread}) {
    SCOPED_TRACE(text_of(config));
    Clock clock;
    Generator gen(config, clock);
    expect_unique_and_rising(draw_in_threads(config, gen));
  }
}

TEST(Batches, OfThreadsThatRaceWithClosingAndOpeningRepeatNothing) {
  for (const flake_config &config : {strict("41/10/5", 60000), monotonic("41/10/5", 86400000)}) {
    Clock clock;
    flake_generator *gen = nullptr;
    ASSERT_STATUS(FLAKE_OK, flake_open(&config, clock, &gen));
    std::atomic<bool> done{false};
    std::vector<Ids> drawn(3);
    std::vector<std::thread> threads;
    for (size_t thread = 0; thread < drawn.size(); thread++)
      threads.emplace_back([&, thread] {
        Random random(thread);
        int64_t ids[100];
        while (!done) {
          const int64_t got = draw_mixed(random, config, gen, ids, 100);
          if (got > 0)
            drawn[thread].insert(drawn[thread].end(), ids, ids + got);
          else
            EXPECT_STATUS(FLAKE_E_CLOSED, got);
        }
      });
    for (int run = 0; run < 300; run++) {
      flake_generator *again = nullptr;
      EXPECT_STATUS(FLAKE_OK, flake_close(gen));
      EXPECT_STATUS(FLAKE_OK, flake_open(&config, clock, &again));
      EXPECT_EQ(again, gen);
    }
    done = true;
    for (std::thread &thread : threads) thread.join();
    EXPECT_STATUS(FLAKE_OK, flake_close(gen));
    Ids all;
    for (const Ids &ids : drawn) {
      EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
      all.insert(all.end(), ids.begin(), ids.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  }
}

}  // namespace
