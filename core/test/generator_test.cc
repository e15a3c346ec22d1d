// SPDX-License-Identifier: MIT
// How one thread draws IDs, on the test clock: the table of the two modes row by row, the step
// call, and both modes against an oracle through a matrix of clock steps and random actions.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flake_test.h"

namespace {

using namespace flake_test;

using Number = std::pair<int64_t, int64_t>;  // tick and sequence

constexpr int64_t kNow = kNowMs - FLAKE_EPOCH_MS;  // the tick at kNowMs, of 1 ms and default epoch
constexpr int64_t kHour = 3600 * kNsPerSecond;
constexpr int64_t kTenYears = 3652 * 24 * kHour;

flake_config strict(std::string_view layout = "41/10/2", int64_t max_wait_ms = 1100) {
  flake_config config = make_config(layout);
  config.max_wait_ms = max_wait_ms;
  return config;
}

flake_config monotonic(std::string_view layout = "41/10/2", int64_t max_lead_ms = 1000) {
  flake_config config = make_config(layout);
  config.mode = FLAKE_MODE_MONOTONIC;
  config.max_lead_ms = max_lead_ms;
  return config;
}

Number number_of(const flake_config &config, int64_t id) {
  flake_decoded parts = decode(config.layout, id);
  EXPECT_EQ(parts.node, config.node) << said(id);
  return {parts.tick, parts.sequence};
}

// Opens, and lets the first usable tick begin: with 1 ms ticks the clock then reads kNow + 1.
Generator open_now(const flake_config &config, Clock &clock) {
  Generator gen(config, clock);
  EXPECT_STATUS(FLAKE_OK, gen.status());
  clock.advance(config.layout.tick_ms * kNsPerMs);
  return gen;
}

void draw(Generator &gen, int count) {
  for (int i = 0; i < count; i++) ASSERT_ID(gen.next());
}

// How much monotonic time a call took on the test clock, that is: slept.
template <typename Call>
int64_t slept(const Clock &clock, Call call) {
  int64_t before = clock.monotonic();
  call();
  return clock.monotonic() - before;
}

// ---- the table of the two modes ----------------------------------------------------------------

TEST(Generator, EachNewTickStartsAtSequenceZero) {
  for (const flake_config &config : {strict(), monotonic()}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    for (int64_t tick : {1, 2, 3, 1000}) {
      clock.set_wall((kNowMs + tick) * kNsPerMs + 999999);
      EXPECT_EQ(number_of(config, gen.next()), Number(kNow + tick, 0));
    }
  }
}

TEST(Generator, TheSameTickCountsUpAndTheCallDoesNotSleep) {
  for (const flake_config &config : {strict("41/10/12"), monotonic("41/10/12")}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    int64_t time = slept(clock, [&] {
      for (int64_t sequence = 0; sequence < 4096; sequence++)
        ASSERT_EQ(number_of(config, gen.next()), Number(kNow + 1, sequence));
    });
    EXPECT_EQ(time, 0);
  }
}

TEST(Generator, StrictWaitsExactlyForTheNextTickWhenTheSequenceIsSpent) {
  flake_config config = strict();
  Clock clock;
  Generator gen = open_now(config, clock);
  clock.advance(300000);
  draw(gen, 4);
  EXPECT_EQ(slept(clock, [&] { EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 2, 0)); }),
            700000);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 2, 1));
}

TEST(Generator, StrictRefusesAsExhaustedWhenTheDeadlineComesBeforeTheNextTick) {
  flake_config config = strict("41/10/2*1s", 300);
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 4);
  for (int i = 0; i < 3; i++)
    EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_EXHAUSTED, gen.next()); }), 300 * kNsPerMs);
  EXPECT_EQ(slept(clock, [&] { EXPECT_EQ(number_of(config, gen.next()).second, 0); }),
            100 * kNsPerMs);
}

TEST(Generator, WithoutAnyWaitStrictRefusesAsExhaustedAtOnce) {
  Clock clock;
  Generator gen = open_now(strict("41/10/2", 0), clock);
  draw(gen, 4);
  EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_EXHAUSTED, gen.next()); }), 0);
}

TEST(Generator, MonotonicCarriesIntoTheNextTickWhenTheSequenceIsSpent) {
  flake_config config = monotonic();
  Clock clock;
  Generator gen = open_now(config, clock);
  EXPECT_EQ(slept(clock,
                  [&] {
                    for (int64_t i = 0; i < 100; i++)
                      ASSERT_EQ(number_of(config, gen.next()), Number(kNow + 1 + i / 4, i % 4));
                  }),
            0);
  clock.advance(3 * kNsPerMs);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 26, 0)) << "ahead of the clock: goes on";
  clock.advance(100 * kNsPerMs);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 104, 0)) << "behind the clock: follows";
}

TEST(Generator, MonotonicRefusesAsExhaustedBeyondItsLeadAndNotBefore) {
  flake_config config = monotonic("41/10/2", 5);
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 6 * 4);
  EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_EXHAUSTED, gen.next()); }), 0);
  clock.advance(kNsPerMs);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 7, 0));
}

TEST(Generator, ALeadShorterThanATickIsNone) {
  flake_config config = monotonic("41/10/2*10ms", 9);
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 4);
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, gen.next());
}

TEST(Generator, StrictWaitsOutARewindWithinTheLimit) {
  flake_config config = strict("41/10/12", 1100);
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 3);
  clock.set_wall(clock.wall() - kNsPerSecond);
  EXPECT_EQ(slept(clock, [&] { EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 3)); }),
            kNsPerSecond);
}

TEST(Generator, TheLimitOfARewindIsExactToTheNanosecond) {
  for (int64_t beyond_ns : {0, 1}) {
    Clock clock;
    Generator gen = open_now(strict("41/10/12", 50), clock);
    draw(gen, 1);
    clock.set_wall(clock.wall() - 50 * kNsPerMs - beyond_ns);
    int64_t time = slept(clock, [&] {
      int64_t said_now = gen.next();
      if (beyond_ns)
        EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, said_now);
      else
        EXPECT_ID(said_now);
    });
    EXPECT_EQ(time, beyond_ns ? 0 : 50 * kNsPerMs);
  }
}

TEST(Generator, RewindBeyondTheLimitIsRefusedAndLeavesTheSequenceAlone) {
  for (int64_t rewind_ns : {kNsPerMs, 2 * kNsPerSecond, kHour}) {
    flake_config config = strict("41/10/12", rewind_ns == kNsPerMs ? 0 : 1100);
    Clock clock;
    Generator gen = open_now(config, clock);
    draw(gen, 5);
    clock.set_wall(clock.wall() - rewind_ns);
    for (int i = 0; i < 10; i++)
      EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next()); }), 0);
    clock.set_wall(clock.wall() + rewind_ns);
    EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 5));
  }
}

