#compdef kutrace
# SPDX-License-Identifier: BSD-3-Clause
# Completion for zsh: a file named _kutrace in a folder of $fpath, such as
# /usr/share/zsh/vendor-completions. It asks the program, which knows its options.

_kutrace() {
  local -a found
  local line
  for line in "${(@f)$("$words[1]" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $line ]] || found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
  done
  if (( $#found )); then
    _describe kutrace found
  else
    _files
  fi
}
# Loaded by compinit it is the function's body, and is called at once.
[[ $funcstack[1] != _kutrace ]] || _kutrace "$@"
