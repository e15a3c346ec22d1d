// SPDX-License-Identifier: MIT
// What a generator says of itself: each reason and level of health at its edge, and stats that are
// exact in whatever mixture of calls. Neither issues an ID, or waits, or is held up by a call that
// waits.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "flake_test.h"
#include "in_child.h"
#include "small_generator.h"

namespace {

using namespace flake_test;

constexpr int64_t kYearMs = int64_t{365} * 86400000;

void draw(Generator &gen, int64_t count) {
  for (int64_t i = 0; i < count; i++) ASSERT_ID(gen.next());
}

flake_health health_of(flake_generator *gen) {
  flake_health health{};
  EXPECT_STATUS(FLAKE_OK, flake_health_get(gen, &health, sizeof health));
  return health;
}

flake_stats stats_of(flake_generator *gen) {
  flake_stats stats{};
  EXPECT_STATUS(FLAKE_OK, flake_stats_get(gen, &stats, sizeof stats));
  return stats;
}

std::string text_of(const flake_health &health) {
  char text[FLAKE_HEALTH_TEXT_SIZE];
  const int32_t len = flake_health_text(&health, text, sizeof text);
  EXPECT_EQ(len, static_cast<int32_t>(std::strlen(text)));
  return text;
}

// A word of each reason's text that no other text has.
constexpr struct {
  uint32_t reason;
  const char *word;
} reason_words[] = {
    {FLAKE_REASON_REWOUND, "earlier than it was seen: check"},
    {FLAKE_REASON_FROZEN, "stands still: check"},
    {FLAKE_REASON_LEAD, "max_lead_ms"},
    {FLAKE_REASON_GUARD_OFF, "switched off"},
    {FLAKE_REASON_GUARD_LOST, "deleted, moved or closed"},
    {FLAKE_REASON_EXPIRES, "within a year"},
    {FLAKE_REASON_CEILING_NEAR, "ceiling_ms"},
    {FLAKE_REASON_PID_CHECKED, "process ID is compared"},
};

// Level, reasons and status must be these, and the text must name exactly them.
void expect_health(const flake_health &health, uint32_t level, uint32_t reasons,
                   int64_t status = FLAKE_OK) {
  const std::string text = text_of(health);
  EXPECT_EQ(health.level, level) << text;
  EXPECT_EQ(health.reasons, reasons) << text;
  EXPECT_STATUS(status, health.status);
  const char *const levels[] = {"ok", "warn: ", "fail: "};
  EXPECT_EQ(text.find(levels[level]), 0u) << text;
  if (level == FLAKE_LEVEL_OK) {
    EXPECT_EQ(text, "ok");
  }
  for (const auto &row : reason_words)
    EXPECT_EQ(text.find(row.word) != std::string::npos, (reasons & row.reason) != 0)
        << row.word << " in: " << text;
  if (status != FLAKE_OK) {
    EXPECT_NE(text.find(flake_status_text(status)), std::string::npos) << text;
  }
}

void expect_ok(flake_generator *gen) {
  expect_health(health_of(gen), FLAKE_LEVEL_OK, 0);
}

void expect_warning(flake_generator *gen, uint32_t reasons) {
  expect_health(health_of(gen), FLAKE_LEVEL_WARN, reasons);
}

void expect_failing(flake_generator *gen, uint32_t reasons, int64_t status) {
  expect_health(health_of(gen), FLAKE_LEVEL_FAIL, reasons, status);
}

// ---- when all is well ---------------------------------------------------------------------------

TEST(Health, OfASoundGeneratorIsOkWithoutReasons) {
  for (const flake_config &config : {strict("41/10/12"), monotonic("41/10/12")}) {
    Clock clock;
    Generator gen(config, clock);
    expect_ok(gen);
    clock.advance(5 * kNsPerMs + 300000);
    for (int i = 0; i < 10; i++) {
      draw(gen, 100);
      clock.advance(kNsPerMs);
      expect_ok(gen);
    }
    const flake_health health = health_of(gen);
    EXPECT_EQ(health.wall_ms, kNowMs + 15);
    EXPECT_EQ(health.rewind_ms, 0);
    EXPECT_EQ(health.lead_ms, 0);
    EXPECT_EQ(health.expires_ms, flake_layout_expires_ms(&config.layout));
    EXPECT_EQ(health.ceiling_ms, health.expires_ms) << "no ceiling is set";
  }
}

TEST(Health, OfATickThatIsSpentIsOkForThatPassesByItself) {
  for (int64_t max_wait_ms : {0, 1100}) {
    Clock clock;
    Generator gen = open_now(strict("41/10/2", max_wait_ms), clock);
    draw(gen, 4);
    expect_ok(gen);
  }
}

TEST(Health, BeforeTheFirstTickIsOk) {
  for (int64_t max_wait_ms : {0, 1100}) {
    Clock clock;
    Generator gen(strict("41/10/2*10s", max_wait_ms), clock);
    expect_ok(gen);
  }
}

TEST(Health, SaysWhereTheCeilingAndTheEndOfTheTimeFieldLie) {
  flake_config config = strict("t39s8n16*10ms@1735689600000");
  config.ceiling_ms = kNowMs + 3600017;
  Clock clock;
  Generator gen(config, clock);
  const flake_health health = health_of(gen);
  EXPECT_EQ(health.ceiling_ms, kNowMs + 3600010) << "the start of its tick";
  EXPECT_EQ(health.expires_ms, flake_layout_expires_ms(&config.layout));
}

// ---- rewound ------------------------------------------------------------------------------------

TEST(Health, OfARewindWithinTheLimitWarnsAndBeyondItFails) {
  Clock clock;
  Generator gen = open_now(strict("41/10/12"), clock);
  draw(gen, 5);
  const int64_t wall = clock.wall();
  clock.set_wall(wall - 1100 * kNsPerMs);
  expect_warning(gen, FLAKE_REASON_REWOUND);
  EXPECT_EQ(health_of(gen).rewind_ms, 1100);
  EXPECT_EQ(health_of(gen).lead_ms, 1100);
  clock.set_wall(wall - 1100 * kNsPerMs - 1);
  expect_failing(gen, FLAKE_REASON_REWOUND, FLAKE_E_CLOCK_REWOUND);
  EXPECT_EQ(health_of(gen).rewind_ms, 1101) << "in whole ticks";
  clock.set_wall(wall - kHour);
  expect_failing(gen, FLAKE_REASON_REWOUND, FLAKE_E_CLOCK_REWOUND);
  EXPECT_EQ(health_of(gen).rewind_ms, 3600000);
  EXPECT_EQ(health_of(gen).wall_ms, kNowMs + 1 - 3600000);
  clock.set_wall(wall - 1);
  expect_warning(gen, FLAKE_REASON_REWOUND);
  EXPECT_EQ(health_of(gen).rewind_ms, 1);
  clock.set_wall(wall);
  expect_ok(gen);
  EXPECT_EQ(health_of(gen).rewind_ms, 0);
}

TEST(Health, OfARewindInMonotonicModeWarnsUntilTheLeadIsUsedUp) {
  Clock clock;
  Generator gen = open_now(monotonic("41/10/12", 1000), clock);
  draw(gen, 5);
  const int64_t wall = clock.wall();
  clock.set_wall(wall - 400 * kNsPerMs);
  expect_warning(gen, FLAKE_REASON_REWOUND);
  clock.set_wall(wall - 1000 * kNsPerMs);
  expect_warning(gen, FLAKE_REASON_REWOUND | FLAKE_REASON_LEAD);
  EXPECT_ID(gen.next());
  clock.set_wall(wall - 1001 * kNsPerMs);
  expect_failing(gen, FLAKE_REASON_REWOUND | FLAKE_REASON_LEAD, FLAKE_E_CLOCK_REWOUND);
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
  clock.set_wall(wall);
  expect_ok(gen);
}

TEST(Health, FindsARewindThatNoCallHasMet) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  expect_ok(gen);
  clock.advance(kHour);
  expect_ok(gen);  // this look is the highest
  clock.set_wall(clock.wall() - kHour / 2);
  EXPECT_EQ(health_of(gen).rewind_ms, 1800000);
  EXPECT_NE(health_of(gen).reasons & FLAKE_REASON_REWOUND, 0u);
}

