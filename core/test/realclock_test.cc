// SPDX-License-Identifier: MIT
// Steps of the system's clock under real threads. Each test runs its body in this program started
// anew with clockshim.c preloaded (libfaketime as a second opinion), which fakes the wall clock and
// leaves monotonic time and sleeps alone.
#include <fcntl.h>
#include <glob.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "flake_test.h"

namespace {

using namespace flake_test;

constexpr int64_t kHour = 3600 * kNsPerSecond;

int64_t read_ns(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}
int64_t wall_ns() {
  return read_ns(CLOCK_REALTIME);
}
int64_t monotonic_ns() {
  return read_ns(CLOCK_MONOTONIC);
}

void sleep_ms(int64_t ms) {
  usleep(static_cast<useconds_t>(ms * 1000));
}

// ---- the process under a preloaded library ------------------------------------------------------

const char kInside[] = "FLAKE_REALCLOCK_INSIDE";
constexpr int kPassed = 42;  // no other way to exit gives this: the body ran to its end

using Environment = std::map<std::string, std::string>;

// Runs body in this program started anew for the same test with this environment.
void started_anew(Environment environment, const std::function<void()> &body) {
  if (std::getenv(kInside)) {
    body();
    fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : kPassed);
  }
  environment[kInside] = "1";
  const char *asan = std::getenv("ASAN_OPTIONS");
  environment["ASAN_OPTIONS"] = (asan ? std::string(asan) : "") + ":verify_asan_link_order=0";
  const testing::TestInfo *test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter =
      std::string("--gtest_filter=") + test->test_suite_name() + "." + test->name();
  fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    for (const auto &[name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execl("/proc/self/exe", "realclock_test", filter.c_str(), nullptr);
    _exit(126);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kPassed) << "wait status " << status;
}

// A file that is deleted at the end. Started anew there is none: the one that started us has it.
class File {
 public:
  File() {
    if (std::getenv(kInside)) return;
    path_ = testing::TempDir() + "flake-clock-XXXXXX";
    int file = mkstemp(path_.data());
    EXPECT_GE(file, 0) << path_;
    EXPECT_EQ(ftruncate(file, 40), 0);
    ::close(file);
  }
  File(const File &) = delete;
  ~File() { unlink(path_.c_str()); }
  const std::string &path() const { return path_; }

 private:
  std::string path_;
};

// ---- the shim -----------------------------------------------------------------------------------

// The file that clockshim.c reads, from inside.
class Shim {
 public:
  Shim() {
    int file = open(std::getenv("FLAKE_SHIM_FILE"), O_RDWR);
    void *map = mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (map == MAP_FAILED) abort();
    words_ = static_cast<Words *>(map);
  }
  Shim(const Shim &) = delete;

  void step(int64_t ns) { words_->offset_ns += ns; }
  int64_t answers() const { return words_->answers; }
  void freeze(int64_t at_ns) { words_->frozen_at_ns = at_ns; }
  void thaw() { words_->frozen_at_ns = 0; }
  // -1000 stands still, -2000 retreats as fast as it ran. Ends with 0, at the true time again.
  void drift(int64_t permille) {
    timespec now{};  // the kernel's, past the shim
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    words_->drift_since_ns = now.tv_sec * kNsPerSecond + now.tv_nsec;
    words_->drift_permille = permille;
  }

 private:
  struct Words {
    std::atomic<int64_t> offset_ns, frozen_at_ns, drift_permille, drift_since_ns, answers;
  };
  static_assert(sizeof(Words) == 40, "as clockshim.c reads them");
  Words *words_;
};

void under_the_shim(const std::function<void(Shim &)> &body) {
  File file;
  started_anew({{"LD_PRELOAD", preloadable(FLAKE_SHIM)}, {"FLAKE_SHIM_FILE", file.path()}}, [&] {
    Shim shim;
    body(shim);
  });
}

// ---- threads that draw --------------------------------------------------------------------------

// Threads that draw from one generator until they are stopped.
class Drawers {
 public:
  Drawers(flake_generator *gen, int threads, int64_t pause_us = 0) : pages_(threads) {
    for (Page &page : pages_)
      threads_.emplace_back([this, gen, pause_us, &page] {
        while (!done_) {
          const int64_t before = returned_, start_ns = monotonic_ns();
          const int64_t id = flake_next(gen);
          page.took_ns[std::min<int64_t>(id, 0)].push_back(monotonic_ns() - start_ns);
          if (id > 0) {
            page.disorder += id <= before;
            page.ids.push_back(id);
            int64_t seen = before;
            while (seen < id && !returned_.compare_exchange_weak(seen, id)) {
            }
          }
          if (pause_us) usleep(static_cast<useconds_t>(pause_us));
        }
      });
  }
  ~Drawers() { stop(); }

