/* SPDX-License-Identifier: MIT */
/*
 * Calls of CUPTI by others. Each gets the result that it would get without us: where it would
 * clash with what we do, we are gone before it is made.
 *
 * Only calls that reach the libcupti that we use ourselves concern us: a second copy of it in the
 * process has a state of its own.
 */
#include "others.h"

#include "layout.h"
#include "session.h"

#define MULTIPLE_SUBSCRIBERS 39	/* CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED */
#define MAX_LIMIT_REACHED 12	/* what older versions say instead */
#define INVALID_PARAMETER 1

#define IS_OURS(name) (real == (void *)session_cupti.name)

/* What else happens around the real call, under the lock; without it the call is made all the same. */
#define AROUND(name, call, before, after) \
	int result; \
	if (!IS_OURS(name) || !session_lock()) \
		return call; \
	before; \
	result = call; \
	if (result == 0) { \
		after; \
	} \
	session_unlock(); \
	return result

static bool is_taken(int result)
{
	return result == MULTIPLE_SUBSCRIBERS || result == MAX_LIMIT_REACHED;
}

/*
 * Who subscribes may never want activity records (a library that waits for a signal to profile),
 * and we hold no subscription. Should a version of CUPTI count us as one nevertheless, we go, and
 * the call is made again.
 */
static int on_cuptiSubscribe(void *real, void **subscriber, void *callback, void *data)
{
	int (*function)(void **, void *, void *) = real;
	int result = function(subscriber, callback, data);

	if (!is_taken(result) || !IS_OURS(cuptiSubscribe) || !session_lock())
		return result;
	session_step_back();
	session_unlock();
	return function(subscriber, callback, data);
}

static int on_cuptiSubscribe_v2(void *real, void **subscriber, void *callback, void *data,
				void *parameters)
{
	int (*function)(void **, void *, void *, void *) = real;
	int result = function(subscriber, callback, data, parameters);

	/* Several may be there since 13.3, if all of them came this way; the error is not documented. */
	if (!result || result == INVALID_PARAMETER || !IS_OURS(cuptiSubscribe_v2) || !session_lock())
		return result;
	session_step_back();
	session_unlock();
	return function(subscriber, callback, data, parameters);
}

static int on_cuptiActivityRegisterCallbacks(void *real, dlt_cupti_request request,
					     dlt_cupti_complete complete)
{
	int (*function)(dlt_cupti_request, dlt_cupti_complete) = real;
	int result;

	if (!IS_OURS(cuptiActivityRegisterCallbacks) || !session_lock())
		return function(request, complete);
	session_step_back();
	result = session_register(request, complete);
	session_unlock();
	return result;
}

static int on_cuptiActivityEnable(void *real, int kind)
{
	int (*function)(int) = real;

	AROUND(cuptiActivityEnable, function(kind), session_step_back(),
	       session_their_kind(NULL, kind, true));
}

static int on_cuptiActivityEnableAndDump(void *real, int kind)
{
	int (*function)(int) = real;

	AROUND(cuptiActivityEnableAndDump, function(kind), session_step_back(),
	       session_their_kind(NULL, kind, true));
}

static int on_cuptiActivityDisable(void *real, int kind)
{
	int (*function)(int) = real;

	AROUND(cuptiActivityDisable, function(kind), session_step_back(),
	       session_their_kind(NULL, kind, false));
}

static int on_cuptiActivityEnableContext(void *real, void *context, int kind)
{
	int (*function)(void *, int) = real;

	AROUND(cuptiActivityEnableContext, function(context, kind), session_step_back(),
	       session_their_kind(context, kind, true));
}

static int on_cuptiActivityDisableContext(void *real, void *context, int kind)
{
	int (*function)(void *, int) = real;

	AROUND(cuptiActivityDisableContext, function(context, kind), session_step_back(),
	       session_their_kind(context, kind, false));
}

static int on_cuptiActivityEnableRuntimeApi(void *real, uint32_t function, uint8_t enable)
{
	int (*choose)(uint32_t, uint8_t) = real;

	AROUND(cuptiActivityEnableRuntimeApi, choose(function, enable), session_step_back(),
	       session_their_call(CUPTI_RUNTIME, function, enable));
}

static int on_cuptiActivityEnableDriverApi(void *real, uint32_t function, uint8_t enable)
{
	int (*choose)(uint32_t, uint8_t) = real;

	AROUND(cuptiActivityEnableDriverApi, choose(function, enable), session_step_back(),
	       session_their_call(CUPTI_DRIVER, function, enable));
}

