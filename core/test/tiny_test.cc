// SPDX-License-Identifier: MIT
// The generator on layouts so small that every state can be visited, against a plain model.
//
// The model is the rules of docs/clock.md with a few integers: no word, gate or atomics. From it
// comes a graph: every state that a sequence of actions reaches, and where each action leads. Walks
// drive the library along this graph until every action was done in every state. What the library
// remembers beside (an old gate, say) is not in the graph; so all short sequences follow.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "flake_test.h"

namespace {

using flake_test::Clock;
using flake_test::said;
using std::string;

constexpr int64_t kTickNs = flake_test::kNsPerMs;
constexpr int64_t kHalfNs = kTickNs / 2;
constexpr int64_t kEpochMs = 1000;
constexpr int64_t kEpochNs = kEpochMs * kTickNs;
constexpr int64_t kNode = 1;

// ---- what may be done ---------------------------------------------------------------------------

struct Action {
  enum Kind { kSetWall, kSetRate, kAdvance, kNext, kStep, kOpen, kClose } kind;
  int64_t value;  // ns or per mille
};

string text_of(const Action &action) {
  static const char *const names[] = {"set_wall", "set_rate", "advance", "next",
                                      "step",     "open",     "close"};
  const int64_t value = action.kind == Action::kSetWall ? action.value - kEpochNs : action.value;
  return string(names[action.kind]) + "(" + std::to_string(value) + ")";
}

// A layout of 1 ms ticks with a config, and the actions to be tried on it.
struct World {
  string name;
  int64_t time_bits, seq_bits;
  flake_mode mode = FLAKE_MODE_STRICT;
  int64_t max_wait_ms = 0, max_lead_ms = FLAKE_UNSET;
  int64_t floor_tick = 0, ceiling_tick = FLAKE_UNSET;
  std::vector<int64_t> offsets_ns = {0};  // where inside each tick the clock is set
  std::vector<int64_t> rates = {};
  int64_t advance_ns = 0;  // 0: the clock moves only when set, and by sleeps
  int64_t opens = 0;       // how many times at once; 0: it is never closed

  World(string its_name, int64_t its_time_bits, int64_t its_seq_bits)
      : name(std::move(its_name)), time_bits(its_time_bits), seq_bits(its_seq_bits) {}
  World with(const std::function<void(World &)> &change) const {
    World changed = *this;
    change(changed);
    return changed;
  }

  int64_t ticks() const { return int64_t{1} << time_bits; }
  int64_t sequences() const { return int64_t{1} << seq_bits; }
  int64_t ceiling() const { return ceiling_tick == FLAKE_UNSET ? ticks() : ceiling_tick; }
  int64_t lowest_ns() const { return kEpochNs - kTickNs; }
  int64_t highest_ns() const { return kEpochNs + (ticks() + 2) * kTickNs; }

  flake_config config() const {
    flake_config made =
        flake_test::make_config("t" + std::to_string(time_bits) + "n1s" + std::to_string(seq_bits) +
                                    "@" + std::to_string(kEpochMs),
                                kNode);
    made.mode = mode;
    made.max_wait_ms = max_wait_ms;
    made.max_lead_ms = max_lead_ms;
    if (floor_tick > 0) made.start_floor_ms = kEpochMs + floor_tick;
    if (ceiling_tick != FLAKE_UNSET) made.ceiling_ms = kEpochMs + ceiling_tick;
    return made;
  }

  std::vector<Action> actions() const {
    std::vector<Action> all = {{Action::kNext, 0}, {Action::kStep, 0}};
    if (advance_ns > 0) all.push_back({Action::kAdvance, advance_ns});
    if (opens > 0) all.insert(all.end(), {{Action::kOpen, 0}, {Action::kClose, 0}});
    for (int64_t tick = -1; tick <= ticks(); tick++)
      for (int64_t offset : offsets_ns)
        all.push_back({Action::kSetWall, kEpochNs + tick * kTickNs + offset});
    for (int64_t permille : rates) all.push_back({Action::kSetRate, permille});
    return all;
  }
};

// ---- the model ----------------------------------------------------------------------------------

struct Outcome {
  int64_t id;  // or a status
  int64_t wait_ns, reason;
};

class Model {
 public:
  Model(const World &world, int64_t wall_ns) : world_(&world), wall_(wall_ns) {}

