/* SPDX-License-Identifier: MIT */
/* Graphs whose handles come again, clones of what has changed since, updates: what a launch executes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "interpose/arrays.c"
#undef BITS
#include "interpose/handles.c"
#include "interpose/graphs.c"
#undef WINDOW
#include "interpose/graph_execs.c"
#include "interpose/graph_params.c"

uint32_t dlt_last_capture;
static uint64_t told[DLT_WORKS];

uint32_t dlt_object_id(enum dlt_object type, const void *handle, const uint64_t *values, unsigned count)
{
	assert_int_equal(type, DLT_OBJECT_GRAPH);
	assert_non_null(handle);
	memcpy(told, values, count * sizeof(*values));
	return 1;
}

void dlt_ledger_graph(const struct dlt_cuda_node_memory *memory)
{
	assert_non_null(memory);
}

void dlt_missed(enum dlt_missed what)
{
	fail_msg("missed: %d", (int)what);
}

static void *handle(uintptr_t value)
{
	return (void *)value;
}

/* Of what is known of a graph now. */
static const uint64_t *executes(const void *graph)
{
	struct graph *g = dlt_graph_of((uintptr_t)graph, false);

	memset(told, 0, sizeof(told));
	if (g)
		g->object = 0;		/* else it is said only once */
	dlt_graph_shape(graph);
	return told;
}

#define GRAPH handle(0x100)
#define OTHER handle(0x200)
#define EXEC handle(0x300)
#define INSIDE handle(0x400)
#define NODE handle(0x1000)
#define SECOND handle(0x2000)

static int forget(void **state)
{
	(void)state;
	memset(graphs, 0, sizeof(graphs));
	memset(nodes, 0, sizeof(nodes));
	memset(edits, 0, sizeof(edits));
	return 0;
}

static void what_was_inside_goes_with_its_node(void **state)
{
	(void)state;
	dlt_graph_add(OTHER, SECOND, DLT_WORK_KERNEL, 0);
	dlt_graph_child(GRAPH, NODE, OTHER);
	dlt_graph_inside(INSIDE, NODE);
	assert_int_equal(executes(INSIDE)[DLT_WORK_KERNEL], 1);
	dlt_graph_gone(GRAPH);
	/* Both handles come again: they have nothing to do with each other. */
	dlt_graph_add(GRAPH, NODE, DLT_WORK_KERNEL, 0);
	dlt_graph_add(INSIDE, handle(0x3000), DLT_WORK_KERNEL, 0);
	assert_int_equal(executes(GRAPH)[DLT_WORK_KERNEL], 1);
	assert_int_equal(executes(INSIDE)[DLT_WORK_KERNEL], 1);
	/* Nor where the handle comes again while the node is still there. */
	dlt_graph_inside(INSIDE, NODE);
	dlt_graph_gone(INSIDE);
	dlt_graph_add(INSIDE, handle(0x4000), DLT_WORK_KERNEL, 0);
	assert_int_equal(executes(GRAPH)[DLT_WORK_KERNEL], 1);
}

static void a_body_s_handle_comes_again(void **state)
{
	struct {
		struct { int type, reserved[3]; } head;
		struct dlt_cuda_conditional conditional;
	} params = { .head.type = DLT_NODE_CONDITIONAL, .conditional = { .count = 1, .graphs = &(void *){ INSIDE } } };

	(void)state;
	dlt_graph_add_node(GRAPH, NODE, &params, false);
	dlt_graph_add(INSIDE, SECOND, DLT_WORK_KERNEL, 0);
	assert_int_equal(executes(GRAPH)[DLT_WORK_BODY_KERNEL], 1);
	assert_int_equal(executes(GRAPH)[DLT_WORK_KERNEL], 0);
	dlt_graph_remove(NODE);
	assert_int_equal(executes(GRAPH)[DLT_WORK_BODY_KERNEL], 0);
	assert_int_equal(executes(GRAPH)[DLT_WORK_UNSURE], 0);
	/* A child's graph now, whose kernels are executed. */
	dlt_graph_child(GRAPH, NODE, OTHER);
	dlt_graph_inside(INSIDE, NODE);
	dlt_graph_add(INSIDE, SECOND, DLT_WORK_KERNEL, 0);
	assert_int_equal(executes(GRAPH)[DLT_WORK_KERNEL], 1);
	assert_int_equal(executes(GRAPH)[DLT_WORK_BODY_KERNEL], 0);
}

