#!/bin/sh
# Keep scores by other judgments apart: sh same-judgments.sh REPORT REPORT..., which `irci ... --format json` wrote.
# Ends with 1 if the judgments of any two differ, whatever their files are called and whatever format they have.
exec python3 - "$@" <<'END'
import json, sys

judgments = {}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as report:
        signature = json.load(report)["signature"]
    judgments[path] = sorted(value for name, value in signature.items() if name.startswith("judgments:"))
first = next(iter(judgments.values()), [])
others = [path for path, of_report in judgments.items() if of_report != first or not of_report]
sys.exit(f"scored by other judgments than {sys.argv[1]}: {', '.join(others)}" if others else 0)
END
