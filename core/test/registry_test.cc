// SPDX-License-Identifier: MIT
// Who may issue: one process opens, shares, closes and opens again, and no ID comes twice.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "flake_test.h"

namespace {

using namespace flake_test;

// All IDs of a test in the order in which they came; each must be larger than the one before.
class Rising {
 public:
  void add(int64_t id) {
    EXPECT_ID(id);
    EXPECT_GT(id, last_);
    last_ = id;
    count_++;
  }
  int64_t last() const { return last_; }
  int count() const { return count_; }

 private:
  int64_t last_ = 0;
  int count_ = 0;
};

flake_status open_and_close(const flake_config &config, flake_test_clock *clock) {
  return Generator(config, clock).status();
}

// ---- sharing ------------------------------------------------------------------------------------

TEST(Registry, EqualConfigsShareOneGenerator) {
  flake_config config = make_config();
  Clock clock;
  Generator one(config, clock), other(config, clock);
  ASSERT_STATUS(FLAKE_OK, other.status());
  EXPECT_EQ(static_cast<flake_generator *>(one), static_cast<flake_generator *>(other));
  Rising ids;
  for (int i = 0; i < 1000; i++) {
    ids.add(one.next());
    ids.add(other.next());
  }
}

TEST(Registry, TwoModulesThatEachMakeADefaultGeneratorNeverGetEqualIds) {
  flake_config one{}, other{};
  for (flake_config *config : {&one, &other}) {
    ASSERT_STATUS(FLAKE_OK, flake_config_init(config, sizeof *config));
    config->node = 5;
  }
  Generator a(one), b(other);
  ASSERT_STATUS(FLAKE_OK, a.status());
  ASSERT_STATUS(FLAKE_OK, b.status());
  Rising ids;
  for (int i = 0; i < 10000; i++) ids.add((i % 3 ? a : b).next());
}

TEST(Registry, ASharedGeneratorIsClosedByAsManyClosesAsOpens) {
  flake_config config = make_config();
  Clock clock;
  std::vector<flake_generator *> opened(5);
  for (flake_generator *&gen : opened) ASSERT_STATUS(FLAKE_OK, flake_open(&config, clock, &gen));
  for (flake_generator *gen : opened) {
    EXPECT_ID(flake_next(gen));
    EXPECT_STATUS(FLAKE_OK, flake_close(gen));
  }
  EXPECT_STATUS(FLAKE_E_CLOSED, flake_next(opened[0]));
  EXPECT_STATUS(FLAKE_E_CLOSED, flake_close(opened[0]));
}

TEST(Registry, OtherOptionsForAnOpenNodeAreRefused) {
  const flake_config config = make_config();
  std::map<std::string, flake_config> others;
  for (const char *what : {"mode", "wait", "lead", "floor", "ceiling", "spread", "clock"})
    others[what] = config;
  others["mode"].mode = FLAKE_MODE_MONOTONIC;
  others["mode"].max_lead_ms = 1000;
  others["wait"].max_wait_ms++;
  others["lead"].max_lead_ms = 1000;
  others["floor"].start_floor_ms = 0;
  others["ceiling"].ceiling_ms = kNowMs + 1000000;
  others["spread"].seq_spread_bits = 1;
  others["clock"].clock_source = FLAKE_CLOCK_COARSE;
  Clock clock, other_clock;
  Generator gen(config, clock);
  for (const auto &[what, other] : others)
    EXPECT_STATUS(FLAKE_E_NODE_IN_USE, open_and_close(other, clock)) << what;
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, open_and_close(config, other_clock));
  EXPECT_STATUS(FLAKE_E_NODE_IN_USE, open_and_close(config, nullptr));
  EXPECT_STATUS(FLAKE_OK, open_and_close(config, clock)) << "and equal ones are shared after that";
  EXPECT_ID(gen.next());
}

TEST(Registry, BytesAfterTheNameOfASpaceDoNotMakeAnotherConfig) {
  flake_config config = make_config();
  Clock clock;
  Generator gen(config, clock);
  config.space[FLAKE_SPACE_SIZE - 1] = 'x';
  EXPECT_STATUS(FLAKE_OK, open_and_close(config, clock));
}