static void a_clone_has_what_was_there_then(void **state)
{
	(void)state;
	dlt_graph_add(GRAPH, NODE, DLT_WORK_COPY, 100);
	dlt_graph_copy(OTHER, GRAPH);
	dlt_graph_found(SECOND, NODE, OTHER);
	dlt_graph_resize(NULL, SECOND, 150);
	assert_int_equal(executes(OTHER)[DLT_WORK_COPY_BYTES], 150);
	assert_int_equal(executes(OTHER)[DLT_WORK_UNSURE], 0);
	/* What it was in the clone is not known where the original has changed before it is asked for. */
	dlt_graph_copy(OTHER, GRAPH);
	dlt_graph_resize(NULL, NODE, 200);
	dlt_graph_found(SECOND, NODE, OTHER);
	dlt_graph_resize(NULL, SECOND, 300);
	assert_int_equal(executes(GRAPH)[DLT_WORK_COPY_BYTES], 200);
	assert_int_equal(executes(OTHER)[DLT_WORK_COPY_BYTES], 100);
	assert_int_equal(executes(GRAPH)[DLT_WORK_UNSURE], 0);
	assert_int_equal(executes(OTHER)[DLT_WORK_UNSURE], 1);
}

static void an_update_undoes_changes(void **state)
{
	(void)state;
	dlt_graph_add(GRAPH, NODE, DLT_WORK_COPY, 100);
	dlt_graph_made(EXEC, GRAPH, 0);
	dlt_graph_resize(EXEC, NODE, 300);
	assert_int_equal(executes(EXEC)[DLT_WORK_COPY_BYTES], 300);
	dlt_graph_updated(EXEC, GRAPH);
	assert_int_equal(executes(EXEC)[DLT_WORK_COPY_BYTES], 100);
	dlt_graph_resize(EXEC, NODE, 500);
	assert_int_equal(executes(EXEC)[DLT_WORK_COPY_BYTES], 500);
	assert_int_equal(executes(EXEC)[DLT_WORK_UNSURE], 0);
	/* Another one of the same handle begins anew. */
	dlt_graph_gone(EXEC);
	dlt_graph_made(EXEC, GRAPH, 0);
	dlt_graph_resize(EXEC, NODE, 700);
	assert_int_equal(executes(EXEC)[DLT_WORK_COPY_BYTES], 700);
	dlt_graph_resize(EXEC, NODE, 800);
	assert_int_equal(executes(EXEC)[DLT_WORK_COPY_BYTES], 800);
}

static void a_child_in_its_graph(void **state)
{
	struct dlt_cuda_node params = { .type = DLT_NODE_CHILD, .child = OTHER };

	(void)state;
	dlt_graph_child(GRAPH, NODE, INSIDE);
	dlt_graph_add(OTHER, SECOND, DLT_WORK_SET, 70);
	dlt_graph_resize_by(NULL, NODE, &params, false);
	assert_int_equal(executes(GRAPH)[DLT_WORK_SET_BYTES], 70);
	dlt_graph_resize_by(NULL, NODE, &params, false);
	assert_int_equal(executes(GRAPH)[DLT_WORK_SET], 1);
}

/* A switched node that is changed while it is off has its new size when it is on. */
static void changed_while_it_is_off(void **state)
{
	(void)state;
	dlt_graph_add(GRAPH, NODE, DLT_WORK_COPY, 100);
	dlt_graph_made(EXEC, GRAPH, 0);
	dlt_graph_switch(EXEC, NODE, false);
	dlt_graph_resize(EXEC, NODE, 300);
	assert_int_equal(executes(EXEC)[DLT_WORK_COPY_BYTES], 0);
	assert_int_equal(executes(EXEC)[DLT_WORK_COPY], 0);
	dlt_graph_switch(EXEC, NODE, true);
	assert_int_equal(executes(EXEC)[DLT_WORK_COPY_BYTES], 300);
	assert_int_equal(executes(EXEC)[DLT_WORK_COPY], 1);
	assert_int_equal(executes(EXEC)[DLT_WORK_UNSURE], 0);
}

