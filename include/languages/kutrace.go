// SPDX-License-Identifier: BSD-3-Clause

// Package kutrace puts marks into a trace of the program, as include/kutrace/mark.h does for C. Copy
// this file into a folder of its own. Linux only; no cgo.
//
//	kutrace.Mark("load the index")          // a label of any length, in UTF-8
//	kutrace.Mark("/load the index")         // a leading / ends what the label began
//	kutrace.MarkNumber(id)
//	kutrace.Counter("queue", len(queue))    // a number that changes: a track on the page
//	defer kutrace.Scope("answer")()         // both marks
//
// While nobody records, a mark reads a word of shared memory. While somebody does, it is a write to a
// descriptor that cannot be open, which fails, and which a recorder of kutrace sees.
//
// A mark belongs to the thread that makes it: a goroutine that waits may go on on another one.
package kutrace

import (
	"encoding/binary"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	listenersFile = "/run/kutrace-marks"
	pageBytes     = 4096
	magic         = 0x314b52414d54554b // "KUTMARK1"
	byWrite       = 1
	entryFd       = 0x7fffffd3
	letters       = "abcdefghijklmnopqrstuvwxyz0123456789-./"
	firstLong     = 40 * 40 * 40 * 40 * 40 * 40
	mostBytes     = 1024
	nameBytes     = 56
	piece         = 51
	kindLock      = 0x007
	markA         = 0x20a
	markC         = 0x20c
	markD         = 0x20d
)

type listeners struct {
	magic    uint64
	carriers uint32
	beat     uint32
}

var (
	page  = look()
	named [64]uint64 // number of a label and the low half of the beat it was named in
	marks uint32
)

func look() *listeners {
	file, err := os.Open(listenersFile)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() < pageBytes {
		return nil
	}
	bytes, err := syscall.Mmap(int(file.Fd()), 0, pageBytes, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	found := (*listeners)(unsafe.Pointer(&bytes[0]))
	if found.magic != magic {
		return nil
	}
	return found
}

// Listening is whether a mark is heard now; true where that cannot be told.
func Listening() bool {
	return page == nil || atomic.LoadUint32(&page.carriers)&byWrite != 0
}

func put(entry []byte) {
	syscall.RawSyscall(syscall.SYS_WRITE, entryFd, uintptr(unsafe.Pointer(&entry[0])), uintptr(len(entry)))
}

// Insert makes a point event that kutrace gives to programs (include/kutrace/events.def).
func Insert(event, argument uint32) {
	if !Listening() {
		return
	}
	var entry [8]byte
	binary.LittleEndian.PutUint64(entry[:], uint64(event)<<32|uint64(argument))
	put(entry[:])
}

// Name tells what a number of this kind is called: at most 56 bytes.
func Name(kind, number uint32, text string) {
	if len(text) == 0 || !Listening() {
		return
	}
	var entry [8 + nameBytes]byte
	words := 1 + (copy(entry[8:], text)+7)/8
	binary.LittleEndian.PutUint64(entry[:], uint64(kind|uint32(words)<<4)<<32|uint64(number))
	put(entry[:8*words])
}

func long(text string) uint32 {
	hash := uint32(2166136261) // FNV-1a
	for i := 0; i < len(text); i++ {
		hash = (hash ^ uint32(text[i])) * 16777619
	}
	return firstLong + hash%(0xffffffff-firstLong)
}

func nameLabel(text string) {
	number := long(text)
	for len(text) > nameBytes {
		rest := long(text[piece:])
		var part [nameBytes]byte
		copy(part[:], text[:piece])
		binary.LittleEndian.PutUint32(part[nameBytes-4:], rest)
		Name(kindLock, number, string(part[:]))
		text, number = text[piece:], rest
	}
	Name(kindLock, number, text)
}

// Unless it was named in this beat of the recorder, or among the last marks.
func nameLately(number uint32, label string) {
	var beat uint32
	if page != nil {
		beat = atomic.LoadUint32(&page.beat)
	} else {
		beat = atomic.AddUint32(&marks, 1) >> 3
	}
	now := uint64(number)<<32 | uint64(beat)
	if atomic.LoadUint64(&named[number%64]) != now {
		nameLabel(label)
		atomic.StoreUint64(&named[number%64], now) // not before: another thread that finds it so marks at once
	}
}

func shortLabel(text string) (uint32, bool) {
	if len(text) > 7 || len(text) == 7 && text[0] != '/' {
		return 0, false
	}
	var value, place uint32 = 0, 1
	for i := 0; i < len(text); i++ {
		digit := 0
		for digit < len(letters) && letters[digit] != text[i] {
			digit++
		}
		if digit == len(letters) {
			return 0, false
		}
		if i < 6 {
			value += uint32(digit+1) * place
			place *= 40
		}
	}
	return value, true
}

// Mark puts a label into the trace, of which 1024 bytes are kept; one less of a label that begins
// something, so that its end is as long.
func Mark(label string) {
	if !Listening() {
		return
	}
	most := mostBytes
	if label == "" || label[0] != '/' {
		most--
	}
	if len(label) > most {
		label = label[:most]
	}
	if number, short := shortLabel(label); short {
		Insert(markA, number)
	} else {
		markLong(markA, label)
	}
}

func markLong(event uint32, label string) {
	number := long(label)
	nameLately(number, label)
	Insert(event, number)
}

// Counter tells what a counter of the program's own is now.
func Counter(name string, value int) {
	if !Listening() {
		return
	}
	label := name + "=" + strconv.Itoa(value)
	if len(label) > mostBytes {
		label = label[len(label)-mostBytes:]
	}
	markLong(markC, label)
}

// MarkNumber puts a number into the trace.
func MarkNumber(number uint32) { Insert(markD, number) }

// Scope marks a label, and its end when the function that it returns is called.
func Scope(label string) func() {
	Mark(label)
	return func() { Mark("/" + label) }
}
