/* SPDX-License-Identifier: MIT */
// Generators with few numbers in a tick, so that a test soon comes to the end of one, and random
// choices that a seed repeats.
#ifndef FLAKE_TEST_SMALL_GENERATOR_H
#define FLAKE_TEST_SMALL_GENERATOR_H

#include <random>
#include <string_view>

#include "flake_test.h"

namespace flake_test {

constexpr int64_t kHour = 3600 * kNsPerSecond;

using Random = std::mt19937_64;

inline int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

inline flake_config strict(std::string_view layout = "41/10/2", int64_t max_wait_ms = 1100) {
  flake_config config = make_config(layout);
  config.max_wait_ms = max_wait_ms;
  return config;
}

inline flake_config monotonic(std::string_view layout = "41/10/2", int64_t max_lead_ms = 1000) {
  flake_config config = make_config(layout);
  config.mode = FLAKE_MODE_MONOTONIC;
  config.max_lead_ms = max_lead_ms;
  return config;
}

// Opens, and lets the first usable tick begin: with 1 ms ticks the one after that of kNowMs.
inline Generator open_now(const flake_config &config, Clock &clock) {
  Generator gen(config, clock);
  EXPECT_STATUS(FLAKE_OK, gen.status());
  clock.advance(config.layout.tick_ms * kNsPerMs);
  return gen;
}

}  // namespace flake_test

#endif
