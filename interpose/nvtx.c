/* SPDX-License-Identifier: MIT */
/*
 * NVTX: the functions that each copy of it calls once libdltrace-nvtx.so has led it here.
 *
 * A push and a pop return -2 (no tracking), as they do without a tool. Handles (domains, registered
 * strings) and the ids of started ranges are the tool's to give: there the program sees other
 * numbers than without one, which it can only hand back.
 *
 * Left alone: names of events and contexts, which nothing of ours shows; resources, colours.
 */
#include <stdbool.h>
#include <string.h>

#include "export.h"
#include "hash.h"
#include "marks.h"
#include "nvtx_abi.h"
#include "objects.h"
#include "process.h"
#include "streams.h"
#include "threads.h"

#define NO_TRACKING	(-2)
#define TEXTS		(4 << 20)	/* bytes of domains, categories, registered strings; JAX has 4,000 */
#define KEPT		16384		/* places by hash; any number of texts shares one */
#define CATEGORIES	256
#define DIGITS		12
#define DEVICES		64		/* CUDA has no more in a process; one that is named twice says so twice */
#define DEVICE_NAMES	256

/* Names that must stay: never given back, so a handle is one's address for ever. */
static char texts[TEXTS] __attribute__((aligned(8)));
static uint32_t texts_used;
static const char too_many[] = "(too many names)";

struct text {
	struct text *next;	/* of the same hash; kept before */
	char name[];
};

struct category {
	const char *domain, *name;
	uint32_t id;		/* 0: free */
};

static struct category categories[CATEGORIES];
static uint32_t categories_used;

/* ---- names --------------------------------------------------------------------------------- */

/* NULL: there is no room. */
static struct text *append(const char *name)
{
	size_t length = strlen(name) + 1;
	uint32_t size = (uint32_t)((sizeof(struct text) + length + 7) & ~(size_t)7);
	uint32_t at = __atomic_load_n(&texts_used, __ATOMIC_RELAXED);
	struct text *t;