  // Whether to try it: the clock stays near the layout's ticks.
  bool can(const Action &action) const {
    switch (action.kind) {
      case Action::kOpen:
        return refs_ < world_->opens;
      case Action::kAdvance: {
        const int64_t wall = wall_ + action.value * permille_ / 1000;
        return wall >= world_->lowest_ns() && wall <= world_->highest_ns();
      }
      default:
        return true;
    }
  }

  Outcome act(const Action &action) {
    switch (action.kind) {
      case Action::kSetWall:
        wall_ = action.value;
        return {};
      case Action::kSetRate:
        permille_ = action.value;
        return {};
      case Action::kAdvance:
        pass(action.value);
        return {};
      case Action::kNext:
        return {next(), 0, 0};
      case Action::kStep:
        return step(mono_ + max_wait_ns());
      case Action::kOpen:
        return {open(), 0, 0};
      default:
        return {close(), 0, 0};
    }
  }

  int64_t wall() const { return wall_; }
  int64_t mono() const { return mono_; }
  // floor division, as the clock may be before the epoch
  int64_t now() const { return (wall_ - kEpochNs + kTickNs) / kTickNs - 1; }

  // All that later outcomes depend on.
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t, bool, int64_t, int64_t, int64_t,
                         int64_t, int64_t>;
  Key key() const {
    return {wall_, permille_, refs_,      last_,       issued_,
            high_, closed_,   free_tick_, still_wall_, std::min(mono_ - still_since_, 2 * kTickNs)};
  }
  // What only ever grows: a walk does what it can before it moves on.
  std::array<int64_t, 5> progress() const { return {last_, high_, free_tick_, closed_, issued_}; }

 private:
  int64_t max_wait_ns() const { return world_->max_wait_ms * kTickNs; }
  // What the last number is when it opens. Opened again, it is a burnt one above the old last.
  int64_t opening() const {
    const int64_t tick = std::max({now() + 1, free_tick_, world_->floor_tick});
    const int64_t below = tick * world_->sequences() - 1;
    return closed_ < 0 ? below : std::max(below, closed_) + 1;
  }

  void pass(int64_t ns) {
    mono_ += ns;
    wall_ += ns * permille_ / 1000;
  }

  int64_t open() {
    if (refs_ == 0) {
      if (wall_ < kEpochNs) return FLAKE_E_BEFORE_EPOCH;
      const int64_t first = (opening() + 1) / world_->sequences();
      if (now() >= world_->ticks() || first >= world_->ticks()) return FLAKE_E_TIME_USED_UP;
      if (first >= world_->ceiling()) return FLAKE_E_CEILING_REACHED;
      last_ = opening();
      issued_ = false;
      high_ = std::max({high_, now(), world_->floor_tick});
    }
    refs_++;
    return FLAKE_OK;
  }

  int64_t close() {
    if (refs_ == 0) return FLAKE_E_CLOSED;
    if (--refs_ > 0) return FLAKE_OK;
    closed_ = last_;
    if (issued_) free_tick_ = last_ / world_->sequences() + 1;
    return FLAKE_OK;
  }