// ---- frozen -------------------------------------------------------------------------------------

TEST(Health, OfAClockThatStandsStillFailsInStrictAndWarnsInMonotonicMode) {
  for (const char *layout : {"41/10/12", "41/10/12*10ms", "41/10/12*1s"})
    for (const flake_config &config : {strict(layout), monotonic(layout, 60000)}) {
      SCOPED_TRACE(std::string(layout) + " mode " + std::to_string(config.mode));
      Clock clock;
      Generator gen = open_now(config, clock);
      draw(gen, 1);
      clock.set_rate(0);
      expect_ok(gen);  // from here on it is watched
      const int64_t two_ticks = 2 * config.layout.tick_ms * kNsPerMs;
      clock.advance(two_ticks - 1);
      expect_ok(gen);
      clock.advance(1);
      for (int i = 0; i < 3; i++) {
        if (config.mode == FLAKE_MODE_STRICT)
          expect_failing(gen, FLAKE_REASON_FROZEN, FLAKE_E_CLOCK_FROZEN);
        else
          expect_warning(gen, FLAKE_REASON_FROZEN);
        clock.advance(kHour);
      }
      clock.set_rate(1000);
      clock.advance(1);
      expect_ok(gen);
    }
}

TEST(Health, OfAClockThatStandsStillBelowItsHighestIsRewoundAndFrozen) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  draw(gen, 1);
  clock.set_wall(clock.wall() - 10 * kNsPerMs);
  clock.set_rate(0);
  expect_warning(gen, FLAKE_REASON_REWOUND);
  clock.advance(2 * kNsPerMs);
  expect_failing(gen, FLAKE_REASON_REWOUND | FLAKE_REASON_FROZEN, FLAKE_E_CLOCK_REWOUND);
}

// ---- lead ---------------------------------------------------------------------------------------

TEST(Health, WarnsWhenMoreThanHalfOfTheLeadIsUsed) {
  Clock clock;
  Generator gen = open_now(monotonic("41/10/2", 10), clock);
  draw(gen, 4 + 5 * 4);  // this tick, and five ahead
  expect_ok(gen);
  EXPECT_EQ(health_of(gen).lead_ms, 5);
  draw(gen, 1);
  expect_warning(gen, FLAKE_REASON_LEAD);
  EXPECT_EQ(health_of(gen).lead_ms, 6);
  draw(gen, 3 + 4 * 4);
  EXPECT_STATUS(FLAKE_E_EXHAUSTED, gen.next());
  expect_warning(gen, FLAKE_REASON_LEAD);  // passes by itself with the next tick
  EXPECT_EQ(health_of(gen).lead_ms, 10);
  clock.advance(5 * kNsPerMs);
  expect_ok(gen);
  clock.advance(100 * kNsPerMs);
  EXPECT_EQ(health_of(gen).lead_ms, 0);
}