	do {
		if (at + size > TEXTS)
			return NULL;
	} while (!__atomic_compare_exchange_n(&texts_used, &at, at + size, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	t = (struct text *)(texts + at);
	memcpy(t->name, name, length);
	return t;
}

/* The same text again where it was kept before: programs register one for each thing that they do. */
static const char *keep(const char *name)
{
	static struct text *kept[KEPT];
	struct text *first, *made = NULL, **place;

	place = &kept[dlt_hash(DLT_HASH_BASIS, name, strlen(name)) % KEPT];
	first = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	do {
		for (const struct text *t = first; t; t = t->next)
			if (strcmp(t->name, name) == 0)
				return t->name;
		if (!made)
			made = append(name);
		if (!made)
			return too_many;
		made->next = first;
	} while (!__atomic_compare_exchange_n(place, &first, made, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE));
	return made->name;
}

static const char *keep_ascii(const char *name)
{
	char copy[DLT_MARK_NAME];

	return keep(dlt_mark_copy(copy, sizeof(copy), name ? name : ""));
}

static const char *keep_wide(const wchar_t *name)
{
	char copy[DLT_MARK_NAME];

	return keep(dlt_mark_copy_wide(copy, sizeof(copy), name ? name : L""));
}

/* A handle from before a tool was there, or none of ours, names nothing. */
static const char *registered(const void *handle)
{
	const char *text = handle;

	return text == too_many || (text >= texts && text < texts + TEXTS) ? text : "";
}

static void name_category(const char *domain, uint32_t id, const char *name)
{
	uint32_t at = __atomic_load_n(&categories_used, __ATOMIC_RELAXED);

	do {
		if (at == CATEGORIES || !id)
			return;
	} while (!__atomic_compare_exchange_n(&categories_used, &at, at + 1, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	categories[at].domain = domain;
	categories[at].name = name;
	__atomic_store_n(&categories[at].id, id, __ATOMIC_RELEASE);
}

static const char *digits(char *buffer, uint32_t number)
{
	char *d = buffer + DIGITS - 1;

	*d = '\0';
	do
		*--d = (char)('0' + number % 10);
	while (number /= 10);
	return d;
}

/* By name; its number in digits, kept like a name, while it has none. */
static const char *category_name(const char *domain, uint32_t id)
{
	uint32_t used = __atomic_load_n(&categories_used, __ATOMIC_RELAXED);
	char buffer[DIGITS];
	const char *name;

	if (!id)
		return NULL;
	for (uint32_t i = used; i--;)
		if (__atomic_load_n(&categories[i].id, __ATOMIC_ACQUIRE) == id &&
		    categories[i].domain == domain)
			return categories[i].name;
	if (used == CATEGORIES)
		return too_many;
	name = keep(digits(buffer, id));
	name_category(domain, id, name);
	return name;
}

/* ---- attributes ---------------------------------------------------------------------------- */

static void take_payload(struct dlt_mark *m, const struct nvtx_attributes *a)
{
	double real = 0;

	switch (a->payload_type) {
	case NVTX_U64:
		m->payload = a->payload.u64;
		break;
	case NVTX_U32:
		m->payload = a->payload.u32;
		break;
	case NVTX_I64:
		m->payload = (uint64_t)a->payload.i64;
		break;
	case NVTX_I32:
		m->payload = (uint64_t)(int64_t)a->payload.i32;
		break;
	case NVTX_DOUBLE:
		real = a->payload.real;
		break;
	case NVTX_FLOAT:
		real = (double)a->payload.real32;
		break;
	default:
		return;
	}
	m->payload_type = (uint8_t)((a->payload_type - 1) % 3 + 1);
	if (m->payload_type == DLT_PAYLOAD_DOUBLE)
		memcpy(&m->payload, &real, sizeof(real));
}

/* What the program says; read before anything else is done, since it may be on its stack. */
static struct dlt_mark mark_of(const char *domain, const struct nvtx_attributes *a)
{
	struct dlt_mark m = { .domain = domain };

	if (!a || a->size < sizeof(*a))
		return m;
	m.category = category_name(domain, a->category);
	take_payload(&m, a);
	if (a->message_type == NVTX_MESSAGE_ASCII)
		m.name = a->message.ascii;
	else if (a->message_type == NVTX_MESSAGE_WIDE)
		m.wide = a->message.wide;
	else if (a->message_type == NVTX_MESSAGE_REGISTERED)
		m.name = registered(a->message.registered);
	return m;
}

/* ---- what NVTX calls ----------------------------------------------------------------------- */

static void mark_ex(const struct nvtx_attributes *a)
{
	struct dlt_mark m = mark_of(NULL, a);

	dlt_mark_moment(DLT_MARK_MOMENT, &m);
}

static void mark_a(const char *name)
{
	dlt_mark_moment(DLT_MARK_MOMENT, &(struct dlt_mark){ .name = name });
}

static void mark_w(const wchar_t *name)
{
	dlt_mark_moment(DLT_MARK_MOMENT, &(struct dlt_mark){ .wide = name });
}

static uint64_t start_ex(const struct nvtx_attributes *a)
{
	struct dlt_mark m = mark_of(NULL, a);

	return dlt_mark_start(&m);
}

static uint64_t start_a(const char *name)
{
	return dlt_mark_start(&(struct dlt_mark){ .name = name });
}

static uint64_t start_w(const wchar_t *name)
{
	return dlt_mark_start(&(struct dlt_mark){ .wide = name });
}

static void end(uint64_t id)
{
	dlt_mark_end(id);
}

static int push_ex(const struct nvtx_attributes *a)
{
	struct dlt_mark m = mark_of(NULL, a);

	dlt_mark_push(&m);
	return NO_TRACKING;
}

static int push_a(const char *name)
{
	dlt_mark_push(&(struct dlt_mark){ .name = name });
	return NO_TRACKING;
}

static int push_w(const wchar_t *name)
{
	dlt_mark_push(&(struct dlt_mark){ .wide = name });
	return NO_TRACKING;
}

static int pop(void)
{
	dlt_mark_pop(NULL);
	return NO_TRACKING;
}

static void category_a(uint32_t id, const char *name)
{
	name_category(NULL, id, keep_ascii(name));
}

static void category_w(uint32_t id, const wchar_t *name)
{
	name_category(NULL, id, keep_wide(name));
}

static void os_thread_a(uint32_t tid, const char *name)
{
	char copy[DLT_MARK_NAME];

	if (name)
		dlt_threads_named(tid, dlt_mark_copy(copy, sizeof(copy), name));
}

static void os_thread_w(uint32_t tid, const wchar_t *name)
{
	char copy[DLT_MARK_NAME];

	if (name)
		dlt_threads_named(tid, dlt_mark_copy_wide(copy, sizeof(copy), name));
}

static void stream_a(const void *stream, const char *name)
{
	char copy[DLT_MARK_NAME];

	if (name)
		dlt_stream_named(stream, dlt_mark_copy(copy, sizeof(copy), name));
}

static void stream_w(const void *stream, const wchar_t *name)
{
	char copy[DLT_MARK_NAME];

	if (name)
		dlt_stream_named(stream, dlt_mark_copy_wide(copy, sizeof(copy), name));
}

static void name_device(int device, const char *name)
{
	static uint32_t names;

	if (device >= 0 && device < DEVICES && *name &&
	    __atomic_fetch_add(&names, 1, __ATOMIC_RELAXED) < DEVICE_NAMES)
		dlt_object_named(DLT_OBJECT_DEVICE_NAME, (uint64_t)device, name, strlen(name));
}

/* CUdevice is the number, too. */
static void device_a(int device, const char *name)
{
	char copy[DLT_MARK_NAME];

	if (name)
		name_device(device, dlt_mark_copy(copy, sizeof(copy), name));
}

static void device_w(int device, const wchar_t *name)
{
	char copy[DLT_MARK_NAME];

	if (name)
		name_device(device, dlt_mark_copy_wide(copy, sizeof(copy), name));
}

/* ---- domains: a handle is the name ---------------------------------------------------------- */

static void domain_mark_ex(const char *domain, const struct nvtx_attributes *a)
{
	struct dlt_mark m = mark_of(domain, a);

	dlt_mark_moment(DLT_MARK_MOMENT, &m);
}

static uint64_t domain_start_ex(const char *domain, const struct nvtx_attributes *a)
{
	struct dlt_mark m = mark_of(domain, a);

	return dlt_mark_start(&m);
}

static void domain_end(const char *domain, uint64_t id)
{
	(void)domain;
	dlt_mark_end(id);
}

static int domain_push_ex(const char *domain, const struct nvtx_attributes *a)
{
	struct dlt_mark m = mark_of(domain, a);

	dlt_mark_push(&m);
	return NO_TRACKING;
}

static int domain_pop(const char *domain)
{
	dlt_mark_pop(domain);
	return NO_TRACKING;
}

static void domain_category_a(const char *domain, uint32_t id, const char *name)
{
	name_category(domain, id, keep_ascii(name));
}

static void domain_category_w(const char *domain, uint32_t id, const wchar_t *name)
{
	name_category(domain, id, keep_wide(name));
}

static const void *string_a(const char *domain, const char *name)
{
	(void)domain;
	return keep_ascii(name);
}

static const void *string_w(const char *domain, const wchar_t *name)
{
	(void)domain;
	return keep_wide(name);
}

static const char *domain_a(const char *name)
{
	return keep_ascii(name);
}

static const char *domain_w(const wchar_t *name)
{
	return keep_wide(name);
}

/* ---- being asked for ----------------------------------------------------------------------- */

struct entry {
	int place;
	nvtx_function function;
};

#define ENTRY(place, name) { place, (nvtx_function)name }

static const struct entry core[] = {
	ENTRY(NVTX_MARK_EX, mark_ex), ENTRY(NVTX_MARK_A, mark_a), ENTRY(NVTX_MARK_W, mark_w),
	ENTRY(NVTX_START_EX, start_ex), ENTRY(NVTX_START_A, start_a), ENTRY(NVTX_START_W, start_w),
	ENTRY(NVTX_END, end), ENTRY(NVTX_PUSH_EX, push_ex), ENTRY(NVTX_PUSH_A, push_a),
	ENTRY(NVTX_PUSH_W, push_w), ENTRY(NVTX_POP, pop), ENTRY(NVTX_CATEGORY_A, category_a),
	ENTRY(NVTX_CATEGORY_W, category_w), ENTRY(NVTX_OS_THREAD_A, os_thread_a),
	ENTRY(NVTX_OS_THREAD_W, os_thread_w),
};

static const struct entry cuda[] = {
	ENTRY(NVTX_CUDA_DEVICE_A, device_a), ENTRY(NVTX_CUDA_DEVICE_W, device_w),
	ENTRY(NVTX_CUDA_STREAM_A, stream_a), ENTRY(NVTX_CUDA_STREAM_W, stream_w),
};

static const struct entry cudart[] = {
	ENTRY(NVTX_CUDART_DEVICE_A, device_a), ENTRY(NVTX_CUDART_DEVICE_W, device_w),
	ENTRY(NVTX_CUDART_STREAM_A, stream_a), ENTRY(NVTX_CUDART_STREAM_W, stream_w),
};

static const struct entry core2[] = {
	ENTRY(NVTX_DOMAIN_MARK_EX, domain_mark_ex), ENTRY(NVTX_DOMAIN_START_EX, domain_start_ex),
	ENTRY(NVTX_DOMAIN_END, domain_end), ENTRY(NVTX_DOMAIN_PUSH_EX, domain_push_ex),
	ENTRY(NVTX_DOMAIN_POP, domain_pop), ENTRY(NVTX_DOMAIN_CATEGORY_A, domain_category_a),
	ENTRY(NVTX_DOMAIN_CATEGORY_W, domain_category_w), ENTRY(NVTX_DOMAIN_STRING_A, string_a),
	ENTRY(NVTX_DOMAIN_STRING_W, string_w), ENTRY(NVTX_DOMAIN_CREATE_A, domain_a),
	ENTRY(NVTX_DOMAIN_CREATE_W, domain_w),
};

static void fill(const struct nvtx_callbacks *c, int module, const struct entry *entries, size_t n)
{
	nvtx_function **table = NULL;
	unsigned count = 0;

	if (!c->get_module(module, &table, &count) || !table)
		return;
	for (size_t i = 0; i < n; i++)
		if ((unsigned)entries[i].place < count && table[entries[i].place])
			*table[entries[i].place] = entries[i].function;
}

/* libdltrace-nvtx.so passes on what NVTX gave it. 0: no tool, NVTX goes on as without. */
DLT_EXPORT int dltrace_nvtx(nvtx_get_table get_table);

DLT_EXPORT int dltrace_nvtx(nvtx_get_table get_table)
{
	const struct nvtx_callbacks *c = get_table(NVTX_TABLE_CALLBACKS);
	const struct nvtx_version *v = get_table(NVTX_TABLE_VERSION);

	if (!dlt_process.traced || !c || c->size < sizeof(*c))
		return 0;
	fill(c, NVTX_MODULE_CORE, core, sizeof(core) / sizeof(core[0]));
	fill(c, NVTX_MODULE_CORE2, core2, sizeof(core2) / sizeof(core2[0]));
	fill(c, NVTX_MODULE_CUDA, cuda, sizeof(cuda) / sizeof(cuda[0]));
	fill(c, NVTX_MODULE_CUDART, cudart, sizeof(cudart) / sizeof(cudart[0]));
	if (v && v->size >= sizeof(*v) && v->set_tool_version)
		v->set_tool_version(3);
	return 1;
}