TEST(Registry, OtherNodesAndSpacesAreIndependent) {
  flake_config config = make_config();
  flake_config other_node = config, other_space = config;
  other_node.node = 2;
  other_node.max_wait_ms = 5;
  set_space(other_space, fresh_space());
  other_space.max_wait_ms = 7;
  Clock clock;
  Generator one(config, clock), two(other_node, clock), three(other_space, clock);
  ASSERT_STATUS(FLAKE_OK, two.status());
  ASSERT_STATUS(FLAKE_OK, three.status());
  clock.advance(kNsPerMs);
  for (int64_t sequence = 0; sequence < 100; sequence++)
    for (Generator *gen : {&one, &two, &three}) {
      flake_decoded parts = decode(config.layout, gen->next());
      EXPECT_EQ(parts.sequence, sequence);
      EXPECT_EQ(parts.node, gen == &two ? 2 : 1);
    }
  EXPECT_STATUS(FLAKE_OK, one.close());
  EXPECT_STATUS(FLAKE_E_CLOSED, one.next());
  EXPECT_ID(two.next());
  EXPECT_ID(three.next());
}

TEST(Registry, AllNodesOfASpaceCanBeOpenAtOnceAndNoTwoIdsAreEqual) {
  flake_config config = make_config("t41n6s3");
  Clock clock;
  std::vector<Generator> nodes;
  for (config.node = 0; config.node < 64; config.node++) {
    nodes.emplace_back(config, clock);
    ASSERT_STATUS(FLAKE_OK, nodes.back().status());
  }
  std::set<int64_t> ids;
  for (int i = 0; i < 50; i++)
    for (Generator &gen : nodes) EXPECT_TRUE(ids.insert(gen.next()).second);
  EXPECT_GT(*ids.begin(), 0);
}

TEST(Registry, ASpaceKeepsOneLayoutWhileItIsOpen) {
  flake_config config = make_config();
  Clock clock;
  Generator gen(config, clock);
  for (const char *layout : {"41/11/11", "41/10/12@1735689600001", "40/10/12", "41/10/12*2ms"}) {
    flake_config other = config;
    other.layout = parse(layout);
    for (other.node = 1; other.node <= 2; other.node++)
      EXPECT_STATUS(FLAKE_E_LAYOUT_DIFFERS, open_and_close(other, clock)) << layout;
    set_space(other, fresh_space());
    EXPECT_STATUS(FLAKE_OK, open_and_close(other, clock)) << layout;
  }
  EXPECT_STATUS(FLAKE_OK, gen.close());
  config.layout = parse("41/11/11");
  EXPECT_STATUS(FLAKE_OK, open_and_close(config, clock));
}

// ---- closing and opening again ------------------------------------------------------------------

TEST(Registry, AClosedGeneratorSaysSoToEveryCallAndASecondCloseToo) {
  Clock clock;
  Generator gen(make_config(), clock);
  flake_attempt attempt{};
  EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
  EXPECT_ID(gen.next());
  EXPECT_STATUS(FLAKE_OK, gen.close());
  for (int i = 0; i < 3; i++) {
    EXPECT_STATUS(FLAKE_E_CLOSED, gen.next());
    EXPECT_STATUS(FLAKE_E_CLOSED, flake_next_step(gen, &attempt)) << "also where it had waited";
    EXPECT_STATUS(FLAKE_E_CLOSED, flake_close(gen));
    clock.advance(kNsPerMs);
  }
}

TEST(Registry, ClosingAnIdleGeneratorAndOpeningItAgainWorks) {
  flake_config config = make_config();
  Clock clock;
  for (int i = 0; i < 5; i++) EXPECT_STATUS(FLAKE_OK, open_and_close(config, clock));
  Generator gen(config, clock);
  EXPECT_ID(gen.next());
}

TEST(Registry, ASecondRunGoesOnAboveTheFirst) {
  for (const char *layout : {"41/10/12", "41/10/1", "41/10/0", "41/10/12*1s"}) {
    flake_config config = make_config(layout);
    Clock clock;
    Rising ids;
    for (int run = 0; run < 20; run++) {
      Generator gen(config, clock);
      for (int i = 0; i < 3; i++) ids.add(gen.next());
    }
    EXPECT_EQ(ids.count(), 60);
  }
}

TEST(Registry, AGeneratorPerIdRepeatsNothingOnTheRealClock) {
  flake_config config = make_config();
  Rising ids;
  for (int i = 0; i < 1000; i++) {
    Generator gen(config);
    ids.add(gen.next());
  }
}

TEST(Registry, TenThousandRunsGoOnAboveEachOther) {
  flake_config config = make_config("41/10/2");
  Clock clock;
  Rising ids;
  for (int run = 0; run < 10000; run++) {
    Generator gen(config, clock);
    for (int i = run % 3; i >= 0; i--) ids.add(gen.next());
  }
}