TEST(Generator, ARewindBeforeTheFirstIdIsOneToo) {
  flake_config config = strict("41/10/12", 1100);
  Clock clock;
  Generator gen = open_now(config, clock);
  clock.set_wall(clock.wall() - kHour);
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
  clock.set_wall(clock.wall() + kHour);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 0));
}

TEST(Generator, MonotonicKeepsTheLastTickThroughARewindAndGoesOnCounting) {
  flake_config config = monotonic("41/10/12", 86400000);
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 3);
  clock.set_wall(clock.wall() - kHour);
  int64_t time = slept(clock, [&] {
    for (int64_t i = 3; i < 10000; i++)
      ASSERT_EQ(number_of(config, gen.next()), Number(kNow + 1 + i / 4096, i % 4096));
  });
  EXPECT_EQ(time, 0);
}

TEST(Generator, MonotonicRefusesARewindBeyondItsLead) {
  flake_config config = monotonic("41/10/12", 100);
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 3);
  clock.set_wall(clock.wall() - 100 * kNsPerMs);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 3));
  clock.set_wall(clock.wall() - 1);
  EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next()); }), 0);
  clock.set_wall(clock.wall() + 1);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 4));
}

TEST(Generator, AClockThatRetreatsWhileWaitingEndsAtTheOneDeadlineAsRewound) {
  for (int64_t rewind_ms : {1, 500, 1000}) {
    flake_config config = strict("41/10/12", 1100);
    Clock clock;
    Generator gen = open_now(config, clock);
    draw(gen, 5);
    int64_t wall = clock.wall();
    clock.set_wall(wall - rewind_ms * kNsPerMs);
    clock.set_rate(-1000);
    int64_t time = slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next()); });
    EXPECT_LE(time, 1100 * kNsPerMs);
    EXPECT_GT(time, 0);
    clock.set_wall(wall);
    EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 5));
  }
}

TEST(Generator, AClockThatRetreatsDuringExhaustionEndsAtTheOneDeadlineAsRewound) {
  flake_config config = strict("41/10/2", 40);
  Clock clock;
  Generator gen = open_now(config, clock);
  clock.advance(300000);
  draw(gen, 4);
  clock.set_rate(-1000);
  int64_t time = slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next()); });
  EXPECT_LE(time, 40 * kNsPerMs);
  EXPECT_GT(time, 0);
}

TEST(Generator, RepeatedSmallRewindsWhileWaitingShareTheOneDeadline) {
  flake_config config = strict("41/10/12", 100);
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 1);
  clock.set_wall(clock.wall() - 30 * kNsPerMs);
  for (int i = 1; i <= 10; i++) clock.script(i * 20 * kNsPerMs, -20 * kNsPerMs);
  EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next()); }),
            100 * kNsPerMs);
}

TEST(Generator, AFrozenClockEndsAtTheDeadlineAsFrozen) {
  for (const char *layout : {"41/10/2", "41/10/2*10ms"}) {
    flake_config config = strict(layout, 1100);
    Clock clock;
    Generator gen = open_now(config, clock);
    clock.set_rate(0);
    draw(gen, 4);
    EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CLOCK_FROZEN, gen.next()); }),
              1100 * kNsPerMs);
    clock.set_rate(1000);
    EXPECT_EQ(number_of(config, gen.next()), Number(kNow / config.layout.tick_ms + 2, 0));
  }
}

TEST(Generator, AClockThatFreezesJustBeforeATickIsFrozenAtTheDeadlineToo) {
  for (int64_t before_ns : {1, 300, 5000, 200000}) {
    SCOPED_TRACE(before_ns);
    Clock clock;
    Generator gen = open_now(strict("41/10/2", 1100), clock);
    clock.advance(kNsPerMs - before_ns);
    clock.set_rate(0);
    draw(gen, 4);
    EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CLOCK_FROZEN, gen.next()); }),
              1100 * kNsPerMs);
  }
}

TEST(Generator, AClockThatRunsSlowlyIsWaitedForAllTheSame) {
  for (int64_t rate : {1, 500, 999}) {
    flake_config config = strict("41/10/2", 3000);
    Clock clock;
    Generator gen = open_now(config, clock);
    clock.set_rate(rate);
    draw(gen, 4);
    EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 2, 0)) << rate;
  }
}

TEST(Generator, AClockThatStandsForLessThanTwoTicksIsNotFrozen) {
  for (int64_t wait_ms : {1, 2}) {
    flake_config config = strict("41/10/2", wait_ms);
    Clock clock;
    Generator gen = open_now(config, clock);
    clock.set_rate(0);
    draw(gen, 4);
    EXPECT_STATUS(wait_ms < 2 ? FLAKE_E_EXHAUSTED : FLAKE_E_CLOCK_FROZEN, gen.next());
  }
}

TEST(Generator, AFrozenClockBelowTheHighestTimeIsRewound) {
  Clock clock;
  Generator gen = open_now(strict("41/10/12", 1100), clock);
  draw(gen, 1);
  clock.set_wall(clock.wall() - 100 * kNsPerMs);
  clock.set_rate(0);
  EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next()); }),
            1100 * kNsPerMs);
}

TEST(Generator, MonotonicOnAFrozenClockGoesOnToItsLeadAndSaysFrozenAfterTwoTicks) {
  Clock clock;
  Generator gen = open_now(monotonic("41/10/2", 3), clock);
  clock.set_rate(0);
  draw(gen, 4 * 4);
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, gen.next());
  clock.advance(2 * kNsPerMs - 1);
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, gen.next());
  clock.advance(1);
  EXPECT_STATUS(FLAKE_E_CLOCK_FROZEN, gen.next());
}

TEST(Generator, AClockBeforeTheEpochIsRefusedAndLeavesTheSequenceAlone) {
  for (flake_config config : {strict("41/10/12@1749999000000"), monotonic("41/10/12")}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    draw(gen, 5);
    Number last = number_of(config, gen.next());
    int64_t wall = clock.wall();
    for (int64_t bad_ns : {int64_t{0}, config.layout.epoch_ms * kNsPerMs - 1}) {
      clock.set_wall(bad_ns);
      EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, gen.next()); }), 0);
    }
    clock.set_wall(wall);
    EXPECT_EQ(number_of(config, gen.next()), Number(last.first, last.second + 1));
  }
}