  Outcome step(int64_t deadline) {
    if (refs_ == 0) return {FLAKE_E_CLOSED, 0, 0};
    if (wall_ < kEpochNs) return {FLAKE_E_BEFORE_EPOCH, 0, 0};
    high_ = std::max(high_, now());
    const bool strict = world_->mode == FLAKE_MODE_STRICT;
    const int64_t number = std::max(last_ + 1, now() * world_->sequences());
    const int64_t tick = number / world_->sequences();
    if (tick >= world_->ticks()) return {FLAKE_E_TIME_USED_UP, 0, 0};
    if (tick >= world_->ceiling()) return {FLAKE_E_CEILING_REACHED, 0, 0};
    const int64_t lead = strict                               ? 0
                         : world_->max_lead_ms == FLAKE_UNSET ? world_->ticks()
                                                              : world_->max_lead_ms;
    if (tick <= now() + lead) {
      last_ = number;
      issued_ = true;
      return {(tick * 2 + kNode) * world_->sequences() + number % world_->sequences(), 0, 0};
    }
    const int64_t reason = cause();
    const int64_t wait = kEpochNs + tick * kTickNs - wall_;
    const bool hopeless = reason == FLAKE_E_CLOCK_REWOUND && wait > max_wait_ns();
    if (!strict || hopeless || mono_ >= deadline) return {reason, 0, 0};
    return {FLAKE_E_AGAIN, std::min(wait, deadline - mono_), reason};
  }

  // Why a call must wait. Frozen means in the eyes of the calls that must.
  int64_t cause() {
    if (still_wall_ != wall_) still_wall_ = wall_, still_since_ = mono_;
    if (now() < high_) return FLAKE_E_CLOCK_REWOUND;
    if (mono_ - still_since_ >= 2 * kTickNs) return FLAKE_E_CLOCK_FROZEN;
    return issued_ ? FLAKE_E_EXHAUSTED : FLAKE_E_DEADLINE_PASSED;
  }

  int64_t next() {
    const int64_t deadline = mono_ + max_wait_ns();
    for (;;) {
      const Outcome outcome = step(deadline);
      if (outcome.id != FLAKE_E_AGAIN) return outcome.id;
      pass(outcome.wait_ns);
    }
  }

  const World *world_;
  int64_t wall_, mono_ = 0, permille_ = 1000;
  int64_t refs_ = 0;
  int64_t last_ = -1;      // tick * sequences + sequence of the last number
  bool issued_ = false;    // since it was opened
  int64_t high_ = -1;      // the highest wall tick seen
  int64_t free_tick_ = 0;  // above all ticks in which an ID was issued before a close
  int64_t closed_ = -1;    // the last number when it was closed
  int64_t still_wall_ = -1, still_since_ = 0;
};

// ---- the library beside the model ---------------------------------------------------------------

class Pair {
 public:
  Pair(const World &world, int64_t wall_ns)
      : world_(world), config_(world.config()), model_(world, wall_ns), clock_(wall_ns) {}
  Pair(const Pair &) = delete;
  Pair &operator=(const Pair &) = delete;
  ~Pair() {
    while (gen_ && flake_close(gen_) == FLAKE_OK) {
    }
  }

  const Model &model() const { return model_; }

  // False, with a failed test, when the two differ.
  bool act(const Action &action) {
    history_.push_back(action);
    const Outcome expected = model_.act(action), found = act_in_library(action);
    const bool same = expected.id == found.id && expected.wait_ns == found.wait_ns &&
                      expected.reason == found.reason && clock_.wall() == model_.wall() &&
                      clock_.monotonic() - flake_test::kNsPerSecond == model_.mono();
    EXPECT_TRUE(same) << world_.name << ": " << history() << "\n  is " << text(found) << "\n  not "
                      << text(expected) << "\n  clock " << clock_.wall() - kEpochNs << " not "
                      << model_.wall() - kEpochNs;
    return same && (found.id <= 0 || is_sound(found.id));
  }

 private:
  static string text(const Outcome &o) {
    return said(o.id) + " wait " + std::to_string(o.wait_ns) + " reason " +
           flake_status_name(o.reason);
  }

