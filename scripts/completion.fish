# SPDX-License-Identifier: BSD-3-Clause
# Completion for fish: source this file, or install it as
# /usr/share/fish/vendor_completions.d/kutrace.fish. It asks the program, which knows its options.

function __kutrace_complete
    set -l typed (commandline -ct)
    set -l words (commandline -opc)
    set -l found ($words[1] __complete $words[2..-1] "$typed" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path "$typed"
    end
end
complete -c kutrace -f -a '(__kutrace_complete)'
