# SPDX-License-Identifier: BSD-3-Clause
"""Marks in other languages than C, and functions that a program tells of itself, recorded by the module.

Programs and what they must show are those of test/live/languages_test.py and functions_test.py. Of the
languages Python is taken along, with the few of its modules that the program needs, Node, a small
Java runtime, and what can be built here: Go and Rust.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

import guest
import record_case

LIVE = pathlib.Path(__file__).parents[1] / "live"
FILES = pathlib.Path(__file__).parents[2] / "include" / "languages"
sys.path.insert(0, str(LIVE))
import functions_test
import judged
import languages_test

PROGRAMS = ["kutrace", "kutrace-functions-hooked"]
ACCELERATOR = guest.TWO_CPUS
TIMEOUT = 900
PYTHON = pathlib.Path("/usr/bin/python3")
# That Python itself and kutrace.py load, with all that these load.
MODULES = ["encodings", "collections", "contextlib.py", "functools.py", "keyword.py", "operator.py", "re",
           "reprlib.py", "struct.py", "types.py", "enum.py", "copyreg.py", "heapq.py"]
NODE = "node"
JAVA = "javac"
BUILT = {"go": languages_test.go, "rustc": languages_test.rust}
TREES = 50
SCRIPT = f"""
insmod /modules/kutrace.ko
export PYTHONPATH=/modules/python.zip:/modules
record="kutrace record --source module"
# The first recording makes the page by which programs know that somebody listens.
$record -o /out/first.raw -- true
$record -o /out/python3.raw -- python3 -S -B /modules/marks.py >/out/python3.told 2>&1
$record --strings -o /out/strings.raw -- python3 -S -B /modules/marks.py >/out/strings.told 2>&1
for program in {' '.join(BUILT)}; do
  [ ! -e /bin/marks-$program ] || $record -o /out/$program.raw -- marks-$program >/out/$program.told 2>&1
done
if [ -e /bin/{NODE} ]; then
  $record -o /out/{NODE}.raw -- {NODE} /modules/marks.js >/out/{NODE}.told 2>&1
fi
if [ -e /modules/java.tar ]; then
  mkdir /java && tar -x -C /java -f /modules/java.tar
  $record -o /out/{JAVA}.raw -- /java/runtime/bin/java -Xint -Xshare:off -cp /java/marks Marks >/out/{JAVA}.told 2>&1
fi
$record -o /out/functions.raw -- kutrace-functions-hooked tree {TREES} >/out/functions.told 2>&1
rmmod kutrace
"""


def more_programs():
    """Python, and the programs that are built here, under names of their own."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kutrace-marks-"))
    programs = [PYTHON, *(pathlib.Path(path) for path in [shutil.which(NODE)] if path)]
    for tool, make in BUILT.items():
        if shutil.which(tool):
            own = folder / tool
            own.mkdir()
            programs.append(own / f"marks-{tool}")
            shutil.copy(make(own, FILES, LIVE / "languages")[0], programs[-1])
    return programs


def more_modules(_, folder):
    """What Python needs beside its program, as files of the guest's /modules."""
    library = next(pathlib.Path("/usr/lib").glob("python3.*/encodings")).parent
    packed = folder / "python.zip"
    with zipfile.ZipFile(packed, "w") as zipped:
        for path in (file for name in MODULES for file in [library / name, *(library / name).glob("*.py")]):
            if path.suffix == ".py":
                zipped.write(path, path.relative_to(library))
    extension = next((library / "lib-dynload").glob("mmap.*.so"))
    files = [packed, extension, FILES / "kutrace.py", LIVE / "languages" / "marks.py", FILES / "kutrace.js",
             LIVE / "languages" / "marks.js"]
    return files + ([java_runtime(folder)] if shutil.which(JAVA) else [])


def java_runtime(folder):
    """The program and no more of Java than it needs."""
    folder = folder.resolve()
    marks, runtime, packed = folder / "marks", folder / "runtime", folder / "java.tar"
    marks.mkdir()
    languages_test.java(marks, FILES, LIVE / "languages")
    subprocess.run(["jlink", "--add-modules", "java.base,jdk.unsupported", "--strip-debug", "--no-man-pages", "--no-header-files",
                    "--output", runtime], check=True)
    subprocess.run(["tar", "-c", "-C", folder, "-f", packed, "marks", "runtime"], check=True)
    return packed


def rows(arguments, trace, sql):
    return json.loads(record_case.run(arguments, "kutrace", "query", "--format", "json", str(trace), sql).stdout)


def check_marks(arguments, trace):
    labels = [judged.label_of(row) for row in rows(arguments, trace, "select name, arg from marks order by start_ns")]
    said = trace.with_suffix(".told").read_text(encoding="utf-8")
    findings = [] if labels == languages_test.MARKS else [f"{trace.name}: marks {labels}; {said}"]
    writes = rows(arguments, trace, "select name from calls where name = 'write' and result = -9")
    findings += [f"{trace.name}: a mark is a call"] if writes else []
    return findings + record_case.check_law(arguments, trace)


def check_functions(arguments, trace):
    """As many calls of each, and each below the one that calls it."""
    found = {functions_test.short(row["name"]): (row["n"], row["depth"]) for row in rows(
        arguments, trace, "select name, count(*) as n, max(depth) as depth from functions where name like 'lab::%' group by name")}
    expected = {"root": (TREES, 1), "left": (TREES, 2), "right": (TREES, 2), "leaf": (2 * TREES, 3)}
    findings = [] if found == expected else [f"{trace.name}: functions {found}, not {expected}"]
    return findings + record_case.check_law(arguments, trace)


def check(out, arguments):
    traces = [out / f"{name}.raw" for name in ("python3", "strings", *(tool for tool in [*BUILT, NODE, JAVA]
                                                                        if shutil.which(tool)))]
    findings = [finding for trace in traces for finding in check_marks(arguments, trace)]
    return findings + check_functions(arguments, out / "functions.raw")
