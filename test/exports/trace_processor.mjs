// SPDX-License-Identifier: BSD-3-Clause
// Asks Perfetto's trace_processor about a trace.
//   node trace_processor.mjs FOLDER TRACE SQL...   an array of rows for each statement, as JSON
// FOLDER holds trace_processor as scripts/setup puts it there: built for the web, with a program
// that reads it. Whole numbers beyond 2^53 are texts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const [folder, trace, ...statements] = process.argv.slice(2);
const kPiece = 32 << 20;

// The program was made for a worker in a browser.
const kEdits = [
  ["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
  ["locateFile: (s) => s,", "locateFile: (s) => s, wasmBinary: globalThis.tpBytes,"],
  [
    "const wasmBridge = new wasm_bridge_1.WasmBridge();",
    "const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.tpBridge = wasmBridge;",
  ],
];

function startBridge() {
  const set = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  set("self", globalThis);
  set("WorkerGlobalScope", function Scope() {});
  set("location", { href: pathToFileURL(`${folder}/`).href });
  set("tpBytes", new Uint8Array(readFileSync(join(folder, "trace_processor.wasm"))));
  let source = readFileSync(join(folder, "engine_bundle.node.js"), "utf8");
  for (const [from, to] of kEdits) {
    if (!source.includes(from)) throw new Error(`trace_processor has no '${from}'`);
    source = source.replace(from, to);
  }
  vm.runInThisContext(source, { filename: "engine_bundle.node.js" });
}

async function openEngine() {
  const { EngineBase } = await import(pathToFileURL(join(folder, "engine.mjs")).href);
  startBridge();
  const channel = new MessageChannel();
  globalThis.tpBridge.initialize(channel.port1);
  return new (class extends EngineBase {
    mode = "WASM";
    id = "test";
    constructor() {
      super();
      channel.port2.onmessage = (message) => {
        if (message.data instanceof Uint8Array) this.onRpcResponseBytes(message.data);
      };
    }
    rpcSendRequestBytes(bytes) {
      channel.port2.postMessage(bytes);
    }
  })();
}

const warn = console.warn;
console.warn = (...words) => {
  if (!/Unexpected QueryResult/.test(JSON.stringify(words[0] ?? ""))) warn(...words);
};
console.log = warn;
const engine = await openEngine();
const bytes = new Uint8Array(readFileSync(trace));
for (let at = 0; at < bytes.length; at += kPiece) await engine.parse(bytes.subarray(at, at + kPiece));
await engine.notifyEof();
const answers = [];
for (const statement of statements) {
  const result = await engine.query(statement);
  const columns = result.columns();
  const rows = [];
  for (const row = result.iter({}); row.valid(); row.next()) {
    rows.push(columns.map((column) => row.get(column)));
  }
  answers.push(rows);
}
const text = JSON.stringify(answers, (_, value) => {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
});
process.stdout.write(text + "\n", () => process.exit(0));
