// SPDX-License-Identifier: MIT
// Runs a command as people do, for tests: its arguments, environment and standard input, and what
// came of it. The streams are files, so that no amount of text can block either side.
#ifndef FLAKE_RUN_H
#define FLAKE_RUN_H

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "run_dir.h"

namespace flake_test {

using Words = std::vector<std::string>;

struct Outcome {
  int status;  // the exit status, or 128 + the signal that ended it, as a shell counts
  std::string out, err;
};

// A temporary file with this text in it, which the system deletes.
class Stream {
 public:
  explicit Stream(const std::string &text) : file_(std::tmpfile()) {
    if (!file_ || std::fwrite(text.data(), 1, text.size(), file_) != text.size())
      throw std::runtime_error("no temporary file");
    std::rewind(file_);
  }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream() { std::fclose(file_); }

  void become(int descriptor) const { dup2(fileno(file_), descriptor); }

  std::string text() const {
    std::string all;
    char part[4096];
    std::rewind(file_);
    while (size_t size = std::fread(part, 1, sizeof part, file_)) all.append(part, size);
    return all;
  }

 private:
  std::FILE *file_;
};

// Runs words[0], a path, with the other words as arguments. environment: "NAME=value" each.
inline Outcome run(Words words, const std::string &input = "", Words environment = {}) {
  Stream in(input), out(""), err("");
  std::vector<char *> argv;
  for (std::string &word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    in.become(STDIN_FILENO);
    out.become(STDOUT_FILENO);
    err.become(STDERR_FILENO);
    for (std::string &variable : environment) putenv(variable.data());
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(), err.text()};
}

// The lines of a text, without what ends them.
inline Words lines(const std::string &text) {
  Words all;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    all.push_back(text.substr(at, end - at));
  }
  return all;
}

}  // namespace flake_test

#endif
