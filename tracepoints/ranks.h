/* SPDX-License-Identifier: MIT */
/*
 * How launchers tell a process its rank: environment variables, a row a launcher, in the order in
 * which they are asked. What is started inside of something else comes first: torchrun under srun
 * has ranks of its own. A row counts if its `rank` is a number, and, where `sized` says so because
 * the name means little alone, if its `size` is one too.
 */
#ifndef DLT_TRACEPOINTS_RANKS_H
#define DLT_TRACEPOINTS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DLT_RANK_UNKNOWN	(-1)

struct dlt_rank {
	int32_t rank, size, local;	/* DLT_RANK_UNKNOWN: not said */
};

static const struct dlt_launcher {
	const char *rank, *size, *local;	/* variables; NULL: it has none */
	bool sized;
} dlt_launchers[] = {
	/* torchrun, torch.distributed.launch, accelerate, deepspeed */
	{ "RANK", "WORLD_SIZE", "LOCAL_RANK", true },
	{ "HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK", false },
	{ "PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "PADDLE_RANK_IN_NODE", true },
	/* Open MPI's mpirun (also horovodrun --mpi), MVAPICH2, LSF's jsrun, Cray's PALS (PBS) */
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", false },
	{ "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", false },
	{ "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_LOCAL_RANK", false },
	{ "PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_RANKID", false },
	{ "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", false },
	/* MPICH and Intel MPI; a job step of Slurm with PMI-2 or PMIx, then one without */
	{ "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", false },
	{ "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", false },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", true },
};

/* What the ranks of one job have in common: all that are set count together. */
static const char *const dlt_jobs[] = {
	"PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID", "FLUX_JOB_ID", "PALS_APID", "LSB_JOBID",
	"PBS_JOBID", "MASTER_ADDR", "MASTER_PORT", "HOROVOD_GLOO_RENDEZVOUS_ADDR",
	"HOROVOD_GLOO_RENDEZVOUS_PORT",
};

/* A number from 0 to 2^31 - 1 and nothing else, else DLT_RANK_UNKNOWN. */
static inline int32_t dlt_rank_number(const char *text)
{
	int64_t n = 0;

	if (!text || !*text)
		return DLT_RANK_UNKNOWN;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return DLT_RANK_UNKNOWN;
		n = n * 10 + (*text - '0');
		if (n > INT32_MAX)
			return DLT_RANK_UNKNOWN;
	}
	return (int32_t)n;
}

/* get: the value of an environment variable; NULL when it is not set. */
static inline struct dlt_rank dlt_rank_find(const char *(*get)(const char *name))
{
	for (size_t i = 0; i < sizeof(dlt_launchers) / sizeof(dlt_launchers[0]); i++) {
		const struct dlt_launcher *l = &dlt_launchers[i];
		struct dlt_rank r = {
			dlt_rank_number(get(l->rank)), dlt_rank_number(get(l->size)),
			dlt_rank_number(get(l->local)),
		};

		if (r.rank >= 0 && (r.size > r.rank || (!l->sized && r.size < 0)))
			return r;
	}
	return (struct dlt_rank){ DLT_RANK_UNKNOWN, DLT_RANK_UNKNOWN, DLT_RANK_UNKNOWN };
}

/* A hash of the job and its number of ranks. */
static inline uint64_t dlt_rank_job(const char *(*get)(const char *name), const struct dlt_rank *r)
{
	uint64_t hash = 0xcbf29ce484222325 ^ (uint64_t)(uint32_t)r->size;

	for (size_t i = 0; i < sizeof(dlt_jobs) / sizeof(dlt_jobs[0]); i++) {
		const char *value = get(dlt_jobs[i]);

		for (; value && *value; value++)
			hash = (hash ^ (unsigned char)*value) * 0x100000001b3;
		hash = (hash ^ i) * 0x100000001b3;
	}
	return hash;
}

#endif