TEST(Generator, TheLastTickIsIssuedToItsLastNumberAndThenTimeIsUsedUp) {
  std::string layout = "t10n2s2@" + std::to_string(kNowMs - 1020);  // ends at kNowMs + 4
  for (flake_config config : {strict(layout), monotonic(layout, 100)}) {
    config.node = 3;
    Clock clock;
    Generator gen = open_now(config, clock);
    draw(gen, 1);
    clock.set_wall((kNowMs + 3) * kNsPerMs);
    int64_t time = slept(clock, [&] {
      for (int64_t sequence = 0; sequence < 4; sequence++)
        ASSERT_EQ(number_of(config, gen.next()), Number(1023, sequence));
      EXPECT_STATUS(FLAKE_E_TIME_USED_UP, gen.next());
      clock.set_wall((kNowMs + 4) * kNsPerMs);
      EXPECT_STATUS(FLAKE_E_TIME_USED_UP, gen.next());
      clock.set_wall(clock.wall() + kTenYears);
      EXPECT_STATUS(FLAKE_E_TIME_USED_UP, gen.next());
    });
    EXPECT_EQ(time, 0);
  }
}

TEST(Generator, OpeningInTheLastTickOrLaterIsRefusedAsUsedUp) {
  flake_config config = strict("t10n2s2@" + std::to_string(kNowMs - 1022));
  Clock clock;
  EXPECT_STATUS(FLAKE_OK, Generator(config, clock).status());
  for (int64_t later_ms : {1, 2, 1000}) {
    clock.set_wall((kNowMs + later_ms) * kNsPerMs);
    EXPECT_STATUS(FLAKE_E_TIME_USED_UP, Generator(config, clock).status()) << later_ms;
  }
  EXPECT_EQ(flake_layout_expires_ms(&config.layout), kNowMs + 2);
}

TEST(Generator, TheTickOfTheCeilingIsNotIssuedAndTheOneBelowIs) {
  for (flake_config config : {strict(), monotonic()}) {
    config.ceiling_ms = kNowMs + 3;
    Clock clock;
    Generator gen = open_now(config, clock);
    clock.advance(kNsPerMs);
    for (int64_t sequence = 0; sequence < 4; sequence++)
      ASSERT_EQ(number_of(config, gen.next()), Number(kNow + 2, sequence));
    EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CEILING_REACHED, gen.next()); }), 0);
    clock.advance(kNsPerSecond);
    EXPECT_STATUS(FLAKE_E_CEILING_REACHED, gen.next());
  }
}

TEST(Generator, ACeilingInsideATickLeavesTheWholeTickOut) {
  flake_config config = strict("41/10/2*10ms");
  config.ceiling_ms = kNowMs + 29;
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 4);
  EXPECT_STATUS(FLAKE_E_CEILING_REACHED, gen.next());
}

TEST(Generator, OpeningWithoutATickBelowTheCeilingIsRefused) {
  for (int64_t ceiling_ms : {int64_t{0}, int64_t{FLAKE_EPOCH_MS}, kNowMs, kNowMs + 1}) {
    flake_config config = strict();
    config.ceiling_ms = ceiling_ms;
    Clock clock;
    EXPECT_STATUS(FLAKE_E_CEILING_REACHED, Generator(config, clock).status()) << ceiling_ms;
  }
}

TEST(Generator, AnEpochInTheFutureIsRefused) {
  flake_config config = strict("41/10/12@" + std::to_string(kNowMs + 3600000));
  Clock clock;
  EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, Generator(config, clock).status());
  clock.set_wall((kNowMs + 3600000) * kNsPerMs);
  EXPECT_STATUS(FLAKE_OK, Generator(config, clock).status());
}

TEST(Generator, TheFirstIdOfALayoutIsNotZero) {
  for (const char *text : {"t41", "t41n10", "t41s12", "t41n10s12"}) {
    flake_config config = strict(std::string(text) + "@" + std::to_string(kNowMs));
    config.node = 0;
    Clock clock;
    Generator gen(config, clock);
    EXPECT_EQ(number_of(config, gen.next()), Number(1, 0)) << text;
  }
}

// ---- starting -----------------------------------------------------------------------------------

TEST(Generator, TheFirstIdWaitsForTheFirstTickThatBeginsAfterOpening) {
  flake_config config = strict("41/10/12");
  for (int64_t into_ns : {0, 1, 400000, 999999}) {
    Clock clock(kNowMs * kNsPerMs + into_ns);
    Generator gen(config, clock);
    EXPECT_EQ(slept(clock, [&] { EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 0)); }),
              kNsPerMs - into_ns);
    set_space(config, fresh_space());
  }
}

TEST(Generator, AProcessThatRestartsInsideATickRepeatsNothing) {
  flake_config config = strict("41/10/2*1s", 1100);
  Clock clock;
  std::set<int64_t> ids;
  for (int process = 0; process < 10; process++) {
    set_space(config, fresh_space());  // a process of its own knows nothing of the others
    Generator gen(config, clock);
    for (int i = 0; i < 3; i++) EXPECT_TRUE(ids.insert(gen.next()).second);
    EXPECT_EQ(*ids.rbegin() % 4, 2) << "the restart comes inside the tick";
    clock.advance(1000);
  }
  EXPECT_EQ(ids.size(), 30u);
}

TEST(Generator, ADeadlineBeforeTheFirstTickHasItsOwnError) {
  Clock clock;
  Generator gen(strict("41/10/2*1s", 300), clock);
  for (int i = 0; i < 3; i++)
    EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_DEADLINE_PASSED, gen.next()); }),
              300 * kNsPerMs);
  EXPECT_ID(gen.next());
}

TEST(Generator, NoIdLiesBelowTheStartFloor) {
  for (const char *layout : {"41/10/12", "41/10/12*10ms"}) {
    flake_config config = strict(layout);
    config.start_floor_ms = kNowMs + 51;
    Clock clock;
    Generator gen(config, clock);
    flake_decoded first = decode(config.layout, gen.next());
    EXPECT_EQ(first.unix_ms, config.layout.tick_ms == 1 ? kNowMs + 51 : kNowMs + 60);
    EXPECT_EQ(first.sequence, 0);
    EXPECT_EQ(clock.wall(), first.unix_ms * kNsPerMs);
  }
}

