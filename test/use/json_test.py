#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Answers in JSON are as doc/json says, and say which schema that is.

json_test.py KUTRACE SMALL_TRACE FOLDER_OF_SCHEMAS: each command that answers, by all its kinds of
rows. A schema lets new fields come; this test does not: what is written stands in the schema. Of
JSON Schema it knows what the schemas use, and fails on what it does not know.
"""
import json
import pathlib

from commands import Checks

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
TELLS = {"$schema", "$comment", "title", "description"}
KNOWN = TELLS | {"type", "properties", "required", "items", "additionalProperties", "const", "enum", "anyOf"}
ASKED = {
    "stat": [[], *(["--by", by] for by in ("cpu", "cgroup", "container", "pod", "program", "process", "thread",
                                           "kind")), ["--every", "1ms"], ["--request", "*..*"]],
    "syscalls": [["--slowest", "3", "--by", by] for by in ("all", "thread", "process", "program", "cgroup",
                                                           "file")] + [["--request", "*..*"]],
    "blame": [["--by", by] for by in ("cause", "thread", "cgroup")] + [["--follow"]],
    "locks": [[]],
    "profile": [[], *(["--by", by] for by in ("cpus", "threads", "rpcs", "cgroups")), ["--by", "rpcs", "--group"]],
    "diff": [["--before", "..1ms", "--after", "2ms.."], ["--total", "--before", "..1ms", "--after", "2ms.."]],
    "why": [[], ["--call", "*"], ["--rpc", "*"], ["--call", "*", "--slowest", "50%"]],
}


def is_a(value, kind):
    if kind in ("integer", "number"):
        return isinstance(value, (int, float) if kind == "number" else int) and not isinstance(value, bool)
    return isinstance(value, TYPES[kind])


def wrong(value, schema, place):
    """Sentences about what does not fit."""
    unknown = set(schema) - KNOWN
    if unknown:
        return [f"{place}: the schema has {unknown}, which this test does not know"]
    if "const" in schema and value != schema["const"]:
        return [f"{place} is {value!r}, not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{place} is {value!r}, none of {schema['enum']}"]
    if "anyOf" in schema:
        fits = any(not wrong(value, one, place) for one in schema["anyOf"])
        return [] if fits else [f"{place} is {value!r}, which fits nothing"]
    if "type" in schema and not is_a(value, schema["type"]):
        return [f"{place} is {value!r}, no {schema['type']}"]
    found = []
    if isinstance(value, dict):
        found += [f"{place}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, inner in value.items():
            below = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            found += (wrong(inner, below, f"{place}.{name}") if isinstance(below, dict)
                      else [f"{place}: {name} is not in the schema"])
    if isinstance(value, list):
        for number, inner in enumerate(value):
            found += wrong(inner, schema.get("items", {}), f"{place}[{number}]")
    return found


class Answers(Checks):
    def __init__(self, program, small_trace, schemas, folder):
        super().__init__(program, small_trace, folder)
        self.schemas = {json.loads(path.read_text())["title"]: json.loads(path.read_text())
                        for path in pathlib.Path(schemas).glob("*.schema.json")}
        self.seen = set()

    def check(self, text, what):
        for line in text.splitlines():
            answer = json.loads(line)
            name = answer.get("schema")
            self.expect(next(iter(answer)) == "schema" and name in self.schemas, f"{what}: its schema is {name}")
            self.seen.add(name)
            found = wrong(answer, self.schemas.get(name, {}), name)
            self.expect(not found, f"{what}: {found[:3]}")

    def live(self):
        """What records: only where that is allowed."""
        for words in (["count", "syscall:*, by name, sum(duration), quantize(duration)", "--format", "json", "--", "true"],
                      ["top", "-n", "1", "--interval", "100ms", "--format", "json"],
                      ["overhead", "--rounds", "2", "--warmup", "0", "--format", "json", "--", "true"]):
            run = self.commands.run([self.commands.program, *words], text=True)
            if run.returncode in (0, 1):
                self.check(run.stdout, words[0])
            else:
                print(f"{words[0]} is left out: {run.stderr.splitlines()[:1]}")

    def all(self):
        large = self.folder / "large.raw"
        large.write_bytes(self.commands.trace("large"))
        for command, questions in ASKED.items():
            for words in questions:
                for trace in (self.whole, large):
                    run = self.commands.run([self.commands.program, command, *words, "--format", "json", str(trace)],
                                            text=True)
                    nothing = run.returncode == 3 and "has no " in run.stderr
                    self.expect(run.returncode in (0, 1) or nothing, f"{command} {words}: {run.stderr}")
                    self.check(run.stdout, f"{command} {words}")
        self.live()
        planted = wrong({"schema": "kutrace.stat/1", "cpus": "two", "more": 1}, self.schemas["kutrace.stat/1"], "")
        self.expect(len(planted) >= 4, f"of an answer that is wrong in four ways: {planted}")
        self.expect(len(self.seen) >= 9, f"only {sorted(self.seen)} were seen")


if __name__ == "__main__":
    Answers.main()
