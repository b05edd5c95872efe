#!/usr/bin/env python3
"""Tries public Flink jobs: compiles, captures, explains and checks each; docs/corpus.md says what came of it.

None of the jobs' code is here. Needed are a table of jobs (tab-separated, with a header: `repo`, `path`), a folder with
their repositories (`owner+name` each, as checked out), a folder of libraries (a folder of jars for each set that
jobs.tsv names), Flink's jars, Java 17, and the programs of this project:

    run.py --table TSV --sources DIR --libs DIR --flink DIR --runtime sluice-flink.jar --host sluice-host.jar \\
           --sluice PROGRAM --out DIR [--only TEXT] [compile] [capture] [explain] [check] [table]
    run.py .. --functions PROGRAM functions ladder

The second translates every stateless function of the captured jobs, whether it could move or not, and compares what is translated with the JVM
(PROGRAM is `sluice-functions` of tests/functions); docs/native.md says what came of it.

Each step leaves its files in DIR and goes on with what the step before it left; without steps all are done. One JVM
runs at a time.
"""

import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import samples

HERE = Path(__file__).parent
JAVA_SOURCES = "src/main/java"
LIGHT_JVM = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g", "--add-opens=java.base/java.util=ALL-UNNAMED"]
STEPS = ["compile", "capture", "explain", "check", "table"]
# A check runs Flink some six times.
CHECK_SECONDS = 300


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


class Job:
    """A row of the table, with what the longest matching prefix of jobs.tsv says of it."""

    def __init__(self, number, row, settings, sources):
        self.name = Path(row["path"]).stem
        self.id = f"{number:03}-{self.name}"
        self.full = f'{row["repo"]}/{row["path"]}'
        repository = sources / row["repo"].replace("/", "+")
        self.module = repository / row["path"].split(JAVA_SOURCES)[0]
        fits = [s for s in settings if self.full.startswith(s["prefix"])]
        own = max(fits, key=lambda s: len(s["prefix"]))
        self.libs = own["libs"]
        self.args = own["args"].replace("{name}", self.name.lower()).split()
        self.source = repository / row["path"]
        self.files = [self.source] + [f for more in own["files"].split() for f in self.module.glob(more)]
        self.roots = [self.module / JAVA_SOURCES] + [repository / more for more in own["roots"].split()]
        self.main = own["main"] or self.class_name()

    def class_name(self):
        package = re.search(r"^package ([\w.]+)", self.source.read_text(errors="replace"), re.M)
        return f"{package[1]}.{self.name}" if package else self.name