TEST(Generator, AStartFloorInThePastChangesNothing) {
  flake_config config = strict("41/10/12");
  config.start_floor_ms = kNowMs - 5000;
  Clock clock;
  Generator gen(config, clock);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 0));
}

TEST(Generator, AStartFloorBeyondTheLimitIsARewind) {
  flake_config config = strict("41/10/12");
  config.start_floor_ms = kNowMs + 3600000;
  Clock clock;
  Generator gen(config, clock);
  EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next()); }), 0);
  clock.set_wall((kNowMs + 3600000) * kNsPerMs);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 3600000, 0));
}

TEST(Generator, MonotonicWithAStartFloorAndNoLeadStartsAboveTheFloorAtOnce) {
  flake_config config = monotonic("41/10/2", FLAKE_UNSET);
  config.start_floor_ms = kNowMs + 3600000;
  Clock clock;
  Generator gen(config, clock);
  int64_t time = slept(clock, [&] {
    for (int64_t i = 0; i < 4000; i++)
      ASSERT_EQ(number_of(config, gen.next()), Number(kNow + 3600000 + i / 4, i % 4));
  });
  EXPECT_EQ(time, 0);
}

TEST(Generator, MonotonicKeepsItsLeadUnderAStartFloorToo) {
  flake_config config = monotonic("41/10/2", 1000);
  config.start_floor_ms = kNowMs + 1001;
  Clock clock;
  Generator gen(config, clock);
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
  clock.advance(kNsPerMs);
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1001, 0));
}

TEST(Generator, AWallClockAtZeroIsNotFrozenFromTheStart) {
  flake_config config = strict("t41n10s12@0");
  Clock clock(0);
  Generator gen(config, clock);
  flake_attempt attempt{};
  EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
  EXPECT_STATUS(FLAKE_E_DEADLINE_PASSED, attempt.reason);
  EXPECT_EQ(number_of(config, gen.next()), Number(1, 0));
}

// ---- layouts ------------------------------------------------------------------------------------

TEST(Generator, ALayoutWithoutNodeFieldNeedsNoNode) {
  flake_config config = strict("t41s2");
  config.node = FLAKE_UNSET;
  Clock clock;
  Generator gen = open_now(config, clock);
  config.node = 0;
  EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1, 0));
  config.node = 1;
  EXPECT_STATUS(FLAKE_E_NODE_OUT_OF_RANGE, Generator(config, clock).status());
}

TEST(Generator, ALayoutWithoutSequenceFieldGivesOneIdATick) {
  for (const flake_config &config : {strict("t41n10"), monotonic("t41n10", 100)}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    for (int64_t tick = 1; tick <= 100; tick++)
      ASSERT_EQ(number_of(config, gen.next()), Number(kNow + tick, 0));
    int64_t time = clock.monotonic() - kNsPerSecond - kNsPerMs;
    EXPECT_EQ(time, config.mode == FLAKE_MODE_STRICT ? 99 * kNsPerMs : 0);
  }
}

TEST(Generator, ALayoutOfTimeAloneCountsTheTicks) {
  flake_config config = strict("t41");
  config.node = FLAKE_UNSET;
  Clock clock;
  Generator gen(config, clock);
  for (int64_t tick = 1; tick <= 100; tick++) ASSERT_EQ(gen.next(), kNow + tick);
}

TEST(Generator, SonyflakesOrderHasTheNodeLowest) {
  flake_config config = make_config("sonyflake", 51966);
  Clock clock;
  Generator gen = open_now(config, clock);
  const int64_t tick = kNow / 10 + 1;
  for (int64_t sequence = 0; sequence < 256; sequence++)
    ASSERT_EQ(gen.next(), tick << 24 | sequence << 16 | 51966);
  EXPECT_EQ(slept(clock, [&] { EXPECT_EQ(gen.next(), (tick + 1) << 24 | 51966); }), 10 * kNsPerMs);
}

TEST(Generator, EveryPresetThatGeneratesIssuesItsHighestNodeThroughAWholeTick) {
  for (int32_t i = 0; flake_layout_preset(i); i++) {
    SCOPED_TRACE(flake_layout_preset(i));
    flake_config config = make_config(flake_layout_preset(i));
    config.node = (int64_t{1} << config.layout.node_bits) - 1;
    if (flake_layout_check(&config.layout, kNowMs) == FLAKE_E_NOT_SUPPORTED) {
      Clock clock;
      EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, Generator(config, clock).status());
      continue;
    }
    Clock clock;
    Generator gen = open_now(config, clock);
    int64_t last = 0;
    for (int64_t n = 0; n <= int64_t{1} << config.layout.seq_bits; n++) {
      int64_t id = gen.next();
      ASSERT_GT(id, last);
      ASSERT_EQ(number_of(config, id).second, n % (int64_t{1} << config.layout.seq_bits));
      last = id;
    }
  }
}

// ---- random starts ------------------------------------------------------------------------------

TEST(Generator, RandomStartsLieBelowTheirLimitAndDiffer) {
  for (const flake_config &base : {strict("41/10/12"), monotonic("41/10/12")}) {
    for (int64_t bits : {1, 4, 12}) {
      flake_config config = base;
      set_space(config, fresh_space());
      config.seq_spread_bits = bits;
      Clock clock;
      Generator gen = open_now(config, clock);
      std::set<int64_t> starts;
      for (int i = 0; i < 1000; i++) {
        Number number = number_of(config, gen.next());
        ASSERT_LT(number.second, int64_t{1} << bits);
        starts.insert(number.second);
        clock.advance(kNsPerMs);
      }
      EXPECT_GE(starts.size(), std::min<size_t>(size_t{1} << bits, 700));
    }
  }
}

TEST(Generator, AfterARandomStartTheTickCountsUpToItsEndAndNeverBelowTheStart) {
  flake_config config = strict("41/10/6");
  config.seq_spread_bits = 6;
  Clock clock;
  Generator gen = open_now(config, clock);
  for (int tick = 0; tick < 50; tick++) {
    int64_t wall = clock.wall();
    Number start = number_of(config, gen.next());
    for (int64_t sequence = start.second + 1; sequence < 64; sequence++)
      ASSERT_EQ(number_of(config, gen.next()), Number(start.first, sequence));
    EXPECT_EQ(clock.wall(), wall) << "no wait inside the tick";
    clock.set_wall(wall + kNsPerMs);
  }
}

