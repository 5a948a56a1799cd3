// SPDX-License-Identifier: BSD-3-Clause
// What the page and the program must number or call alike, taken from the program's own sources. In:
// events.def, counters.def, facts.def, abi.h and the headers of spans and of the page; out: the text of
// src/model/tables.js, which build.mjs writes, and compares with the one in the tree. What cannot be
// read any more is an error, never left out.
import { readFile } from 'node:fs/promises';

// The events that the page, or a test of it, has to know.
const EVENTS = ['RPC_REQUEST', 'RPC_RESPONSE', 'RPC_MIDDLE', 'RX_MESSAGE', 'RUNNABLE', 'SEND_IPI', 'MARK_A', 'MARK_D', 'RX_PACKET', 'TX_PACKET',
  'RX_USER', 'TX_USER', 'CAPTURED', 'PC_KERNEL', 'LOCK_HELD', 'LOCK_WANTED', 'WAIT_FIRST', 'USER', 'IDLE', 'C_EXIT'];

const HEAD = `// SPDX-License-Identifier: BSD-3-Clause
// Numbers that the page shares with the program: events, kinds of span, sorts of rows, flags of threads,
// pieces of calls, counters, reasons of losses. Made by make_tables.mjs from the program's sources: \`npm run build\` writes it anew.
`;

/** @param {string} text @param {RegExp} pattern @param {string} what */
function matches(text, pattern, what) {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) throw new Error(`make_tables.mjs finds no ${what} any more`);
  return found;
}

/** The names of an enum of C++ in order, "kIdleLowPower" as "idleLowPower". @param {string} text @param {string} name */
function enumNames(text, name) {
  const [[, body]] = matches(text, new RegExp(`enum class ${name}[^{]*\\{([^}]*)\\}`, 'g'), `enum ${name}`);
  const plain = body.replace(/\/\/.*$/gm, '');
  return matches(plain, /\bk([A-Z]\w*)/g, `values of ${name}`).map(([, value]) => value[0].toLowerCase() + value.slice(1));
}

const hex = (/** @type {string} */ number) => `0x${Number(number).toString(16)}`;
const numbered = (/** @type {string[]} */ names) => names.map((name, i) => `  ${name}: ${i},`).join('\n');

/** What a loss is called, by the number of its reason. @param {string} abi @param {string} texts */
function lossReasons(abi, texts) {
  const [[, body]] = matches(abi, /enum kutrace_loss_reason \{([^}]*)\}/g, 'reasons of losses');
  const named = new Map(matches(texts, /case (KUTRACE_LOSS_\w+):\s*return "([^"]*)";/g, 'names of losses')
    .map(([, name, text]) => [name, text]));
  const reasons = ['unknown'];
  for (const [, name, number] of matches(body, /(KUTRACE_LOSS_\w+) = (\d+)/g, 'numbers of losses')) {
    const text = named.get(name);
    if (!text) throw new Error(`src/format/event_table.cpp has no text for ${name}`);
    reasons[Number(number)] = text;
  }
  return reasons;
}

/** The calls that a function of C++ lists. @param {string} text @param {string} name of the function */
function callsOf(text, name) {
  const [[, body]] = matches(text, new RegExp(`bool ${name}\\(std::string_view call\\) \\{[^{]*kCalls = \\{([^}]*)\\}`, 'g'), `calls of ${name}`);
  return matches(body, /"(\w+)"/g, `names in ${name}`).map(([, call]) => `'${call}'`).join(', ');
}

