/* SPDX-License-Identifier: MIT */
/* What comm.tbl needs of NCCL and MPI, in plain C: one binary serves all versions of them. */
#ifndef DLT_TRACEPOINTS_COMM_TYPES_H
#define DLT_TRACEPOINTS_COMM_TYPES_H

/* ncclUniqueId */
struct dlt_nccl_id {
	char bytes[128];
};

/* The values of a communicator (dltrace_proc:object), in this order. */
enum dlt_comm_value {
	DLT_COMM_KIND, DLT_COMM_RANKS, DLT_COMM_RANK, DLT_COMM_IDENTITY, DLT_COMM_ROLE, DLT_COMM_VALUES,
};

enum dlt_comm_kind { DLT_COMM_NCCL = 1, DLT_COMM_MPI, DLT_COMM_GLOO };

/* The two that MPI begins with; one between two groups, whose size is that of this rank's own group. */
enum dlt_comm_role { DLT_COMM_OTHER, DLT_COMM_WORLD, DLT_COMM_SELF, DLT_COMM_BETWEEN };

#define DLT_COMM_UNKNOWN	UINT64_MAX	/* of DLT_COMM_RANK; for the others it is 0 */

#endif