  // Lets them draw until each has got another ID; fails when one does not within 10 s.
  void expect_ids_from_all() {
    int64_t from = returned_;
    for (int i = 0; i < 10000 && returned_ == from; i++) sleep_ms(1);
    EXPECT_GT(returned_, from) << "no thread gets an ID";
  }

  // The statuses that calls gave, each with the lengths of the calls; 0 stands for an ID. IDs must
  // be unique and in order.
  std::map<int64_t, std::vector<int64_t>> stop() {
    done_ = true;
    for (std::thread &thread : threads_) thread.join();
    threads_.clear();
    std::map<int64_t, std::vector<int64_t>> took_ns;
    std::vector<int64_t> ids;
    for (Page &page : pages_) {
      EXPECT_EQ(page.disorder, 0) << "IDs below one that had been returned before";
      EXPECT_TRUE(std::is_sorted(page.ids.begin(), page.ids.end()));
      ids.insert(ids.end(), page.ids.begin(), page.ids.end());
      for (auto &[status, ns] : page.took_ns)
        took_ns[status].insert(took_ns[status].end(), ns.begin(), ns.end());
    }
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end()) << "an ID twice";
    pages_.clear();
    return took_ns;
  }

 private:
  struct alignas(64) Page {
    std::vector<int64_t> ids;
    std::map<int64_t, std::vector<int64_t>> took_ns;
    int64_t disorder = 0;
  };
  std::vector<Page> pages_;
  std::vector<std::thread> threads_;
  std::atomic<bool> done_{false};
  std::atomic<int64_t> returned_{0};
};

