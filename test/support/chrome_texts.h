// SPDX-License-Identifier: BSD-3-Clause
// Small files of Chrome's JSON, as other programs lay them out.
#pragma once

#include <string_view>

namespace kutrace::test {

// As viztracer writes: whole slices, the inner ones first.
inline constexpr std::string_view kViztracerJson = R"json({"traceEvents": [
{"ph": "M", "pid": 70, "tid": 70, "name": "process_name", "args": {"name": "MainProcess"}},
{"ph": "M", "pid": 70, "tid": 70, "name": "thread_name", "args": {"name": "MainThread"}},
{"pid": 70, "tid": 70, "ts": 1010.5, "ph": "X", "name": "leaf (a.py:3)", "dur": 20.25, "cat": "FEE"},
{"pid": 70, "tid": 70, "ts": 1040.0, "ph": "X", "name": "leaf (a.py:3)", "dur": 10, "cat": "FEE"},
{"pid": 70, "tid": 70, "ts": 1000.0, "ph": "X", "name": "root (a.py:9)", "dur": 100.125, "cat": "FEE"},
{"pid": 70, "tid": 71, "ts": 1050.0, "ph": "i", "name": "found", "s": "t"},
{"pid": 70, "tid": 70, "ts": 1060.0, "ph": "C", "name": "queue", "args": {"length": 3, "bytes": 1.6}}
], "viztracer_metadata": {"version": "0.16.3", "overflow": false}, "file_info": {"files": {}}})json";

// As Chrome leaves it when it is killed: an array that does not end, begins and ends.
inline constexpr std::string_view kCutJson = R"([
{"name":"thread_name","ph":"M","pid":7,"tid":9,"args":{"name":"CrRendererMain"},"cat":"__metadata"},
{"name":"Task","cat":"toplevel","ph":"B","ts":500,"pid":7,"tid":9,"args":{}},
{"name":"Layout","cat":"blink","ph":"B","ts":510,"pid":7,"tid":9,"args":{"a":[{"b":{}}]}},
{"name":"Layout","cat":"blink","ph":"E","ts":530,"pid":7,"tid":9,"args":{}},
{"name":"fetch","cat":"net","ph":"b","id":"0x1f","ts":520,"pid":7,"tid":9,"args":{}},
{"name":"fetch","cat":"net","ph":"e","id":"0x1f","ts":560,"pid":7,"tid":10,"args":{}},
{"name":"flow","cat":"net","ph":"s","id":1,"ts":520,"pid":7,"tid":9},
{"name":"lost","cat":"blink","ph":"E","ts":505,"pid":7,"tid":10,"args":{}},
{"name":"Paint","cat":"blink","ph":"B","ts":590,"pid":7,"ti)";

}  // namespace kutrace::test
