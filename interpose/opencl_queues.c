/* SPDX-License-Identifier: MIT */
/*
 * OpenCL's queues: made with profiling where device times are wanted, and looking to the application as
 * it made them. In a queue that did not ask for profiling, its events have no times for the application.
 */
#include "opencl_queues.h"

#include <errno.h>
#include <string.h>

#include "cupti.h"
#include "elf.h"
#include "guard.h"
#include "library.h"
#include "process.h"
#include "streams.h"
#include "thread.h"

#define QUEUES		1024	/* a power of 2; those that come after are left as they are */
#define QUEUE_BITS	10
#define APIS		8
#define CONTEXTS	256
#define DEVICES		64
#define BUSY		UINT16_MAX	/* instead of a library's id: being filled */

/* cl_command_queue_properties */
enum { OUT_OF_ORDER = 1, PROFILING = 2, ON_DEVICE = 4 };
/* cl_command_queue_info, cl_event_info */
enum { QUEUE_REFERENCES = 0x1092, QUEUE_PROPERTIES = 0x1093, QUEUE_LIST = 0x1098, EVENT_QUEUE = 0x11d0 };
enum { INVALID_VALUE = -30, INVALID_QUEUE_PROPERTIES = -35, NO_PROFILING = -7 };

bool dlt_cl_measured;

static struct dlt_cl_queue queues[QUEUES];
static unsigned queue_count;
static struct dlt_cl_api apis[APIS];
static const void *contexts[CONTEXTS], *devices[DEVICES];

/* ---- the library ------------------------------------------------------------------------------- */

static void *function_of(const struct dlt_elf *e, const char *name)
{
	const struct dlt_elf_name wanted = dlt_elf_name(name);
	const ElfW(Sym) *symbol = dlt_elf_find(e, &wanted, NULL);

	return symbol ? dlt_elf_address(e, symbol) : NULL;
}

static bool fill(struct dlt_cl_api *api, const void *real)
{
	struct dlt_elf e;

	if (!dlt_library_elf(real, &e))
		return false;
	api->event_info = (dlt_cl_info)function_of(&e, "clGetEventInfo");
	api->profiling_info = (dlt_cl_info)function_of(&e, "clGetEventProfilingInfo");
	api->queue_info = (dlt_cl_info)function_of(&e, "clGetCommandQueueInfo");
	api->retain_event = (int (*)(void *))function_of(&e, "clRetainEvent");
	api->release_event = (int (*)(void *))function_of(&e, "clReleaseEvent");
	api->set_callback = (int (*)(void *, int, void (*)(void *, int, void *), void *))
		function_of(&e, "clSetEventCallback");
	return api->event_info && api->profiling_info && api->queue_info && api->retain_event &&
	       api->release_event && api->set_callback;
}

/* Of the library that holds `real`; NULL: it lacks something, or there is no room. */
static struct dlt_cl_api *api_of(const void *real)
{
	uint16_t library = dlt_library_of(real);
	struct dlt_cl_api found = { .library = BUSY, .generation = dlt_library_now() };

