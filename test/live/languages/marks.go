// SPDX-License-Identifier: BSD-3-Clause

// The marks that languages_test.py expects of every language.
package main

import (
	"runtime"
	"strings"

	"marked/kutrace"
)

func load() {
	defer kutrace.Scope("load the index")()
	kutrace.Mark("a.b-9")
	kutrace.Mark("größer als sechs Buchstaben: " + strings.Repeat("0123456789 ", 40) + "Ende")
}

func main() {
	runtime.LockOSThread()
	load()
	kutrace.Scope(strings.Repeat("y", 1500))()
	kutrace.MarkNumber(77)
	for _, value := range []int{3, -12, 3} {
		kutrace.Counter("queue length", value)
	}
}