TEST(Generator, TwoGeneratorsHaveRandomStartsOfTheirOwn) {
  Clock clock;
  flake_config config = strict("41/10/12");
  config.seq_spread_bits = 12;
  Generator one = open_now(config, clock);
  config.node = 2;
  Generator other = open_now(config, clock);
  int equal = 0;
  for (int i = 0; i < 200; i++, clock.advance(kNsPerMs))
    equal += number_of(config, other.next()).second == decode(config.layout, one.next()).sequence;
  EXPECT_LT(equal, 20);
}

// The chi-square of count IDs that are 5 ms apart, by their remainder.
double chi_square(int64_t spread_bits, int64_t divisor, int count) {
  flake_config config = strict("41/10/12");
  config.seq_spread_bits = spread_bits;
  Clock clock;
  Generator gen = open_now(config, clock);
  std::vector<int> seen(static_cast<size_t>(divisor));
  for (int i = 0; i < count; i++, clock.advance(5 * kNsPerMs))
    seen[static_cast<size_t>(gen.next() % divisor)]++;
  const double expected = static_cast<double>(count) / static_cast<double>(divisor);
  double sum = 0;
  for (int n : seen) sum += (n - expected) * (n - expected) / expected;
  return sum;
}

TEST(Generator, RandomStartsSpreadTheRemaindersOfIdsThatAreFarApart) {
  for (int64_t divisor : {2, 16, 32, 256, 1000}) {
    // Wilson and Hilferty's bound, six standard deviations out: wrong once in 10^9 runs.
    const double k = static_cast<double>(divisor) - 1;
    const double bound = k * std::pow(1 - 2 / (9 * k) + 6 * std::sqrt(2 / (9 * k)), 3);
    EXPECT_LT(chi_square(12, divisor, 10000), bound) << "id mod " << divisor;
  }
  EXPECT_GT(chi_square(0, 16, 10000), 100000) << "the default always starts at 0";
}

// ---- the step call ------------------------------------------------------------------------------

TEST(Generator, TheStepGivesAnIdWithoutTouchingTheAttempt) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  flake_attempt attempt{};
  for (int i = 0; i < 4; i++) EXPECT_ID(flake_next_step(gen, &attempt));
  EXPECT_EQ(attempt.deadline_ns, 0);
  EXPECT_EQ(attempt.rounds, 0);
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_next_step(gen, nullptr));
}

TEST(Generator, TheStepNeverSleepsAndSaysHowLongToSleepAndWhy) {
  flake_config config = strict("41/10/2", 1100);
  Clock clock;
  Generator gen = open_now(config, clock);
  clock.advance(300000);
  draw(gen, 4);
  flake_attempt attempt{};
  EXPECT_EQ(slept(clock, [&] { EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt)); }), 0);
  EXPECT_EQ(attempt.wait_ns, 700000);
  EXPECT_EQ(attempt.wake_ns, clock.monotonic() + 700000);
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, attempt.reason);
  EXPECT_EQ(attempt.deadline_ns, clock.monotonic() + 1100 * kNsPerMs);
  clock.advance(attempt.wait_ns);
  EXPECT_EQ(number_of(config, flake_next_step(gen, &attempt)), Number(kNow + 2, 0));
}

TEST(Generator, TheStepNamesEachReasonToWait) {
  Clock clock;
  Generator gen(strict("41/10/2", 1100), clock);
  flake_attempt attempt{};
  EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
  EXPECT_STATUS(FLAKE_E_DEADLINE_PASSED, attempt.reason);
  clock.advance(attempt.wait_ns);
  draw(gen, 4);
  attempt = {};
  clock.set_rate(0);
  EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, attempt.reason);
  clock.advance(2 * kNsPerMs);
  EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
  EXPECT_STATUS(FLAKE_E_CLOCK_FROZEN, attempt.reason);
  clock.set_wall(clock.wall() - kNsPerMs);
  EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, attempt.reason);
}

TEST(Generator, OneDeadlineBoundsAllStepsOfAnAttempt) {
  Clock clock;
  Generator gen = open_now(strict("41/10/2", 100), clock);
  clock.set_rate(0);
  draw(gen, 4);
  flake_attempt attempt{};
  EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
  const int64_t deadline = attempt.deadline_ns;
  EXPECT_EQ(deadline, clock.monotonic() + 100 * kNsPerMs);
  int64_t status = FLAKE_E_AGAIN;
  for (int i = 0; i < 1000 && status == FLAKE_E_AGAIN; i++) {
    EXPECT_EQ(attempt.deadline_ns, deadline);
    EXPECT_LE(attempt.wake_ns, deadline);
    EXPECT_GT(attempt.wait_ns, 0);
    clock.advance(attempt.wait_ns);
    status = flake_next_step(gen, &attempt);
  }
  EXPECT_STATUS(FLAKE_E_CLOCK_FROZEN, status);
  EXPECT_EQ(clock.monotonic(), deadline);
}

TEST(Generator, TheLastWaitEndsAtTheDeadline) {
  Clock clock;
  Generator gen = open_now(strict("41/10/2*1s", 300), clock);
  draw(gen, 4);
  flake_attempt attempt{};
  EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
  EXPECT_EQ(attempt.wait_ns, 300 * kNsPerMs);
  clock.advance(200 * kNsPerMs);  // as a sleep that was cut short
  EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
  EXPECT_EQ(attempt.wait_ns, 100 * kNsPerMs);
  EXPECT_EQ(attempt.wake_ns, attempt.deadline_ns);
  clock.advance(100 * kNsPerMs);
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, flake_next_step(gen, &attempt));
}

TEST(Generator, SleepsThatReturnAtOnceEndAfterABoundedNumberOfRounds) {
  for (int64_t max_wait_ms : {1, 1100, 86400000}) {
    Clock clock;
    Generator gen = open_now(strict("41/10/2*1s", max_wait_ms), clock);
    draw(gen, 4);
    flake_attempt attempt{};
    int64_t status, steps = 0;
    do {
      status = flake_next_step(gen, &attempt);
      steps++;
    } while (status == FLAKE_E_AGAIN && steps < 1000000);
    EXPECT_STATUS(FLAKE_E_EXHAUSTED, status);
    EXPECT_LT(steps, 1000 + 10 * (max_wait_ms / 1000));
  }
}

TEST(Generator, ACallReturnsThoughItsSleepsAreStopped) {
  Clock clock;
  Generator gen = open_now(strict("41/10/2", 1100), clock);
  draw(gen, 4);
  clock.stop_sleeps(true);
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, gen.next());
  clock.set_wall(clock.wall() - 100 * kNsPerMs);
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
  clock.stop_sleeps(false);
  EXPECT_ID(gen.next());
}

