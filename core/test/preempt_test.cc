// SPDX-License-Identifier: MIT
// What another thread does while one is preempted inside a call, at every instruction of it: all of
// it happens in a trap before that instruction. So races that threads_test.cc meets by luck are met
// for certain. Needs x86-64; the memory orders of other processors are the model's to check.
#if defined(__x86_64__)
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "flake_test.h"

namespace {

using namespace flake_test;

using Random = std::mt19937_64;

int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

// ---- traps --------------------------------------------------------------------------------------

// The code of this program, in which the core is linked.
extern "C" char __executable_start, etext;

// A call's path is recorded under the processor's single-step flag; later a breakpoint on one of
// its instructions is cheaper.
class Preemption {
 public:
  // The instructions of this program that call comes to, each once, in order.
  static std::vector<uint8_t *> path_of(const std::function<void()> &call) {
    std::vector<uint8_t *> path;
    path.reserve(10000);  // nothing may allocate in the trap
    handle(on_step);
    path_ = &path;
    set_trap_flag();
    call();
    clear_trap_flag();
    const int64_t page = sysconf(_SC_PAGESIZE);
    for (uint8_t *at : path) {
      uint8_t *start = at - reinterpret_cast<uintptr_t>(at) % static_cast<uintptr_t>(page);
      if (mprotect(start, static_cast<size_t>(page), PROT_READ | PROT_WRITE | PROT_EXEC)) abort();
    }
    return path;
  }

  // Runs call, and other before the instruction at that place of its path. False: the place is not
  // in call, but in what led to it.
  static bool run(uint8_t *place, const std::function<void()> &call,
                  const std::function<void()> &other) {
    handle(on_breakpoint);
    other_ = &other;
    place_ = place;
    byte_ = *place;
    *static_cast<volatile uint8_t *>(place) = 0xcc;
    call();
    if (!place_) return true;
    *static_cast<volatile uint8_t *>(place) = byte_;
    return false;
  }

 private:
  static void handle(void (*handler)(int, siginfo_t *, void *)) {
    struct sigaction action {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, nullptr);
  }
  // What the compiler keeps below the stack pointer is stepped over.
  static inline void set_trap_flag() {
    asm volatile(
        "lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
            : "memory", "cc");
  }
  static inline void clear_trap_flag() {
    asm volatile(
        "lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" ::
            : "memory", "cc");
  }
  static greg_t &next_instruction(void *context) {
    return static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
  }
  static void on_step(int, siginfo_t *, void *context) {
    auto at = reinterpret_cast<uint8_t *>(next_instruction(context));
    const bool ours = at >= reinterpret_cast<uint8_t *>(&__executable_start) &&
                      at < reinterpret_cast<uint8_t *>(&etext);
    if (ours && path_->size() < path_->capacity() &&
        std::find(path_->begin(), path_->end(), at) == path_->end())
      path_->push_back(at);
  }
  static void on_breakpoint(int, siginfo_t *, void *context) {
    *static_cast<volatile uint8_t *>(place_) = byte_;
    next_instruction(context) = reinterpret_cast<greg_t>(place_);
    place_ = nullptr;
    (*other_)();
  }

  static std::vector<uint8_t *> *path_;
  static const std::function<void()> *other_;
  static uint8_t *place_;
  static uint8_t byte_;
};
std::vector<uint8_t *> *Preemption::path_;
const std::function<void()> *Preemption::other_;
uint8_t *Preemption::place_;
uint8_t Preemption::byte_;

// ---- a generator under two threads --------------------------------------------------------------

// One generator on a test clock, and what must be true of each ID. Nothing in it allocates, so it
// can be used in the trap.
class World {
 public:
  explicit World(const flake_config &config) : config_(config) {
    config_.max_wait_ms = 0;  // a call that waits would hold the test clock's lock
    tick_ns_ = config_.layout.tick_ms * kNsPerMs;
    ids_.reserve(100);
    open();
  }
  World(const World &) = delete;
  ~World() { flake_close(gen_); }

  // A new beginning, at the start of a tick above all that was used.
  void advance() {
    now_ += 20;
    if (!ids_.empty()) now_ = std::max(now_, tick_of(ids_.back()) + 20);
    if (!ids_.empty()) ids_ = {ids_.back()};
    set_wall(0);
  }
  // So many ns after the beginning.
  void set_wall(int64_t ns) {
    if (flake_test_clock_set_wall(clock_, epoch_ns() + now_ * tick_ns_ + ns)) abort();
  }
  void open() {
    if (flake_open(&config_, clock_, &gen_)) abort();
  }
  void close() {
    if (flake_close(gen_)) abort();
  }

