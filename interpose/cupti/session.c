/* SPDX-License-Identifier: MIT */
/* Takes and gives up CUPTI's activity records, and stands between CUPTI and other profilers. */
#include "session.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "asked.h"
#include "clock.h"
#include "layout.h"
#include "pool.h"

#define FORCED 1		/* CUPTI_ACTIVITY_FLAG_FLUSH_FORCED */
#define SYSTEM_IDS 1		/* CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM */
#define PATIENCE 2		/* s that another one's call waits for us */
#define AGAIN 10000000000ULL	/* ns after which a refusal is tried again */
#define HOLDERS 64		/* subscribers, or contexts, of others; more are not followed */

static const struct {
	int kind;
	uint8_t gap;
} kinds[] = {
	/* The calls first, so that no work comes without its call. */
	{ CUPTI_RUNTIME, GAP_CALLS }, { CUPTI_DRIVER, GAP_CALLS }, { CUPTI_KERNEL, GAP_KERNELS },
	{ CUPTI_COPY, GAP_COPIES }, { CUPTI_PEER, GAP_PEERS }, { CUPTI_SET, GAP_SETS },
	{ CUPTI_SYNC, GAP_SYNCS },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

enum turn { NOBODY, OURS, THEIRS };

const struct dlt_cupti_host *session_host;
struct cupti session_cupti;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum turn turn;			/* read without the lock by CUPTI's threads */
static bool registered;			/* CUPTI has our callbacks */
static uint64_t refused;		/* when; 0: not */
static int former_ids;			/* type of thread ids before ours */
static bool doubtful;			/* somebody has ended CUPTI: whether it tells anything since? */

/* Another profiler. */
static dlt_cupti_request their_request;
static dlt_cupti_complete their_complete;
static uint64_t their_kinds;		/* in all contexts, a bit each */
static uint64_t their_calls[2][CUPTI_FUNCTIONS / 64];	/* chosen one by one: the driver's, the runtime's */
static bool their_waits;		/* they had that of synchronisations, this turn; buffers may come later */
static int32_t their_buffers;		/* that CUPTI has */
static bool their_queries = true;	/* those of what is not done are recorded; so CUPTI begins */
static struct holder {
	const void *handle;
	uint64_t kinds;
	bool registered;		/* it has callbacks; it is free without these and without kinds */
} subscribers[HOLDERS], contexts[HOLDERS];	/* with kinds of their own */
static bool user_defined;		/* records have a layout of theirs */

static bool chosen;			/* of our kinds, those of calls and waits are replaced (asked.h) */

static struct {
	enum gap reason;		/* GAP_NONE: none is open */
	uint8_t kinds;
	bool said;			/* that it has begun */
	uint64_t begin, until;		/* until: when it is over if anything comes; 0: when it is closed */
} gap;

/* ---- what others hold ------------------------------------------------------------------------ */

/* The place of a handle, empty if it had none; NULL: none is left. */
static struct holder *holder_of(struct holder *list, const void *handle)
{
	struct holder *left = NULL;

	for (size_t i = HOLDERS; i--;) {
		if (list[i].handle == handle)
			return &list[i];
		if (!list[i].kinds && !list[i].registered)
			left = &list[i];
	}
	if (left)
		*left = (struct holder){ .handle = handle };
	return left;
}

static uint64_t kinds_of(const struct holder *list)
{
	uint64_t all = 0;

	for (size_t i = 0; i < HOLDERS; i++)
		all |= list[i].kinds;
	return all;
}

static bool is_registered(const struct holder *list)
{
	for (size_t i = 0; i < HOLDERS; i++)
		if (list[i].registered)
			return true;
	return false;
}

static void set_bit(uint64_t *word, int bit, bool on)
{
	*word = on ? *word | 1ULL << bit : *word & ~(1ULL << bit);
}

static bool are_calls_chosen(void)
{
	uint64_t any = 0;

	for (size_t i = 0; i < CUPTI_FUNCTIONS / 64; i++)
		any |= their_calls[0][i] | their_calls[1][i];
	return any;
}

/* ---- gaps ------------------------------------------------------------------------------------ */

static void say_of(struct records_account a, enum gap reason, uint8_t which, uint64_t begin,
		   uint64_t end, uint64_t records, const char *text)
{
	const struct dlt_ev_gpu_gap e = {
		.process = session_host->process(), .reason = (uint8_t)reason, .kinds = which,
		.begin = begin, .end = end, .records = records,
		.clock_error = a.clock_error < UINT32_MAX ? (uint32_t)a.clock_error : UINT32_MAX,
		.version = session_cupti.version, .text = text,
	};

	session_host->log(text, session_cupti.path, (long)reason);
	session_host->emit(DLT_EV_GPU_GAP, &e, false);
}

static void say(enum gap reason, uint8_t which, uint64_t begin, uint64_t end, uint64_t records,
		const char *text)
{
	say_of(records_account(), reason, which, begin, end, records, text);
}

static const char *const texts[] = {
	[GAP_NONE] = "",
	[GAP_NOT_FOUND] = "no libcupti was found",
	[GAP_UNKNOWN_VERSION] = "libcupti's version is not known",
	[GAP_REFUSED] = "CUPTI refuses to record",
	[GAP_OTHERS] = "another profiler has CUPTI",
	[GAP_NOT_ASKED] = "nobody listened",
	[GAP_LOST] = "records found no room",
	[GAP_UNTOLD] = "the process ended before CUPTI had told all",
};

static void close_gap(void)
{
	if (gap.reason != GAP_NONE)
		say(gap.reason, gap.kinds, gap.begin, gap.until ? gap.until : cupti_clock_now(), 0, texts[gap.reason]);
	gap.reason = GAP_NONE;
	gap.until = 0;
}

/* What is missing now; nothing changes if that is what was missing before. */
static void open_gap(enum gap reason, uint8_t which)
{
	if (gap.reason == reason && gap.kinds == which)
		return;
	close_gap();
	if (!which)
		return;
	gap.reason = reason;
	gap.kinds = which;
	gap.begin = cupti_clock_now();
	gap.said = false;
}

static void close_if_it_tells(void)
{
	if (turn == OURS && !__atomic_load_n(&doubtful, __ATOMIC_RELAXED))
		close_gap();
}

/* A gap that lasts is said before it is over: the process may be killed in it. */
static void say_gap(void)
{
	if (gap.reason != GAP_NONE && !gap.said)
		say(gap.reason, gap.kinds, gap.begin, 0, 0, texts[gap.reason]);
	gap.said = true;
}

static uint8_t missing(void)
{
	uint64_t theirs = their_kinds | kinds_of(contexts);
	uint8_t which = 0;

	if (user_defined)
		return GAP_ALL;
	for (size_t i = 0; i < KINDS; i++)
		if (!(theirs >> kinds[i].kind & 1))
			which |= kinds[i].gap;
	/* A call that a kernel belongs to is one of the runtime's or the driver's, and so is one that waits. */
	if (theirs >> CUPTI_RUNTIME & 1)
		which &= (uint8_t)~(GAP_CALLS | GAP_SYNCS);
	return which;
}

void session_say_account(void)
{
	struct records_account a = records_account();
	size_t dropped = 0;
	char text[160];

	/* Else another one's call is going on, which may end CUPTI: the next account has it. */
	if (pthread_mutex_trylock(&lock) == 0) {
		/* What the last flush brought may be the first of all. */
		close_if_it_tells();
		if (turn == OURS &&
		    session_cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped) == 0 && dropped)
			say(GAP_LOST, GAP_ALL, 0, 0, dropped, texts[GAP_LOST]);
		pthread_mutex_unlock(&lock);
	}
	snprintf(text, sizeof(text), "%llu without a time, %llu odd",
		 (unsigned long long)a.unfinished, (unsigned long long)a.odd);
	say(GAP_NONE, 0, 0, 0, a.emitted, a.unfinished || a.odd ? text : "");
}

