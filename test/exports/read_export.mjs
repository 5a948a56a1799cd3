// SPDX-License-Identifier: BSD-3-Clause
// Reads exports with libraries that others wrote.
//   node read_export.mjs WEB parquet FILE [ROWS]   rows, or the first ones, as JSON
//   node read_export.mjs WEB pprof FILE            samples: frames from the outermost on, values, labels
// WEB holds node_modules.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const [web, form, file, most] = process.argv.slice(2);
const modules = join(resolve(web), "node_modules");
const load = (path) => import(pathToFileURL(join(modules, path)).href);

async function parquetRows() {
  const { asyncBufferFromFile, parquetReadObjects, parquetMetadataAsync } =
    await load("hyparquet/src/node.js");
  const { compressors } = await load("hyparquet-compressors/src/index.js");
  const buffer = await asyncBufferFromFile(file);
  const metadata = await parquetMetadataAsync(buffer);
  const rowEnd = most === undefined ? undefined : Number(most);
  const rows = await parquetReadObjects({ file: buffer, metadata, compressors, rowEnd });
  const facts = Object.fromEntries(metadata.key_value_metadata.map((one) => [one.key, one.value]));
  const groups = metadata.row_groups.map((group) => ({
    rows: group.num_rows,
    bounds: Object.fromEntries(
      group.columns.map(({ meta_data: column }) => [
        column.path_in_schema[0],
        [column.statistics.min_value, column.statistics.max_value, column.statistics.null_count],
      ]),
    ),
  }));
  const columns = metadata.schema.slice(1).map((column) => column.name);
  return { rows, facts, groups, columns };
}

function pprofSamples() {
  const { Profile } = createRequire(join(modules, "x.js"))("pprof-format");
  const profile = Profile.decode(gunzipSync(readFileSync(file)));
  const text = (number) => profile.stringTable.strings[Number(number)];
  const functions = new Map(profile.function.map((one) => [String(one.id), text(one.name)]));
  const locations = new Map(
    profile.location.map((one) => [
      String(one.id),
      functions.get(String(one.line[0].functionId)),
    ]),
  );
  return profile.sample.map((sample) => ({
    frames: sample.locationId.map((id) => locations.get(String(id))).reverse(),
    values: sample.value.map(Number),
    labels: Object.fromEntries(sample.label.map((one) => [text(one.key), text(one.str)])),
  }));
}

const answer = form === "parquet" ? await parquetRows() : pprofSamples();
const plain = (_, value) => {
  if (typeof value === "bigint") return Number(value);
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
};
process.stdout.write(JSON.stringify(answer, plain) + "\n");
