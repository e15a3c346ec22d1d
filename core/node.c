/* SPDX-License-Identifier: MIT */
/*
 * A node number from the surroundings: a chain of sources that the caller orders. A source that is
 * missing makes way for the next; one that is there but holds no good number is an error, for to
 * pass over it would let a typo choose the node.
 */
#include "internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORD_SIZE 256

/* What a source is asked for, and where its sentence goes. */
typedef struct request {
  uint64_t max; /* largest node of the layout */
  uint32_t node_bits;
  char *text;
  size_t text_size;
} request;

static int64_t say(const request *req, int64_t result, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (req->text) vsnprintf(req->text, req->text_size, format, args);
  va_end(args);
  return result;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Decimal digits alone; a number that no int64 holds is read as the largest. */
static bool read_number(const char *text, size_t len, int64_t *value) {
  int64_t n = 0;
  if (len == 0) return false;
  for (size_t i = 0; i < len; i++) {
    if (text[i] < '0' || text[i] > '9') return false;
    n = n > (INT64_MAX - 9) / 10 ? INT64_MAX : n * 10 + (text[i] - '0');
  }
  *value = n;
  return true;
}

/* The node that a source's text says. */
static int64_t node_of_text(const request *req, const char *source, const char *text, size_t len) {
  int64_t node;
  if (!read_number(text, len, &node))
    return say(req, FLAKE_E_INVALID_ARGUMENT,
               "%s holds \"%.*s\", which is not a node; give a decimal number in 0..%" PRIu64,
               source, (int)flake_min(len, 64), text, req->max);
  if ((uint64_t)node > req->max)
    return say(req, FLAKE_E_NODE_OUT_OF_RANGE,
               "%s gives node %.*s, which does not fit %" PRIu32 " bits; use 0..%" PRIu64, source,
               (int)flake_min(len, 64), text, req->node_bits, req->max);
  return say(req, node, "node %" PRId64 " from %s", node, source);
}

/* ---- the sources ----------------------------------------------------------------------------- */

static int64_t from_env(const request *req, const char *source, const char *name) {
  const char *value = getenv(name);
  if (!value) return say(req, FLAKE_E_NO_NODE, "%s is not set", source);
  return node_of_text(req, source, value, strlen(value));
}

static int64_t from_file(const request *req, const char *source, const char *path) {
  char text[64];
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno == ENOENT) return say(req, FLAKE_E_NO_NODE, "%s does not exist", source);
  ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text);
  int reason = errno;
  if (fd >= 0) close(fd);
  if (len < 0)
    return say(req, FLAKE_E_INVALID_ARGUMENT, "%s cannot be read: %s", source, strerror(reason));
  const char *end = memchr(text, '\n', (size_t)len);
  if (!end && (size_t)len == sizeof text)
    return say(req, FLAKE_E_INVALID_ARGUMENT, "%s: its first line is longer than a number", source);
  return node_of_text(req, source, text, end ? (size_t)(end - text) : (size_t)len);
}

static int64_t from_hostname(const request *req, const char *source, const char *unused) {
  char host[WORD_SIZE] = "";
  (void)unused;
  if (gethostname(host, sizeof host - 1) != 0) host[0] = 0;
  const char *dash = strrchr(host, '-');
  int64_t ordinal;
  if (!dash || !read_number(dash + 1, strlen(dash + 1), &ordinal))
    return say(req, FLAKE_E_NO_NODE, "%s: host name \"%.100s\" does not end in -NUMBER", source,
               host);
  return node_of_text(req, source, dash + 1, strlen(dash + 1));
}

static bool is_private(uint32_t address) {
  return address >> 24 == 10 || address >> 20 == 0xac1 || address >> 16 == 0xc0a8 ||
         address >> 22 == 0x191; /* 100.64/10, RFC 6598 */
}

enum { NO_ADDRESS = -1, SEVERAL_ADDRESSES = -2, UNREADABLE_ADDRESSES = -3 };

