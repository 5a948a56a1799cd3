# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: source this file, or install it as
# /usr/share/bash-completion/completions/kutrace. test/help compares it with --help.

_kutrace() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="record report info check dump doctor --help --version"
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  case "$before" in
    --mode) words="stream fill wrap" ;;
    --source) words="auto ebpf module" ;;
    --stage) words="raw events spans" ;;
    --events) words="syscalls irqs softirqs faults sched wakeups power net samples" ;;
  esac
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  case "${COMP_WORDS[1]}" in
    record) words="--help --output --mode --buffer-mb --duration --max-size --source --events --samples --ipc --no-merge --no-fault-exit" ;;
    report) words="--help --output" ;;
    info) words="--help" ;;
    check) words="--help --strict --quiet" ;;
    dump) words="--help --stage" ;;
    doctor) words="--help" ;;
  esac
  case "$word" in
    -*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}
complete -F _kutrace kutrace