  Outcome act_in_library(const Action &action) {
    switch (action.kind) {
      case Action::kSetWall:
        clock_.set_wall(action.value);
        return {};
      case Action::kSetRate:
        clock_.set_rate(action.value);
        return {};
      case Action::kAdvance:
        clock_.advance(action.value);
        return {};
      case Action::kNext:
        return {flake_next(gen_), 0, 0};
      case Action::kStep: {
        flake_attempt attempt{};
        const int64_t id = flake_next_step(gen_, &attempt);
        if (id != FLAKE_E_AGAIN) return {id, 0, 0};
        EXPECT_EQ(attempt.wake_ns - attempt.wait_ns, clock_.monotonic());
        return {id, attempt.wait_ns, attempt.reason};
      }
      case Action::kOpen:
        return {flake_open(&config_, clock_, &gen_), 0, 0};
      default:
        return {flake_close(gen_), 0, 0};
    }
  }

  string history() const {
    string text;
    for (const Action &action : history_) text += text_of(action) + " ";
    return text;
  }

  // What is promised, whatever the model says.
  bool is_sound(int64_t id) {
    const int64_t tick = id >> (1 + world_.seq_bits), now = model_.now();
    const bool increasing = issued_.empty() || id > *issued_.rbegin();
    const bool unique = issued_.insert(id).second;
    const bool in_time = world_.mode == FLAKE_MODE_MONOTONIC || tick <= now;
    EXPECT_TRUE(increasing && unique && in_time) << world_.name << ": " << history() << said(id);
    return increasing && unique && in_time;
  }

  const World &world_;
  const flake_config config_;
  Model model_;
  Clock clock_;
  flake_generator *gen_ = nullptr;
  std::set<int64_t> issued_;
  std::vector<Action> history_;
};

// ---- every action in every state ----------------------------------------------------------------

constexpr int64_t kStartNs = kEpochNs + kHalfNs;
constexpr Action kOpenAction{Action::kOpen, 0};

class Graph {
 public:
  explicit Graph(const World &world) : world_(world), actions_(world.actions()) {
    Model start(world, kStartNs);
    start.act(kOpenAction);
    index_of(start);
    for (size_t at = 0; at < models_.size(); at++)
      for (const Action &action : actions_) {
        size_t to = kNowhere;
        bool level = false;
        if (models_[at].can(action)) {
          Model next = models_[at];
          next.act(action);
          to = index_of(next);
          left_++;
          level = models_[at].progress() == next.progress();
        }
        leads_to_.push_back(to);
        level_.push_back(level);
      }
    done_.resize(leads_to_.size());
    seen_.resize(models_.size());
    reached_by_.resize(models_.size());
  }

  size_t states() const { return models_.size(); }
  // Edges that no walk has taken yet.
  size_t left() const { return left_; }

  // Drives one generator until nothing new is in its reach. False when the library differs.
  bool walk() {
    Pair pair(world_, kStartNs);
    if (!pair.act(kOpenAction)) return false;
    for (size_t at = 0;;) {
      std::vector<size_t> path = path_to_new(at, kLevel, kLevel);
      if (path.empty()) path = path_to_new(at, kLevel, kAny);
      if (path.empty()) path = path_to_new(at, kAny, kAny);
      if (path.empty()) return true;
      for (size_t edge : path) {
        left_ -= !done_[edge];
        done_[edge] = true;
        if (!pair.act(actions_[edge % actions_.size()])) return false;
        at = leads_to_[edge];
      }
    }
  }

 private:
  static constexpr size_t kNowhere = ~size_t{0};
  enum Kind { kAny, kLevel };  // level: what only grows stays as it is

  size_t index_of(const Model &model) {
    const auto [found, is_new] = index_.emplace(model.key(), models_.size());
    if (is_new) models_.push_back(model);
    return found->second;
  }
  bool is_of(size_t edge, Kind kind) const {
    return kind == kLevel ? level_[edge] : leads_to_[edge] != kNowhere;
  }

