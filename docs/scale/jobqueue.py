"""Score parts on Slurm with dask-jobqueue, from a login node: workers are jobs that come and go."""

from dask_jobqueue import SLURMCluster
from distributed import Client

import assay
from assay.backends.cluster import Cluster

if __name__ == "__main__":
    jobs = SLURMCluster(cores=1, processes=1, memory="2GB", walltime="04:00:00")
    jobs.adapt(maximum_jobs=16)
    with Cluster(Client(jobs), jobs) as cluster:
        scored = assay.score_parts("parts", ["bleu", "distinct"], "scores", executor=cluster)
    print(scored.systems.to_pandas())
