/* SPDX-License-Identifier: MIT */
/*
 * Random bytes straight from the kernel, without a pool of our own: a forked or cloned process can
 * then never repeat them.
 */
#include "internal.h"

#include <errno.h>
#include <sys/random.h>

flake_status flake_entropy(void *bytes, size_t bytes_len) {
  unsigned char *at = bytes;
  while (bytes_len > 0) {
    size_t want = bytes_len < 256 ? bytes_len : 256; /* getentropy's limit */
    if (getentropy(at, want) != 0) {
      if (errno == EINTR) continue;
      return FLAKE_E_NO_ENTROPY;
    }
    at += want;
    bytes_len -= want;
  }
  return FLAKE_OK;
}
