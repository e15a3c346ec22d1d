/* SPDX-License-Identifier: MIT */
// A directory for lock files that this process of tests has to itself, so that tests that run side
// by side never meet at a node. Its children inherit it.
#ifndef FLAKE_TEST_RUN_DIR_H
#define FLAKE_TEST_RUN_DIR_H

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace flake_test {

class RunDir {
 public:
  RunDir() {
    std::string path = (std::filesystem::temp_directory_path() / "flakecore.XXXXXX").string();
    if (getenv(kMade) != nullptr) return;
    if (mkdtemp(path.data()) == nullptr || setenv("FLAKECORE_RUN_DIR", path.c_str(), 1) != 0 ||
        setenv(kMade, path.c_str(), 1) != 0) {
      std::perror("no directory for lock files");
      abort();
    }
    path_ = path;
    owner_ = getpid();
  }
  ~RunDir() {
    std::error_code ignored;
    if (!path_.empty() && getpid() == owner_) std::filesystem::remove_all(path_, ignored);
  }
  RunDir(const RunDir &) = delete;

  static constexpr const char *kMade = "FLAKE_TEST_RUN_DIR";  // where it is, for the children

 private:
  std::string path_;  // empty: an ancestor's
  pid_t owner_ = 0;
};

inline const RunDir run_dir;

// A name for a library that LD_PRELOAD can hold: it takes a blank for the end of one.
inline std::string preloadable(const std::string &library) {
  std::string link = std::string(getenv(RunDir::kMade)) + "/preload.so";
  std::error_code exists;
  std::filesystem::create_symlink(library, link, exists);
  return link;
}

}  // namespace flake_test

#endif