TEST(Health, OfAStrictGeneratorKnowsNoLead) {
  flake_config config = strict("41/10/12");
  config.max_lead_ms = 10;
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 1);
  clock.set_wall(clock.wall() - 9 * kNsPerMs);
  expect_warning(gen, FLAKE_REASON_REWOUND);
}

TEST(Health, OfALeadThatIsNotBoundedIsOk) {
  flake_config config = monotonic("41/10/2");
  config.max_lead_ms = FLAKE_UNSET;
  config.start_floor_ms = kNowMs;
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 100000);
  expect_ok(gen);
  EXPECT_GE(health_of(gen).lead_ms, 24000);
}

// ---- what stands still --------------------------------------------------------------------------

TEST(Health, WarnsThatTheGuardIsOff) {
  flake_config config = strict();
  config.host_guard = FLAKE_GUARD_UNSAFE_OFF;
  Clock clock;
  Generator gen(config, clock);
  expect_warning(gen, FLAKE_REASON_GUARD_OFF);
}

TEST(Health, WarnsAYearBeforeTheTimeFieldEnds) {  // S28
  const flake_config config = strict();
  const int64_t end_ms = flake_layout_expires_ms(&config.layout);
  Clock clock((end_ms - kYearMs - 1000) * kNsPerMs);
  Generator gen(config, clock);
  clock.set_wall((end_ms - kYearMs) * kNsPerMs + 999999);
  expect_ok(gen);
  clock.set_wall((end_ms - kYearMs + 1) * kNsPerMs);
  expect_warning(gen, FLAKE_REASON_EXPIRES);
  draw(gen, 1);
  clock.set_wall((end_ms - 1) * kNsPerMs);
  expect_warning(gen, FLAKE_REASON_EXPIRES);
  draw(gen, 4);
  expect_failing(gen, FLAKE_REASON_EXPIRES, FLAKE_E_TIME_USED_UP);
  clock.advance(kNsPerMs);
  expect_failing(gen, FLAKE_REASON_EXPIRES, FLAKE_E_TIME_USED_UP);
  EXPECT_STATUS(FLAKE_E_TIME_USED_UP, gen.next());
}

TEST(Health, WarnsAMinuteBeforeTheCeiling) {
  flake_config config = strict();
  config.ceiling_ms = kNowMs + 100000;
  Clock clock;
  Generator gen(config, clock);
  clock.set_wall((config.ceiling_ms - 60000) * kNsPerMs + 999999);
  expect_ok(gen);
  clock.set_wall((config.ceiling_ms - 59999) * kNsPerMs);
  expect_warning(gen, FLAKE_REASON_CEILING_NEAR);
  clock.set_wall((config.ceiling_ms - 1) * kNsPerMs);
  expect_warning(gen, FLAKE_REASON_CEILING_NEAR);
  draw(gen, 4);
  expect_failing(gen, FLAKE_REASON_CEILING_NEAR, FLAKE_E_CEILING_REACHED);
  EXPECT_STATUS(FLAKE_E_CEILING_REACHED, gen.next());
}

TEST(Health, NamesEveryReasonAtOnce) {
  flake_config config = monotonic("41/10/2", 10);
  config.ceiling_ms = flake_layout_expires_ms(&config.layout) - 1000;
  config.host_guard = FLAKE_GUARD_UNSAFE_OFF;
  Clock clock((config.ceiling_ms - 1000) * kNsPerMs);
  Generator gen = open_now(config, clock);
  draw(gen, 1);
  clock.set_wall(clock.wall() - 8 * kNsPerMs);
  clock.set_rate(0);
  (void)health_of(gen);
  clock.advance(2 * kNsPerMs);
  expect_warning(gen, FLAKE_REASON_REWOUND | FLAKE_REASON_FROZEN | FLAKE_REASON_LEAD |
                          FLAKE_REASON_GUARD_OFF | FLAKE_REASON_EXPIRES |
                          FLAKE_REASON_CEILING_NEAR);
}

// ---- no ID to be had ----------------------------------------------------------------------------

TEST(Health, OfAClosedGeneratorFailsUntilItIsOpenedAgain) {
  const flake_config config = strict();
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 1);
  EXPECT_STATUS(FLAKE_OK, gen.close());
  expect_failing(gen, 0, FLAKE_E_CLOSED);
  Generator again(config, clock);
  expect_ok(gen);
}

TEST(Health, OfAGeneratorOfTheParentFailsInAForkedChild) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  draw(gen, 1);
  in_child([&] { expect_failing(gen, 0, FLAKE_E_FORKED); });
  expect_ok(gen);
}

