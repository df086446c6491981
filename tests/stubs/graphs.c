/* SPDX-License-Identifier: MIT */
/* Graphs of the stub: lists of nodes, made by hand or by capture, and what can be launched of them. */
#include <pthread.h>
#include <stdlib.h>

#include "stub.h"

#define INVALID_VALUE 1
#define MANY 64			/* captures and events that take part */

enum { KERNEL, COPY, SET, CHILD = 4, CONDITIONAL = 13 };

struct graph {
	struct graph *next;
	struct node *nodes;
	int again;			/* it is captured once more: it has all of its nodes */
};

/* Freed as CUDA's are: the next one has the same handle, as likely as not. */
struct node {
	struct node *next;
	const struct node *of;		/* in what can be launched: the graph's own */
	struct graph *child;
	struct graph **bodies;		/* of a conditional node */
	unsigned count;
	int type;
	unsigned off;
};

static struct graph *graphs;
static struct capture {
	const void *stream;		/* NULL: free */
	struct graph *graph;
} captures[MANY];
static struct {
	const void *event;
	struct graph *graph;
} events[MANY];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- graphs and nodes, under the lock ---- */

static struct graph *make(void)
{
	struct graph *g = calloc(1, sizeof(*g));

	g->next = graphs;
	graphs = g;
	return g;
}

static struct graph *known(const void *handle)
{
	struct graph *g = graphs;

	while (g && g != handle)
		g = g->next;
	return g;
}

static struct node *add(struct graph *g, int type, struct graph *child)
{
	struct node *n = calloc(1, sizeof(*n)), **end = &g->nodes;

	while (*end)
		end = &(*end)->next;
	n->type = type;
	n->child = child;
	return *end = n;
}

static struct graph *copy(const struct graph *from)
{
	struct graph *g = make();

	for (const struct node *n = from->nodes; n; n = n->next) {
		struct node *to = add(g, n->type, n->child ? copy(n->child) : NULL);

		to->of = n;
		to->off = n->off;
		to->bodies = n->bodies;	/* shared: nothing changes them once they are launched */
		to->count = n->count;
	}
	return g;
}

static struct node **place_of(const void *node)
{
	for (struct graph *g = graphs; g; g = g->next)
		for (struct node **at = &g->nodes; *at; at = &(*at)->next)
			if (*at == node)
				return at;
	return NULL;
}

static void launch(const struct graph *g, void *stream)
{
	static const char *const name = "kernel of a graph";

	for (const struct node *n = g->nodes; n; n = n->next) {
		if (n->off)
			continue;
		if (n->type == CHILD)
			launch(n->child, stream);
		else if (n->type <= SET)
			stub_node_runs(n->type, name, stream);
		/* The GPU decides: each body runs once. */
		for (unsigned i = 0; i < n->count; i++)
			launch(n->bodies[i], stream);
	}
}

static struct capture *capture_of(const void *stream)
{
	for (unsigned i = 0; i < MANY; i++)
		if (captures[i].stream == stream)
			return &captures[i];
	return NULL;
}

/* ---- what functions do ---- */

int stub_graph(void **handle)
{
	pthread_mutex_lock(&lock);
	*handle = make();
	pthread_mutex_unlock(&lock);
	return 0;
}

int stub_graph_copy(void **handle, const void *from)
{
	pthread_mutex_lock(&lock);
	*handle = known(from) ? copy(known(from)) : make();
	pthread_mutex_unlock(&lock);
	return 0;
}

int stub_graph_gone(const void *handle)
{
	struct graph *g, **at = &graphs;

	pthread_mutex_lock(&lock);
	while (*at && *at != handle)
		at = &(*at)->next;
	g = *at;
	if (g) {
		*at = g->next;
		for (struct node *n = g->nodes, *next; n; n = next) {
			next = n->next;
			free(n);
		}
	}
	free(g);
	pthread_mutex_unlock(&lock);
	return g ? 0 : INVALID_VALUE;
}