TEST(Registry, TheLastTickOfARunIsNotUsedAgain) {
  flake_config config = make_config("41/10/4");
  Clock clock;
  int64_t last = 0;
  {
    Generator gen(config, clock);
    last = gen.next();
  }
  clock.set_wall(clock.wall() - kNsPerMs);  // opened again before the tick that was used
  Generator gen(config, clock);
  EXPECT_GT(decode(config.layout, gen.next()).tick, decode(config.layout, last).tick);
}

TEST(Registry, AMonotonicRunAheadOfTheClockIsFollowedByOneAboveIt) {
  flake_config config = make_config("41/10/2");
  config.mode = FLAKE_MODE_MONOTONIC;
  config.max_lead_ms = 10000;
  Clock clock;
  Rising ids;
  for (int run = 0; run < 20; run++) {
    Generator gen(config, clock);
    for (int i = 0; i < 100; i++) ids.add(gen.next());
    EXPECT_EQ(clock.monotonic(), kNsPerSecond) << "without waiting";
  }
}

TEST(Registry, OpeningAndClosingAloneDoesNotRunAheadOfTheClock) {
  flake_config config = make_config();
  Clock clock;
  Rising ids;
  for (int run = 0; run < 4000; run++) {
    Generator gen(config, clock);
    ASSERT_STATUS(FLAKE_OK, gen.status());
  }
  Generator gen(config, clock);
  ids.add(gen.next());
  EXPECT_LE(clock.monotonic() - kNsPerSecond, 2 * kNsPerMs);
}

TEST(Registry, ARewindWhileClosedIsRefusedAndNothingRepeats) {
  for (int64_t wait_ms : {1100, 1000}) {  // the same options again, and others
    flake_config config = make_config();
    Clock clock;
    Rising ids;
    Generator first(config, clock);
    for (int i = 0; i < 5; i++) ids.add(first.next());
    EXPECT_STATUS(FLAKE_OK, first.close());
    int64_t wall = clock.wall();
    clock.set_wall(wall - 3600 * kNsPerSecond);
    config.max_wait_ms = wait_ms;
    Generator gen(config, clock);
    ASSERT_STATUS(FLAKE_OK, gen.status());
    EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
    clock.set_wall(wall);
    ids.add(gen.next());
  }
}

TEST(Registry, OtherOptionsAfterTheCloseGoOnAboveToo) {
  flake_config config = make_config("41/10/3");
  flake_config longer = config, ahead = config, spread = config;
  longer.max_wait_ms = 2000;
  ahead.mode = FLAKE_MODE_MONOTONIC;
  ahead.max_lead_ms = 1000;
  spread.seq_spread_bits = 3;
  Clock clock;
  Rising ids;
  for (int run = 0; run < 200; run++)
    for (const flake_config &options : {config, ahead, longer, ahead, spread, config}) {
      Generator gen(options, clock);
      ASSERT_STATUS(FLAKE_OK, gen.status());
      for (int i = 0; i < 11; i++) ids.add(gen.next());
    }
}

TEST(Registry, AnotherClockAfterTheCloseGoesOnAboveToo) {
  flake_config config = make_config("41/10/3");
  Rising ids;
  for (int run = 0; run < 20; run++) {
    Clock clock(kNowMs * kNsPerMs - run * 50000);  // each a little earlier
    Generator gen(config, clock);
    for (int i = 0; i < 11; i++) ids.add(gen.next());
  }
}

TEST(Registry, AHandleOfEarlierOptionsStaysClosed) {
  flake_config config = make_config(), other = config;
  other.max_wait_ms = 5;
  Clock clock;
  Generator first(config, clock);
  EXPECT_ID(first.next());
  EXPECT_STATUS(FLAKE_OK, first.close());
  Generator second(other, clock);
  EXPECT_ID(second.next());
  EXPECT_STATUS(FLAKE_E_CLOSED, first.next());
  EXPECT_STATUS(FLAKE_E_CLOSED, flake_close(first));
  EXPECT_ID(second.next());
}

TEST(Registry, AHandleFromBeforeTheCloseServesAgainWhenTheGeneratorIsOpenedAgain) {
  flake_config config = make_config();
  Clock clock;
  Rising ids;
  Generator late(config, clock);
  ids.add(late.next());
  EXPECT_STATUS(FLAKE_OK, late.close());
  Generator again(config, clock);
  ids.add(again.next());
  ids.add(late.next());
  ids.add(again.next());
}

