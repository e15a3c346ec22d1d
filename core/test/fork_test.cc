// SPDX-License-Identifier: MIT
// A forked child cannot issue what its parent issues: its handles say so, it can open generators of
// its own, and the parent notices nothing.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

#include "flake_test.h"

// What madvise does in this program: as the kernel does, or as systems without MADV_WIPEONFORK do.
// The core must not take an emulator's word for it.
enum class Advice { followed, refused, accepted_and_ignored };
static std::atomic<Advice> advice{Advice::followed};

extern "C" int madvise(void *address, size_t size, int what) noexcept {
  if (advice == Advice::refused) return -1;
  if (advice == Advice::accepted_and_ignored) return 0;
  return static_cast<int>(syscall(SYS_madvise, address, size, what));
}

namespace {

using namespace flake_test;

constexpr int64_t kDied = -1000000;

pid_t fork_plainly() {
  return fork();
}
pid_t clone_raw() {
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

// What body returns in a forked child; kDied when the child dies or hangs.
int64_t in_child(const std::function<int64_t()> &body, pid_t (*make_child)() = fork_plainly) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  pid_t child = make_child();
  if (child == 0) {
    alarm(30);
    int64_t result = body();
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  EXPECT_GT(child, 0);
  close(ends[1]);
  int64_t result = kDied;
  if (read(ends[0], &result, sizeof result) != sizeof result) result = kDied;
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
  return result;
}

int64_t step(flake_generator *gen) {
  flake_attempt attempt{};
  return flake_next_step(gen, &attempt);
}

// An ID from a generator that the child opens itself.
int64_t id_of_own(flake_config config, int64_t node, flake_test_clock *clock = nullptr) {
  config.node = node;
  flake_generator *gen = nullptr;
  flake_status status = flake_open(&config, clock, &gen);
  if (status) return status;
  int64_t id = flake_next(gen);
  return flake_close(gen) == FLAKE_OK ? id : kDied;
}

// Runs body in a process of its own for each system on which all must hold, so that nothing was
// opened there before.
void on_every_system(const std::function<void()> &body) {
  for (Advice each : {Advice::followed, Advice::refused, Advice::accepted_and_ignored}) {
    fflush(nullptr);
    pid_t process = fork();
    if (process == 0) {
      advice = each;
      body();
      fflush(nullptr);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0) << "with advice " << static_cast<int>(each);
  }
}

// ---- the child's inherited handles --------------------------------------------------------------

TEST(Fork, TheChildIsToldAndTheParentGoesOn) {
  on_every_system([] {
    for (pid_t (*make_child)() : {fork_plainly, clone_raw}) {
      flake_config config = make_config("41/4/18");
      Generator gen(config);
      int64_t last = 0;
      for (int i = 0; i < 20; i++) {
        int64_t id = gen.next();
        EXPECT_GT(id, last);
        last = id;
        EXPECT_STATUS(FLAKE_E_FORKED, in_child([&] { return flake_next(gen); }, make_child));
        EXPECT_STATUS(FLAKE_E_FORKED, in_child([&] { return step(gen); }, make_child));
      }
    }
  });
}

TEST(Fork, AChildNeverGetsPastHoweverOftenItTries) {
  on_every_system([] {
    Generator gen(make_config("41/4/18"));
    EXPECT_ID(gen.next());
    EXPECT_EQ(in_child([&] {
                int64_t other = 0;
                for (int i = 0; i < 30000; i++) other += flake_next(gen) != FLAKE_E_FORKED;
                return other;
              }),
              0);
  });
}

// The children try the parent's generator and draw from their own, the parent goes on with its own.
void draw_beside_four_children() {
  flake_config config = make_config("41/4/18", 0);
  Generator gen(config);
  std::vector<pid_t> children;
  for (int64_t node = 1; node <= 4; node++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(30);
      config.node = node;
      flake_generator *own = nullptr;
      bool right = flake_open(&config, nullptr, &own) == FLAKE_OK;
      for (int i = 0; i < 30000 && right; i++)
        right = flake_next(gen) == FLAKE_E_FORKED &&
                (flake_next(own) >> config.layout.node_shift & 15) == node;
      _exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  int64_t last = 0;
  for (int i = 0; i < 30000; i++) {
    int64_t id = gen.next();
    ASSERT_GT(id, last);
    ASSERT_EQ(decode(config.layout, id).node, 0);
    last = id;
  }
  for (pid_t child : children) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

TEST(Fork, FourChildrenAndTheirParentShareNoId) {
  on_every_system(draw_beside_four_children);
}

TEST(Fork, GrandchildrenAreToldToo) {
  on_every_system([] {
    Generator gen(make_config());
    EXPECT_ID(gen.next());
    EXPECT_STATUS(FLAKE_E_FORKED, in_child([&] {
                    int64_t own = flake_next(gen);
                    if (own != FLAKE_E_FORKED) return own;
                    return in_child([&] { return flake_next(gen); });
                  }));
  });
}

TEST(Fork, AChildsOwnGeneratorIsRefusedInTheGrandchild) {
  on_every_system([] {
    flake_config config = make_config();
    Generator gen(config);
    EXPECT_STATUS(FLAKE_E_FORKED, in_child([&] {
                    config.node = 2;
                    flake_generator *own = nullptr;
                    flake_status status = flake_open(&config, nullptr, &own);
                    if (status) return static_cast<int64_t>(status);
                    int64_t id = flake_next(own);
                    return id < 0 ? id : in_child([&] { return flake_next(own); });
                  }));
  });
}

TEST(Fork, AnAttemptThatWaitsInTheParentDoesNotEndInTheChild) {
  on_every_system([] {
    Clock clock;
    Generator gen(make_config(), clock);
    flake_attempt attempt{};
    EXPECT_STATUS(FLAKE_E_AGAIN, flake_next_step(gen, &attempt));
    EXPECT_STATUS(FLAKE_E_FORKED, in_child([&] {
                    if (flake_test_clock_advance(clock, attempt.wait_ns)) return kDied;
                    return flake_next_step(gen, &attempt);
                  }));
    clock.advance(attempt.wait_ns);
    EXPECT_ID(flake_next_step(gen, &attempt));
  });
}

TEST(Fork, MonotonicAndRandomStartsMakeNoDifference) {
  on_every_system([] {
    flake_config config = make_config();
    config.mode = FLAKE_MODE_MONOTONIC;
    config.max_lead_ms = 1000;
    config.seq_spread_bits = 8;
    Generator gen(config);
    for (int i = 0; i < 10000; i++) ASSERT_ID(gen.next());
    EXPECT_STATUS(FLAKE_E_FORKED, in_child([&] { return flake_next(gen); }));
  });
}

// A wiped page reads 0, which is a time too when epoch and clock are near 0.
TEST(Fork, AChildIsRefusedThoughItsClockReadsNearZero) {
  on_every_system([] {
    for (const char *layout : {"t41n10s12@0", "t41n10s12*10ms@0", "t41s22@0"}) {
      flake_config config = make_config(layout, 0);
      const int64_t tick_ns = config.layout.tick_ms * kNsPerMs;
      Clock clock(0);
      Generator gen(config, clock);
      for (int64_t wall_ns : {int64_t{0}, int64_t{1}, tick_ns - 1, tick_ns, tick_ns + 1,
                              2 * tick_ns - 1, 2 * tick_ns, 2 * tick_ns + 1}) {
        SCOPED_TRACE(wall_ns);
        clock.set_wall(wall_ns);
        flake_attempt attempt{};
        if (wall_ns >= tick_ns) {
          EXPECT_ID(flake_next_step(gen, &attempt));
        }
        for (int64_t child_ns :
             {int64_t{0}, int64_t{1}, tick_ns - 1, tick_ns, 2 * tick_ns, wall_ns})
          EXPECT_STATUS(FLAKE_E_FORKED, in_child([&] {
                          if (flake_test_clock_set_wall(clock, child_ns)) return kDied;
                          int64_t said_by_step = step(gen);
                          return said_by_step == FLAKE_E_FORKED ? flake_next(gen) : said_by_step;
                        }));
      }
    }
  });
}

// ---- the child's own generators -----------------------------------------------------------------

TEST(Fork, TheChildOpensAGeneratorOfItsOwn) {
  on_every_system([] {
    for (pid_t (*make_child)() : {fork_plainly, clone_raw}) {
      flake_config config = make_config();
      Generator gen(config);
      EXPECT_ID(gen.next());
      int64_t id = in_child([&] { return id_of_own(config, 2); }, make_child);
      EXPECT_EQ(decode(config.layout, id).node, 2);
      EXPECT_ID(gen.next());
    }
  });
}

TEST(Fork, TheChildOpensThoughTheParentNeverDid) {
  on_every_system([] { EXPECT_ID(in_child([] { return id_of_own(make_config(), 2); })); });
}

TEST(Fork, TheParentsLayoutDoesNotBindTheChild) {
  on_every_system([] {
    flake_config config = make_config();
    Generator gen(config);
    EXPECT_ID(in_child([&] {
      config.layout = parse("41/11/11");
      return id_of_own(config, 2);
    }));
  });
}

TEST(Fork, ClosingInTheChildHarmsNeitherChildNorParent) {
  on_every_system([] {
    flake_config config = make_config();
    Generator gen(config);
    EXPECT_ID(gen.next());
    EXPECT_ID(in_child([&] {
      for (int i = 0; i < 3; i++)
        if (flake_close(gen) != FLAKE_OK) return kDied;
      int64_t id = id_of_own(config, 2);
      if (flake_close(gen) != FLAKE_OK || flake_next(gen) != FLAKE_E_FORKED) return kDied;
      return id;
    }));
    EXPECT_ID(gen.next());
    EXPECT_STATUS(FLAKE_OK, gen.close());
    EXPECT_STATUS(FLAKE_E_CLOSED, gen.next());
  });
}

// ---- parents with threads -----------------------------------------------------------------------

// Runs body while a thread repeats work.
void beside(const std::function<void()> &work, const std::function<void()> &body) {
  std::atomic<bool> done{false};
  std::thread thread([&] {
    while (!done) work();
  });
  body();
  done = true;
  thread.join();
}

TEST(Fork, AParentWhoseThreadsDrawIsNotDisturbedAndItsChildrenAreTold) {
  on_every_system([] {
    Generator gen(make_config("41/4/18"));
    std::atomic<int64_t> last{0};
    beside(
        [&] {
          int64_t id = gen.next();
          EXPECT_GT(id, last.load());
          last = id;
        },
        [&] {
          for (int i = 0; i < 50; i++)
            EXPECT_STATUS(FLAKE_E_FORKED, in_child([&] {
                            int64_t now = step(gen);
                            return now == FLAKE_E_FORKED ? flake_next(gen) : now;
                          }));
        });
  });
}

TEST(Fork, AForkWhileAThreadOpensAndClosesLeavesTheChildAbleToOpen) {
  on_every_system([] {
    flake_config config = make_config("41/4/18");
    Clock clock;
    beside(
        [&] {
          Generator gen(config, clock);
          EXPECT_STATUS(FLAKE_OK, gen.status());
        },
        [&] {
          for (int i = 0; i < 100 && !testing::Test::HasFailure(); i++)
            EXPECT_ID(in_child([&] { return id_of_own(config, 2); }));
        });
  });
}

}  // namespace
