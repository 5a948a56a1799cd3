// SPDX-License-Identifier: BSD-3-Clause
// Whether Spark's and Trino's grammars take the SQL that is written for them, which neither engine
// runs here. node dialects.mjs FLEET; FLEET is scripts/fleet. dt-sql-parser has both grammars, made
// from the engines' own. Types and names of columns are not looked at.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SparkSQL, TrinoSQL } from "dt-sql-parser";

const [fleet] = process.argv.slice(2);
const parsers = { spark: new SparkSQL(), trino: new TrinoSQL() };

const statements = (file) =>
  readFileSync(join(fleet, file), "utf8")
    .replace(/^--.*\n/gm, "")
    .split(/;\n/)
    .map((text) => text.trim())
    .filter((text) => text !== "");

// What a grammar refuses: the statement's first line, and why.
const refused = (parser, file) =>
  statements(file).flatMap((text) =>
    parser.validate(`${text};`).map((error) => `${text.split("\n")[0]}: ${error.message}`),
  );

let findings = 0;
const expect = (good, what) => {
  if (good) return;
  console.log(what);
  findings += 1;
};

for (const [engine, parser] of Object.entries(parsers)) {
  for (const file of [`tables.${engine}.sql`, "views.sql"]) {
    const wrong = refused(parser, file);
    const count = statements(file).length;
    console.log(`${wrong.length === 0 ? "taken" : "REFUSED"}: ${file} by ${engine}'s grammar, ${count} statements`);
    expect(wrong.length === 0 && count > 1, `${engine}, ${file}: ${wrong.join("; ")}`);
  }
  // It would not do if it took everything.
  for (const other of ["spark", "trino", "clickhouse"].filter((name) => name !== engine)) {
    expect(refused(parser, `tables.${other}.sql`).length > 0, `${engine}'s grammar takes what ${other} is told`);
  }
}
process.exit(findings === 0 ? 0 : 1);