/* Without the lock: buffers come back during these, by way of other threads too. */
static int on_cuptiActivityFlush(void *real, void *context, uint32_t stream, uint32_t flag)
{
	int (*function)(void *, uint32_t, uint32_t) = real;

	return function(context, stream, flag);
}

static int on_cuptiActivityFlushAll(void *real, uint32_t flag)
{
	int (*function)(uint32_t) = real;

	return function(flag);
}

/* Records made from now on have this clock. */
static int on_cuptiActivityRegisterTimestampCallback(void *real, dlt_cupti_timestamp timestamp)
{
	int (*function)(dlt_cupti_timestamp) = real;

	AROUND(cuptiActivityRegisterTimestampCallback, function(timestamp),
	       (session_step_back(), records_tick(false)), records_tick(true));
}

static int on_cuptiSetThreadIdType(void *real, int type)
{
	int (*function)(int) = real;

	AROUND(cuptiSetThreadIdType, function(type), session_step_back(), (void)0);
}

static int on_cuptiActivityEnableAllSyncRecords(void *real, uint8_t enable)
{
	int (*function)(uint8_t) = real;

	AROUND(cuptiActivityEnableAllSyncRecords, function(enable), session_step_back(),
	       session_their_queries(enable));
}

/*
 * What a subscriber calls for itself. CUPTI refuses it while the other way of enabling is in use, so
 * we are gone first; what it gets does not pass through here.
 */
static int on_cuptiActivityRegisterCallbacks_v2(void *real, void *subscriber, void *request,
						void *complete)
{
	int (*function)(void *, void *, void *) = real;

	AROUND(cuptiActivityRegisterCallbacks_v2, function(subscriber, request, complete),
	       session_step_back(), session_replaced(subscriber));
}

static int on_cuptiActivityEnable_v2(void *real, void *subscriber, int kind, void *config)
{
	int (*function)(void *, int, void *) = real;

	AROUND(cuptiActivityEnable_v2, function(subscriber, kind, config), session_step_back(),
	       session_subscribers_kind(subscriber, kind, true));
}

static int on_cuptiActivityEnableAndDump_v2(void *real, void *subscriber, int kind, void *config)
{
	int (*function)(void *, int, void *) = real;

	AROUND(cuptiActivityEnableAndDump_v2, function(subscriber, kind, config), session_step_back(),
	       session_subscribers_kind(subscriber, kind, true));
}

static int on_cuptiActivityDisable_v2(void *real, void *subscriber, int kind, void *config)
{
	int (*function)(void *, int, void *) = real;

	AROUND(cuptiActivityDisable_v2, function(subscriber, kind, config), session_step_back(),
	       session_subscribers_kind(subscriber, kind, false));
}

static int on_cuptiUnsubscribe(void *real, void *subscriber)
{
	int (*function)(void *) = real;

	AROUND(cuptiUnsubscribe, function(subscriber), (void)0, session_unsubscribed(subscriber));
}

/* Some can only be set while nothing is enabled. */
static void note_attribute(int attribute, const size_t *size, const void *value)
{
	if (cupti_chooses_layout(attribute, size, value))
		session_user_defined(*(const uint8_t *)value != 0);
}

static int on_cuptiActivitySetAttribute(void *real, int attribute, size_t *size, void *value)
{
	int (*function)(int, size_t *, void *) = real;

	AROUND(cuptiActivitySetAttribute, function(attribute, size, value), session_step_back(),
	       note_attribute(attribute, size, value));
}

static int on_cuptiActivitySetAttribute_v2(void *real, void *subscriber, int attribute, size_t *size,
					   void *value)
{
	int (*function)(void *, int, size_t *, void *) = real;

	AROUND(cuptiActivitySetAttribute_v2, function(subscriber, attribute, size, value),
	       session_step_back(), note_attribute(attribute, size, value));
}

/* May be called from a callback of CUPTI, which then waits for nobody else's: nor do we. */
static int on_cuptiFinalize(void *real)
{
	int (*function)(void) = real;

	AROUND(cuptiFinalize, function(), session_step_back(), session_finalized());
}

const struct dlt_cupti_handlers others_handlers = {
#define HANDLER(name, ...) .name = on_##name,
	DLT_CUPTI_CALLS(HANDLER)
#undef HANDLER
};
