#!/bin/sh
# The wheel in an environment of its own, as users have it: the README's first command, the golden cases, pages and completions in
# their places; and after uninstalling, nothing.
set -eu
unset PYTHONDONTWRITEBYTECODE NUMBA_CACHE_DIR XDG_CACHE_HOME
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
environment=$folder/env
export HOME="$folder/home" PIP_CACHE_DIR="${PIP_CACHE_DIR:-$HOME/.cache/pip}"
mkdir "$HOME"
python3 -m venv "$environment"
export PATH="$environment/bin:$PATH"
pip --disable-pip-version-check install --quiet "$(echo dist/irci-*.whl)[plot]"
command -v irci
touch "$environment/python" "$environment/installed"
make --no-print-directory demo VENV="$environment"
number=0
for case in testdata/golden/*/; do
    sh "$case/cmd" 2>&1 | cmp - "$case/out"
    number=$((number + 1))
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
