"""Autobahn's WebSocket suite against the line that `parlor serve` has, with an echo at its end.

    autobahn.py ECHO PYTHON2 PACKAGES FOLDER

The suite is the published one (`wstest -m fuzzingclient`), every case of it. It is written for Python 2; this script, which
starts it and reads what it found, is not. A case passes when the suite says OK, NON-STRICT (right, but later than at the
first possible byte) or INFORMATIONAL. UNIMPLEMENTED is what it says where a server offers no compression, and passes
in the two sections about compression alone. Anything else fails, and so does a run of fewer cases than there are.
"""

import collections
import json
import pathlib
import shutil
import subprocess
import sys

CASES = 517
COMPRESSION = ("12.", "13.")
RUN_WITHIN = 600
SUITE = "import site, sys; site.addsitedir(sys.argv.pop(1)); from autobahntestsuite.wstest import run; run()"


def main(echo, python2, packages, folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    server = subprocess.Popen([echo], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip().rpartition("http://")[2]
        reports = folder / "reports"
        spec = {
            "outdir": str(reports),
            "servers": [{"agent": "Parlor", "url": f"ws://{address}"}],
            "cases": ["*"],
            "exclude-cases": [],
            "exclude-agent-cases": {},
        }
        (folder / "spec.json").write_text(json.dumps(spec))
        with open(folder / "said.txt", "w") as said:
            command = [python2, "-c", SUITE, packages, "-m", "fuzzingclient", "-s", str(folder / "spec.json")]
            subprocess.run(command, cwd=folder, stdout=said, stderr=said, timeout=RUN_WITHIN, check=True)
        if server.poll() is not None:
            sys.exit(f"the echo ended with {server.returncode} while the suite was running")
        return judge(json.loads((reports / "index.json").read_text())["Parlor"], reports)
    finally:
        server.kill()
        server.wait()


def judge(cases, reports):
    by_number = sorted(cases.items(), key=lambda item: [int(part) for part in item[0].split(".")])
    behaved = collections.Counter(found["behavior"] for _, found in by_number)
    closed = collections.Counter(found["behaviorClose"] for _, found in by_number)
    print(f"{len(cases)} cases:", ", ".join(f"{count} {name}" for name, count in behaved.most_common()))
    print("closing:", ", ".join(f"{count} {name}" for name, count in closed.most_common()))
    late = [number for number, found in by_number if found["behavior"] == "NON-STRICT"]
    print("not strict:", ", ".join(late) or "none")
    failed = [number for number, found in by_number if not passes(number, found)]
    for number in failed:
        found = cases[number]
        print(f"FAILED {number}: {found['behavior']}, closing {found['behaviorClose']}; {reports / found['reportfile']}")
    if len(cases) < CASES:
        print(f"FAILED: the suite has {CASES} cases, only {len(cases)} were run")
    return 1 if failed or len(cases) < CASES else 0


def passes(number, found):
    fine = {"OK", "NON-STRICT", "INFORMATIONAL"}
    unasked = number.startswith(COMPRESSION) and found["behavior"] == "UNIMPLEMENTED"
    return (found["behavior"] in fine or unasked) and found["behaviorClose"] in fine


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
