#!/bin/sh
# The source distribution, unpacked where nothing else is: all that git has is there, and the tests run.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xzf dist/irci-*.tar.gz -C "$folder" --strip-components 1
for file in $(git ls-files -- ':!.ci' ':!.gitignore'); do
    [ -f "$folder/$file" ] || { echo "$file is missing: MANIFEST.in"; exit 1; }
done
make -C "$folder" test