TEST(Generator, NoFaultOfTheClockEndsAnAttemptTwice) {
  Clock clock;
  Generator gen = open_now(strict("41/10/2", 10), clock);
  clock.set_rate(0);
  draw(gen, 4);
  flake_attempt attempt{};
  while (flake_next_step(gen, &attempt) == FLAKE_E_AGAIN) clock.advance(attempt.wait_ns);
  EXPECT_STATUS(FLAKE_E_CLOCK_FROZEN, flake_next_step(gen, &attempt)) << "a step after the end";
  clock.set_rate(1000);
  clock.advance(kNsPerMs);
  EXPECT_ID(flake_next_step(gen, &attempt)) << "it can still succeed";
}

// ---- the coarse clock ---------------------------------------------------------------------------

int64_t coarse_ms() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec * 1000 + now.tv_nsec / kNsPerMs;
}

TEST(Generator, TheCoarseClockIssuesAndIsNotAheadOfItself) {
  flake_config config = make_config("41/4/18");
  config.clock_source = FLAKE_CLOCK_COARSE;
  config.max_wait_ms = 5000;
  Generator gen(config);
  ASSERT_STATUS(FLAKE_OK, gen.status());
  int64_t last = 0;
  for (int i = 0; i < 200000; i++) {
    int64_t before_ms = coarse_ms(), id = gen.next(), after_ms = coarse_ms();
    ASSERT_GT(id, last);
    last = id;
    flake_decoded parts = decode(config.layout, id);
    ASSERT_LE(parts.unix_ms, after_ms);
    ASSERT_GE(parts.unix_ms, before_ms);
  }
}

// The coarse clock lags: a process before this one may have used the tick after the one it reads.
TEST(Generator, TheFirstTickOfACoarseClockBeginsAfterTheTrueTimeOfOpening) {
  flake_config config = make_config("41/4/18");
  config.clock_source = FLAKE_CLOCK_COARSE;
  for (int i = 0; i < 20; i++) {
    set_space(config, fresh_space());
    timespec now{}, pause{0, 700000};
    nanosleep(&pause, nullptr);
    clock_gettime(CLOCK_REALTIME, &now);
    Generator gen(config);
    EXPECT_GT(decode(config.layout, gen.next()).unix_ms,
              now.tv_sec * 1000 + now.tv_nsec / kNsPerMs);
  }
}

TEST(Generator, TheFirstWaitOfACoarseClockIsNoRewind) {
  flake_config config = make_config("41/4/18");
  config.clock_source = FLAKE_CLOCK_COARSE;
  for (int i = 0; i < 20; i++) {
    set_space(config, fresh_space());
    Generator gen(config);
    flake_attempt attempt{};
    EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
    EXPECT_STATUS(FLAKE_E_DEADLINE_PASSED, attempt.reason);
  }
}

// ---- scenarios ----------------------------------------------------------------------------------

TEST(Generator, ASecondThatIsFedTwiceRepeatsNothing) {
  for (flake_config config : {strict("41/10/12"), monotonic("41/10/12", 2000)}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    clock.script(500 * kNsPerMs, -kNsPerSecond);
    int64_t last = 0, longest_ns = 0;
    for (int i = 0; i < 20000; i++) {
      int64_t id = 0;
      int64_t time = slept(clock, [&] { id = gen.next(); });
      ASSERT_GT(id, last) << said(id);
      last = id;
      longest_ns = std::max(longest_ns, time);
      clock.advance(100000);
    }
    if (config.mode == FLAKE_MODE_STRICT)
      EXPECT_EQ(longest_ns / kNsPerMs, 999);
    else
      EXPECT_EQ(longest_ns, 0);
  }
}

// Draws count IDs; checks that they rise and returns how many calls were refused as rewound.
int draw_rising(Generator &gen, int count, int64_t *last) {
  int refused = 0;
  for (int i = 0; i < count; i++) {
    int64_t id = gen.next();
    if (id == FLAKE_E_CLOCK_REWOUND) {
      refused++;
      continue;
    }
    EXPECT_GT(id, *last) << said(id);
    if (id < 0) break;
    *last = id;
  }
  return refused;
}

TEST(Generator, ARewindOfASecondCostsNoIdWithinTheLimitAndAllBeyondIt) {
  struct Case {
    flake_config config;
    bool within;
  };
  for (const Case &c :
       {Case{strict("41/10/12", 1100), true}, Case{strict("41/10/12", 500), false},
        Case{monotonic("41/10/12", 1010), true}, Case{monotonic("41/10/12", 500), false}}) {
    Clock clock;
    Generator gen = open_now(c.config, clock);
    int64_t last = 0;
    EXPECT_EQ(draw_rising(gen, 100, &last), 0);
    clock.set_wall(clock.wall() - kNsPerSecond);
    EXPECT_EQ(draw_rising(gen, 10000, &last), c.within ? 0 : 10000);
    clock.advance(kNsPerSecond);
    EXPECT_EQ(draw_rising(gen, 10000, &last), 0);
  }
}

TEST(Generator, IdsFollowTheWallClockHoweverFarTheMonotonicClockIsFromIt) {
  for (const flake_config &config : {strict(), monotonic()}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    const int64_t two_days_ms = 48 * 3600000;
    clock.set_wall(clock.wall() + two_days_ms * kNsPerMs);  // a suspend: the monotonic clock stood
    EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1 + two_days_ms, 0));
    clock.set_rate(0);
    clock.advance(two_days_ms * kNsPerMs);
    EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 1 + two_days_ms, 1));
    clock.set_wall(clock.wall() + kNsPerMs);
    EXPECT_EQ(number_of(config, gen.next()), Number(kNow + 2 + two_days_ms, 0));
  }
}

// ---- the oracle ---------------------------------------------------------------------------------

// What section 4 of the design says, as plain as it can be: one thread, numbers instead of bits.
class Oracle {
 public:
  explicit Oracle(const flake_config &config)
      : config_(config),
        tick_ns_(config.layout.tick_ms * kNsPerMs),
        epoch_ns_(config.layout.epoch_ms * kNsPerMs),
        span_(int64_t{1} << config.layout.seq_bits),
        end_(int64_t{1} << config.layout.time_bits),
        max_wait_ns_(config.max_wait_ms * kNsPerMs),
        lead_(config.mode == FLAKE_MODE_STRICT    ? 0
              : config.max_lead_ms == FLAKE_UNSET ? end_
                                                  : config.max_lead_ms / config.layout.tick_ms) {
    if (config.ceiling_ms == FLAKE_UNSET) return;
    int64_t ceiling = (config.ceiling_ms - config.layout.epoch_ms) / config.layout.tick_ms;
    ceiling_ = std::min(end_, config.ceiling_ms < config.layout.epoch_ms ? 0 : ceiling);
  }

