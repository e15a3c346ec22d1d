// SPDX-License-Identifier: MIT
// What writing an ID as text costs, beside what one would write instead: snprintf for decimal, a
// plain loop of divisions for the other bases. Part of core_bench; run it interleaved:
//   core_bench --benchmark_filter='dec|hex|base' --benchmark_enable_random_interleaving=true
//     --benchmark_repetitions=20
#include <benchmark/benchmark.h>

#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

#include "flakecore.h"

namespace {

constexpr char kBase32[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr char kBase58[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr char kBase62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// IDs of some years, so that all have 18 digits or 19, as real ones.
std::array<uint64_t, 256> make_ids() {
  std::array<uint64_t, 256> ids{};
  uint64_t id = 175928847299117063;
  for (uint64_t &each : ids) each = id += 23456789012345678;
  return ids;
}

const std::array<uint64_t, 256> kIds = make_ids();

template <typename Write>
void run(benchmark::State &state, Write write) {
  char text[FLAKE_TEXT_SIZE];
  for ([[maybe_unused]] auto _ : state)
    for (uint64_t id : kIds) {
      write(id, text);
      benchmark::DoNotOptimize(text);
      benchmark::ClobberMemory();
    }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kIds.size()));
}

template <size_t kSize>
__attribute__((noinline)) void plain_loop(const char (&alphabet)[kSize], int width, uint64_t id,
                                          char *text) {
  constexpr uint64_t base = kSize - 1;
  for (int i = width - 1; i >= 0; i--) {
    text[i] = alphabet[id % base];
    id /= base;
  }
  text[width] = 0;
}

template <int32_t kFormat>
void flake(benchmark::State &state) {
  run(state, [](uint64_t id, char *text) {
    benchmark::DoNotOptimize(flake_encode(kFormat, id, text, FLAKE_TEXT_SIZE));
  });
}

void with_snprintf(benchmark::State &state) {
  run(state, [](uint64_t id, char *text) { snprintf(text, FLAKE_TEXT_SIZE, "%" PRIu64, id); });
}

template <size_t kSize>
void loop(benchmark::State &state, const char (&alphabet)[kSize], int width) {
  run(state, [&](uint64_t id, char *text) { plain_loop(alphabet, width, id, text); });
}

BENCHMARK(with_snprintf)->Name("dec_snprintf");
BENCHMARK(flake<FLAKE_FORMAT_DEC>)->Name("dec_flake");
BENCHMARK_CAPTURE(loop, base32, kBase32, 13)->Name("base32_loop");
BENCHMARK(flake<FLAKE_FORMAT_BASE32>)->Name("base32_flake");
BENCHMARK_CAPTURE(loop, base58, kBase58, 11)->Name("base58_loop");
BENCHMARK(flake<FLAKE_FORMAT_BASE58>)->Name("base58_flake");
BENCHMARK_CAPTURE(loop, base62, kBase62, 11)->Name("base62_loop");
BENCHMARK(flake<FLAKE_FORMAT_BASE62>)->Name("base62_flake");
BENCHMARK(flake<FLAKE_FORMAT_HEX>)->Name("hex_flake");

template <int32_t kFormat>
void decode(benchmark::State &state) {
  std::array<std::string, kIds.size()> texts;
  for (size_t i = 0; i < texts.size(); i++) {
    char text[FLAKE_TEXT_SIZE];
    const int32_t len = flake_encode(kFormat, kIds[i], text, sizeof text);
    texts[i].assign(text, static_cast<size_t>(len));
  }
  for ([[maybe_unused]] auto _ : state)
    for (const std::string &text : texts) {
      uint64_t id = 0;
      benchmark::DoNotOptimize(flake_decode_text(kFormat, text.data(), text.size(), &id));
      benchmark::DoNotOptimize(id);
    }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * kIds.size()));
}

BENCHMARK(decode<FLAKE_FORMAT_DEC>)->Name("dec_decode");
BENCHMARK(decode<FLAKE_FORMAT_BASE32>)->Name("base32_decode");
BENCHMARK(decode<FLAKE_FORMAT_BASE62>)->Name("base62_decode");

}  // namespace
