/* SPDX-License-Identifier: MIT */
/*
 * The host-wide guard: a lock file per space and node, so that a second process that was given the
 * same node is refused instead of repeating IDs.
 *
 * flock(2) and not POSIX record locks: those do not tell two copies of this library in one process
 * apart, and are lost when either closes the file. The file is never deleted, since a process that
 * waits with the old file open would then hold a lock that no other sees.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN_DIR_VARIABLE "FLAKECORE_RUN_DIR"

static const char *const run_dirs[FLAKE_RUN_DIRS] = {"/run/lock", "/dev/shm", "/tmp"};

/* "flakecore.", a space, a node, ".lock" */
#define NAME_SIZE (FLAKE_SPACE_SIZE + 48)

static void file_name(const flake_config *config, char name[NAME_SIZE]) {
  snprintf(name, NAME_SIZE, "flakecore.%s.%" PRId64 ".lock", config->space, config->node);
}

/* Opens a directory in which nobody else can replace our file: a real one, of this user or root,
 * and sticky where others may write. -1 when it is not such. A slash at its end would follow a
 * link. */
static int open_dir(const char *given) {
  char path[PATH_MAX];
  size_t len = strlen(given);
  while (len > 1 && given[len - 1] == '/') len--;
  if (given[0] != '/') { /* each working directory would be another one */
    errno = EINVAL;
    return -1;
  }
  if (len >= sizeof path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(path, given, len);
  path[len] = 0;
  int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat st;
  if (dir < 0) return -1;
  bool ours = fstat(dir, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid());
  bool safe = ours && (!(st.st_mode & (S_IWGRP | S_IWOTH)) || (st.st_mode & S_ISVTX));
  if (safe) return dir;
  close(dir);
  errno = EPERM;
  return -1;
}

/* Opens the lock file, made if need be. One that cannot be written is opened for reading, which is
 * enough to lock it; so that others can do so, the umask is not heeded. */
static int open_file(int dir, const char *name) {
  const int flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  for (int tries = 0; tries < 100; tries++) {
    int fd = openat(dir, name, O_RDWR | flags);
    if (fd < 0 && (errno == EACCES || errno == EROFS)) fd = openat(dir, name, O_RDONLY | flags);
    if (fd >= 0 || errno != ENOENT) return fd;
    fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | flags, 0644);
    if (fd >= 0) (void)!fchmod(fd, 0644);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

/* Whether fd is a plain file that still has this name. */
static bool is_named(int dir, const char *name, int fd, struct stat *st) {
  struct stat named;
  return fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_nlink == 1 &&
         fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == st->st_dev &&
         named.st_ino == st->st_ino;
}

/* For the sentence that another process gets. A file that cannot be written locks no less; beyond
 * the file size limit a write would even be a signal. */
static void write_pid(int fd) {
  char text[24];
  struct rlimit limit;
  int len = snprintf(text, sizeof text, "%ld\n", (long)getpid());
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < sizeof text) return;
  if (ftruncate(fd, 0) == 0) (void)!pwrite(fd, text, (size_t)len, 0);
}

/* Why there is no file. FLAKE_E_AGAIN: this directory serves nobody like us, so the next one may be
 * asked; but not when the file is there, since another user may hold it. */
static flake_status why_no_file(int dir, const char *name) {
  struct stat st;
  if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) return FLAKE_E_OUT_OF_MEMORY;
  bool closed_to_us = errno == EACCES || errno == EROFS;
  return closed_to_us && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ? FLAKE_E_AGAIN
                                                                           : FLAKE_E_NO_RUN_DIR;
}

static flake_status lock_in(int dir, const char *dir_path, const char *name, flake_lock *lock) {
  int fd = open_file(dir, name);
  size_t path_size = strlen(dir_path) + strlen(name) + 2;
  struct stat st;
  if (fd < 0) return why_no_file(dir, name);
  flake_status status = FLAKE_OK;
  char *path = malloc(path_size);
  if (!path)
    status = FLAKE_E_OUT_OF_MEMORY;
  else if (flock(fd, LOCK_EX | LOCK_NB) != 0)
    status = errno == EWOULDBLOCK ? FLAKE_E_NODE_IN_USE : FLAKE_E_NO_RUN_DIR;
  else if (!is_named(dir, name, fd, &st))
    status = FLAKE_E_NO_RUN_DIR;
  if (status) {
    free(path);
    close(fd);
    return status;
  }
  write_pid(fd);
  snprintf(path, path_size, "%s/%s", dir_path, name);
  *lock = (flake_lock){.fd = fd, .path = path, .device = st.st_dev, .inode = st.st_ino};
  return FLAKE_OK;
}

/* Locks in every directory that this user can use, because another user may be able to use fewer.
 * One that is missing or closed to this user is left out; one that is full or broken is not, since
 * another process may hold the node there. */
