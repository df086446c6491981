/* SPDX-License-Identifier: MIT */
/*
 * How launchers tell a process its rank: environment variables, a row a launcher, in the order in
 * which they are asked. What is started inside of something else comes first: torchrun under srun
 * has ranks of its own. A row counts if its `rank` is a number, and, where `sized` says so because
 * the name means little alone, if its `size` is one too. TensorFlow, which has no launcher, is told
 * by TF_CONFIG, asked last.
 */
#ifndef DLT_TRACEPOINTS_RANKS_H
#define DLT_TRACEPOINTS_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* What the ranks of one job have in common: all that are set count together, and TF_CONFIG's workers. */
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

/* ---- TF_CONFIG: {"cluster": {"worker": ["host:port", ...]}, "task": {"type": "worker", "index": 0}} ---- */

/* What stands behind "key" (with its quotes) and a colon; NULL: no such key. */
static inline const char *dlt_json_value(const char *text, const char *key)
{
	while (text && (text = strstr(text, key))) {
		text += strlen(key);
		text += strspn(text, " \t\r\n");
		if (*text == ':')
			return text + 1 + strspn(text + 1, " \t\r\n");
	}
	return NULL;
}

/* How many strings a list has; 0: it is none. */
static inline int32_t dlt_json_strings(const char *list)
{
	int32_t count = 0;

	if (!list || *list != '[')
		return 0;
	for (list++; *list && *list != ']'; list++) {
		if (*list != '"')
			continue;
		count++;
		list += 1 + strcspn(list + 1, "\"");
		if (!*list)
			break;
	}
	return count;
}

/* 0 to 999,999,999, in quotes or not. */
static inline int32_t dlt_json_number(const char *text)
{
	size_t digits = strspn(text += *text == '"', "0123456789");
	char number[10] = "";

	return dlt_rank_number(digits < sizeof(number) ? strncat(number, text, digits) : NULL);
}

/* A chief comes before the workers; who keeps parameters or evaluates has no rank. */
static inline struct dlt_rank dlt_rank_tensorflow(const char *config)
{
	int32_t chiefs = dlt_json_strings(dlt_json_value(config, "\"chief\""));
	int32_t size = chiefs + dlt_json_strings(dlt_json_value(config, "\"worker\""));
	const char *type = dlt_json_value(config, "\"type\""), *index = dlt_json_value(config, "\"index\"");
	struct dlt_rank r = { DLT_RANK_UNKNOWN, DLT_RANK_UNKNOWN, DLT_RANK_UNKNOWN };
	int32_t number = index ? dlt_json_number(index) : DLT_RANK_UNKNOWN;

	if (!type || number < 0)
		return r;
	if (!strncmp(type, "\"worker\"", 8))
		number += chiefs;
	else if (strncmp(type, "\"chief\"", 7))
		return r;
	if (number < size) {
		r.rank = number;
		r.size = size;
	}
	return r;
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
	return dlt_rank_tensorflow(get("TF_CONFIG"));
}

/* A hash of the job and its number of ranks. */
static inline uint64_t dlt_rank_job(const char *(*get)(const char *name), const struct dlt_rank *r)
{
	uint64_t hash = 0xcbf29ce484222325 ^ (uint64_t)(uint32_t)r->size;
	const char *workers = dlt_json_value(get("TF_CONFIG"), "\"worker\"");

	for (size_t i = 0; i < sizeof(dlt_jobs) / sizeof(dlt_jobs[0]); i++) {
		const char *value = get(dlt_jobs[i]);

		for (; value && *value; value++)
			hash = (hash ^ (unsigned char)*value) * 0x100000001b3;
		hash = (hash ^ i) * 0x100000001b3;
	}
	for (; workers && *workers && *workers != ']'; workers++)
		hash = (hash ^ (unsigned char)*workers) * 0x100000001b3;
	return hash;
}

#endif
