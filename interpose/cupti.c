/* SPDX-License-Identifier: MIT */
/*
 * This library's side of libdltrace-cupti.so (see cupti.h): it is let in at cuInit, and calls that
 * others make of CUPTI pass through its handlers.
 *
 * It comes in through CUDA_INJECTION64_PATH only: the driver loads it in cuInit, before there is
 * anything to record, at a moment made for that. Seeing libcuda arrive would be no such moment:
 * that is seen while the loader relocates it, with its locks held, or from a hook. A profiler may have
 * prepared CUPTI before that, as NVIDIA's examples do: what it did is kept for the other library.
 */
#include "cupti.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "cupti/layout.h"
#include "emit.h"
#include "export.h"
#include "guard.h"
#include "init.h"
#include "library.h"
#include "log.h"
#include "process.h"
#include "scope.h"
#include "thread.h"

static const struct dlt_cupti_bridge *bridge;

static const struct dlt_cupti_bridge *there(void)
{
	return __atomic_load_n(&bridge, __ATOMIC_ACQUIRE);
}

/* ---- what the other library may ask ---------------------------------------------------------- */

static uint32_t process_id(void)
{
	return dlt_process.id;
}

static bool is_enabled(enum dlt_event event)
{
	return dlt_enabled(event);
}

static void emit(enum dlt_event event, const void *data, bool again)
{
	dlt_emit_aside(dlt_thread_self(), event, data, again);
}

/* A record that is free, or becomes so now, has no slot; the slot's memory stays. */
static bool is_thread(const struct dlt_thread *t, uint32_t id, bool by_handle)
{
	const struct dlt_box_slot *slot = __atomic_load_n(&t->slot, __ATOMIC_RELAXED);

	if (by_handle)
		return (uint32_t)__atomic_load_n(&t->handle, __ATOMIC_RELAXED) == id;
	return slot && t->index && __atomic_load_n(&slot->tid, __ATOMIC_RELAXED) == id;
}

static uint32_t thread_of(uint32_t id, bool by_handle)
{
	for (struct dlt_thread *t = dlt_thread_next(NULL); t; t = dlt_thread_next(t)) {
		uint32_t ours = __atomic_load_n(&t->id, __ATOMIC_ACQUIRE);

		if (ours && is_thread(t, id, by_handle))
			return ours;
	}
	return 0;
}

static void guard(int step)
{
	if (step > 0)
		dlt_guard_hold(dlt_thread_self());
	else
		dlt_guard_release(dlt_thread_self());
}

static void say(const char *text, const char *detail, long value)
{
	dlt_log(DLT_LOG_CUPTI, text, detail, value);
}

static struct dlt_cupti_early early;

static const struct dlt_cupti_host host = {
	.version = DLT_CUPTI_VERSION,
	.process = process_id,
	.enabled = is_enabled,
	.emit = emit,
	.thread_of = thread_of,
	.guard = guard,
	.log = say,
	.early = &early,
};

/* ---- coming and going ------------------------------------------------------------------------ */

/* NULL: of another version. */
static const struct dlt_cupti_bridge *bridge_in(void *library, const char *path)
{
	const struct dlt_cupti_bridge *found = library ? dlsym(library, "dlt_cupti_bridge") : NULL;

	dlerror();
	if (!found || found->version != DLT_CUPTI_VERSION || found->events != DLT_EVENTS) {
		dlt_log(DLT_LOG_CUPTI, "another version of", path, 0);
		return NULL;
	}
	return found;
}

/*
 * The driver calls the function of this name in libdltrace-cupti.so, which calls this one: so what
 * is loaded without us stays inert, and here is the library that holds the bridge. Always 1: there
 * is nothing that the driver could do about a failure.
 */