TEST(Health, BeforeTheEpochFails) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  draw(gen, 1);
  clock.set_wall(FLAKE_EPOCH_MS * kNsPerMs - 1);
  expect_failing(gen, 0, FLAKE_E_BEFORE_EPOCH);
  EXPECT_EQ(health_of(gen).wall_ms, FLAKE_EPOCH_MS - 1);
  clock.set_wall(FLAKE_EPOCH_MS * kNsPerMs);
  expect_failing(gen, FLAKE_REASON_REWOUND, FLAKE_E_CLOCK_REWOUND);
}

// ---- a system that does not wipe ----------------------------------------------------------------

// From now on madvise(..., advice) does nothing and gives this error, or success for 0.
void fake_madvise(uint32_t advice, uint32_t error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, advice, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof filter / sizeof filter[0], filter};
  ASSERT_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0) << std::strerror(errno);
}

void expect_checked_by_process_id() {
  Clock clock;
  Generator gen = open_now(strict("41/10/12"), clock);
  draw(gen, 100);
  expect_warning(gen, FLAKE_REASON_PID_CHECKED);
  flake_generator *inherited = gen;
  in_child([&] {
    EXPECT_STATUS(FLAKE_E_FORKED, flake_next(inherited));
    expect_failing(inherited, 0, FLAKE_E_FORKED);
    flake_stats stats{};
    EXPECT_STATUS(FLAKE_E_FORKED, flake_stats_get(inherited, &stats, sizeof stats));
    EXPECT_STATUS(FLAKE_OK, flake_close(inherited));
  });
  draw(gen, 100);
  EXPECT_EQ(stats_of(gen).issued, 200);
}

TEST(Health, WarnsWhereTheSystemCannotWipeMemoryOnForkAndForksAreFoundAllTheSame) {
  in_child([] {
    fake_madvise(MADV_WIPEONFORK, EINVAL);
    expect_checked_by_process_id();
  });
}

// An emulator says yes to every advice and follows none.
TEST(Health, WarnsWhereTheSystemOnlyPretendsToWipeMemoryOnFork) {
  in_child([] {
    fake_madvise(MADV_WIPEONFORK, 0);
    fake_madvise(static_cast<uint32_t>(-1), 0);
    expect_checked_by_process_id();
  });
}

// ---- the text -----------------------------------------------------------------------------------

TEST(HealthText, NamesEachReasonByAWordOfItsOwn) {
  for (const auto &row : reason_words) {
    flake_health health{};
    health.level = FLAKE_LEVEL_WARN;
    health.reasons = row.reason;
    expect_health(health, FLAKE_LEVEL_WARN, row.reason);
  }
}

TEST(HealthText, FitsWithEveryReasonAndEveryStatus) {
  flake_health health{};
  health.level = FLAKE_LEVEL_FAIL;
  health.reasons = UINT32_MAX;
  for (int64_t status = 0; status >= FLAKE_STATUS_END - 1; status--) {
    health.status = status;
    auto text = std::make_unique<char[]>(FLAKE_HEALTH_TEXT_SIZE);
    const int32_t len = flake_health_text(&health, text.get(), FLAKE_HEALTH_TEXT_SIZE);
    ASSERT_EQ(len, static_cast<int32_t>(std::strlen(text.get())));
    EXPECT_LT(len, FLAKE_HEALTH_TEXT_SIZE);
  }
}

TEST(HealthText, JoinsTheStatusAndTheReasonsInOneLine) {
  flake_health health{};
  health.level = FLAKE_LEVEL_FAIL;
  health.status = FLAKE_E_CLOCK_REWOUND;
  health.reasons = FLAKE_REASON_REWOUND | FLAKE_REASON_GUARD_OFF;
  const std::string text = text_of(health);
  EXPECT_EQ(text.find("fail: " + std::string(flake_status_text(FLAKE_E_CLOCK_REWOUND)) + "; "), 0u);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.find(";;"), std::string::npos);
  EXPECT_NE(text.back(), ' ');
}

TEST(HealthText, RefusesATextThatIsTooSmallALevelThatIsNoneAndANullPointer) {
  flake_health health{};
  std::string text(FLAKE_HEALTH_TEXT_SIZE, '#');
  const std::string untouched = text;
  for (size_t size : {0, 1, FLAKE_HEALTH_TEXT_SIZE - 1})
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_health_text(&health, text.data(), size));
  for (uint32_t level : {3u, UINT32_MAX}) {
    health.level = level;
    EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_health_text(&health, text.data(), text.size()));
  }
  health.level = FLAKE_LEVEL_OK;
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_health_text(nullptr, text.data(), text.size()));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_health_text(&health, nullptr, text.size()));
  EXPECT_EQ(text, untouched);
}

// ---- what is refused ----------------------------------------------------------------------------

TEST(Health, RefusesAnotherSizeAndANullPointerAndWritesNothing) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  flake_health health;
  std::memset(&health, 0x5a, sizeof health);
  const flake_health untouched = health;
  for (size_t size : {size_t{0}, sizeof health - 1, sizeof health + 1, sizeof health + 8,
                      sizeof health - 8, SIZE_MAX})
    EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, flake_health_get(gen, &health, size));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_health_get(nullptr, &health, sizeof health));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_health_get(gen, nullptr, sizeof health));
  EXPECT_EQ(std::memcmp(&health, &untouched, sizeof health), 0);
}