/* The bits after the prefix of the one private address, of an interface if one is named. */
static int64_t host_part(const char *interface, int prefix) {
  struct ifaddrs *all;
  int64_t found = NO_ADDRESS;
  if (getifaddrs(&all) != 0) return UNREADABLE_ADDRESSES;
  for (const struct ifaddrs *a = all; a && found != SEVERAL_ADDRESSES; a = a->ifa_next) {
    if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET) continue;
    if (interface && strcmp(interface, a->ifa_name) != 0) continue;
    struct sockaddr_in in;
    memcpy(&in, a->ifa_addr, sizeof in);
    uint32_t address = ntohl(in.sin_addr.s_addr);
    if (!is_private(address)) continue;
    int64_t part = (int64_t)(address & flake_low_bits((uint32_t)(32 - prefix)));
    found = found == NO_ADDRESS || found == part ? part : SEVERAL_ADDRESSES;
  }
  freeifaddrs(all);
  return found;
}

static int64_t from_ipv4(const request *req, const char *source, const char *argument) {
  int64_t prefix;
  const char *at = strchr(argument, '@');
  size_t digits = at ? (size_t)(at - argument) : strlen(argument);
  if (!read_number(argument, digits, &prefix) || prefix < 1 || prefix > 31 || (at && !at[1]))
    return say(req, FLAKE_E_INVALID_ARGUMENT,
               "%s: give the length of the network's prefix in 1..31, as ipv4:22 or ipv4:22@eth0",
               source);
  uint32_t host_bits = 32 - (uint32_t)prefix;
  if (host_bits > req->node_bits)
    return say(req, FLAKE_E_NODE_OUT_OF_RANGE,
               "%s leaves %" PRIu32 " bits, but the layout's node field has %" PRIu32
               ": two hosts could get one node; the prefix must be at least %" PRIu32,
               source, host_bits, req->node_bits, 32 - req->node_bits);
  int64_t part = host_part(at ? at + 1 : NULL, (int)prefix);
  if (part == UNREADABLE_ADDRESSES)
    return say(req, FLAKE_E_OUT_OF_MEMORY, "%s: the addresses of this host cannot be read: %s",
               source, strerror(errno));
  if (part == NO_ADDRESS)
    return say(req, FLAKE_E_NO_NODE, "%s: there is no private IPv4 address%s%s", source,
               at ? " on " : "", at ? at + 1 : "");
  if (part == SEVERAL_ADDRESSES)
    return say(req, FLAKE_E_INVALID_ARGUMENT,
               "%s: this host has several private IPv4 addresses; name the interface, as "
               "ipv4:%" PRId64 "@eth0",
               source, prefix);
  return say(req, part, "node %" PRId64 " from %s", part, source);
}

/* How probable it is that at least two of so many draw the same of nodes numbers. */
static double collision_odds(int64_t fleet, uint64_t nodes) {
  double distinct = 1;
  for (int64_t i = 0; i < fleet && distinct > 1e-9; i++)
    distinct *= (uint64_t)i < nodes ? 1 - (double)i / (double)nodes : 0;
  return 1 - distinct;
}

static int64_t from_random(const request *req, const char *source, const char *argument) {
  int64_t fleet;
  uint64_t bits;
  if (!read_number(argument, strlen(argument), &fleet) || fleet < 1)
    return say(req, FLAKE_E_INVALID_ARGUMENT,
               "%s: say how many generators the fleet has, as random:10", source);
  if (flake_entropy(&bits, sizeof bits))
    return say(req, FLAKE_E_NO_ENTROPY, "%s: %s", source, flake_status_text(FLAKE_E_NO_ENTROPY));
  int64_t node = (int64_t)(bits & req->max);
  double percent = 100 * collision_odds(fleet, req->max + 1);
  return say(req, node,
             "node %" PRId64 " from %s: with %" PRId64 " generators on %" PRIu64
             " numbers, two get the same one with a probability of %.*g %%",
             node, source, fleet, req->max + 1, percent < 99.5 ? 2 : 3, percent);
}

/* ---- the chain ------------------------------------------------------------------------------- */

static const struct {
  const char *name; /* ends with ':' where an argument follows */
  int64_t (*ask)(const request *req, const char *source, const char *argument);
} sources[] = {
    {"env:", from_env},   {"file:", from_file},     {"hostname-ordinal", from_hostname},
    {"ipv4:", from_ipv4}, {"random:", from_random},
};