DLT_EXPORT int InitializeInjection(void);
DLT_EXPORT int InitializeInjection(void)
{
	const struct dlt_cupti_bridge *found;
	void *library;
	Dl_info caller;

	if (!dlt_process.traced || there() || !dladdr(__builtin_return_address(0), &caller))
		return 1;
	library = dlopen(caller.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	found = bridge_in(library, caller.dli_fname);
	if (!found)
		return 1;
	__atomic_store_n(&bridge, found, __ATOMIC_RELEASE);
	guard(1);
	dlt_emit_gpu();
	found->begin(&host);
	guard(-1);
	return 1;
}

/* What the driver will load, if it is the other library; else NULL. */
static const char *injected(void)
{
	const char *path = dlt_process_env("CUDA_INJECTION64_PATH");

	return path && dlt_cupti_is_ours(path) ? path : NULL;
}

bool dlt_cupti_provider(void)
{
	static enum { UNKNOWN, THERE, NOT } provider;
	int saved = errno;

	if (__atomic_load_n(&provider, __ATOMIC_ACQUIRE) != UNKNOWN)
		return provider == THERE;
	guard(1);
	/* Two threads may do so at once. */
	__atomic_store_n(&provider, injected() && dlt_emit_gpu() ? THERE : NOT, __ATOMIC_RELEASE);
	guard(-1);
	errno = saved;
	return provider == THERE;
}

void dlt_cupti_end(void)
{
	if (!there())
		return;
	guard(1);
	there()->end();
	guard(-1);
}

void dlt_cupti_thread_ended(struct dlt_thread *t)
{
	if (there() && t->slot && t->index)
		there()->thread_ended(t->id, t->slot->tid);
}

void dlt_cupti_after_fork(void)
{
	if (!there())
		return;
	there()->after_fork();
	bridge = NULL;
}

/* ---- others' calls --------------------------------------------------------------------------- */

#define CUPTI_NOT_INITIALIZED 15

/* Before the other library is there: as it was called, and what succeeds of what matters is kept. */

#define PASS_ON(name, behind_real, arguments, call_behind_real, call) \
	static int early_##name behind_real \
	{ \
		int (*function) arguments = real; \
		\
		return function call; \
	}
DLT_CUPTI_OTHER_CALLS(PASS_ON)

static bool is_noted(int result, const void *real)
{
	Dl_info library;

	if (result == 0 && dladdr(real, &library))
		early.library = library.dli_fbase;
	return result == 0;
}

static int note_kind(int result, const void *real, int kind, bool on)
{
	if (is_noted(result, real) && kind >= 0 && kind < 64)
		early.kinds = on ? early.kinds | 1ULL << kind : early.kinds & ~(1ULL << kind);
	return result;
}

static int early_cuptiActivityRegisterCallbacks(void *real, dlt_cupti_request request, dlt_cupti_complete complete)
{
	int (*function)(dlt_cupti_request, dlt_cupti_complete) = real;
	int result = function(request, complete);

	if (is_noted(result, real)) {
		early.request = request;
		early.complete = complete;
	}
	return result;
}

static int early_cuptiActivityEnable(void *real, int kind)
{
	int (*function)(int) = real;

	return note_kind(function(kind), real, kind, true);
}

static int early_cuptiActivityEnableAndDump(void *real, int kind)
{
	int (*function)(int) = real;

	return note_kind(function(kind), real, kind, true);
}

static int early_cuptiActivityDisable(void *real, int kind)
{
	int (*function)(int) = real;

	return note_kind(function(kind), real, kind, false);
}

static int early_cuptiActivityEnableContext(void *real, void *context, int kind)
{
	int (*function)(void *, int) = real;

	return note_kind(function(context, kind), real, kind, true);
}

static int early_cuptiActivityDisableContext(void *real, void *context, int kind)
{
	int (*function)(void *, int) = real;

	return note_kind(function(context, kind), real, kind, false);
}

static int early_cuptiActivityEnableRuntimeApi(void *real, uint32_t number, uint8_t enable)
{
	int (*function)(uint32_t, uint8_t) = real;
	int result = function(number, enable);

	return enable ? note_kind(result, real, CUPTI_RUNTIME, true) : result;
}

static int early_cuptiActivityEnableDriverApi(void *real, uint32_t number, uint8_t enable)
{
	int (*function)(uint32_t, uint8_t) = real;
	int result = function(number, enable);

	return enable ? note_kind(result, real, CUPTI_DRIVER, true) : result;
}

static int early_cuptiActivityRegisterCallbacks_v2(void *real, void *subscriber, void *request, void *complete)
{
	int (*function)(void *, void *, void *) = real;
	int result = function(subscriber, request, complete);

	if (is_noted(result, real))
		early.subscriber = subscriber;
	return result;
}

static int early_cuptiActivitySetAttribute(void *real, int attribute, size_t *size, void *value)
{
	int (*function)(int, size_t *, void *) = real;
	int result = function(attribute, size, value);

	if (is_noted(result, real) && cupti_chooses_layout(attribute, size, value))
		early.user_defined = *(const uint8_t *)value != 0;
	return result;
}

static int early_cuptiUnsubscribe(void *real, void *subscriber)
{
	int (*function)(void *) = real;
	int result = function(subscriber);

	if (is_noted(result, real) && subscriber == early.subscriber)
		early.subscriber = NULL;
	return result;
}

static int early_cuptiFinalize(void *real)
{
	int (*function)(void) = real;
	int result = function();

	if (result == 0)
		memset(&early, 0, sizeof(early));
	return result;
}

static const struct dlt_cupti_handlers early_handlers = {
#define HANDLER(name, ...) .name = early_##name,
	DLT_CUPTI_CALLS(HANDLER)
#undef HANDLER
};

/* An alias is exported, so that the wrapper's address is known here whatever exists.c hides. */
#define WRAPPER(name, behind_real, arguments, call_behind_real, call) \
	static int wrap_##name arguments \
	{ \
		void *real = dlt_scope_find(__builtin_return_address(0), #name); \
		\
		if (!real) \
			return CUPTI_NOT_INITIALIZED; \
		return (there() ? there()->handlers : &early_handlers)->name call_behind_real; \
	} \
	DLT_EXPORT int name arguments __attribute__((alias("wrap_" #name)));
DLT_CUPTI_CALLS(WRAPPER)

static const struct {
	const char *name;
	void *wrapper;
} wrappers[] = {
#define ROW(name, ...) { #name, (void *)wrap_##name },
	DLT_CUPTI_CALLS(ROW)
#undef ROW
};

void *dlt_cupti_hand_out(const char *name, const void *real, const void *caller)
{
	/* Our own library asks under the guard. Who asks before it is there calls later, too. */
	if (dlt_is_guarded(dlt_thread_self()) || !(there() || injected()))
		return NULL;
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
		if (strcmp(wrappers[i].name, name) == 0)
			return dlt_scope_find(caller, name) == real ? wrappers[i].wrapper : NULL;
	return NULL;
}
