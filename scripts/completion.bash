# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: source this file, or install it as
# /usr/share/bash-completion/completions/kutrace. It asks the program, so it knows what --help knows.

# Commands that a help text lists.
_kutrace_commands() { sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$1"; }

_kutrace() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local program=${COMP_WORDS[0]} commands choices help at=1 asked=()
  COMPREPLY=()
  [ "${COMP_WORDS[1]}" != help ] || [ "$COMP_CWORD" -eq 1 ] || at=2
  help=$("$program" --help)
  commands=$(_kutrace_commands "$help")
  # Down to the command that is typed: raw, then cut.
  while [ "$at" -lt "$COMP_CWORD" ] && grep -qxF -- "${COMP_WORDS[at]}" <<<"$commands"; do
    asked+=("${COMP_WORDS[at]}")
    help=$("$program" "${asked[@]}" --help 2>/dev/null)
    commands=$(_kutrace_commands "$help")
    at=$((at + 1))
  done
  # Verbs of `control` stand in its help; so do the fixed values of an option: NAME:{a,b,c}.
  [ "$at" -lt "$COMP_CWORD" ] || commands+=" $(sed -n 's/^All verbs: //p' <<<"$help")"
  [ "${#asked[@]}" -gt 0 ] || [ "$at" -eq 2 ] || commands+=" help"
  help=$(sed -n '/^Options:/,/^$/p' <<<"$help")
  choices=$(sed -n "s/^  [^ ]*$before [^ ]*{\([^}]*\)}.*/\1/p" <<<"$help")
  if [[ $before == -* && -n $choices ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${choices//,/ }" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(grep -oE '^  -[^ ]+' <<<"$help" | tr ',' ' ')" -- "$word")
  elif [ "$at" -eq "$COMP_CWORD" ] && [[ -n ${commands// /} ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _kutrace kutrace