class Trial:
    """The steps, by name."""

    def __init__(self, options):
        self.options = options
        settings = rows(HERE / "jobs.tsv")
        table = enumerate(rows(options.table), 1)
        jobs = [Job(number, row, settings, options.sources) for number, row in table]
        self.jobs = [job for job in jobs if (options.only or "") in job.full]

    def file(self, job, kind):
        return self.options.out / f"{job.id}.{kind}"

    def run(self, job, kind, command, seconds=120):
        """Runs a command in the job's module, where some jobs read files; stderr, or the deadline, goes to a file."""
        try:
            done = subprocess.run(command, cwd=job.module, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)
            code, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            code, out, err = -1, "", f"not done in {seconds} s\n"
        self.file(job, f"{kind}.log").write_text(err)
        return code, out

    def jars(self, job):
        return sorted((self.options.libs / job.libs).glob("*.jar"))

    def flink(self):
        return sorted(self.options.flink.glob("*.jar"))

    def compile(self, job):
        classes = self.file(job, "classes")
        shutil.rmtree(classes, ignore_errors=True)
        classes.mkdir()
        path = ":".join(map(str, self.jars(job) + self.flink()))
        roots = ":".join(map(str, job.roots))
        command = ["javac", "-nowarn", "-encoding", "UTF-8", "-implicit:class", "-g", "-proc:none", "-d", classes]
        code, _ = self.run(job, "compile", command + ["-cp", path, "-sourcepath", roots, *job.files])
        if code == 0:
            self.pack(job, classes)

    def pack(self, job, classes):
        """One jar with the job's classes, its resources and its libraries, as builds make it."""
        resources = self.module_resources(job)
        services, seen = {}, set()
        with zipfile.ZipFile(self.file(job, "jar"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as jar:
            for folder in [classes, *resources]:
                for file in sorted(f for f in folder.rglob("*") if f.is_file()):
                    name = str(file.relative_to(folder))
                    if name not in seen:
                        seen.add(name)
                        jar.write(file, name)
            for library in map(zipfile.ZipFile, self.jars(job)):
                for name in library.namelist():
                    if name.startswith("META-INF/services/"):
                        services.setdefault(name, []).append(library.read(name))
                    elif name not in seen and not name.endswith((".SF", ".RSA", ".DSA", ".so", "/")):
                        seen.add(name)
                        jar.writestr(name, library.read(name))
            for name, parts in services.items():
                jar.writestr(name, b"\n".join(parts))

    def module_resources(self, job):
        folders = [root.parent / "resources" for root in job.roots]
        return [folder for folder in folders if folder.is_dir()]

    def capture(self, job):
        jar, capture = self.file(job, "jar"), self.file(job, "zip")
        capture.unlink(missing_ok=True)
        if not jar.exists():
            return
        path = ":".join(map(str, [self.options.runtime, *self.flink()]))
        program = ["java", *LIGHT_JVM, "-cp", path, "dev.sluice.capture.CaptureMain"]
        self.run(job, "capture", program + ["--jar", jar, "--main", job.main, "--out", capture, "--", *job.args])

    def explain(self, job):
        if self.file(job, "zip").exists():
            program = [self.options.sluice, "explain", "--json", "--capture"]
            _, out = self.run(job, "explain", program + [self.file(job, "zip"), self.file(job, "jar")])
            self.file(job, "json").write_text(out)

    def check(self, job):
        explained = self.explained(job)
        inputs = [source for source in explained["sources"] if source.get("input")] if explained else []
        if not inputs:
            return
        given = []
        for source in inputs:
            lines = self.file(job, f'{source["input"]}.txt')
            lines.write_text("".join(f"{line}\n" for line in samples.lines(job.name, source["node"])))
            given += ["--sample", f'{source["input"]}={lines}']
        program = [self.options.sluice, "check", "--json", "--seed", "7", "--runtime", self.options.runtime]
        program += ["--flink", self.options.flink, "--host", self.options.host, "--capture", self.file(job, "zip")]
        _, out = self.run(job, "check", program + given + [self.file(job, "jar")], CHECK_SECONDS)
        self.file(job, "checked").write_text(out)

    def functions(self, job):
        if self.file(job, "zip").exists():
            program = ["env", f"SLUICE_FLINK_LIB={self.options.flink}", f"SLUICE_FLINK_JAR={self.options.runtime}"]
            program += [f"SLUICE_HOST_JAR={self.options.host}", self.options.functions, self.file(job, "jar")]
            _, out = self.run(job, "functions", [*program, "--capture", self.file(job, "zip")], CHECK_SECONDS)
            self.file(job, "functions").write_text(out)

    def ladder(self):
        """What became of functions, each counted once for each job, and why not the others."""
        words, reasons = Counter(), Counter()
        for job in self.jobs:
            file = self.file(job, "functions")
            for line in file.read_text().splitlines() if file.exists() else []:
                name, word, why = line.split("\t")
                words[word] += 1
                if word != "equal":
                    print(f"{job.id}\t{name}\t{word}\t{why}")
                    reasons[why.split(":")[0] if word == "refused" else word] += 1
        print(f"\n{dict(words)}\n{dict(reasons)}")

    def explained(self, job):
        text = self.file(job, "json").read_text() if self.file(job, "json").exists() else ""
        return json.loads(text) if text else None

    def outcome(self, job):
        """How far the job came, in one word."""
        if not self.file(job, "jar").exists():
            return "not compiled"
        if not self.file(job, "zip").exists():
            return "not captured"
        explained = self.explained(job)
        if not explained:
            return "not planned"
        if not any(source.get("input") for source in explained["sources"]):
            return "nothing moves"
        checked = self.file(job, "checked")
        text = checked.read_text() if checked.exists() else ""
        if not text:
            return "not checked"
        findings = json.loads(text)["findings"]
        return findings[0]["kind"] if findings else "equal"

    def table(self):
        ends, outcomes = Counter(), Counter()
        for job in self.jobs:
            outcome = self.outcome(job)
            outcomes[outcome] += 1
            print(f"{outcome:16} {job.full}")
            explained = self.explained(job)
            ends.update((source.get("end") or {}).get("word") for source in (explained or {"sources": []})["sources"])
        print(f"\n{dict(outcomes)}\nends of chains: {dict(ends)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ["table", "sources", "libs", "flink", "runtime", "host", "sluice", "out"]:
        parser.add_argument(f"--{name}", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--functions", type=lambda text: Path(text).resolve(), help="the program sluice-functions")
    parser.add_argument("--only", help="only jobs with this in their repository or path")
    parser.add_argument("steps", nargs="*", metavar="STEP")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    trial = Trial(options)
    for step in options.steps or STEPS:
        if step in ("table", "ladder"):
            getattr(trial, step)()
            continue
        for job in trial.jobs:
            getattr(trial, step)(job)
            print(f"{step} {job.full}: {trial.outcome(job)}", file=sys.stderr)


if __name__ == "__main__":
    main()
