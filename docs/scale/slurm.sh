#!/bin/bash
# Score parts on Slurm: one scheduler, and a worker process for each task. Submit with: sbatch slurm.sh
#SBATCH --job-name=assay
#SBATCH --ntasks=16
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time=04:00:00
set -euo pipefail

export OMP_NUM_THREADS=1
file="$SLURM_SUBMIT_DIR/scheduler-$SLURM_JOB_ID.json"
trap 'kill $(jobs -p) 2>/dev/null || true; rm -f "$file"' EXIT

dask scheduler --host "$(hostname)" --port 0 --no-dashboard --scheduler-file "$file" &
srun dask worker --scheduler-file "$file" --nthreads 1 --memory-limit 2GB --no-dashboard &

# Waits for the scheduler; workers may come later. Submitted again, it goes on where it stopped.
until [ -s "$file" ]; do sleep 1; done
assay score parts -e bleu -e distinct --cluster "$file" -o scores