TEST(Stats, RefuseAnotherSizeANullPointerAndAForkedChildAndWriteNothing) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  flake_stats stats;
  std::memset(&stats, 0x5a, sizeof stats);
  const flake_stats untouched = stats;
  for (size_t size : {size_t{0}, sizeof stats - 1, sizeof stats + 1, sizeof stats + 8,
                      sizeof stats - 8, SIZE_MAX})
    EXPECT_STATUS(FLAKE_E_NOT_SUPPORTED, flake_stats_get(gen, &stats, size));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_stats_get(nullptr, &stats, sizeof stats));
  EXPECT_STATUS(FLAKE_E_INVALID_ARGUMENT, flake_stats_get(gen, nullptr, sizeof stats));
  in_child([&] {
    EXPECT_STATUS(FLAKE_E_FORKED, flake_stats_get(gen, &stats, sizeof stats));
    EXPECT_EQ(std::memcmp(&stats, &untouched, sizeof stats), 0);
  });
  EXPECT_EQ(std::memcmp(&stats, &untouched, sizeof stats), 0);
}

// ---- looking changes nothing --------------------------------------------------------------------

// Draws through waits, rewinds and a frozen clock, and returns what every call gave.
std::vector<int64_t> outcomes_of(const flake_config &config, bool looked_at) {
  Clock clock;
  Generator gen(config, clock);
  std::vector<int64_t> outcomes;
  Random random(11);
  int64_t highest = 0;
  for (int i = 0; i < 3000; i++) {
    if (looked_at) {
      const int64_t monotonic_ns = clock.monotonic();
      (void)health_of(gen);
      (void)stats_of(gen);
      EXPECT_EQ(clock.monotonic(), monotonic_ns) << "it waited";
    }
    outcomes.push_back(gen.next());
    const int64_t what = pick(random, 0, 9), ns = pick(random, 0, 3 * kNsPerMs);
    highest = std::max(highest, clock.wall());
    if (what <= 2) clock.advance(ns);
    if (what == 3) clock.advance(20 * ns);
    if (what == 4) clock.set_wall(clock.wall() + ns - kNsPerMs);
    if (what == 5) clock.set_wall(highest - 20 * ns);
  }
  return outcomes;
}

TEST(Health, IssuesNothingAndNeverWaits) {
  for (const char *layout : {"41/10/2", "41/10/4*10ms"})
    for (const flake_config &config : {strict(layout, 50), monotonic(layout, 50)}) {
      const std::vector<int64_t> alone = outcomes_of(config, false);
      flake_config other = config;
      set_space(other, fresh_space());
      EXPECT_EQ(alone, outcomes_of(other, true));
      EXPECT_GT(std::count_if(alone.begin(), alone.end(), [](int64_t id) { return id > 0; }), 500);
    }
}

TEST(Health, IsNotCountedAsACall) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  draw(gen, 4);
  for (int i = 0; i < 10; i++) expect_ok(gen);
  clock.set_wall(clock.wall() - kHour);
  for (int i = 0; i < 10; i++) expect_failing(gen, FLAKE_REASON_REWOUND, FLAKE_E_CLOCK_REWOUND);
  const flake_stats stats = stats_of(gen);
  EXPECT_EQ(stats.issued, 4);
  EXPECT_EQ(stats.refusals, 0);
  EXPECT_EQ(stats.exhaustion_waits, 0);
}

// ---- stats: what was issued ---------------------------------------------------------------------

TEST(Stats, BeginAtNothing) {
  Clock clock(kNowMs * kNsPerMs + 300000);
  Generator gen(strict("41/10/2*10ms"), clock);
  const flake_stats stats = stats_of(gen);
  EXPECT_EQ(stats.issued, 0);
  EXPECT_EQ(stats.dropped, 0);
  EXPECT_EQ(stats.exhaustion_waits, 0);
  EXPECT_EQ(stats.refusals, 0);
  EXPECT_EQ(stats.rewinds, 0);
  EXPECT_EQ(stats.rewind_max_ms, 0);
  EXPECT_EQ(stats.lead_ms, 0);
  EXPECT_EQ(stats.wall_high_ms, kNowMs);
}

TEST(Stats, CountEveryIdAtOnceAlsoAfterTheClose) {
  Clock clock;
  Generator gen = open_now(strict("41/10/4"), clock);
  for (int64_t i = 1; i <= 100; i++) {
    draw(gen, 1);
    EXPECT_EQ(stats_of(gen).issued, i);
  }
  EXPECT_STATUS(FLAKE_OK, gen.close());
  EXPECT_EQ(stats_of(gen).issued, 100);
}

TEST(Stats, OfAGeneratorThatIsSharedCountForAllOfItsHandles) {
  const flake_config config = strict("41/10/12");
  Clock clock;
  Generator one = open_now(config, clock), two(config, clock);
  draw(one, 3);
  draw(two, 4);
  EXPECT_EQ(stats_of(one).issued, 7);
  EXPECT_EQ(stats_of(two).issued, 7);
  EXPECT_EQ(stats_of(two).dropped, 0) << "sharing is not opening again";
}

// Draws in a random way and returns how many IDs came.
int64_t draw_in_any_way(Random &random, Generator &gen) {
  int64_t ids[50], issued = 0;
  const int64_t count = pick(random, 1, 50);
  switch (pick(random, 0, 2)) {
    case 0:
      return gen.next() > 0;
    case 1:
      return flake_next_range(gen, count, &issued) > 0 ? issued : 0;
    default:
      return std::max<int64_t>(flake_next_many(gen, ids, count), 0);
  }
}