  // The edges to the nearest new one of a kind, with that, along edges of a kind; or none.
  std::vector<size_t> path_to_new(size_t from, Kind along, Kind wanted) {
    std::vector<size_t> queue = {from}, path;
    seen_[from] = ++searches_;
    for (size_t i = 0; i < queue.size(); i++) {
      const size_t first = queue[i] * actions_.size();
      for (size_t edge = first; edge < first + actions_.size(); edge++) {
        if (!done_[edge] && is_of(edge, wanted)) {
          for (path = {edge}; path.back() / actions_.size() != from;)
            path.push_back(reached_by_[path.back() / actions_.size()]);
          std::reverse(path.begin(), path.end());
          return path;
        }
        if (!is_of(edge, along) || seen_[leads_to_[edge]] == searches_) continue;
        seen_[leads_to_[edge]] = searches_;
        reached_by_[leads_to_[edge]] = edge;
        queue.push_back(leads_to_[edge]);
      }
    }
    return path;
  }

  const World &world_;
  const std::vector<Action> actions_;
  std::map<Model::Key, size_t> index_;
  std::vector<Model> models_;
  std::vector<size_t> leads_to_;  // by edge: state * actions + action
  std::vector<bool> level_, done_;
  size_t left_ = 0;
  size_t searches_ = 0;
  std::vector<size_t> seen_, reached_by_;  // by state, of the last search
};

void PrintTo(const World &world, std::ostream *out) {
  *out << world.name;
}

class Tiny : public testing::TestWithParam<World> {};

TEST_P(Tiny, EveryActionInEveryStateDoesWhatTheModelDoes) {
  Graph graph(GetParam());
  EXPECT_GT(graph.states(), 400u) << "hardly anything to try";
  const size_t edges = graph.left();
  size_t walks = 0;
  while (graph.left() > 0 && graph.walk()) walks++;
  EXPECT_EQ(graph.left(), 0u) << "of " << edges << " edges, after " << walks << " walks";
}

std::vector<World> worlds() {
  const auto world = [](const char *name, int64_t time_bits, int64_t seq_bits, auto change) {
    return World(name, time_bits, seq_bits).with(change);
  };
  const std::vector<int64_t> halves = {0, kHalfNs};
  const auto monotonic = [](World &w, int64_t lead_ms) {
    w.mode = FLAKE_MODE_MONOTONIC;
    w.max_wait_ms = 5;  // must not matter: it never waits
    w.max_lead_ms = lead_ms;
  };
  const auto freezing = [](World &w) { w.rates = {1000, 0}, w.advance_ns = kTickNs; };
  return {
      world("StrictNeverWaits", 3, 1, [](World &) {}),
      world("StrictWaits3Ticks", 3, 1, [](World &w) { w.max_wait_ms = 3; }),
      world("StrictInsideTicks", 2, 1, [&](World &w) { w.max_wait_ms = 2, w.offsets_ns = halves; }),
      world("StrictWith4Numbers", 2, 2, [](World &w) { w.max_wait_ms = 1; }),
      world("StrictWith1Number", 3, 0,
            [](World &w) { w.max_wait_ms = 1, w.offsets_ns = {kHalfNs}; }),
      world("StrictReopened", 2, 0, [](World &w) { w.max_wait_ms = 1, w.opens = 1; }),
      world("StrictReopenedWith4Numbers", 1, 2, [](World &w) { w.opens = 1; }),
      world("StrictShared", 1, 1,
            [&](World &w) { w.max_wait_ms = 1, w.offsets_ns = halves, w.opens = 2; }),
      world("StrictFrozen", 1, 1, freezing),
      world("StrictFrozenOrRetreating", 1, 0,
            [](World &w) {
              w.max_wait_ms = 3;
              w.rates = {1000, 0, -1000};
              w.advance_ns = kTickNs;
            }),
      world("StrictBetweenFloorAndCeiling", 3, 1,
            [](World &w) { w.max_wait_ms = 1, w.floor_tick = 2, w.ceiling_tick = 5; }),
      world("StrictBetweenFloorAndCeilingReopened", 2, 0,
            [](World &w) { w.max_wait_ms = 1, w.floor_tick = 1, w.ceiling_tick = 3, w.opens = 1; }),
      world("MonotonicWithoutLead", 3, 1, [&](World &w) { monotonic(w, 0); }),
      world("MonotonicReopened", 2, 0, [&](World &w) { monotonic(w, 1), w.opens = 1; }),
      world("MonotonicWithLead2", 3, 1, [&](World &w) { monotonic(w, 2); }),
      world("MonotonicFrozen", 1, 1, [&](World &w) { freezing(w), monotonic(w, 1); }),
      world("MonotonicAboveAFloor", 2, 0,
            [&](World &w) {
              monotonic(w, FLAKE_UNSET);
              w.floor_tick = 1, w.offsets_ns = halves, w.opens = 1;
            }),
      world("MonotonicBelowACeiling", 3, 1, [&](World &w) { monotonic(w, 2), w.ceiling_tick = 5; }),
  };
}

INSTANTIATE_TEST_SUITE_P(Worlds, Tiny, testing::ValuesIn(worlds()),
                         [](const auto &param) { return param.param.name; });

// ---- every short sequence -----------------------------------------------------------------------

class Sequences {
 public:
  Sequences(const World &world, std::vector<Action> actions, size_t length)
      : world_(world), actions_(std::move(actions)), length_(length) {}

