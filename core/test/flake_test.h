// SPDX-License-Identifier: MIT
// What the tests of the core share: layouts from text, clocks and generators that close themselves,
// and comparisons that print statuses by name. The library is used through its public header only.
#ifndef FLAKE_TEST_H
#define FLAKE_TEST_H

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "flakecore.h"
#include "run_dir.h"

// EXPECT_STATUS(FLAKE_E_CLOSED, flake_next(gen)): expected first; what came is printed by name.
#define EXPECT_STATUS(expected, value) EXPECT_PRED_FORMAT2(flake_test::same_status, expected, value)
#define ASSERT_STATUS(expected, value) ASSERT_PRED_FORMAT2(flake_test::same_status, expected, value)
// EXPECT_ID(flake_next(gen)): an ID, not a status.
#define EXPECT_ID(value) EXPECT_PRED_FORMAT1(flake_test::is_id, value)
#define ASSERT_ID(value) ASSERT_PRED_FORMAT1(flake_test::is_id, value)

namespace flake_test {

constexpr int64_t kNsPerMs = 1000000;
constexpr int64_t kNsPerSecond = 1000 * kNsPerMs;
constexpr int64_t kNowMs = 1750000000000;  // 2025-06-15T15:06:40Z, the start of a second

// "42 (an ID)" or "-6 (clock_rewound)".
inline std::string said(int64_t value) {
  return std::to_string(value) + " (" + (value > 0 ? "an ID" : flake_status_name(value)) + ")";
}

inline testing::AssertionResult same_status(const char *, const char *value_text, int64_t expected,
                                            int64_t value) {
  if (value == expected) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << value_text << "\n  is " << said(value) << "\n  not " << said(expected);
}

inline testing::AssertionResult is_id(const char *value_text, int64_t value) {
  if (value > 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << value_text << "\n  is " << said(value) << "\n  not an ID";
}

// The layout that text means; all zero, and a failed test, when it means none.
inline flake_layout parse(std::string_view text) {
  flake_layout layout{};
  EXPECT_STATUS(FLAKE_OK, flake_layout_parse(text.data(), text.size(), &layout)) << text;
  return layout;
}

// The parts of an ID that must have some.
inline flake_decoded decode(const flake_layout &layout, int64_t id) {
  flake_decoded decoded{};
  EXPECT_STATUS(FLAKE_OK, flake_decode(&layout, static_cast<uint64_t>(id), &decoded)) << said(id);
  return decoded;
}

inline void set_space(flake_config &config, std::string_view space) {
  ASSERT_LT(space.size(), sizeof config.space);
  std::memset(config.space, 0, sizeof config.space);
  std::memcpy(config.space, space.data(), space.size());
}

// A name that no other space of this process has.
inline std::string fresh_space() {
  static std::atomic<int> count{0};
  return "test-" + std::to_string(count++);
}

// The defaults with this layout and node, in a space of its own. Change the rest before opening.
inline flake_config make_config(std::string_view layout = "41/10/12", int64_t node = 1) {
  flake_config config{};
  EXPECT_STATUS(FLAKE_OK, flake_config_init(&config, sizeof config));
  config.layout = parse(layout);
  config.node = node;
  set_space(config, fresh_space());
  return config;
}

// A test clock; converts to the flake_test_clock * that calls take. Open it before the generators.
class Clock {
 public:
  // At kNowMs: the start of a tick in every layout of these tests.
  Clock() : Clock(kNowMs * kNsPerMs) {}
  explicit Clock(int64_t wall_ns) {
    EXPECT_STATUS(FLAKE_OK, flake_test_clock_open(wall_ns, &clock_));
  }
  Clock(const Clock &) = delete;
  Clock &operator=(const Clock &) = delete;
  ~Clock() { flake_test_clock_close(clock_); }

  operator flake_test_clock *() const { return clock_; }
  int64_t wall() const { return flake_test_clock_wall(clock_); }
  int64_t monotonic() const { return flake_test_clock_monotonic(clock_); }
  void set_wall(int64_t ns) { EXPECT_STATUS(FLAKE_OK, flake_test_clock_set_wall(clock_, ns)); }
  void set_rate(int64_t permille) {
    EXPECT_STATUS(FLAKE_OK, flake_test_clock_set_rate(clock_, permille));
  }
  void advance(int64_t ns) { EXPECT_STATUS(FLAKE_OK, flake_test_clock_advance(clock_, ns)); }
  void script(int64_t after_ns, int64_t step_ns) {
    EXPECT_STATUS(FLAKE_OK, flake_test_clock_script(clock_, after_ns, step_ns));
  }
  void stop_sleeps(bool stopped) {
    EXPECT_STATUS(FLAKE_OK, flake_test_clock_stop_sleeps(clock_, stopped));
  }

 private:
  flake_test_clock *clock_ = nullptr;
};

// An opened generator; converts to the flake_generator * that calls take. Where opening may fail,
// look at status() first. Without clock it uses the system's.
class Generator {
 public:
  explicit Generator(const flake_config &config, flake_test_clock *clock = nullptr)
      : status_(flake_open(&config, clock, &gen_)), open_(status_ == FLAKE_OK) {}
  Generator(Generator &&other) noexcept
      : gen_(other.gen_), status_(other.status_), open_(std::exchange(other.open_, false)) {}
  Generator &operator=(Generator &&) = delete;
  ~Generator() {
    if (open_) flake_close(gen_);
  }

  flake_status status() const { return status_; }
  operator flake_generator *() const { return gen_; }
  int64_t next() { return flake_next(gen_); }
  // Closes now; the handle is kept for calls that come late.
  flake_status close() {
    open_ = false;
    return flake_close(gen_);
  }

 private:
  flake_generator *gen_ = nullptr;  // before status_: opening writes it
  flake_status status_;
  bool open_;
};

}  // namespace flake_test

#endif
