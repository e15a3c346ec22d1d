# SPDX-License-Identifier: MIT
# What the scripts of this folder share. They behave the same locally and in CI: they need no
# standard input, work in a clone in any folder, and leave nothing outside build/.
exec < /dev/null
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
me=ci/$(basename -- "$0")
export PYTHONDONTWRITEBYTECODE=1

heading() {
  printf '\n==== %s\n' "$*"
}

# Shows a command, then runs it; what ran last is what a failure is blamed on.
run() {
  last=$(printf ' %q' "$@")
  last=${last:1}
  printf '+ %s\n' "$last"
  "$@"
}

# Prints the comment that a script opens with, after its SPDX line.
help() {
  sed -n '3,/^[^#]/ { s/^# \{0,1\}//p }' "$0"
}

usage_error() {
  printf '%s: %s; see %s --help\n' "$me" "$1" "$me" >&2
  exit 2
}

# Whether PART is one of the names that follow it.
is_part() {
  local name=$1
  shift
  [[ " $* " == *" $name "* ]]
}