void session_say_untold(uint64_t since)
{
	const struct records_account unknown = { .emitted = 0 };

	if (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) == OURS)
		say_of(unknown, GAP_UNTOLD, GAP_ALL, since, 0, 0, texts[GAP_UNTOLD]);
}

/* ---- what CUPTI calls ------------------------------------------------------------------------ */

static void on_request(uint8_t **buffer, size_t *size, size_t *most_records)
{
	dlt_cupti_request theirs = __atomic_load_n(&their_request, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) == THEIRS && theirs) {
		theirs(buffer, size, most_records);
		if (*buffer)
			__atomic_add_fetch(&their_buffers, 1, __ATOMIC_RELAXED);
		return;
	}
	*buffer = pool_take();
	*size = *buffer ? POOL_BUFFER : 0;
	*most_records = 0;
}

static void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	dlt_cupti_complete theirs = __atomic_load_n(&their_complete, __ATOMIC_ACQUIRE);

	if (pool_owns(buffer)) {
		if (valid)
			__atomic_store_n(&doubtful, false, __ATOMIC_RELAXED);
		if (!__atomic_load_n(&user_defined, __ATOMIC_RELAXED))
			records_read(buffer, valid, !chosen);
		pool_give(buffer);
		return;
	}
	/* Before it is handed on: then it is theirs to free. */
	if (!__atomic_load_n(&user_defined, __ATOMIC_RELAXED))
		records_read(buffer, valid, __atomic_load_n(&their_waits, __ATOMIC_ACQUIRE));
	if (buffer)
		__atomic_sub_fetch(&their_buffers, 1, __ATOMIC_RELEASE);
	if (theirs)
		theirs(context, stream, buffer, size, valid);
}

