#!/bin/sh
# Tell whether this checkout is what a release says it is: nothing is left out of git, and nothing waits for a section of its own.
set -eu
changes=$(git status --porcelain)
[ -z "$changes" ] || { echo "not in git: $changes"; exit 1; }
waiting=$(sed -n '/^## Unreleased$/,/^## [0-9]/p' CHANGELOG.md | sed '1d;$d' | grep -v '^Nothing yet\.$' | grep . || true)
[ -z "$waiting" ] || { echo "CHANGELOG.md: what is under Unreleased belongs to a version: $waiting"; exit 1; }
pytest tests/test_release.py
sed -n 's/^## \([0-9].*\)/\1/p;T;q' CHANGELOG.md
