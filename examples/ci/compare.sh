#!/bin/sh
# Compare runs with a baseline in a pipeline: sh compare.sh QRELS BASELINE RUN...
#
# Ends with 0 if each run is shown to be not worse than the baseline by MARGIN, 5 if one is worse, 6 if the topics are too few to tell, and
# with 2 to 4 if there was nothing to compare (options, input, the machine), which standard error tells.
# SUMMARY: the file that a summary in Markdown is added to (standard output); PAGE: where the page with all of it goes; MEASURES;
# MARGIN: the difference that matters to nobody.
set -u
: "${PAGE:=irci.html}" "${MEASURES:=-m nDCG@10}" "${MARGIN:=.02}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# shellcheck disable=SC2086 # MEASURES are words
set -- $MEASURES --margin "$MARGIN" "$@"
irci compare --quiet --format html -o "$PAGE" "$@" || exit
irci compare --table difference --format markdown --fail-if inferior "$@" >"$folder/table" 2>"$folder/reasons"
status=$?
cat "$folder/reasons" >&2
case $status in
    0) answer="Not worse by $MARGIN" ;;
    5) answer="Worse" ;;
    6) answer="Too few topics to tell" ;;
    *) exit "$status" ;;
esac
if [ -n "${SUMMARY:-}" ]; then
    exec >>"$SUMMARY"
fi
printf '### %s\n\n' "$answer"
sed -n 's/^irci: \(.*\) (--fail-if .*)$/- \1/p' "$folder/reasons"
printf '\n'
cat "$folder/table"
exit "$status"