TEST(Registry, TheCeilingOfALaterRunIsItsOwn) {
  flake_config config = make_config("41/10/2");
  config.ceiling_ms = kNowMs + 3;
  Clock clock;
  Rising ids;
  {
    Generator gen(config, clock);
    for (int i = 0; i < 8; i++) ids.add(gen.next());
    EXPECT_STATUS(FLAKE_E_CEILING_REACHED, gen.next());
  }
  EXPECT_STATUS(FLAKE_E_CEILING_REACHED, open_and_close(config, clock));
  config.ceiling_ms = kNowMs + 5;
  Generator gen(config, clock);
  for (int i = 0; i < 8; i++) ids.add(gen.next());
  EXPECT_STATUS(FLAKE_E_CEILING_REACHED, gen.next());
}

TEST(Registry, OpeningAfterTheLastTickWasUsedIsRefusedAsUsedUp) {
  flake_config config = make_config("t10n2s2@" + std::to_string(kNowMs - 1022));
  Clock clock;
  {
    Generator gen(config, clock);
    EXPECT_EQ(decode(config.layout, gen.next()).tick, 1023);
  }
  clock.set_wall(clock.wall() - 10 * kNsPerMs);
  EXPECT_STATUS(FLAKE_E_TIME_USED_UP, open_and_close(config, clock));
}

// ---- what is refused ----------------------------------------------------------------------------

TEST(Registry, AnOpenThatFailsLeavesNothingOpenAndTheHandleUntouched) {
  const flake_config good = make_config();
  struct Case {
    flake_status expected;
    flake_config config;
  };
  std::vector<Case> cases = {{FLAKE_E_INVALID_ARGUMENT, good},  {FLAKE_E_BAD_LAYOUT, good},
                             {FLAKE_E_NODE_OUT_OF_RANGE, good}, {FLAKE_E_NO_NODE, good},
                             {FLAKE_E_BEFORE_EPOCH, good},      {FLAKE_E_TIME_USED_UP, good},
                             {FLAKE_E_CEILING_REACHED, good},   {FLAKE_E_NOT_SUPPORTED, good}};
  cases[0].config.max_wait_ms = -1;
  cases[1].config.layout.node_bits = 11;
  cases[2].config.node = 1024;
  cases[3].config.node = FLAKE_UNSET;
  cases[4].config.layout.epoch_ms = kNowMs + 3600000;
  cases[5].config.start_floor_ms = flake_layout_expires_ms(&good.layout);
  cases[6].config.ceiling_ms = kNowMs;
  cases[7].config.layout = parse("mastodon");
  cases[7].config.node = FLAKE_UNSET;
  Clock clock;
  for (Case &c : cases) {
    flake_generator *gen = nullptr;
    for (int i = 0; i < 3; i++) EXPECT_STATUS(c.expected, flake_open(&c.config, clock, &gen));
    EXPECT_EQ(gen, nullptr);
    Generator other(good, clock);
    EXPECT_STATUS(FLAKE_OK, other.status()) << "after " << flake_status_name(c.expected);
    EXPECT_ID(other.next());
  }
}

TEST(Registry, AFailedOpenSucceedsWhenTheClockIsRight) {
  flake_config config = make_config();
  Clock clock((config.layout.epoch_ms - 1000) * kNsPerMs);
  EXPECT_STATUS(FLAKE_E_BEFORE_EPOCH, open_and_close(config, clock));
  clock.set_wall(kNowMs * kNsPerMs);
  Generator gen(config, clock);
  ASSERT_STATUS(FLAKE_OK, gen.status());
  EXPECT_EQ(decode(config.layout, gen.next()).sequence, 0);
}

TEST(Registry, NullIsRefused) {
  flake_config config = make_config();
  flake_generator *gen = nullptr;
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_open(nullptr, nullptr, &gen));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_open(&config, nullptr, nullptr));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_close(nullptr));
}

TEST(Registry, TheCallersConfigIsNeitherChangedNorKept) {
  flake_config config = make_config(), copy = config;
  Clock clock;
  Generator gen(config, clock);
  EXPECT_EQ(std::memcmp(&config, &copy, sizeof config), 0);
  std::memset(&config, 0xff, sizeof config);
  EXPECT_ID(gen.next());
  EXPECT_STATUS(FLAKE_OK, open_and_close(copy, clock));
}

}  // namespace