  // The other thread's call, which nothing interrupts.
  void next() { judge(flake_next(gen_), returned(), clock_.wall()); }

  // The call that is preempted: what it returns is judged by what was true when it began and by
  // the times that it can have read itself.
  void begin() {
    began_with_ = returned();
    began_at_ns_ = clock_.wall();
  }
  void end(int64_t id) { judge(id, began_with_, std::max(began_at_ns_, clock_.wall())); }
  flake_generator *generator() const { return gen_; }

  const char *wrong() const { return wrong_; }

 private:
  int64_t epoch_ns() const { return config_.layout.epoch_ms * kNsPerMs; }
  int64_t tick_of(int64_t id) const { return id >> config_.layout.time_shift; }
  int64_t returned() const { return ids_.empty() ? 0 : ids_.back(); }

  void judge(int64_t id, int64_t before, int64_t wall_ns) {
    if (id <= 0) {
      if (id != FLAKE_E_CLOCK_REWOUND && id != FLAKE_E_EXHAUSTED && id != FLAKE_E_CLOSED &&
          id != FLAKE_E_DEADLINE_PASSED)
        wrong_ = flake_status_name(id);
      return;
    }
    const int64_t lead = config_.mode == FLAKE_MODE_STRICT ? 0 : config_.max_lead_ms * kNsPerMs;
    auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
    if (place != ids_.end() && *place == id) wrong_ = "an ID twice";
    if (id <= before) wrong_ = "an ID below one that had been returned before";
    if (epoch_ns() + tick_of(id) * tick_ns_ > wall_ns + lead) wrong_ = "an ID ahead of the clock";
    if (ids_.size() == ids_.capacity()) abort();
    ids_.insert(place, id);
  }

  flake_config config_;
  Clock clock_;
  flake_generator *gen_ = nullptr;
  int64_t tick_ns_, now_ = (kNowMs - FLAKE_EPOCH_MS) / config_.layout.tick_ms;
  int64_t began_with_ = 0, began_at_ns_ = 0;
  std::vector<int64_t> ids_;  // of this beginning, in order, after the last one before it
  const char *wrong_ = nullptr;
};

// ---- what the threads do ------------------------------------------------------------------------

struct Action {
  enum { next, wall, reopen } what;
  int64_t ns;  // of wall: so far after the beginning
};
using Actions = std::vector<Action>;

constexpr Action kNext{Action::next, 0}, kReopen{Action::reopen, 0};
constexpr Action wall(int64_t ticks) {
  return {Action::wall, ticks * kNsPerMs};
}

Actions random_actions(Random &random, int64_t most, bool reopen) {
  Actions actions;
  for (int64_t n = pick(random, 1, most); n > 0; n--) {
    const int64_t what = pick(random, 0, reopen ? 6 : 5);
    if (what == 6)
      actions.push_back(kReopen);
    else if (what < 3)
      actions.insert(actions.end(), static_cast<size_t>(pick(random, 1, 2)), kNext);
    else
      actions.push_back(wall(what == 3 ? pick(random, -1, 2) : pick(random, 0, 1)));
  }
  return actions;
}

void act(World &world, const Actions &actions) {
  for (const Action &action : actions) {
    if (action.what == Action::next) world.next();
    if (action.what == Action::wall) world.set_wall(action.ns);
    if (action.what == Action::reopen) world.close();
    if (action.what == Action::reopen) world.open();
  }
}

std::string text_of(const Actions &actions) {
  std::string text;
  for (const Action &action : actions)
    text += action.what == Action::next     ? "next "
            : action.what == Action::reopen ? "reopen "
                                            : "wall " + std::to_string(action.ns) + " ";
  return text;
}

enum class Call { next, close, open };

// One call, preempted by other actions, between what came before and comes after. A close or open
// holds the registry's lock, so no other may come into those.
class Scene {
 public:
  Scene(Call call, const flake_config &config, Actions before, Actions other, Actions after)
      : call_(call),
        world_(config),
        before_(std::move(before)),
        other_(std::move(other)),
        after_(std::move(after)) {}
  Scene(Call call, const flake_config &config, Random random)
      : call_(call),
        world_(config),
        before_(random_actions(random, 4, false)),
        other_(random_actions(random, 5, call == Call::next)),
        after_(random_actions(random, 6, false)) {}

  using Path = std::vector<uint8_t *>;

