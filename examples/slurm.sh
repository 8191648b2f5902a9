#!/bin/sh
#SBATCH --job-name=irci
#SBATCH --cpus-per-task=2
#SBATCH --mem=2G
#SBATCH --time=00:30:00
# Runs scored by a Slurm array, 10 a task, and compared by one job when all are scored. For 400 runs:
#
#   ls runs/* > runs.list
#   tasks=$(sbatch --parsable --array=1-40 examples/slurm.sh qrels.txt runs.list results)
#   sbatch --dependency=afterok:$tasks --wrap 'cat results/*.scores | irci map-ci --scores --all-pairs - > pairs.txt'
#
# The rows of results/*.topics, joined by grep -hv "^#", are those of one process. A task that failed can be submitted again by its number: it
# scores the same runs, and a file is written as a whole or not at all.
set -eu
qrels=$1 list=$2 results=$3
runs=${RUNS_A_TASK:-10}
last=$((SLURM_ARRAY_TASK_ID * runs))
name=$results/$(printf %05d "$SLURM_ARRAY_TASK_ID")
mkdir -p "$results"
sed -n "$((last - runs + 1)),${last}p" "$list" |
    irci ap-ci -q ${MEASURES:--m map -m P_10} --threads "${SLURM_CPUS_PER_TASK:-1}" \
        --save-scores "$name.scores" -o "$name.topics" "$qrels" @-
