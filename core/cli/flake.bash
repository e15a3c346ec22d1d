# SPDX-License-Identifier: MIT
# Completion of the command flake for bash. The commands, options and words come from the command's
# own help, so that there is no second list.

_flake() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} flake=$1
  local command=${COMP_WORDS[1]} words=""
  [[ $before == "=" ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
  [[ $word == "=" ]] && before=${COMP_WORDS[COMP_CWORD - 1]} word=""
  COMPREPLY=()
  if ((COMP_CWORD == 1)) || [[ $command == help ]]; then
    words="help --help --version $("$flake" --help 2> /dev/null |
      sed -n '/^Commands:/,/^$/ s/^  \([a-z-]*\) .*/\1/p')"
  else
    case $before in
      --format | --from)
        if [[ $command == encode || $before == --format ]]; then
          words="dec hex base32 base58 base62"
        fi
        ;;
      --mode) words="strict monotonic" ;;
      --layout) words=$(_flake_presets "$flake") ;;
      --root)
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return
        ;;
      *)
        if [[ $word == -* ]]; then
          words=$("$flake" "$command" --help 2> /dev/null |
            sed -n 's/^ *\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')
        elif [[ $command == check-migration ]]; then
          words=$(_flake_presets "$flake")
        fi
        ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# The names after "a preset:" in the help of a command that takes a layout.
_flake_presets() {
  "$1" decode --help 2> /dev/null | sed -n '/a preset:/,/^$/ { s/.*preset://; s/,//g; p }'
}

complete -F _flake flake