void move_clock(Random &random, Clock &clock) {
  const int64_t back = pick(random, -1, 1);
  switch (pick(random, 0, 5)) {
    case 0:
      return clock.advance(pick(random, 0, 3 * kNsPerMs));
    case 1:
      return clock.advance(pick(random, 0, kHour));
    case 2:
      return clock.set_wall(clock.wall() + back * pick(random, 0, 3 * kNsPerMs));
    case 3:
      return clock.set_wall(clock.wall() + back * pick(random, 0, 80 * kNsPerMs));
    default:
      return;
  }
}

flake_config random_config(Random &random) {
  const char *const layouts[] = {"41/10/0", "41/10/2", "t41s5n10", "41/10/12", "41/10/6*10ms"};
  const char *layout = layouts[pick(random, 0, 4)];
  flake_config config = pick(random, 0, 1) ? strict(layout, pick(random, 0, 60))
                                           : monotonic(layout, pick(random, 0, 60));
  config.seq_spread_bits = pick(random, 0, config.layout.seq_bits);
  return config;
}

TEST(Stats, CountExactlyWhatWasIssuedAndDroppedInAnyMixtureOfCalls) {
  int64_t all = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const flake_config config = random_config(random);
    Clock clock;
    std::unique_ptr<Generator> gen;
    int64_t issued = 0, opened = 0;
    for (int i = 0; i < 100; i++) {
      move_clock(random, clock);
      if (!gen || pick(random, 0, 9) == 0) {
        gen.reset();
        gen = std::make_unique<Generator>(config, clock);
        ASSERT_STATUS(FLAKE_OK, gen->status());
        opened++;
      }
      issued += draw_in_any_way(random, *gen);
      const flake_stats stats = stats_of(*gen);
      ASSERT_EQ(stats.issued, issued);
      ASSERT_EQ(stats.dropped, opened - 1) << "one at each re-opening";
    }
    all += issued;
  }
  EXPECT_GT(all, 100000);
}

TEST(Stats, AreKeptApartForOtherOptionsOfTheSameNode) {
  flake_config config = strict("41/10/12"), other = config;
  other.max_wait_ms = 5;
  Clock clock;
  for (int64_t run = 1; run <= 5; run++) {
    Generator gen = open_now(config, clock);
    draw(gen, 10);
    EXPECT_EQ(stats_of(gen).issued, 10 * run);
    EXPECT_STATUS(FLAKE_OK, gen.close());
    Generator second = open_now(other, clock);
    draw(second, 3);
    EXPECT_EQ(stats_of(second).issued, 3 * run);
  }
}

// ---- stats: waits and refusals ------------------------------------------------------------------

TEST(Stats, CountEachWaitForTheNextTick) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  draw(gen, 4);
  EXPECT_EQ(stats_of(gen).exhaustion_waits, 0);
  draw(gen, 1);
  EXPECT_EQ(stats_of(gen).exhaustion_waits, 1);
  draw(gen, 3 + 4 * 9);
  EXPECT_EQ(stats_of(gen).exhaustion_waits, 10);
  int64_t issued = 0;
  EXPECT_ID(flake_next_range(gen, 4, &issued));
  EXPECT_EQ(stats_of(gen).exhaustion_waits, 11);
  EXPECT_EQ(stats_of(gen).refusals, 0);
}

TEST(Stats, CountEachWaitOfManyOnce) {
  Clock clock;
  Generator gen = open_now(strict(), clock);
  int64_t ids[40];
  EXPECT_EQ(flake_next_many(gen, ids, 40), 40);
  EXPECT_EQ(clock.wall(), (kNowMs + 10) * kNsPerMs) << "nine ticks were waited for";
  EXPECT_EQ(stats_of(gen).exhaustion_waits, 9);
}

TEST(Stats, CountNoWaitForTheFirstTickOrARewindAsExhaustion) {
  Clock clock;
  Generator gen(strict(), clock);
  draw(gen, 1);  // waits for the first tick
  clock.set_wall(clock.wall() - 10 * kNsPerMs);
  draw(gen, 1);  // waits for the clock to catch up
  EXPECT_EQ(stats_of(gen).exhaustion_waits, 0);
}

TEST(Stats, CountEachCallThatWasRefused) {
  flake_config config = strict("41/10/2", 0);
  config.ceiling_ms = kNowMs + 5;
  Clock clock;
  Generator gen = open_now(config, clock);
  draw(gen, 4);
  int64_t refusals = 0, issued = 0, ids[9];
  flake_attempt attempt{};
  const auto refuse = [&](int64_t status) {
    EXPECT_STATUS(status, gen.next());
    EXPECT_STATUS(status, flake_next_step(gen, &attempt));
    EXPECT_STATUS(status, flake_next_range(gen, 3, &issued));
    EXPECT_STATUS(status, flake_next_many(gen, ids, 9));
    EXPECT_EQ(stats_of(gen).refusals, refusals += 4) << flake_status_name(status);
  };
  refuse(FLAKE_E_EXHAUSTED);
  clock.set_wall(clock.wall() - kHour);
  refuse(FLAKE_E_CLOCK_REWOUND);
  clock.set_wall((FLAKE_EPOCH_MS - 1) * kNsPerMs);
  refuse(FLAKE_E_BEFORE_EPOCH);
  clock.set_wall((kNowMs + 5) * kNsPerMs);
  refuse(FLAKE_E_CEILING_REACHED);
  EXPECT_STATUS(FLAKE_OK, gen.close());
  refuse(FLAKE_E_CLOSED);
  EXPECT_EQ(stats_of(gen).issued, 4);
}