	for (unsigned i = 0; library && i < APIS; i++)
		if (__atomic_load_n(&apis[i].library, __ATOMIC_ACQUIRE) == library &&
		    dlt_cl_api_is_there(&apis[i]))
			return &apis[i];
	if (!library || !fill(&found, real))
		return NULL;
	/* Two threads may fill two places alike. */
	for (unsigned i = 0; i < APIS; i++) {
		uint16_t nobody = 0;

		if (!__atomic_compare_exchange_n(&apis[i].library, &nobody, BUSY, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		apis[i] = found;
		__atomic_store_n(&apis[i].library, library, __ATOMIC_RELEASE);
		return &apis[i];
	}
	return NULL;
}

bool dlt_cl_api_is_there(struct dlt_cl_api *api)
{
	uint32_t now = dlt_library_now();

	if (__atomic_load_n(&api->generation, __ATOMIC_RELAXED) == now)
		return true;
	if (dlt_library_at((const void *)api->event_info) != api->library)
		return false;
	__atomic_store_n(&api->generation, now, __ATOMIC_RELAXED);
	return true;
}

/* ---- queues ------------------------------------------------------------------------------------ */

static struct dlt_cl_queue *place_of(const void *handle, bool make)
{
	uint64_t at = (uintptr_t)handle * 0x9e3779b97f4a7c15 >> (64 - QUEUE_BITS);

	for (unsigned i = 0; i < QUEUES; i++, at = (at + 1) % QUEUES) {
		const void *seen = __atomic_load_n(&queues[at].handle, __ATOMIC_ACQUIRE);

		if (seen == handle)
			return &queues[at];
		if (seen)
			continue;
		if (!make)
			return NULL;
		if (__atomic_compare_exchange_n(&queues[at].handle, &seen, handle, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE)) {
			__atomic_add_fetch(&queue_count, 1, __ATOMIC_RELAXED);
			return &queues[at];
		}
	}
	return NULL;
}

struct dlt_cl_queue *dlt_cl_queue(const void *handle)
{
	return handle ? place_of(handle, false) : NULL;
}

/* Its place in the order in which they came; the last number where there are too many. */
static unsigned number_of(const void **list, unsigned most, const void *handle)
{
	for (unsigned i = 0; i < most - 1; i++) {
		const void *seen = __atomic_load_n(&list[i], __ATOMIC_RELAXED);

		if (seen == handle ||
		    (!seen && (__atomic_compare_exchange_n(&list[i], &seen, handle, false, __ATOMIC_RELAXED,
							   __ATOMIC_RELAXED) || seen == handle)))
			return i;
	}
	return most - 1;
}

/* True where queues shall be measured, and this one can be. */
static bool is_wanted(const void *real)
{
	struct dlt_thread *t = dlt_thread_self();

	/* Far from full, so that those who come at once find room, too. */
	return dlt_process.traced && !dlt_is_guarded(t) && !t->helper && !t->vforked && queue_count < QUEUES * 3 / 4 &&
	       dlt_cupti_provider() && api_of(real);
}

static struct dlt_cl_queue *made(void *handle, const void *real, const void *context, const void *device,
				 uint64_t properties, bool hidden)
{
	struct dlt_cl_queue *q = place_of(handle, true);

	if (!q)
		return NULL;
	*q = (struct dlt_cl_queue){
		.handle = handle, .api = api_of(real), .stream = dlt_stream_slow(handle),
		.context = DLT_CL_CONTEXT | number_of(contexts, CONTEXTS, context),
		.device = (uint8_t)number_of(devices, DEVICES, device),
		.profiled = (hidden || properties & PROFILING) && !(properties & ON_DEVICE), .hidden = hidden,
		.in_order = !(properties & OUT_OF_ORDER),
	};
	if (q->profiled)
		__atomic_store_n(&dlt_cl_measured, true, __ATOMIC_RELEASE);
	return q;
}

/* Its handle may have been that of a queue which was measured: what was hidden there is not hidden here. */
static void *not_measured(void *handle)
{
	struct dlt_cl_queue *q = dlt_cl_queue(handle);

	if (q)
		*q = (struct dlt_cl_queue){ .handle = handle };
	return handle;
}

static bool was_refused(const void *queue, int error)
{
	return !queue && (error == INVALID_VALUE || error == INVALID_QUEUE_PROPERTIES);
}

void *dlt_cl_create_queue(void *(*real)(void *, void *, unsigned long long, int *), void *context, void *device,
			  unsigned long long properties, int *errcode_ret)
{
	bool wanted = is_wanted((const void *)real), hide = wanted && !(properties & (PROFILING | ON_DEVICE));
	int error = 0, *code = errcode_ret ? errcode_ret : &error;
	void *queue;

	if (!wanted)
		return not_measured(real(context, device, properties, errcode_ret));
	queue = real(context, device, hide ? properties | PROFILING : properties, code);
	if (hide && was_refused(queue, *code)) {
		hide = false;
		queue = real(context, device, properties, code);
	}
	if (queue)
		made(queue, (const void *)real, context, device, properties, hide);
	return queue;
}

/* The list with profiling in it; false: it has that, or does not want it, or is too long. */
static bool with_profiling(const uint64_t *list, uint64_t *changed, unsigned *words, uint64_t *properties)
{
	unsigned at = 0;
	bool there = false;

	*properties = 0;
	for (; list && list[at]; at += 2) {
		if (at + 4 >= DLT_CL_LIST)
			return false;
		changed[at] = list[at];
		changed[at + 1] = list[at + 1];
		if (list[at] != QUEUE_PROPERTIES)
			continue;
		*properties = list[at + 1];
		changed[at + 1] |= PROFILING;
		there = true;
	}
	*words = list ? at + 1 : 0;
	if (!there) {
		changed[at++] = QUEUE_PROPERTIES;
		changed[at++] = PROFILING;
	}
	changed[at] = 0;
	return !(*properties & (PROFILING | ON_DEVICE));
}

void *dlt_cl_create_queue_by_list(void *(*real)(void *, void *, const void *, int *), void *context,
				  void *device, const void *properties, int *errcode_ret)
{
	bool wanted = is_wanted((const void *)real), hide;
	int error = 0, *code = errcode_ret ? errcode_ret : &error;
	uint64_t changed[DLT_CL_LIST + 2], asked;
	struct dlt_cl_queue *q;
	unsigned words = 0;
	void *queue;

	if (!wanted)
		return not_measured(real(context, device, properties, errcode_ret));
	hide = with_profiling(properties, changed, &words, &asked);
	queue = real(context, device, hide ? changed : properties, code);
	if (hide && was_refused(queue, *code)) {
		hide = false;
		queue = real(context, device, properties, code);
	}
	q = queue ? made(queue, (const void *)real, context, device, asked, hide) : NULL;
	if (q && hide && words) {
		memcpy(q->asked, properties, words * sizeof(*q->asked));
		q->words = (uint8_t)words;
	}
	return queue;
}

/* ---- as the application made them -------------------------------------------------------------- */

int dlt_cl_set_property(int (*real)(void *, unsigned long long, unsigned, unsigned long long *), void *queue,
			unsigned long long properties, unsigned enable, unsigned long long *old)
{
	struct dlt_cl_queue *q = dlt_cl_measured ? dlt_cl_queue(queue) : NULL;
	int result = real(queue, properties, enable, old);

	if (result || !q)
		return result;
	if (old && q->hidden)
		*old &= ~(unsigned long long)PROFILING;
	if (properties & OUT_OF_ORDER)
		q->in_order = !enable;
	if (properties & PROFILING) {
		q->profiled = enable && q->api;
		q->hidden = false;
	}
	return result;
}

/* The list that the application gave; the real function has said that the queue is one. */
static int list_asked(const struct dlt_cl_queue *q, size_t size, void *value, size_t *size_ret)
{
	size_t bytes = q->words * sizeof(*q->asked);

	if (value && size < bytes)
		return INVALID_VALUE;
	if (value)
		memcpy(value, q->asked, bytes);
	if (size_ret)
		*size_ret = bytes;
	return 0;
}

int dlt_cl_queue_info(dlt_cl_info real, void *queue, unsigned name, size_t size, void *value, size_t *size_ret)
{
	const struct dlt_cl_queue *q = dlt_cl_measured ? dlt_cl_queue(queue) : NULL;
	uint64_t *properties = value;
	int result;

	if (q && name == QUEUE_REFERENCES)
		dlt_cl_look();
	if (!q || !q->hidden || name != QUEUE_LIST) {
		result = real(queue, name, size, value, size_ret);
		if (!result && q && q->hidden && name == QUEUE_PROPERTIES && value && size >= sizeof(*properties))
			*properties &= ~(uint64_t)PROFILING;
		return result;
	}
	result = real(queue, name, 0, NULL, NULL);
	return result ? result : list_asked(q, size, value, size_ret);
}

int dlt_cl_profiling_info(dlt_cl_info real, void *event, unsigned name, size_t size, void *value,
			  size_t *size_ret)
{
	struct dlt_cl_api *api = dlt_cl_measured ? api_of((const void *)real) : NULL;
	const struct dlt_cl_queue *q;
	void *queue = NULL;

	if (!api || api->event_info(event, EVENT_QUEUE, sizeof(queue), &queue, NULL))
		return real(event, name, size, value, size_ret);
	q = dlt_cl_queue(queue);
	return q && q->hidden ? NO_PROFILING : real(event, name, size, value, size_ret);
}