int stub_node(void **handle, const void *graph, int type, const void *child)
{
	struct graph *g, *inside;

	pthread_mutex_lock(&lock);
	g = known(graph);
	inside = type == CHILD ? known(child) : NULL;
	if (g && (inside || type != CHILD))
		*handle = add(g, type, inside ? copy(inside) : NULL);
	pthread_mutex_unlock(&lock);
	return g ? 0 : INVALID_VALUE;
}

/* In a child, too. */
static struct node *made_of(struct graph *exec, const void *node)
{
	struct node *n, *found;

	for (n = exec ? exec->nodes : NULL; n && n->of != node; n = n->next) {
		found = n->type == CHILD ? made_of(n->child, node) : NULL;
		if (found)
			return found;
	}
	return n;
}

static struct node *is_node(const void *handle)
{
	struct node **at = place_of(handle);

	return at ? *at : NULL;
}

/* cudaConditionalNodeParams */
static void make_bodies(struct node *n, void *params)
{
	struct {
		unsigned long long handle;
		int type;
		unsigned count;
		void *graphs;
	} *p = params;

	n->bodies = calloc(p->count + 1, sizeof(*n->bodies));
	n->count = p->count;
	p->graphs = n->bodies;
	for (unsigned i = 0; i < n->count; i++)
		n->bodies[i] = make();
}

int stub_node_of(void **handle, const void *graph, void *params)
{
	const struct {
		int type, reserved[3];
		const void *child;
		int moved;
	} *p = params;
	int error = stub_node(handle, graph, p->type, p->type == CHILD ? p->child : NULL);

	pthread_mutex_lock(&lock);
	if (!error && p->type == CONDITIONAL)
		make_bodies(*handle, (char *)params + 16);
	if (!error && p->type == CHILD && p->moved)
		((struct node *)*handle)->child = known(p->child);
	pthread_mutex_unlock(&lock);
	return error;
}

int stub_node_graph(const void *handle, void **graph)
{
	struct node *n;

	pthread_mutex_lock(&lock);
	n = is_node(handle);
	*graph = n ? n->child : NULL;
	pthread_mutex_unlock(&lock);
	return n ? 0 : INVALID_VALUE;
}

int stub_node_in(void **handle, const void *original, const void *clone)
{
	pthread_mutex_lock(&lock);
	*handle = made_of(known(clone), original);
	pthread_mutex_unlock(&lock);
	return *handle ? 0 : INVALID_VALUE;
}

/* In what can be launched, by a node of the graph that it was made of. */
int stub_child_is(const void *exec, const void *node, const void *child)
{
	struct node *n;
	struct graph *from;

	pthread_mutex_lock(&lock);
	n = made_of(known(exec), node);
	from = known(child);
	if (n && from)
		n->child = copy(from);
	pthread_mutex_unlock(&lock);
	return n && from ? 0 : INVALID_VALUE;
}

/* Those that are off stay so. */
int stub_graph_update(const void *exec, const void *from)
{
	struct graph *g, *fresh = NULL;

	pthread_mutex_lock(&lock);
	g = known(exec);
	if (g && known(from))
		fresh = copy(known(from));
	for (struct node *n = fresh ? fresh->nodes : NULL, *was = g ? g->nodes : NULL; n && was;
	     n = n->next, was = was->next)
		n->off = was->off;
	if (fresh)
		g->nodes = fresh->nodes;
	pthread_mutex_unlock(&lock);
	return fresh ? 0 : INVALID_VALUE;
}

int stub_node_gone(const void *handle)
{
	struct node **at, *n = NULL;

	pthread_mutex_lock(&lock);
	at = place_of(handle);
	if (at) {
		n = *at;
		*at = n->next;
	}
	pthread_mutex_unlock(&lock);
	free(n);
	return at ? 0 : INVALID_VALUE;
}

int stub_node_type(const void *handle, int *type)
{
	struct node **at;

	pthread_mutex_lock(&lock);
	at = place_of(handle);
	if (at)
		*type = (*at)->type;
	pthread_mutex_unlock(&lock);
	return at ? 0 : INVALID_VALUE;
}