int64_t median(std::vector<int64_t> values) {
  auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<int64_t> keys(const std::map<int64_t, std::vector<int64_t>> &map) {
  std::vector<int64_t> all;
  for (const auto &entry : map) all.push_back(entry.first);
  return all;
}

flake_config monotonic(const char *layout) {
  flake_config config = make_config(layout);
  config.mode = FLAKE_MODE_MONOTONIC;
  config.max_lead_ms = 86400000;
  return config;
}

// ---- steps --------------------------------------------------------------------------------------

TEST(RealClock, TheShimStepsFreezesAndDriftsTheWallClockOnly) {
  under_the_shim([](Shim &shim) {
    int64_t wall = wall_ns(), monotonic = monotonic_ns();
    shim.step(-kHour);
    EXPECT_NEAR(static_cast<double>(wall_ns() - wall), -3600e9, 10e9);
    shim.step(kHour);
    shim.freeze(wall);
    sleep_ms(5);
    EXPECT_EQ(wall_ns(), wall);
    EXPECT_EQ(read_ns(CLOCK_REALTIME_COARSE), wall);
    shim.thaw();
    EXPECT_GT(wall_ns(), wall);
    shim.drift(-1000);
    wall = wall_ns();
    sleep_ms(5);
    EXPECT_EQ(wall_ns(), wall);
    shim.drift(-2000);
    wall = wall_ns();
    sleep_ms(5);
    EXPECT_LT(wall_ns(), wall - 4 * kNsPerMs);
    EXPECT_GE(monotonic_ns() - monotonic, 15 * kNsPerMs);
  });
}

// What may come back at a step, and must: an ID is 0.
std::vector<int64_t> outcomes_of(int64_t step_ns, uint32_t mode) {
  const bool refused = mode == FLAKE_MODE_STRICT ? step_ns <= -5 * kNsPerSecond : false;
  if (refused) return {FLAKE_E_CLOCK_REWOUND, 0};
  return {0};
}

TEST(RealClock, EveryStepBackIsWaitedOutOrRefusedAndThenPasses) {
  under_the_shim([](Shim &shim) {
    for (int64_t step_ns : {-kNsPerMs, -5 * kNsPerMs, -50 * kNsPerMs, -5 * kNsPerSecond, -kHour})
      for (const flake_config &config : {make_config("41/10/12"), monotonic("41/10/12")}) {
        SCOPED_TRACE("step_ns " + std::to_string(step_ns) + " mode " + std::to_string(config.mode));
        Generator gen(config);
        Drawers drawers(gen, 3, 50);
        drawers.expect_ids_from_all();
        shim.step(step_ns);
        sleep_ms(20);
        if (step_ns >= -50 * kNsPerMs) drawers.expect_ids_from_all();
        shim.step(-step_ns);
        drawers.expect_ids_from_all();
        EXPECT_EQ(keys(drawers.stop()), outcomes_of(step_ns, config.mode));
      }
  });
}

TEST(RealClock, AStepForwardIsFollowedAndTheWayBackIsARewind) {
  under_the_shim([](Shim &shim) {
    for (int64_t step_ns : {kHour, 3652 * 24 * kHour})
      for (flake_config config : {make_config("41/10/12"), monotonic("41/10/12")}) {
        SCOPED_TRACE("step_ns " + std::to_string(step_ns) + " mode " + std::to_string(config.mode));
        if (config.mode == FLAKE_MODE_MONOTONIC) config.max_lead_ms = 1000;
        Generator gen(config);
        Drawers drawers(gen, 3, 50);
        drawers.expect_ids_from_all();
        shim.step(step_ns);
        sleep_ms(5);
        drawers.expect_ids_from_all();
        EXPECT_GT(decode(config.layout, gen.next()).unix_ms, wall_ns() / kNsPerMs - 10000);
        shim.step(-step_ns);
        sleep_ms(10);
        EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
        shim.step(step_ns);
        drawers.expect_ids_from_all();
        shim.step(-step_ns);
        EXPECT_EQ(keys(drawers.stop()), (std::vector<int64_t>{FLAKE_E_CLOCK_REWOUND, 0}));
      }
  });
}

TEST(RealClock, StrictIdsAreNeverAheadOfTheClockThatTheirCallRead) {
  under_the_shim([](Shim &shim) {
    const flake_config config = make_config("41/10/12");
    Generator gen(config);
    int64_t last = 0;
    for (int i = 0; i < 20000; i++) {
      if (i % 1000 == 999) shim.step(i % 2000 == 999 ? -3 * kNsPerMs : 2 * kNsPerMs);
      int64_t id = gen.next(), now_ns = wall_ns();
      ASSERT_GT(id, last) << said(id);
      last = id;
      ASSERT_LE(decode(config.layout, id).unix_ms, now_ns / kNsPerMs);
    }
  });
}

TEST(RealClock, ARewindOfAnHourUnderLoadIsRefusedQuicklyAndPassesByItself) {
  under_the_shim([](Shim &shim) {
    Generator gen(make_config("41/10/12"));
    Drawers drawers(gen, 8);
    drawers.expect_ids_from_all();
    shim.step(-kHour);
    sleep_ms(50);
    EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
    shim.step(kHour);
    drawers.expect_ids_from_all();
    auto took_ns = drawers.stop();
    EXPECT_EQ(keys(took_ns), (std::vector<int64_t>{FLAKE_E_CLOCK_REWOUND, 0}));
    EXPECT_GT(took_ns[FLAKE_E_CLOCK_REWOUND].size(), 1000u) << "refused calls block nobody";
    EXPECT_LT(median(took_ns[FLAKE_E_CLOCK_REWOUND]), kNsPerMs);
  });
}

TEST(RealClock, ASecondThatIsFedTwiceIsRiddenOutWithoutAnError) {
  under_the_shim([](Shim &shim) {
    Generator gen(make_config("41/10/12"));
    Drawers drawers(gen, 2, 50);
    drawers.expect_ids_from_all();
    shim.step(-kNsPerSecond);
    sleep_ms(100);
    drawers.expect_ids_from_all();
    auto took_ns = drawers.stop();
    EXPECT_EQ(keys(took_ns), std::vector<int64_t>{0});
    EXPECT_GT(*std::max_element(took_ns[0].begin(), took_ns[0].end()), 900 * kNsPerMs);
    shim.step(kNsPerSecond);
  });
}

// ---- standing and retreating --------------------------------------------------------------------

// Draws until a call is refused; that call must sleep until its deadline: it may look at the clock
// once in a quarter of a tick, and some times more.
void expect_a_quiet_wait_for(flake_status expected, const flake_config &config, Generator &gen,
                             const Shim &shim) {
  int64_t id, wait_ns = 0, answers = 0;
  do {
    wait_ns = monotonic_ns();
    answers = shim.answers();
    id = gen.next();
    wait_ns = monotonic_ns() - wait_ns;
    answers = shim.answers() - answers;
  } while (id > 0);
  EXPECT_STATUS(expected, id);
  EXPECT_GE(wait_ns, config.max_wait_ms * kNsPerMs);
  EXPECT_LE(answers, 64 + 4 * config.max_wait_ms / config.layout.tick_ms);
}

TEST(RealClock, AFrozenClockEndsTheCallAsFrozenAndTheWaitIsSlept) {
  under_the_shim([](Shim &shim) {
    for (int64_t before_edge_ns : {999999, 500000, 50000, 1000})
      for (const char *layout : {"41/10/12", "41/10/2*10ms"}) {
        SCOPED_TRACE(std::string(layout) + " before_edge_ns " + std::to_string(before_edge_ns));
        flake_config config = make_config(layout);
        config.max_wait_ms = 300;
        Generator gen(config);
        EXPECT_ID(gen.next());
        const int64_t next_tick_ns = wall_ns() / (10 * kNsPerMs) * (10 * kNsPerMs) + 10 * kNsPerMs;
        shim.freeze(next_tick_ns - before_edge_ns);
        expect_a_quiet_wait_for(FLAKE_E_CLOCK_FROZEN, config, gen, shim);
        shim.thaw();
        EXPECT_ID(gen.next());
      }
  });
}

TEST(RealClock, AClockThatStandsStillByDriftIsFrozenForEveryThread) {
  under_the_shim([](Shim &shim) {
    flake_config config = make_config("41/10/2");
    config.max_wait_ms = 50;
    Generator gen(config);
    Drawers drawers(gen, 4);
    drawers.expect_ids_from_all();
    shim.drift(-1000);
    sleep_ms(300);
    shim.drift(0);
    drawers.expect_ids_from_all();
    auto took_ns = drawers.stop();
    // A call that had waited long when the clock stopped may end before the stop can be seen.
    EXPECT_GT(took_ns[FLAKE_E_CLOCK_FROZEN].size(), 2 * took_ns[FLAKE_E_EXHAUSTED].size());
    took_ns.erase(FLAKE_E_EXHAUSTED);
    EXPECT_EQ(keys(took_ns), (std::vector<int64_t>{FLAKE_E_CLOCK_FROZEN, 0}));
  });
}

TEST(RealClock, AClockThatRetreatsIsRewoundForEveryThreadWithinTheDeadline) {
  under_the_shim([](Shim &shim) {
    flake_config config = make_config("41/10/12");
    config.max_wait_ms = 50;
    Generator gen(config);
    Drawers drawers(gen, 4);
    drawers.expect_ids_from_all();
    shim.drift(-2000);
    sleep_ms(300);
    EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
    shim.drift(0);
    drawers.expect_ids_from_all();
    auto took_ns = drawers.stop();
    EXPECT_GT(took_ns[FLAKE_E_CLOCK_REWOUND].size(), 0u);
    EXPECT_LT(median(took_ns[FLAKE_E_CLOCK_REWOUND]), 60 * kNsPerMs);
  });
}

// ---- libfaketime --------------------------------------------------------------------------------

std::string libfaketime() {
  glob_t found{};
  std::string path;
  for (const char *pattern :
       {"/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib/faketime/libfaketime.so.1"}) {
    if (glob(pattern, 0, nullptr, &found) == 0) path = found.gl_pathv[0];
    globfree(&found);
    if (!path.empty()) break;
  }
  return path;
}

// Writes what libfaketime reads at each call: "+0", "-3600", "@2030-01-01 00:00:00".
class Faketime {
 public:
  void set(const std::string &text) {
    const std::string path = std::getenv("FAKETIME_TIMESTAMP_FILE"), aside = path + ".new";
    std::ofstream(aside) << text << "\n";
    ASSERT_EQ(std::rename(aside.c_str(), path.c_str()), 0);
  }
};

void under_libfaketime(const std::function<void(Faketime &)> &body) {
  const std::string library = libfaketime();
  ASSERT_NE(library, "") << "install the package faketime: ci/setup does";
  File file;
  if (!std::getenv(kInside)) std::ofstream(file.path()) << "+0\n";
  started_anew({{"LD_PRELOAD", library},
                {"FAKETIME_TIMESTAMP_FILE", file.path()},
                {"FAKETIME_NO_CACHE", "1"},
                {"FAKETIME_DONT_FAKE_MONOTONIC", "1"},
                {"FAKETIME_DONT_RESET", "1"}},
               [&] {
                 Faketime faketime;
                 const int64_t before = wall_ns();
                 faketime.set("-3600");
                 ASSERT_LT(wall_ns(), before) << "libfaketime has no effect";
                 faketime.set("+0");
                 body(faketime);
               });
}

TEST(RealClock, LibfaketimeAgreesThatARewindIsRefusedAndPassesByItself) {
  under_libfaketime([](Faketime &faketime) {
    const flake_config config = make_config("41/10/12");
    Generator gen(config);
    int64_t last = 0;
    for (const char *back : {"-3600", "-5", "-86400"}) {
      for (int i = 0; i < 10; i++) {
        int64_t id = gen.next();
        ASSERT_GT(id, last) << said(id);
        last = id;
      }
      faketime.set(back);
      for (int i = 0; i < 10; i++) EXPECT_STATUS(FLAKE_E_CLOCK_REWOUND, gen.next());
      faketime.set("+0");
    }
    EXPECT_GT(gen.next(), last);
  });
}

// libfaketime moves absolute sleeps, so the loop sleeps here, as the languages do.
int64_t next_by_steps(flake_generator *gen) {
  flake_attempt attempt{};
  int64_t id;
  while ((id = flake_next_step(gen, &attempt)) == FLAKE_E_AGAIN)
    usleep(static_cast<useconds_t>(attempt.wait_ns / 1000 + 1));
  return id;
}

TEST(RealClock, LibfaketimeAgreesThatARewindWithinTheLimitIsWaitedOut) {
  under_libfaketime([](Faketime &faketime) {
    Generator gen(make_config("41/10/12"));
    const int64_t last = next_by_steps(gen), start_ns = monotonic_ns();
    faketime.set("-0.5");
    EXPECT_GT(next_by_steps(gen), last);
    EXPECT_GT(monotonic_ns() - start_ns, 400 * kNsPerMs);
  });
}

TEST(RealClock, LibfaketimeAgreesThatAFrozenClockIsFrozen) {
  under_libfaketime([](Faketime &faketime) {
    flake_config config = make_config("41/10/2");
    config.max_wait_ms = 200;
    faketime.set("2030-01-01 00:00:00");  // absolute without "@": it stands
    const int64_t wall = wall_ns(), start_ns = monotonic_ns();
    Generator gen(config);
    EXPECT_STATUS(FLAKE_E_CLOCK_FROZEN, next_by_steps(gen));
    EXPECT_GE(monotonic_ns() - start_ns, 200 * kNsPerMs);
    EXPECT_EQ(wall_ns(), wall);
  });
}

}  // namespace