  flake_status open(int64_t wall_ns) {
    const int64_t tick_ms = config_.layout.tick_ms, now = (wall_ns - epoch_ns_) / tick_ns_;
    int64_t floor = 0;
    if (config_.start_floor_ms > config_.layout.epoch_ms)
      floor = (config_.start_floor_ms - config_.layout.epoch_ms + tick_ms - 1) / tick_ms;
    if (wall_ns < epoch_ns_) return FLAKE_E_BEFORE_EPOCH;
    if (now >= end_) return FLAKE_E_TIME_USED_UP;
    // What is drawn first comes after this number; opened again, that is a burnt one.
    Number first(std::max({now + 1, floor, used_}), 0);
    Number opening =
        closed_ ? std::max(first, after(*closed_)) : Number(first.first - 1, span_ - 1);
    const int64_t tick = after(opening).first;
    if (tick >= end_) return FLAKE_E_TIME_USED_UP;
    if (tick >= ceiling_.value_or(end_)) return FLAKE_E_CEILING_REACHED;
    last_ = opening_ = opening;
    high_ = std::max({high_, now, floor});
    open_ = true;
    return FLAKE_OK;
  }

  void close() {
    if (last_ != opening_) used_ = std::max(used_, last_.first + 1);
    closed_ = last_;
    open_ = false;
  }

  // What a call says, and how the clocks move while it sleeps.
  int64_t next(int64_t *wall_ns, int64_t *monotonic_ns) {
    const int64_t deadline_ns = *monotonic_ns + max_wait_ns_;
    for (;;) {
      if (!open_) return FLAKE_E_CLOSED;
      if (*wall_ns < epoch_ns_) return FLAKE_E_BEFORE_EPOCH;
      const int64_t now = (*wall_ns - epoch_ns_) / tick_ns_;
      high_ = std::max(high_, now);
      Number next = std::max(after(last_), Number(now, 0));
      if (next.first >= end_) return FLAKE_E_TIME_USED_UP;
      if (next.first >= ceiling_.value_or(end_)) return FLAKE_E_CEILING_REACHED;
      if (next.first <= now + lead_) {
        last_ = next;
        return id_of(next);
      }
      const int64_t why = cause(*wall_ns, *monotonic_ns, now);
      const int64_t wait_ns = epoch_ns_ + next.first * tick_ns_ - *wall_ns;
      if (config_.mode == FLAKE_MODE_MONOTONIC || *monotonic_ns >= deadline_ns) return why;
      if (why == FLAKE_E_CLOCK_REWOUND && wait_ns > max_wait_ns_) return why;
      const int64_t sleep_ns = std::min(wait_ns, deadline_ns - *monotonic_ns);
      *wall_ns += sleep_ns;
      *monotonic_ns += sleep_ns;
    }
  }

 private:
  Number after(Number number) const {
    return number.second + 1 < span_ ? Number(number.first, number.second + 1)
                                     : Number(number.first + 1, 0);
  }

  int64_t id_of(Number number) const {
    const flake_layout &l = config_.layout;
    return number.first << l.time_shift | config_.node << l.node_shift |
           number.second << l.seq_shift;
  }

  int64_t cause(int64_t wall_ns, int64_t monotonic_ns, int64_t now) {
    if (still_wall_ns_ != wall_ns) {
      still_wall_ns_ = wall_ns;
      still_since_ns_ = monotonic_ns;
    }
    if (now < high_) return FLAKE_E_CLOCK_REWOUND;
    if (monotonic_ns - still_since_ns_ >= 2 * tick_ns_) return FLAKE_E_CLOCK_FROZEN;
    return last_ == opening_ ? FLAKE_E_DEADLINE_PASSED : FLAKE_E_EXHAUSTED;
  }

  const flake_config config_;
  const int64_t tick_ns_, epoch_ns_, span_, end_, max_wait_ns_, lead_;
  std::optional<int64_t> ceiling_;
  Number last_, opening_;
  std::optional<Number> closed_;
  bool open_ = false;
  int64_t used_ = 0, high_ = 0, still_wall_ns_ = -1, still_since_ns_ = 0;
};

// A generator beside its oracle on one clock. Each call is compared, and what must hold of it
// whatever the oracle says is checked for itself.
class Pair {
 public:
  Pair(const flake_config &config, int64_t wall_ns)
      : config_(config), oracle_(config), clock_(wall_ns) {}
  ~Pair() { close(); }

  Clock &clock() { return clock_; }
  bool may_sleep() const { return config_.mode == FLAKE_MODE_STRICT && config_.max_wait_ms > 0; }
  // The statuses that calls gave; FLAKE_OK stands for an ID.
  const std::set<int64_t> &outcomes() const { return outcomes_; }

  void open() {
    if (open_) return;
    flake_status expected = oracle_.open(clock_.wall());
    flake_generator *gen = nullptr;
    ASSERT_STATUS(expected, flake_open(&config_, clock_, &gen));
    open_ = expected == FLAKE_OK;
    if (open_) gen_ = gen;
  }

  void close() {
    if (!open_) return;
    oracle_.close();
    EXPECT_STATUS(FLAKE_OK, flake_close(gen_));
    open_ = false;
  }

  void next() {
    if (!gen_) return;
    int64_t wall_ns = clock_.wall(), monotonic_ns = clock_.monotonic();
    const int64_t expected = oracle_.next(&wall_ns, &monotonic_ns);
    const int64_t id = flake_next(gen_);
    ASSERT_STATUS(expected, id);
    outcomes_.insert(std::min<int64_t>(id, FLAKE_OK));
    ASSERT_EQ(clock_.wall(), wall_ns) << "how long the call slept";
    ASSERT_EQ(clock_.monotonic(), monotonic_ns);
    if (id < 0) return;
    ASSERT_GT(id, last_);
    last_ = id;
    flake_decoded parts = decode(config_.layout, id);
    ASSERT_EQ(parts.node, config_.node);
    if (config_.mode == FLAKE_MODE_STRICT) {
      ASSERT_LE(parts.unix_ms * kNsPerMs, wall_ns);
    } else if (config_.max_lead_ms != FLAKE_UNSET) {
      ASSERT_LE(parts.unix_ms * kNsPerMs, wall_ns + config_.max_lead_ms * kNsPerMs);
    }
  }

