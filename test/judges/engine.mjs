// SPDX-License-Identifier: BSD-3-Clause
// Asks an engine. node engine.mjs FOLDER duckdb|chdb; FOLDER holds node_modules. In, on standard
// input: an array of SQL statements; out: an array of {rows, ms}, rows as arrays of values.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [folder, engine] = process.argv.slice(2);
const load = createRequire(join(resolve(folder), "x.js"));

async function duckdb() {
  const { DuckDBInstance } = load("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return async (sql) => (await connection.runAndReadAll(sql)).getRowsJson();
}

async function chdb() {
  const { Session } = load("chdb");
  const session = new Session();
  process.on("exit", () => session.close());
  session.query("set output_format_json_quote_64bit_integers = 1", "JSONCompact");
  return async (sql) => {
    const text = session.query(sql, "JSONCompact");
    return text.startsWith("{") ? JSON.parse(text).data : [];
  };
}

const ask = await (engine === "duckdb" ? duckdb() : chdb());
const answers = [];
for (const sql of JSON.parse(readFileSync(0, "utf8"))) {
  const start = performance.now();
  try {
    answers.push({ rows: await ask(sql), ms: performance.now() - start });
  } catch (error) {
    console.error(`${engine}: ${error.message}\n${sql}`);
    process.exit(1);
  }
}
process.stdout.write(JSON.stringify(answers) + "\n", () => process.exit(0));