/* It is in one of the graphs that have nodes nobody has asked for; not in one that was built by hand. */
static void a_node_that_nobody_knows_is_taken_out(void **state)
{
	const uint64_t work[DLT_WORKS] = { 3 };

	(void)state;
	dlt_graph_captured(GRAPH, work);
	dlt_graph_add(OTHER, NODE, DLT_WORK_KERNEL, 0);
	dlt_graph_other(OTHER, SECOND);
	dlt_graph_made(EXEC, GRAPH, 0);
	/* One that does nothing for the GPU is known. */
	dlt_graph_remove(SECOND);
	assert_int_equal(executes(GRAPH)[DLT_WORK_UNSURE], 0);
	assert_int_equal(executes(OTHER)[DLT_WORK_KERNEL], 1);
	dlt_graph_remove(handle(0x3000));
	assert_int_equal(executes(GRAPH)[DLT_WORK_UNSURE], 1);
	assert_int_equal(executes(OTHER)[DLT_WORK_UNSURE], 0);
	/* What was made before has all in it. */
	assert_int_equal(executes(EXEC)[DLT_WORK_UNSURE], 0);
	assert_int_equal(executes(EXEC)[DLT_WORK_KERNEL], 3);
}

static void a_node_that_nobody_knows_is_changed(void **state)
{
	const uint64_t work[DLT_WORKS] = { [DLT_WORK_COPY] = 3, [DLT_WORK_COPY_BYTES] = 30 };
	const struct dlt_cuda_node child = { .type = DLT_NODE_CHILD, .child = OTHER };

	(void)state;
	dlt_graph_captured(GRAPH, work);
	dlt_graph_resize(NULL, NODE, 100);
	assert_int_equal(executes(GRAPH)[DLT_WORK_UNSURE], 1);
	dlt_graph_gone(GRAPH);
	dlt_graph_captured(GRAPH, work);
	assert_int_equal(executes(GRAPH)[DLT_WORK_UNSURE], 0);
	dlt_graph_resize_by(NULL, NODE, &child, false);
	assert_int_equal(executes(GRAPH)[DLT_WORK_UNSURE], 1);
}

static void nodes_are_known_by_their_edges(void **state)
{
	const uint64_t work[DLT_WORKS] = { 3 };
	void *const from[] = { NODE }, *const to[] = { SECOND };

	(void)state;
	dlt_graph_captured(GRAPH, work);
	dlt_graph_captured(OTHER, work);
	dlt_graph_edges(GRAPH, from, to, &(size_t){ 1 });
	dlt_graph_beside(NODE, &(void *){ handle(0x3000) }, &(size_t){ 1 });
	dlt_graph_node_is(NODE, DLT_NODE_KERNEL);
	dlt_graph_node_is(handle(0x3000), DLT_NODE_KERNEL);
	dlt_graph_remove(NODE);
	dlt_graph_remove(handle(0x3000));
	assert_int_equal(executes(GRAPH)[DLT_WORK_KERNEL], 1);
	assert_int_equal(executes(GRAPH)[DLT_WORK_UNSURE], 0);
	/* Of this one only the graph is known. */
	dlt_graph_remove(SECOND);
	assert_int_equal(executes(GRAPH)[DLT_WORK_UNSURE], 1);
	assert_int_equal(executes(OTHER)[DLT_WORK_UNSURE], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_was_inside_goes_with_its_node, forget),
		cmocka_unit_test_setup(a_body_s_handle_comes_again, forget),
		cmocka_unit_test_setup(a_clone_has_what_was_there_then, forget),
		cmocka_unit_test_setup(an_update_undoes_changes, forget),
		cmocka_unit_test_setup(a_child_in_its_graph, forget),
		cmocka_unit_test_setup(changed_while_it_is_off, forget),
		cmocka_unit_test_setup(a_node_that_nobody_knows_is_taken_out, forget),
		cmocka_unit_test_setup(a_node_that_nobody_knows_is_changed, forget),
		cmocka_unit_test_setup(nodes_are_known_by_their_edges, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
