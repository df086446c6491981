/* SPDX-License-Identifier: MIT */
/* Launches of graphs that may have executed something else, and what found no room in the process. */
#include "analysis/launch_limits.h"

#include <stdio.h>

#include "analysis/analyses.h"

/* Launches of graphs of which it is not known what they execute. */
static void unsure_graphs(const struct process *p, launch_limits_say *say, void *data)
{
	uint64_t graphs = 0, launches = 0, deciding = 0, nodes = 0, kernels = 0;
	char bodies[256] = "", text[600];

	for (size_t i = 0; i < p->launched.count; i++) {
		const struct launches *l = &p->launched.list[i];
		const struct object *graph = process_find_object(p, DLT_OBJECT_GRAPH, l->id);

		if (!graph || !graph->values[GRAPH_UNSURE] || !l->count)
			continue;
		graphs++;
		launches += l->count;
		deciding += graph->values[GRAPH_CONDITIONAL] ? l->count : 0;
		nodes += l->count * graph->values[GRAPH_CONDITIONAL];
		kernels += l->count * graph->values[GRAPH_BODY_KERNELS];
	}
	if (!launches)
		return;
	if (deciding)
		snprintf(bodies, sizeof(bodies),
			 "%s of them came to %s conditional nodes, whose bodies run as often as the GPU decides and "
			 "are in no count (each once: %s kernels); in others ",
			 COUNT_TEXT(deciding), COUNT_TEXT(nodes), COUNT_TEXT(kernels));
	snprintf(text, sizeof(text),
		 "%s launches of %s CUDA graphs may have executed more or less than is "
		 "counted: %sthe GPU may launch the graph itself, or nodes of it were taken out, switched off or "
		 "changed of which it is not known what they did", COUNT_TEXT(launches), COUNT_TEXT(graphs), bodies);
	say(p, "uncovered", (double)launches, text, data);
}

static const char *const missed[DLT_MISSED_KINDS] = {
	[DLT_MISSED_LAUNCH] = "launches of kernels are in no row of the table kernels: kernels, their grids and names "
			      "had filled what dltrace has for them",
	[DLT_MISSED_GRAPH] = "launches of CUDA graphs are in no row of the table graphs: there were more graphs than "
			     "dltrace has room for",
	[DLT_MISSED_STREAM] = "times a stream was asked for that has no number, as if it were the default stream: "
			      "streams, kernels and names had filled what dltrace has for them",
	[DLT_MISSED_CAPTURE] = "times a stream or an event in a capture found no room: what was captured by it stands "
			       "as executed, and is missing in the graph",
	[DLT_MISSED_NAME] = "names, of packages, folders, streams, communicators or functions of Python's, found no "
			    "room and are not told",
	[DLT_MISSED_STACK] = "call stacks of who asked for memory lack their inner frames: there were more different "
			     "ones than dltrace has room for",
};

_Static_assert(DLT_MISSED_KINDS == DLT_MISSED_STACK + 1, "each has its words");

static void without_room(const struct process *p, launch_limits_say *say, void *data)
{
	uint64_t counts[DLT_MISSED_KINDS] = { 0 };
	char text[300];

	for (size_t i = 0; i < p->launched.object_count; i++)
		for (size_t k = 0; p->launched.objects[i].type == DLT_OBJECT_MISSED && k < DLT_MISSED_KINDS; k++)
			counts[k] += p->launched.objects[i].values[k];
	for (size_t k = 0; k < DLT_MISSED_KINDS; k++) {
		snprintf(text, sizeof(text), "%s %s", COUNT_TEXT(counts[k]), missed[k]);
		if (counts[k])
			say(p, "precision", (double)counts[k], text, data);
	}
}

void launch_limits_each(const struct process *p, launch_limits_say *say, void *data)
{
	unsure_graphs(p, say, data);
	without_room(p, say, data);
}