 private:
  const flake_config config_;
  Oracle oracle_;
  Clock clock_;
  flake_generator *gen_ = nullptr;
  bool open_ = false;
  int64_t last_ = 0;
  std::set<int64_t> outcomes_;
};

// Some IDs before a step of the clock, at it, and after the clock was put right.
void step_and_return(const flake_config &config, int64_t step_ns) {
  Pair pair(config, kNowMs * kNsPerMs + 300000);
  pair.open();
  for (int i = 0; i < 7; i++) ASSERT_NO_FATAL_FAILURE(pair.next());
  pair.clock().set_wall(pair.clock().wall() + step_ns);
  for (int i = 0; i < 7; i++) {
    ASSERT_NO_FATAL_FAILURE(pair.next());
    pair.clock().advance(100000);
  }
  pair.clock().set_wall(pair.clock().wall() - step_ns);
  for (int i = 0; i < 7; i++) ASSERT_NO_FATAL_FAILURE(pair.next());
  pair.clock().advance(11 * kNsPerSecond);
  for (int i = 0; i < 7; i++) ASSERT_NO_FATAL_FAILURE(pair.next());
}

TEST(Generator, EveryStepOfTheClockInEveryModeAndLimitDoesAsTheTableSays) {
  const int64_t steps_ns[] = {-kNsPerMs, -5 * kNsPerMs, -50 * kNsPerMs, -5 * kNsPerSecond,
                              -kHour,    kHour,         kTenYears};
  const int64_t limits_ms[] = {0, 1, 4, 49, 50, 51, 1100, 5001, 10000, 3600000, 86400000};
  for (const char *layout : {"41/10/2", "41/10/2*10ms", "41/10/2*1s", "41/10/12"})
    for (int64_t step_ns : steps_ns)
      for (int64_t limit_ms : limits_ms)
        for (const flake_config &config : {strict(layout, limit_ms), monotonic(layout, limit_ms)}) {
          SCOPED_TRACE(std::string(layout) + " step_ns " + std::to_string(step_ns) + " limit_ms " +
                       std::to_string(limit_ms) + " mode " + std::to_string(config.mode));
          step_and_return(config, step_ns);
          if (HasFatalFailure()) return;
        }
}

// ---- random actions -----------------------------------------------------------------------------

using Random = std::mt19937_64;

int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

flake_config random_config(Random &random) {
  std::string node = "n" + std::to_string(pick(random, 0, 3));
  std::string seq = "s" + std::to_string(pick(random, 0, 3));
  std::string text = "t" + std::to_string(pick(random, 6, 12));
  text += pick(random, 0, 1) ? node + seq : seq + node;
  const int64_t tick_ms = pick(random, 0, 2) ? 1 : pick(random, 2, 20);
  text += "*" + std::to_string(tick_ms) + "ms";
  text += "@" + std::to_string(kNowMs - pick(random, 0, 40));
  flake_config config = make_config(text);
  config.node = pick(random, 0, (int64_t{1} << config.layout.node_bits) - 1);
  config.max_wait_ms = pick(random, 0, 3) ? pick(random, 0, 60) : pick(random, 0, 3000);
  if (pick(random, 0, 1)) config.mode = FLAKE_MODE_MONOTONIC;
  config.max_lead_ms = pick(random, 0, 3) ? pick(random, 0, 60) : pick(random, 0, 3000);
  if (pick(random, 0, 3) == 0) config.start_floor_ms = kNowMs + pick(random, -50, 50);
  if (config.start_floor_ms != FLAKE_UNSET && pick(random, 0, 1)) config.max_lead_ms = FLAKE_UNSET;
  if (pick(random, 0, 3) == 0) config.ceiling_ms = kNowMs + pick(random, -5, 200);
  return config;
}

void random_action(Random &random, Pair &pair) {
  Clock &clock = pair.clock();
  switch (pick(random, 0, 13)) {
    case 0:
      clock.advance(pick(random, 0, 3 * kNsPerMs));
      break;
    case 1:
      clock.advance(pick(random, 0, 100 * kNsPerMs));
      break;
    case 2:
      clock.set_wall(clock.wall() + pick(random, -3 * kNsPerMs, 3 * kNsPerMs));
      break;
    case 3:
      clock.set_wall(clock.wall() + pick(random, -80 * kNsPerMs, 80 * kNsPerMs));
      break;
    case 4:
      clock.set_wall(kNowMs * kNsPerMs + pick(random, -60 * kNsPerMs, 300 * kNsPerMs));
      break;
    case 5:  // the clock stands still; how long a call would then sleep is not the table's
      if (pair.may_sleep()) break;
      clock.set_rate(0);
      clock.advance(pick(random, 0, 50 * kNsPerMs));
      clock.set_rate(1000);
      break;
    case 6:
      if (pick(random, 0, 2) == 0) pair.close();
      break;
    case 7:
      pair.open();
      break;
    default:
      for (int64_t n = pick(random, 1, 12); n > 0 && !testing::Test::HasFatalFailure(); n--)
        pair.next();
  }
}

TEST(Generator, RandomActionsOnRandomLayoutsDoAsTheTableSays) {
  std::set<int64_t> outcomes;
  const char *full = std::getenv("FLAKE_FULL");
  const uint64_t seeds = full && full[0] == '1' ? 30000 : 1000;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    Random random(seed);
    flake_config config = random_config(random);
    char layout[FLAKE_LAYOUT_TEXT_SIZE];
    ASSERT_GT(flake_layout_format(&config.layout, layout, sizeof layout), 0);
    SCOPED_TRACE("seed " + std::to_string(seed) + " layout " + layout);
    Pair pair(config, kNowMs * kNsPerMs + pick(random, 0, kNsPerMs));
    pair.open();
    for (int i = 0; i < 100 && !HasFatalFailure(); i++) random_action(random, pair);
    if (HasFatalFailure()) return;
    outcomes.insert(pair.outcomes().begin(), pair.outcomes().end());
  }
  EXPECT_EQ(outcomes,
            (std::set<int64_t>{FLAKE_OK, FLAKE_E_CLOCK_REWOUND, FLAKE_E_CLOCK_FROZEN,
                               FLAKE_E_BEFORE_EPOCH, FLAKE_E_TIME_USED_UP, FLAKE_E_EXHAUSTED,
                               FLAKE_E_DEADLINE_PASSED, FLAKE_E_CEILING_REACHED, FLAKE_E_CLOSED}))
      << "the actions must reach every row of the table";
}

}  // namespace
