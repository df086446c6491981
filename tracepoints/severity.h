/* SPDX-License-Identifier: MIT */
/* How bad it is: in dltrace_record:note (severity) and in the report's findings. */
#ifndef DLT_SEVERITY_H
#define DLT_SEVERITY_H

enum dlt_severity { DLT_INFO, DLT_WARNING, DLT_PROBLEM, DLT_SEVERITIES };

/* For people and for the report's columns. */
static inline const char *dlt_severity_name(enum dlt_severity severity)
{
	static const char *const names[DLT_SEVERITIES] = {"info", "warning", "problem"};

	return names[severity];
}

#endif