  Path path() {
    Path path;
    play([&](const std::function<void()> &call) { path = Preemption::path_of(call); });
    return path;
  }
  void preempt_everywhere() { preempt_at_all(path()); }
  // A place that this call does not come to is none.
  void preempt_at_all(const Path &places) {
    int preempted = 0;
    for (uint8_t *place : places) {
      play([&](const std::function<void()> &call) {
        preempted += Preemption::run(place, call, [&] { act(world_, other_); });
      });
      ASSERT_EQ(world_.wrong(), nullptr)
          << world_.wrong() << "; before: " << text_of(before_) << ", preempted after " << preempted
          << ": " << text_of(other_) << ", after: " << text_of(after_);
    }
    EXPECT_GT(preempted, 20);
  }

 private:
  void play(const std::function<void(const std::function<void()> &)> &run) {
    world_.advance();
    act(world_, before_);
    if (call_ == Call::open) world_.close();
    int64_t id = 0;
    world_.begin();
    run([&] {
      if (call_ == Call::next) id = flake_next(world_.generator());
      if (call_ == Call::close) world_.close();
      if (call_ == Call::open) world_.open();
    });
    if (call_ == Call::next) world_.end(id);
    if (call_ == Call::close) world_.open();
    act(world_, after_);
  }

  const Call call_;
  World world_;
  const Actions before_, other_, after_;
};

// ---- races that have a name ---------------------------------------------------------------------

TEST(Preempt, TheGateIsShutWhileTheTickChanges) {
  Scene(Call::next, make_config("41/10/3"), {kNext, wall(1)}, {wall(0), kNext}, {wall(1), kNext})
      .preempt_everywhere();
}

TEST(Preempt, APublisherThatWasOvertakenDoesNotOpenItsOldGateForTheNewTick) {
  Scene(Call::next, make_config("41/10/3"), {}, {wall(1), kNext}, {wall(0), kNext, wall(1), kNext})
      .preempt_everywhere();
}

TEST(Preempt, TheGateIsTheOneOfTheReadingThatAdmittedTheTick) {
  Scene(Call::next, make_config("41/10/3"), {wall(1)}, {wall(0)}, {kNext, wall(1), kNext})
      .preempt_everywhere();
}

TEST(Preempt, ACallerDoesNotPairAnOldGateWithANewTick) {
  Scene(Call::next, make_config("41/10/3"), {kNext}, {wall(1), kNext, wall(0)}, {wall(1), kNext})
      .preempt_everywhere();
}

TEST(Preempt, AnIdThatIsDrawnWhileTheGeneratorIsClosedIsNotIssuedAgain) {
  Scene(Call::close, make_config("41/10/3"), {kNext}, {wall(1), kNext, kNext, wall(0)},
        {wall(1), kNext, kNext, wall(2), kNext})
      .preempt_everywhere();
}

TEST(Preempt, ACallThatOutlivesACloseGetsNothingOfTheNextRun) {
  Scene(Call::next, make_config("41/10/3"), {kNext}, {kReopen, wall(1), kNext, kNext},
        {kNext, kNext})
      .preempt_everywhere();
}

// ---- random ones --------------------------------------------------------------------------------

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kInstrumented = true;  // ten times the instructions to stop at
#else
constexpr bool kInstrumented = false;
#endif

std::vector<flake_config> configs() {
  std::vector<flake_config> all;
  for (const char *layout : {"41/10/1", "41/10/0", "41/10/4"}) {
    if (kInstrumented && !all.empty()) break;
    all.push_back(make_config(layout));
    all.push_back(make_config(layout));
    all.back().mode = FLAKE_MODE_MONOTONIC;
    all.back().max_lead_ms = 2;
  }
  return all;
}

void preempt_at_random(Call call, uint64_t seeds) {
  const char *full = std::getenv("FLAKE_FULL");
  if (full && full[0] == '1') seeds *= 20;
  if (kInstrumented) seeds = 2;
  Scene::Path places;  // a recording is dear, so all scenes share those of the first
  for (const flake_config &config : configs())
    for (uint8_t *place : Scene(call, config, Random(1)).path())
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  for (const flake_config &config : configs())
    for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFatalFailure(); seed++) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Scene(call, config, Random(seed)).preempt_at_all(places);
    }
}

TEST(Preempt, AtRandomNextMayBePreemptedAnywhere) {
  preempt_at_random(Call::next, 100);
}

TEST(Preempt, AtRandomCloseMayBePreemptedAnywhere) {
  preempt_at_random(Call::close, 50);
}

TEST(Preempt, AtRandomOpenMayBePreemptedAnywhere) {
  preempt_at_random(Call::open, 10);
}

}  // namespace
#endif
