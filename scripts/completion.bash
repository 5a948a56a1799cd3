# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: source this file, or install it as
# /usr/share/bash-completion/completions/kutrace. It asks the program, so it knows what --help knows.

_kutrace() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local program=${COMP_WORDS[0]} words help choices
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=$("$program" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$word")
    return
  fi
  help=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n '/^Options:/,/^$/p')
  # An option with a fixed set of values shows it as NAME:{a,b,c}.
  choices=$(sed -n "s/^  [^ ]*$before [^ ]*{\([^}]*\)}.*/\1/p" <<<"$help")
  if [[ $before == -* && -n $choices ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${choices//,/ }" -- "$word")
  elif [[ $word == -* ]]; then
    words=$(grep -oE '^  -[^ ]+' <<<"$help" | tr ',' ' ')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _kutrace kutrace
