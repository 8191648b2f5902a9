#!/bin/sh
# A wheel in an environment of its own, as users have it: the README's first command, the golden cases, pages and completions in
# their places; and after uninstalling, nothing: sh release/installed.sh [WHEEL]
# A wheel that brings its kernels prints the golden cases with those of each level of processors, without numba.
set -eu
wheel=${1:-$(echo dist/irci-*-none-any.whl)}
unset PYTHONDONTWRITEBYTECODE NUMBA_CACHE_DIR XDG_CACHE_HOME
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
environment=$folder/env
export HOME="$folder/home" PIP_CACHE_DIR="${PIP_CACHE_DIR:-$HOME/.cache/pip}"
mkdir "$HOME"
python3 -m venv "$environment"
export PATH="$environment/bin:$PATH"
pip --disable-pip-version-check install --quiet "$wheel[plot]"
command -v irci
touch "$environment/python" "$environment/installed"
make --no-print-directory demo VENV="$environment"
case $wheel in
    *-none-any.whl) set -- ""; irci compile ;;  # which golden cases would tell of
    *) set -- "" x86-64; python -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('numba') is not None)" ;;
esac
processor=/computed_with/d # a line of json
for level; do
    export IRCI_KERNELS="$level"
    number=0
    for golden in testdata/golden/*/; do
        sh "$golden/cmd" 2>&1 | sed "$processor" >"$folder/out"
        sed "$processor" "$golden/out" | cmp - "$folder/out" || { echo "$golden"; exit 1; }
        number=$((number + 1))
    done
done
for page in man/*.1; do
    [ -f "$environment/share/man/man1/${page#man/}" ]
done
[ -f "$environment/share/zsh/site-functions/_irci" ] && [ -f "$environment/share/fish/vendor_completions.d/irci.fish" ]
completed=$(bash -c '. "$0"; COMP_WORDS=(irci sw) COMP_CWORD=1; _irci_completion irci; echo "${COMPREPLY[*]}"' \
    "$environment/share/bash-completion/completions/irci")
[ "$completed" = swap-error ]
pip --disable-pip-version-check uninstall --quiet --yes irci
left=$(find "$environment" -ipath '*irci*')
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "the wheel prints all $number golden cases, and leaves nothing in its environment"
