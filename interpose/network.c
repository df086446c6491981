/* SPDX-License-Identifier: MIT */
/*
 * Bytes that a program moves over TCP and UDP: how a library's communication shows that has all of it
 * inside, such as Gloo in Horovod and in PyPI's PyTorch, and gRPC in TensorFlow.
 *
 * A call counts after it has moved something: what only asks ("would block") is no transfer. read and
 * write are left alone: files are what they are called for. What moves several messages counts as what moves one.
 */
#include "network.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "calls.h"
#include "clock.h"
#include "export.h"
#include "process.h"
#include "real.h"
#include "sys.h"

#define NUMBERS 65536		/* what is above is asked each time */
#define EVENT 4096		/* bytes; what moves less is only counted */

enum { UNKNOWN, OTHER, NETWORK };

static uint8_t known[NUMBERS];	/* by descriptor */

void dlt_network_forget(unsigned first, unsigned last)
{
	for (unsigned fd = first; fd <= last && fd < NUMBERS; fd++)
		if (__atomic_load_n(&known[fd], __ATOMIC_RELAXED))
			__atomic_store_n(&known[fd], UNKNOWN, __ATOMIC_RELAXED);
}

static bool ask(int fd)
{
	int domain = 0;
	socklen_t size = sizeof(domain);
	bool network = !dlt_process.shut_in &&
		       !dlt_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, (long)&domain, (long)&size) &&
		       (domain == AF_INET || domain == AF_INET6);

	if (fd < NUMBERS)
		__atomic_store_n(&known[fd], network ? NETWORK : OTHER, __ATOMIC_RELAXED);
	return network;
}

/* Is it on a network, and does anybody listen? */
static inline bool is_watched(int fd)
{
	uint8_t what;

	if (__builtin_expect(!(*dlt_states[DLT_EV_SAMPLE_FUNCTION] | *dlt_states[DLT_EV_COMM_CALL]), 1) ||
	    fd < 0)
		return false;
	what = fd < NUMBERS ? __atomic_load_n(&known[fd], __ATOMIC_RELAXED) : UNKNOWN;
	return what == NETWORK || (what == UNKNOWN && ask(fd));
}

static void moved(enum dlt_fn function, const void *caller, uint64_t bytes, uint64_t begin)
{
	struct dlt_call call;
	void *found;

	if (!dlt_call_begin(&call, function, DLT_EV_COMM_CALL, caller, &found))
		return;
	call.start = begin;
	if (!dlt_call_end(&call, DLT_EV_COMM_CALL, bytes < EVENT ? UINT64_MAX : 0, true, bytes, 0))
		return;
	dlt_call_emit(&call, DLT_EV_COMM_CALL, &(struct dlt_ev_comm_call){
		.thread = call.thread->id, .function = call.function, .library = call.library,
		.duration = call.duration, .nested = call.nested, .nested_time = call.nested_time,
		.bytes = bytes, .peer = -1,
	});
}

#define TRANSFER_AS(name, counts_as, parameters, arguments, counts) \
DLT_EXPORT ssize_t name parameters \
{ \
	uint64_t begin; \
	ssize_t result; \
\
	if (!is_watched(fd)) \
		return dlt_real()->name arguments; \
	begin = dlt_clock_ticks(); \
	result = dlt_real()->name arguments; \
	if (result > 0 && (counts)) \
		moved(DLT_FN_##counts_as, __builtin_return_address(0), (uint64_t)result, begin); \
	return result; \
}
#define TRANSFER(name, parameters, arguments, counts) TRANSFER_AS(name, name, parameters, arguments, counts)

/* Of several messages: what counts is what they have together. */
#define TRANSFERS(name, counts_as, parameters, arguments, counts) \
DLT_EXPORT int name parameters \
{ \
	uint64_t begin, bytes = 0; \
	int result; \
\
	if (!is_watched(fd)) \
		return dlt_real()->name arguments; \
	begin = dlt_clock_ticks(); \
	result = dlt_real()->name arguments; \
	for (int i = 0; i < result && (counts); i++) \
		bytes += messages[i].msg_len; \
	if (bytes) \
		moved(DLT_FN_##counts_as, __builtin_return_address(0), bytes, begin); \
	return result; \
}

#define NO_DATA (MSG_PEEK | MSG_ERRQUEUE)

TRANSFER(send, (int fd, const void *data, size_t size, int flags), (fd, data, size, flags), true)
TRANSFER(sendto, (int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length),
	 (fd, data, size, flags, to, length), true)
TRANSFER(sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), true)
TRANSFER(writev, (int fd, const struct iovec *parts, int count), (fd, parts, count), true)
TRANSFER(recv, (int fd, void *data, size_t size, int flags), (fd, data, size, flags), !(flags & NO_DATA))
TRANSFER(recvfrom, (int fd, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *length),
	 (fd, data, size, flags, from, length), !(flags & NO_DATA))
TRANSFER(recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), !(flags & NO_DATA))
TRANSFER(readv, (int fd, const struct iovec *parts, int count), (fd, parts, count), true)
TRANSFERS(sendmmsg, sendmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags),
	  (fd, messages, count, flags), true)
TRANSFERS(recvmmsg, recvmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *until),
	  (fd, messages, count, flags, until), !(flags & NO_DATA))

/* What recv and recvfrom are where a program was built with -D_FORTIFY_SOURCE and the size is no constant. */
ssize_t __recv_chk(int fd, void *data, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *data, size_t size, size_t room, int flags, struct sockaddr *from,
		       socklen_t *length);
TRANSFER_AS(__recv_chk, recv, (int fd, void *data, size_t size, size_t room, int flags), (fd, data, size, room, flags),
	    !(flags & NO_DATA))
TRANSFER_AS(__recvfrom_chk, recvfrom,
	    (int fd, void *data, size_t size, size_t room, int flags, struct sockaddr *from, socklen_t *length),
	    (fd, data, size, room, flags, from, length), !(flags & NO_DATA))