/* The row of a source, or -1: a number or nothing known. */
static int row_of(const char *source) {
  for (int i = 0; i < (int)(sizeof sources / sizeof sources[0]); i++) {
    size_t len = strlen(sources[i].name);
    bool argued = sources[i].name[len - 1] == ':';
    if (argued ? strncmp(source, sources[i].name, len) == 0 : strcmp(source, sources[i].name) == 0)
      return i;
  }
  return -1;
}

static bool is_number(const char *source) {
  int64_t ignored;
  return read_number(source, strlen(source), &ignored);
}

/* Whether a source is one: a number, or a known name with an argument where it needs one; no
 * environment variable has a blank in its name. */
static bool is_source(const char *source) {
  int row = row_of(source);
  if (row < 0) return is_number(source);
  size_t len = strlen(sources[row].name);
  bool named = sources[row].name[len - 1] != ':' || source[len];
  return named && (strncmp(source, "env:", 4) != 0 || !strchr(source, ' '));
}

static int64_t ask(const request *req, const char *source) {
  int row = row_of(source);
  if (row < 0) return node_of_text(req, source, source, strlen(source));
  return sources[row].ask(req, source, source + strlen(sources[row].name));
}

/* Copies the next link of the chain and moves on; false when it is too long for a source. */
static bool next_source(const char **at, const char *end, char source[WORD_SIZE]) {
  const char *comma = memchr(*at, ',', (size_t)(end - *at));
  size_t len = (size_t)((comma ? comma : end) - *at);
  if (len >= WORD_SIZE || memchr(*at, 0, len)) return false;
  memcpy(source, *at, len);
  source[len] = 0;
  *at = comma ? comma + 1 : NULL;
  return true;
}

/* All links are looked at before any is asked: a typo must not wait for a host that reaches it. */
static int64_t check_chain(const request *req, const char *at, const char *end) {
  char source[WORD_SIZE];
  while (at) {
    if (!next_source(&at, end, source))
      return say(req, FLAKE_E_INVALID_ARGUMENT,
                 "a source of a node has at most 255 characters, none of them NUL");
    if (!is_source(source))
      return say(req, FLAKE_E_INVALID_ARGUMENT,
                 "\"%.100s\" is no source of a node; use a number, env:NAME, file:PATH, "
                 "hostname-ordinal, ipv4:PREFIX, random:FLEET, or several with commas",
                 source);
  }
  return FLAKE_OK;
}

/* The sentence of the last source alone would hide the others. */
static int64_t none_is_there(const request *req, const char *chain, size_t chain_len) {
  char last[FLAKE_NODE_TEXT_SIZE] = "";
  if (!req->text || !memchr(chain, ',', chain_len)) return FLAKE_E_NO_NODE;
  snprintf(last, sizeof last, "%s", req->text);
  return say(req, FLAKE_E_NO_NODE,
             "no source of \"%.*s\" is there; provide one of them, or give a number (the last: "
             "%.200s)",
             (int)flake_min(chain_len, 150), chain, last);
}

int64_t flake_node_from(const char *chain, size_t chain_len, const flake_layout *layout, char *text,
                        size_t text_size) {
  if (!chain || !layout || (text && text_size < FLAKE_NODE_TEXT_SIZE))
    return FLAKE_E_INVALID_ARGUMENT;
  request req = {flake_low_bits(layout->node_bits), layout->node_bits, text, text_size};
  if (flake_layout_valid(layout))
    return say(&req, FLAKE_E_BAD_LAYOUT, "%s", flake_status_text(FLAKE_E_BAD_LAYOUT));
  const char *at = chain, *end = chain + chain_len;
  char source[WORD_SIZE];
  int64_t node = check_chain(&req, at, end);
  if (node) return node;
  do {
    (void)next_source(&at, end, source);
    node = ask(&req, source);
  } while (node == FLAKE_E_NO_NODE && at);
  return node == FLAKE_E_NO_NODE ? none_is_there(&req, chain, chain_len) : node;
}