/* ---- turns ----------------------------------------------------------------------------------- */

static bool somebody_listens(void)
{
	for (int i = DLT_EV_GPU_KERNEL; i <= DLT_EV_GPU_SYNC; i++)
		if (session_host->enabled((enum dlt_event)i))
			return true;
	return false;
}

/* Programs that poll make them by the thousand. Older versions of CUPTI can't leave them out. */
static void record_queries(bool all)
{
	if (session_cupti.cuptiActivityEnableAllSyncRecords)
		session_cupti.cuptiActivityEnableAllSyncRecords(all);
}

static void disable(void)
{
	asked_disable(&session_cupti);
	for (size_t i = KINDS; i--;) {
		/* What was chosen one by one is forgotten: the next one's kind means all calls again. */
		if (kinds[i].gap == GAP_CALLS)
			session_cupti.cuptiActivityEnable(kinds[i].kind);
		session_cupti.cuptiActivityDisable(kinds[i].kind);
	}
	record_queries(their_queries);
}

static bool enable(void)
{
	const unsigned replaced = GAP_CALLS | GAP_SYNCS;
	bool work = false;

	record_queries(false);
	chosen = asked_enable(&session_cupti);
	for (size_t i = 0; i < KINDS; i++)
		if (!(chosen && kinds[i].gap & replaced) && session_cupti.cuptiActivityEnable(kinds[i].kind) == 0)
			work |= kinds[i].kind == CUPTI_KERNEL;
	return work;
}

static void take(void)
{
	const struct cupti *c = &session_cupti;

	if (!registered && c->cuptiActivityRegisterCallbacks(on_request, on_complete) != 0) {
		refused = cupti_clock_now();
		open_gap(GAP_REFUSED, GAP_ALL);
		return;
	}
	registered = true;
	c->cuptiGetThreadIdType(&former_ids);
	c->cuptiSetThreadIdType(SYSTEM_IDS);
	records_tick(false);
	__atomic_store_n(&turn, OURS, __ATOMIC_RELEASE);
	if (enable()) {
		refused = 0;
		gap.until = cupti_clock_now();
		close_if_it_tells();
		return;
	}
	disable();
	__atomic_store_n(&turn, NOBODY, __ATOMIC_RELEASE);
	refused = cupti_clock_now();
	open_gap(GAP_REFUSED, GAP_ALL);
}

/* Forced: a buffer of ours that stayed with CUPTI would be filled on with another one's records. */
static void give_up(enum turn next, enum gap reason)
{
	disable();
	session_cupti.cuptiActivityFlushAll(FORCED);
	session_cupti.cuptiSetThreadIdType(former_ids);
	__atomic_store_n(&turn, next, __ATOMIC_RELEASE);
	open_gap(reason, GAP_ALL);
}

static void note_their_waits(bool on)
{
	__atomic_store_n(&their_waits, on, __ATOMIC_RELEASE);
}

static bool theirs_is_over(void)
{
	return !their_kinds && !user_defined && !kinds_of(contexts) && !kinds_of(subscribers) &&
	       !is_registered(subscribers) && !are_calls_chosen() &&
	       __atomic_load_n(&their_buffers, __ATOMIC_ACQUIRE) <= 0;
}

void session_look(void)
{
	/* Who holds it is in the middle of a call: another time. */
	if (pthread_mutex_trylock(&lock) != 0)
		return;
	records_tick(false);
	if (turn == THEIRS && theirs_is_over()) {
		__atomic_store_n(&turn, NOBODY, __ATOMIC_RELEASE);
		note_their_waits(false);
	}
	close_if_it_tells();
	if (turn == OURS && !somebody_listens())
		give_up(NOBODY, GAP_NOT_ASKED);
	else if (turn == NOBODY && somebody_listens() &&
		 (!refused || cupti_clock_now() - refused > AGAIN))
		take();
	say_gap();
	pthread_mutex_unlock(&lock);
}

/* What comes back meanwhile, by way of CUPTI's threads too, does not take the lock. */
bool session_flush(bool all)
{
	if (all ? !session_lock() : pthread_mutex_trylock(&lock) != 0)
		return false;
	if (turn == OURS)
		session_cupti.cuptiActivityFlushAll(all ? FORCED : 0);
	pthread_mutex_unlock(&lock);
	return true;
}