flake_status flake_guard_take(const flake_config *config, flake_guard *guard) {
  char name[NAME_SIZE];
  const char *chosen = getenv(RUN_DIR_VARIABLE);
  file_name(config, name);
  guard->held = 0;
  for (int i = 0; i < (chosen ? 1 : FLAKE_RUN_DIRS); i++) {
    const char *path = chosen ? chosen : run_dirs[i];
    int dir = open_dir(path);
    flake_status status = FLAKE_E_AGAIN;
    if (dir < 0 && (errno == EMFILE || errno == ENFILE)) status = FLAKE_E_OUT_OF_MEMORY;
    if (dir >= 0) status = lock_in(dir, path, name, &guard->locks[guard->held]);
    if (dir >= 0) close(dir);
    if (status == FLAKE_E_AGAIN) continue;
    if (status) {
      flake_guard_drop(guard, true);
      return status;
    }
    guard->held++;
  }
  return guard->held ? FLAKE_OK : FLAKE_E_NO_RUN_DIR;
}

static bool is_same(const flake_lock *lock, const struct stat *st) {
  return st->st_dev == lock->device && st->st_ino == lock->inode;
}

/* A program that closed all its descriptors may have opened another file under this number. */
static bool is_ours(const flake_lock *lock) {
  struct stat st;
  return fstat(lock->fd, &st) == 0 && is_same(lock, &st);
}

/* Whoever opens the node looks at the path: a file that was moved away keeps nobody out. */
bool flake_guard_holds(const flake_guard *guard) {
  struct stat st;
  for (int i = 0; i < guard->held; i++) {
    const flake_lock *lock = &guard->locks[i];
    if (!is_ours(lock) || lstat(lock->path, &st) != 0 || !is_same(lock, &st)) return false;
  }
  return true;
}

void flake_guard_drop(flake_guard *guard, bool unlock) {
  for (; guard->held > 0; guard->held--) {
    const flake_lock *lock = &guard->locks[guard->held - 1];
    free(lock->path);
    if (!is_ours(lock)) continue;
    if (unlock) flock(lock->fd, LOCK_UN);
    close(lock->fd);
  }
}

/* ---- the sentence ---------------------------------------------------------------------------- */

/* The process that wrote itself into the lock file, or 0. */
static long holder_of(int dir, const char *name) {
  char text[24] = "";
  int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return 0;
  ssize_t len = read(fd, text, sizeof text - 1);
  close(fd);
  return len > 0 ? strtol(text, NULL, 10) : 0;
}

/* What keeps a chosen directory from serving, as far as looking at it tells. */
static const char *fault_of(const char *path) {
  if (path[0] == 0) return "empty";
  if (path[0] != '/') return "not an absolute path";
  int dir = open_dir(path);
  if (dir >= 0) {
    close(dir);
    if (access(path, W_OK) != 0) return strerror(errno);
    return "its file system is full or cannot lock, or something else has the lock file's name";
  }
  if (errno == EPERM) return "another user owns it, or others can write to it and it is not sticky";
  if (errno == ELOOP || errno == ENOTDIR) return "a symbolic link, or not a directory";
  return strerror(errno);
}

static void explain_no_run_dir(const char *chosen, int64_t node, char *text, size_t text_size) {
  snprintf(text, text_size,
           "no lock file for node %" PRId64 " can be had in %s%.200s%s%.90s; set " RUN_DIR_VARIABLE
           " to the absolute path of a local directory that this user owns and others cannot "
           "write to",
           node, chosen ? RUN_DIR_VARIABLE " \"" : "",
           chosen ? chosen : "/run/lock, /dev/shm or /tmp", chosen ? "\": " : "",
           chosen ? fault_of(chosen) : "");
}

void flake_guard_explain(const flake_config *config, flake_status status, char *text,
                         size_t text_size) {
  char name[NAME_SIZE];
  const char *chosen = getenv(RUN_DIR_VARIABLE);
  if (status == FLAKE_E_NO_RUN_DIR) {
    explain_no_run_dir(chosen, config->node, text, text_size);
    return;
  }
  file_name(config, name);
  for (int i = 0; i < (chosen ? 1 : FLAKE_RUN_DIRS); i++) {
    const char *path = chosen ? chosen : run_dirs[i];
    int dir = open_dir(path);
    long pid = dir < 0 ? 0 : holder_of(dir, name);
    if (dir >= 0) close(dir);
    if (pid == 0) continue;
    snprintf(text, text_size,
             "node %" PRId64
             " of space \"%s\" is in use by process %ld or a child of it (lock "
             "file %.100s/%s); choose another node, or end that process",
             config->node, config->space, pid, path, name);
    return;
  }
  snprintf(text, text_size,
           "node %" PRId64
           " of space \"%s\" is in use by another process of this host; choose "
           "another node",
           config->node, config->space);
}