TEST(Stats, DoNotCountAsRefusedACallThatGaveSome) {
  Clock clock;
  Generator gen = open_now(strict("41/10/2", 0), clock);
  int64_t ids[9];
  EXPECT_EQ(flake_next_many(gen, ids, 9), 4);
  EXPECT_EQ(stats_of(gen).refusals, 0) << "the call ended without an error";
}

TEST(Stats, CountARefusalOfTheDeadlineOnceHoweverOftenItWaited) {
  Clock clock;
  Generator gen = open_now(strict("41/10/2", 20), clock);
  draw(gen, 4);
  clock.set_rate(0);
  EXPECT_STATUS(FLAKE_E_CLOCK_FROZEN, gen.next());
  EXPECT_EQ(stats_of(gen).refusals, 1);
}

// ---- stats: the clock ---------------------------------------------------------------------------

TEST(Stats, CountARewindOnceHoweverManyCallsMeetIt) {
  Clock clock;
  Generator gen = open_now(strict("41/10/12"), clock);
  draw(gen, 1);
  clock.set_wall(clock.wall() - 5 * 1000 * kNsPerMs);
  for (int i = 0; i < 10; i++) {
    EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
    (void)health_of(gen);
    EXPECT_EQ(stats_of(gen).rewinds, 1);
  }
  EXPECT_EQ(stats_of(gen).rewind_max_ms, 5000);
  clock.advance(6 * kNsPerSecond);
  draw(gen, 1);
  EXPECT_EQ(stats_of(gen).rewinds, 1);
  clock.set_wall(clock.wall() - 2 * kNsPerSecond);
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
  EXPECT_EQ(stats_of(gen).rewinds, 2);
  EXPECT_EQ(stats_of(gen).rewind_max_ms, 5000) << "the largest of them";
  clock.set_wall(clock.wall() - 7 * kNsPerSecond);
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
  EXPECT_EQ(stats_of(gen).rewinds, 2) << "it went on";
  EXPECT_EQ(stats_of(gen).rewind_max_ms, 9000);
}

TEST(Stats, CountEachRewindThatCallsMetAlsoWhenTheClockCaughtUpWithinTheTickBetween) {
  Clock clock;
  Generator gen = open_now(strict("41/10/12"), clock);
  const int64_t wall = clock.wall();
  for (int64_t i = 1; i <= 5; i++) {
    draw(gen, 10);
    clock.set_wall(wall - kHour);
    EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
    clock.set_wall(wall);
    draw(gen, 1);
    EXPECT_EQ(stats_of(gen).rewinds, i);
  }
  clock.set_wall(wall - kHour);
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
  clock.set_wall(wall);
  draw(gen, 1);  // nothing but a call looks between the two
  clock.set_wall(wall - kHour);
  EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
  EXPECT_EQ(stats_of(gen).rewinds, 7);
}

TEST(Stats, CountARewindThatWasWaitedOutAndOneThatMonotonicModeWentThrough) {
  for (const flake_config &config : {strict("41/10/12"), monotonic("41/10/12")}) {
    Clock clock;
    Generator gen = open_now(config, clock);
    draw(gen, 1);
    clock.set_wall(clock.wall() - 100 * kNsPerMs);
    draw(gen, 1);
    EXPECT_EQ(stats_of(gen).rewinds, 1);
    EXPECT_EQ(stats_of(gen).rewind_max_ms, 100);
    EXPECT_EQ(stats_of(gen).refusals, 0);
  }
}

TEST(Stats, CountNoRewindWhereTheClockStaysInItsTick) {
  Clock clock(kNowMs * kNsPerMs + 900000);
  Generator gen = open_now(strict("41/10/12"), clock);
  draw(gen, 1);
  clock.set_wall(clock.wall() - 800000);
  draw(gen, 1);
  EXPECT_EQ(stats_of(gen).rewinds, 0);
  EXPECT_EQ(stats_of(gen).rewind_max_ms, 0);
}

TEST(Stats, SayHowFarTheLastIdIsAheadOfTheClock) {
  Clock clock;
  Generator gen = open_now(monotonic("41/10/2*10ms", 1000), clock);
  draw(gen, 4 + 3 * 4);
  EXPECT_EQ(stats_of(gen).lead_ms, 30);
  clock.advance(10 * kNsPerMs);
  EXPECT_EQ(stats_of(gen).lead_ms, 20);
  clock.advance(100 * kNsPerMs);
  EXPECT_EQ(stats_of(gen).lead_ms, 0);
}

TEST(Stats, SayTheHighestWallTimeAsTheStartOfItsTick) {
  Clock clock;
  Generator gen = open_now(strict("41/10/2*10ms"), clock);
  clock.advance(57 * kNsPerMs + 300000);
  EXPECT_EQ(stats_of(gen).wall_high_ms, kNowMs + 60);
  clock.set_wall((kNowMs - 5000) * kNsPerMs);
  EXPECT_EQ(stats_of(gen).wall_high_ms, kNowMs + 60);
  clock.set_wall((kNowMs + 5000) * kNsPerMs);
  EXPECT_EQ(stats_of(gen).wall_high_ms, kNowMs + 5000);
}