  // All that begin with one action; the number of them, or 0 when the library differs.
  size_t play_from(size_t first) const {
    size_t count = 1;
    for (size_t i = 1; i < length_; i++) count *= actions_.size();
    for (size_t number = 0; number < count; number++)
      if (!play(first, number)) return 0;
    return count;
  }

 private:
  // The actions are the digits of the number.
  bool play(size_t first, size_t number) const {
    Pair pair(world_, kStartNs);
    if (!pair.act(kOpenAction)) return false;
    size_t choice = first;
    for (size_t i = 0; i < length_; i++, number /= actions_.size()) {
      if (!pair.model().can(actions_[choice])) return true;
      if (!pair.act(actions_[choice])) return false;
      choice = number % actions_.size();
    }
    return true;
  }

  const World &world_;
  const std::vector<Action> actions_;
  const size_t length_;
};

// In a child for each first action: a process keeps all generators that it ever opened.
void expect_every_sequence(const World &world) {
  constexpr size_t kLength = 5;
  const std::vector<Action> actions = {
      {Action::kNext, 0},
      {Action::kStep, 0},
      {Action::kClose, 0},
      {Action::kOpen, 0},
      {Action::kSetWall, kEpochNs},
      {Action::kSetWall, kEpochNs + kTickNs},
      {Action::kSetWall, kEpochNs + 2 * kTickNs - 1},
      {Action::kSetWall, kEpochNs + 2 * kTickNs},
  };
  for (size_t first = 0; first < actions.size(); first++) {
    fflush(stdout);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const size_t played = Sequences(world, actions, kLength).play_from(first);
      fflush(stdout);
      _exit(played == 4096 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "sequences that begin with " << text_of(actions[first]);
  }
}

TEST(TinySequences, EveryShortOneDoesWhatTheModelDoesInStrictMode) {
  expect_every_sequence(
      World("Strict", 2, 1).with([](World &w) { w.max_wait_ms = 1, w.opens = 1; }));
}

TEST(TinySequences, EveryShortOneDoesWhatTheModelDoesInMonotonicMode) {
  expect_every_sequence(World("Monotonic", 2, 1).with([](World &w) {
    w.mode = FLAKE_MODE_MONOTONIC, w.max_lead_ms = 1, w.opens = 1;
  }));
}

}  // namespace