int stub_nodes(const void *graph, void **nodes, size_t *count)
{
	struct graph *g;
	size_t i = 0;

	pthread_mutex_lock(&lock);
	g = known(graph);
	for (struct node *n = g ? g->nodes : NULL; n; n = n->next, i++)
		if (nodes && i < *count)
			nodes[i] = n;
	pthread_mutex_unlock(&lock);
	*count = i;
	return g ? 0 : INVALID_VALUE;
}

int stub_node_on(const void *exec, const void *node, unsigned on)
{
	struct node *n;

	pthread_mutex_lock(&lock);
	n = made_of(known(exec), node);
	if (n)
		n->off = !on;
	pthread_mutex_unlock(&lock);
	return n ? 0 : INVALID_VALUE;
}

int stub_graph_launch(const void *exec, void *stream)
{
	struct graph *g;
	struct capture *c;

	pthread_mutex_lock(&lock);
	g = known(exec);
	c = stream ? capture_of(stream) : NULL;
	if (g && c && !c->graph->again)
		add(c->graph, CHILD, copy(g));
	else if (g && !c)
		launch(g, stream);
	pthread_mutex_unlock(&lock);
	return g ? 0 : INVALID_VALUE;
}

/* ---- capture ---- */

/* Work of a captured stream is a node, and not executed. */
static int take(int type, const void *stream)
{
	struct capture *c;

	pthread_mutex_lock(&lock);
	c = stream ? capture_of(stream) : NULL;
	if (c && !c->graph->again)
		add(c->graph, type, NULL);
	pthread_mutex_unlock(&lock);
	return c != NULL;
}

static int begin(const void *stream, const void *graph, int again)
{
	struct capture *c;

	stub_taker = take;
	pthread_mutex_lock(&lock);
	c = stream && !capture_of(stream) ? capture_of(NULL) : NULL;
	if (c) {
		c->graph = known(graph) ? known(graph) : make();
		c->stream = stream;
		c->graph->again = again;
	}
	pthread_mutex_unlock(&lock);
	return c ? 0 : INVALID_VALUE;
}

int stub_capture(const void *stream, const void *graph)
{
	return begin(stream, graph, 0);
}

int stub_capture_again(const void *stream, const void *graph)
{
	return begin(stream, graph, 1);
}

int stub_captured(const void *stream, void **graph)
{
	struct capture *c;

	pthread_mutex_lock(&lock);
	c = stream ? capture_of(stream) : NULL;
	*graph = c ? c->graph : NULL;
	if (c)
		c->graph->again = 0;
	for (unsigned i = 0; c && i < MANY; i++) {
		if (captures[i].graph == *graph)
			captures[i] = (struct capture){ NULL, NULL };
		if (events[i].graph == *graph)
			events[i].graph = NULL;
	}
	pthread_mutex_unlock(&lock);
	return c ? 0 : INVALID_VALUE;
}

int stub_capturing(const void *stream, void **graph)
{
	struct capture *c;

	pthread_mutex_lock(&lock);
	c = stream ? capture_of(stream) : NULL;
	*graph = c ? c->graph : NULL;
	pthread_mutex_unlock(&lock);
	return 0;
}

int stub_records(const void *event, const void *stream)
{
	struct capture *c;
	unsigned i = 0;

	pthread_mutex_lock(&lock);
	c = stream ? capture_of(stream) : NULL;
	while (i < MANY - 1 && events[i].event != event && (events[i].event || !c))
		i++;
	if (c || events[i].event == event) {
		events[i].event = event;
		events[i].graph = c ? c->graph : NULL;
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

int stub_joins(const void *stream, const void *event)
{
	struct capture *c;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; stream && i < MANY; i++) {
		if (events[i].event != event || !events[i].graph || capture_of(stream))
			continue;
		c = capture_of(NULL);
		if (c) {
			c->graph = events[i].graph;
			c->stream = stream;
		}
	}
	pthread_mutex_unlock(&lock);
	return 0;
}
