/* SPDX-License-Identifier: MIT */
/* Calls of CUDA that ask for work or wait, by words in the names that CUPTI has for their numbers. */
#include "asked.h"

#include <stdint.h>
#include <string.h>

#include "layout.h"

#define WORD 64

/* CUpti_CallbackDomain */
enum { DRIVER_API = 1, RUNTIME_API, LAYERS };

/* What names have in them; of graphs, only what makes them work. */
static const char *const words[] = {
	"Launch", "Memcpy", "Memset", "Prefetch", "Upload", "Instantiate",
	"Synchronize", "WaitEvent", "Query", "Free", "Alloc",	/* waits, some behind the scenes */
	"Load", "GetKernel", "GetFunction", "GetGlobal", "Symbol",	/* code is loaded, variables are set */
};
static const char *const graph_words[] = { "GraphLaunch", "GraphUpload", "GraphInstantiate" };

static const struct {
	const char *name;
	uint8_t type;
} waits[] = {
	{ "EventSynchronize", 1 }, { "StreamWaitEvent", 2 }, { "StreamSynchronize", 3 },
	{ "CtxSynchronize", 4 }, { "DeviceSynchronize", 4 }, { "ThreadSynchronize", 4 },
};

static uint64_t chosen[LAYERS][CUPTI_FUNCTIONS / WORD];	/* a bit each */
static uint8_t waiting[LAYERS][CUPTI_FUNCTIONS];
static bool known;

static bool has_one(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strstr(name, list[i]))
			return true;
	return false;
}

static bool is_asked(const char *name)
{
	if (strstr(name, "Graph") && !strstr(name, "Graphics"))
		return has_one(name, graph_words, sizeof(graph_words) / sizeof(graph_words[0]));
	return has_one(name, words, sizeof(words) / sizeof(words[0]));
}

static uint8_t wait_of(const char *name)
{
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (strstr(name, waits[i].name))
			return waits[i].type;
	return 0;
}

void asked_init(const struct cupti *c)
{
	const char *name;

	if (known || !c->cuptiGetCallbackName)
		return;
	for (int layer = DRIVER_API; layer < LAYERS; layer++) {
		for (uint32_t n = 1; n < CUPTI_FUNCTIONS; n++) {
			if (c->cuptiGetCallbackName(layer, n, &name) != 0 || !name || !is_asked(name))
				continue;
			chosen[layer][n / WORD] |= 1ULL << n % WORD;
			waiting[layer][n] = wait_of(name);
		}
	}
	known = true;
}

/* How many were set so. */
static unsigned set_all(const struct cupti *c, uint8_t enable)
{
	unsigned count = 0;

	for (uint32_t n = 1; n < CUPTI_FUNCTIONS; n++) {
		if (chosen[DRIVER_API][n / WORD] >> n % WORD & 1)
			count += c->cuptiActivityEnableDriverApi(n, enable) == 0;
		if (chosen[RUNTIME_API][n / WORD] >> n % WORD & 1)
			count += c->cuptiActivityEnableRuntimeApi(n, enable) == 0;
	}
	return count;
}

bool asked_enable(const struct cupti *c)
{
	return known && c->cuptiActivityEnableDriverApi && c->cuptiActivityEnableRuntimeApi && set_all(c, 1) > 0;
}

void asked_disable(const struct cupti *c)
{
	if (known && c->cuptiActivityEnableDriverApi && c->cuptiActivityEnableRuntimeApi)
		set_all(c, 0);
}

uint8_t asked_wait(bool driver, uint64_t number)
{
	return number < CUPTI_FUNCTIONS ? waiting[driver ? DRIVER_API : RUNTIME_API][number] : 0;
}
