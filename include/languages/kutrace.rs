// SPDX-License-Identifier: BSD-3-Clause
//! Marks that a Rust program puts into a trace of itself, as include/kutrace/mark.h does for C. Copy
//! this file into the program (`mod kutrace;`). Linux only; needs nothing but std.
//!
//!     kutrace::mark("load the index");            a label of any length
//!     kutrace::mark("/load the index");           a leading / ends what the label began
//!     kutrace::mark_number(id);
//!     kutrace::counter("queue", queue.len() as i64);   a number that changes: a track on the page
//!     let _scope = kutrace::scope("answer");      both marks
//!
//! While nobody records, a mark reads a word of shared memory. While somebody does, it is a write to
//! a descriptor that cannot be open, which fails, and which a recorder of kutrace sees.
#![allow(dead_code)]

use std::fs::File;
use std::io::Read;
use std::os::raw::{c_int, c_long, c_void};
use std::os::unix::io::AsRawFd;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::{Acquire, Relaxed, Release}};
use std::sync::Once;

const LISTENERS_FILE: &str = "/run/kutrace-marks";
const PAGE_BYTES: usize = 4096;
const MAGIC: &[u8; 8] = b"KUTMARK1";
const CARRIERS_AT: usize = 8;
const BEAT_AT: usize = 12;
const BY_WRITE: u32 = 1;
const ENTRY_FD: c_int = 0x7fff_ffd3;
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789-./";
const FIRST_LONG: u32 = 4_096_000_000; // 40 to the power of 6
const MOST_BYTES: usize = 1024;
const NAME_BYTES: usize = 56;
const PIECE: usize = 51;
const KIND_LOCK: u32 = 0x007;
const MARK_A: u32 = 0x20a;
const MARK_C: u32 = 0x20c;
const MARK_D: u32 = 0x20d;

extern "C" {
    fn mmap(at: *mut c_void, bytes: usize, protection: c_int, flags: c_int, fd: c_int, offset: c_long) -> *mut c_void;
    fn write(fd: c_int, bytes: *const c_void, count: usize) -> isize;
    fn __errno_location() -> *mut c_int;
}

/// The page in which recorders tell that they listen.
struct Page(*const u8);

impl Page {
    fn word(&self, at: usize) -> u32 {
        // SAFETY: it lies, aligned, in a mapping that is never taken away.
        unsafe { &*self.0.add(at).cast::<AtomicU32>() }.load(Relaxed)
    }
}

fn look() -> Option<*mut u8> {
    let mut file = File::open(LISTENERS_FILE).ok()?;
    let mut magic = [0; 8];
    file.read_exact(&mut magic).ok()?;
    if &magic != MAGIC || file.metadata().ok()?.len() < PAGE_BYTES as u64 {
        return None;
    }
    // SAFETY: a new mapping, of PROT_READ and MAP_SHARED.
    let page = unsafe { mmap(std::ptr::null_mut(), PAGE_BYTES, 1, 1, file.as_raw_fd(), 0) };
    (page as isize != -1).then(|| page.cast())
}

fn page() -> Option<Page> {
    static LOOKED: Once = Once::new();
    static FOUND: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
    LOOKED.call_once(|| FOUND.store(look().unwrap_or(std::ptr::null_mut()), Relaxed));
    let found = FOUND.load(Relaxed);
    (!found.is_null()).then(|| Page(found))
}

/// Whether a mark is heard now; true where that cannot be told.
pub fn listening() -> bool {
    page().map_or(true, |page| page.word(CARRIERS_AT) & BY_WRITE != 0)
}

fn put(entry: &[u8]) {
    // SAFETY: the descriptor cannot be open, so nothing is read but by a recorder.
    unsafe {
        let errno = *__errno_location();
        write(ENTRY_FD, entry.as_ptr().cast(), entry.len());
        *__errno_location() = errno;
    }
}