// ---- among threads ------------------------------------------------------------------------------

// Threads draw, singly and in batches, until they are stopped. With a clock, each moves it before
// each call, so that nearly all of them pass numbers over.
class Crowd {
 public:
  Crowd(int threads, flake_generator *gen, Clock *moved) {
    for (int i = 0; i < threads; i++)
      threads_.emplace_back([this, gen, moved] {
        for (int64_t n = 0; !stopped_; n++) {
          if (moved) moved->advance(kNsPerMs);
          draw(gen, n % 3 ? 1 : 8);
        }
      });
  }
  ~Crowd() { stop(); }

  void stop() {
    stopped_ = true;
    for (std::thread &thread : threads_) thread.join();
    threads_.clear();
  }
  int64_t begun() const { return begun_; }
  int64_t issued() const { return issued_; }

 private:
  void draw(flake_generator *gen, int64_t count) {
    int64_t ids[8];
    begun_ += count;
    const int64_t got = count == 1 ? flake_next(gen) > 0 : flake_next_many(gen, ids, count);
    if (got > 0) issued_ += got;
  }

  std::atomic<int64_t> begun_{0}, issued_{0};
  std::atomic<bool> stopped_{false};
  std::vector<std::thread> threads_;
};

TEST(Stats, NeverRunAheadWhileThreadsDrawAndAreExactAfterwards) {
  for (flake_config config :
       {strict("41/10/3", 60000), monotonic("41/10/3", 86400000), strict("41/4/18", 60000)})
    for (bool moved : {false, true}) {
      set_space(config, fresh_space());
      Clock clock;
      Generator gen = open_now(config, clock);
      Crowd crowd(4, gen, moved ? &clock : nullptr);
      int64_t last = 0, ahead = 0, back = 0;
      for (int looks = 0; looks < 10000 || crowd.issued() < 100000; looks++) {
        if (!moved) clock.advance(70000);
        const int64_t issued = stats_of(gen).issued;
        ahead += issued > crowd.begun();
        back += issued < last;
        last = issued;
      }
      crowd.stop();
      EXPECT_EQ(ahead, 0);
      EXPECT_EQ(back, 0);
      EXPECT_EQ(stats_of(gen).issued, crowd.issued());
    }
}

// Draws in threads while the generator is closed and opened under them.
void close_and_open_under(int threads, const flake_config &config, int runs) {
  Clock clock;
  Generator gen = open_now(config, clock);
  Crowd crowd(threads, gen, &clock);
  int64_t reopened = 0, wrong = 0;
  for (; reopened < runs || crowd.issued() < 1000; reopened++) {
    EXPECT_STATUS(FLAKE_OK, flake_close(gen));
    const int64_t at_close = stats_of(gen).issued;
    flake_generator *again = nullptr;
    EXPECT_STATUS(FLAKE_OK, flake_open(&config, clock, &again));
    const int64_t issued = stats_of(gen).issued;
    wrong += at_close < 0 || issued < at_close || issued > crowd.begun();
  }
  crowd.stop();
  EXPECT_EQ(wrong, 0) << "of " << reopened;
  EXPECT_EQ(stats_of(gen).issued, crowd.issued());
  EXPECT_EQ(stats_of(gen).dropped, reopened);
}

TEST(Stats, AreNeverAheadNorLostWhenAGeneratorIsClosedAndOpenedUnderThreadsThatDraw) {
  close_and_open_under(1, strict("41/2/20", 60000), 20000);
  close_and_open_under(1, monotonic("41/2/20", 86400000), 20000);
  close_and_open_under(4, strict("41/10/3", 60000), 5000);
}

// ---- while a call waits -------------------------------------------------------------------------

int64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

TEST(Health, StatsAndDecodingStayFastWhileACallWaitsWhichCostsNoCpu) {  // S26
  const flake_config config = strict("41/10/2*1s", 5000);
  Generator gen(config);
  ASSERT_STATUS(FLAKE_OK, gen.status());
  const int64_t id = gen.next();
  draw(gen, 3);
  std::atomic<bool> waiting{true};
  int64_t cpu_ns = 0, waited_ns = 0;
  std::thread waiter([&] {
    const auto start = std::chrono::steady_clock::now();
    const int64_t cpu_before = thread_cpu_ns();
    EXPECT_ID(gen.next());
    cpu_ns = thread_cpu_ns() - cpu_before;
    waited_ns = (std::chrono::steady_clock::now() - start).count();
    waiting = false;
  });
  int64_t rounds = 0;
  while (waiting) {
    flake_decoded parts{};
    EXPECT_STATUS(FLAKE_OK, flake_decode(&config.layout, static_cast<uint64_t>(id), &parts));
    EXPECT_LE(stats_of(gen).issued, 5);
    expect_ok(gen);
    rounds++;
  }
  waiter.join();
  EXPECT_GT(waited_ns, 300 * kNsPerMs) << "the tick began long ago";
  EXPECT_GT(rounds, waited_ns / kNsPerMs) << "at least one of each in a millisecond";
  EXPECT_LT(cpu_ns, waited_ns / 10);
  EXPECT_EQ(stats_of(gen).issued, 5);
  EXPECT_EQ(stats_of(gen).exhaustion_waits, 1);
}

}  // namespace