/** @param {string} root  of the sources */
export async function makeTables(root) {
  const [def, abi, texts, span, objects, tables, counters, known, finder, syscalls] = await Promise.all(['include/kutrace/events.def', 'include/kutrace/abi.h',
    'src/format/event_table.cpp', 'src/model/span.h', 'src/emit/page/page_objects.h', 'src/format/page_format.h', 'src/format/counters.def',
    'src/format/facts.def', 'src/reports/interval_finder.cpp', 'src/reports/syscalls.cpp']
    .map((file) => readFile(`${root}/${file}`, 'utf8')));
  const events = EVENTS.map((event) => matches(def, new RegExp(`^KUTRACE_(?:POINT|PSEUDO)\\(${event}, (0x[0-9a-f]+),`, 'gm'), `event ${event}`))
    .map(([[, number]], i) => `export const ${EVENTS[i]} = ${hex(number)};`);
  const kinds = enumNames(span, 'SpanKind');
  const flags = matches(tables, /kPage(KernelThread|Recorder|Command|FunctionsShift) = (\d+)/g, 'flags of threads')
    .map(([, name, value]) => `  ${name[0].toLowerCase()}${name.slice(1)}: ${value},`);
  const inferred = matches(tables, /kPage(Begin|End)Inferred = (\d+)/g, 'flags of calls')
    .map(([, name, value]) => `  ${name.toLowerCase()}: ${value},`);
  const [[, success]] = matches(tables, /kPageSuccess = (0x[0-9a-f]+)/g, 'flag of results');
  const [[, sameWaits]] = matches(tables, /kPageSameWaits = (\d+)/g, 'number for the same waits');
  const counted = matches(counters, /^KUTRACE_COUNTER\(\w+, "(\w+)", \w+,\s*"([^"]*)"\)/gm, 'counters')
    .map(([, name, text]) => `  ${name}: '${text.replaceAll("'", '’')}',`);
  const facts = matches(known, /^KUTRACE_FACT\((\w+), "(\w+)", \w+, "([^"]*)"\)/gm, 'facts');
  const keys = facts.map(([, id, key]) => `  ${id[0].toLowerCase()}${id.slice(1)}: '${key}',`);
  const told = facts.map(([, , key, text]) => `  ${key}: '${text.replaceAll("'", '’')}',`);
  const [[, made]] = matches(syscalls, /kMakers = \{([^}]*)\}/g, 'calls that make threads');
  const makers = matches(made, /"(\w+)"/g, 'names of calls that make threads');
  const reasons = lossReasons(abi, texts).map((text) => `  ${JSON.stringify(text).replaceAll('"', "'")},`);
  return `${HEAD}
// Events, KUTRACE_POINT and KUTRACE_PSEUDO of events.def.
${events.join('\n')}

/** Kinds of span: enum SpanKind. */
export const KIND = Object.freeze({
${numbered(kinds)}
});

/** So many of them say what a CPU did; the others lie over that. */
export const EXECUTION_KINDS = ${kinds.indexOf('loss') + 1};

/** What has a row beside CPUs and threads: enum ObjectSort. */
export const OBJECT = Object.freeze({
${numbered(enumNames(objects, 'ObjectSort'))}
});

/** Flags of a thread. */
export const THREAD = Object.freeze({
${flags.join('\n')}
});

/** What a span of a kind that can be a call is: enum CallPiece. */
export const PIECE = Object.freeze({
${numbered(enumNames(tables, 'CallPiece'))}
});

/** What of a call was not seen; they may be added. */
export const INFERRED = Object.freeze({
${inferred.join('\n')}
});

/** Added to the low 16 bits of a result: the call succeeded, though they look like an error's. */
export const SUCCESS = ${hex(success)};

/** In place of the number of reasons that a call waited for: as the call before. */
export const SAME_WAITS = ${sameWaits};

/** What was counted of a trace, by name: the sentences of counters.def. */
export const COUNTERS = Object.freeze({
${counted.join('\n')}
});

/** Keys of what is known of a trace: facts.def. */
export const FACT = Object.freeze({
${keys.join('\n')}
});

/** What each of them says, by key. */
export const FACT_MEANINGS = Object.freeze({
${told.join('\n')}
});

/** Calls whose first argument is the file that they are about, and those that return one: interval_finder.cpp. */
export const NAMES_FILE = new Set([${callsOf(finder, 'names_file')}]);
export const RETURNS_FILE = new Set([${callsOf(finder, 'returns_file')}]);

/** Calls that make a thread, which returns from them as well: syscalls.cpp. */
export const MAKERS = new Set([${makers.map(([, call]) => `'${call}'`).join(', ')}]);

/** Why something was lost: enum kutrace_loss_reason. */
export const LOSS_REASONS = Object.freeze([
${reasons.join('\n')}
]);
`;
}