/* Another profiler was there before CUDA began: it keeps what it has, which passes through us from now on. */
static void come_second(const struct dlt_cupti_early *early)
{
	Dl_info used;

	if (!dladdr((void *)session_cupti.cuptiActivityEnable, &used) || used.dli_fbase != early->library)
		return;
	if (early->request && early->complete)
		session_register(early->request, early->complete);
	if (early->subscriber)
		session_replaced(early->subscriber);
	user_defined = early->user_defined;
	their_kinds = early->kinds;
	note_their_waits(their_kinds >> CUPTI_SYNC & 1);
	if (!theirs_is_over())
		session_step_back();
}

/* Others' calls of CUPTI are none of our business then. */
static bool without(enum gap reason)
{
	say(reason, GAP_ALL, cupti_clock_now(), 0, 0, texts[reason]);
	memset(&session_cupti, 0, sizeof(session_cupti));
	return false;
}

bool session_init(const struct dlt_cupti_host *host)
{
	int error = cupti_find(&session_cupti);

	session_host = host;
	if (error)
		return without(error == -EPROTO ? GAP_UNKNOWN_VERSION : GAP_NOT_FOUND);
	if (!pool_init() || !records_init(host, &session_cupti))
		return without(GAP_LOST);
	asked_init(&session_cupti);
	come_second(host->early);
	session_look();
	return true;
}

void session_stop(void)
{
	if (!session_lock())
		return;
	if (turn == OURS)
		give_up(NOBODY, GAP_LOST);
	say_gap();
	pthread_mutex_unlock(&lock);
}

/* ---- others ---------------------------------------------------------------------------------- */

bool session_lock(void)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += PATIENCE;
	return pthread_mutex_timedlock(&lock, &end) == 0;
}

void session_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void session_step_back(void)
{
	if (turn == OURS)
		give_up(THEIRS, GAP_OTHERS);
	else
		__atomic_store_n(&turn, THEIRS, __ATOMIC_RELEASE);
	open_gap(GAP_OTHERS, missing());
}

int session_register(dlt_cupti_request request, dlt_cupti_complete complete)
{
	int result;

	/* What CUPTI says to NULL is for it to say. */
	if (!request || !complete)
		return session_cupti.cuptiActivityRegisterCallbacks(request, complete);
	result = session_cupti.cuptiActivityRegisterCallbacks(on_request, on_complete);
	if (result == 0) {
		registered = true;
		__atomic_store_n(&their_complete, complete, __ATOMIC_RELEASE);
		__atomic_store_n(&their_request, request, __ATOMIC_RELEASE);
	}
	return result;
}

void session_their_kind(const void *context, int kind, bool on)
{
	struct holder *holder = context ? holder_of(contexts, context) : NULL;

	if (kind < 0 || kind > 63 || (context && !holder))
		return;
	set_bit(holder ? &holder->kinds : &their_kinds, kind, on);
	if (on && kind == CUPTI_SYNC)
		note_their_waits(true);
	/* What was chosen one by one is forgotten. */
	if (!on && (kind == CUPTI_DRIVER || kind == CUPTI_RUNTIME))
		memset(their_calls[kind == CUPTI_RUNTIME], 0, sizeof(their_calls[0]));
	if (turn == THEIRS)
		open_gap(GAP_OTHERS, missing());
}

void session_their_call(int kind, uint32_t function, bool on)
{
	if (function < CUPTI_FUNCTIONS)
		set_bit(&their_calls[kind == CUPTI_RUNTIME][function / 64], (int)(function % 64), on);
}

void session_their_queries(bool all)
{
	their_queries = all;
}

void session_subscribers_kind(const void *subscriber, int kind, bool on)
{
	struct holder *holder = kind < 0 || kind > 63 || !subscriber ? NULL : holder_of(subscribers, subscriber);

	if (holder)
		set_bit(&holder->kinds, kind, on);
}

void session_replaced(const void *subscriber)
{
	struct holder *holder = subscriber ? holder_of(subscribers, subscriber) : NULL;

	registered = false;
	if (holder)
		holder->registered = true;
}

void session_unsubscribed(const void *subscriber)
{
	struct holder *holder = subscriber ? holder_of(subscribers, subscriber) : NULL;

	if (holder)
		*holder = (struct holder){ .kinds = 0 };
}

void session_user_defined(bool on)
{
	__atomic_store_n(&user_defined, on, __ATOMIC_RELAXED);
	open_gap(GAP_OTHERS, missing());
}

void session_finalized(void)
{
	registered = false;
	doubtful = true;
	user_defined = false;
	their_kinds = 0;
	their_buffers = 0;
	their_queries = true;
	memset(their_calls, 0, sizeof(their_calls));
	memset(contexts, 0, sizeof(contexts));
	memset(subscribers, 0, sizeof(subscribers));
	if (turn == OURS)
		__atomic_store_n(&turn, NOBODY, __ATOMIC_RELEASE);
	open_gap(GAP_OTHERS, GAP_ALL);
}

void session_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	records_after_fork();
	turn = NOBODY;
}
