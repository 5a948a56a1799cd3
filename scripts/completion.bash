# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: source this file, or install it as
# /usr/share/bash-completion/completions/kutrace. It asks the program, which knows its options.

_kutrace() {
  local word=${COMP_WORDS[COMP_CWORD]}
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null |
    cut -f1)
  [ "${#COMPREPLY[@]}" -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -F _kutrace kutrace