/// A point event that kutrace gives to programs (include/kutrace/events.def).
pub fn insert(event: u32, argument: u32) {
    if listening() {
        put(&(u64::from(event) << 32 | u64::from(argument)).to_le_bytes());
    }
}

/// What a number of this kind is called: at most 56 bytes.
pub fn name(kind: u32, number: u32, text: &[u8]) {
    if text.is_empty() || !listening() {
        return;
    }
    let length = text.len().min(NAME_BYTES);
    let words = 1 + (length + 7) / 8;
    let mut entry = [0; 8 + NAME_BYTES];
    let first = u64::from(kind | (words as u32) << 4) << 32 | u64::from(number);
    entry[..8].copy_from_slice(&first.to_le_bytes());
    entry[8..8 + length].copy_from_slice(&text[..length]);
    put(&entry[..8 * words]);
}

/// FNV-1a
fn long(text: &[u8]) -> u32 {
    let hash = text.iter().fold(2_166_136_261u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    FIRST_LONG + hash % (u32::MAX - FIRST_LONG)
}

fn name_label(mut text: &[u8]) {
    let mut number = long(text);
    while text.len() > NAME_BYTES {
        let rest = long(&text[PIECE..]);
        let mut piece = [0; NAME_BYTES];
        piece[..PIECE].copy_from_slice(&text[..PIECE]);
        piece[NAME_BYTES - 4..].copy_from_slice(&rest.to_le_bytes());
        name(KIND_LOCK, number, &piece);
        text = &text[PIECE..];
        number = rest;
    }
    name(KIND_LOCK, number, text);
}

/// Unless it was named in this beat of the recorder, or among the last marks.
fn name_lately(number: u32, text: &[u8]) {
    const NEVER: AtomicU64 = AtomicU64::new(0);
    static NAMED: [AtomicU64; 64] = [NEVER; 64];
    static MARKS: AtomicU32 = AtomicU32::new(0);
    let beat = page().map_or_else(|| MARKS.fetch_add(1, Relaxed) >> 3, |page| page.word(BEAT_AT));
    let now = u64::from(number) << 32 | u64::from(beat);
    let slot = &NAMED[number as usize % 64];
    if slot.load(Acquire) != now {
        name_label(text);
        slot.store(now, Release); // not before: another thread that finds it so marks at once
    }
}

fn short(text: &[u8]) -> Option<u32> {
    if text.len() > 7 || text.len() == 7 && text[0] != b'/' {
        return None;
    }
    let digits: Option<Vec<u32>> =
        text.iter().map(|byte| Some(LETTERS.iter().position(|letter| letter == byte)? as u32 + 1)).collect();
    Some(digits?.iter().take(6).rev().fold(0, |sum, digit| sum * 40 + digit))
}

/// A label, of which 1024 bytes are kept; one less of a label that begins something, so that its end is
/// as long.
pub fn mark(label: &str) {
    if !listening() {
        return;
    }
    let most = if label.starts_with('/') { MOST_BYTES } else { MOST_BYTES - 1 };
    let text = &label.as_bytes()[..label.len().min(most)];
    match short(text) {
        Some(number) => insert(MARK_A, number),
        None => mark_long(MARK_A, text),
    }
}

fn mark_long(event: u32, text: &[u8]) {
    let number = long(text);
    name_lately(number, text);
    insert(event, number);
}

/// A counter of the program's own is this now.
pub fn counter(name: &str, value: i64) {
    if listening() {
        let label = format!("{}={}", name, value);
        mark_long(MARK_C, &label.as_bytes()[label.len().saturating_sub(MOST_BYTES)..]);
    }
}

pub fn mark_number(number: u32) {
    insert(MARK_D, number);
}

/// Marks a label, and its end when it is dropped.
pub struct Scope<'a>(&'a str);

pub fn scope(label: &str) -> Scope<'_> {
    mark(label);
    Scope(label)
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        if listening() {
            mark(&format!("/{}", self.0));
        }
    }
}
