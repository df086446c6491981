/* SPDX-License-Identifier: MIT */
/* Communicators: sizes of NCCL's datatypes, identities of what is made of others, handles that come again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "interpose/comm.c"

struct dlt_process dlt_process = { .counted = true };
static struct dlt_box_object made_objects[64];
static unsigned objects, said;

struct dlt_box_object *dlt_object_make(enum dlt_object type, uint64_t handle, const uint64_t *values,
				       unsigned count)
{
	struct dlt_box_object *o = &made_objects[objects];

	assert_int_equal(type, DLT_OBJECT_COMMUNICATOR);
	assert_in_range(objects, 0, 62);
	o->id = ++objects;
	o->handle = handle;
	memcpy(o->values, values, count * sizeof(*values));
	return o;
}

void dlt_object_say(const struct dlt_box_object *o)
{
	assert_non_null(o);
	said++;
}

static void *handle(uintptr_t value)
{
	return (void *)value;
}

static uint64_t value(uintptr_t comm, enum dlt_comm_value which)
{
	return nccl(handle(comm))->values[which];
}

/* ncclDataType_t, by nccl.h: int8 uint8 int32 uint32 int64 uint64 half float double bfloat16 e4m3 e5m2. */
static void each_datatype_has_its_size(void **state)
{
	static const unsigned sizes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1 };

	(void)state;
	for (int type = 0; type < 12; type++)
		assert_int_equal(dlt_nccl_bytes(10, type), 10 * sizes[type]);
	assert_int_equal(dlt_nccl_bytes(10, 12), 0);
	assert_int_equal(dlt_nccl_bytes(10, -1), 0);
}

static void what_is_made_of_a_communicator_has_an_identity_of_its_own(void **state)
{
	struct dlt_nccl_id id = { "one" }, other = { "other" };
	void *comm = handle(0x1000), *made = handle(0x2000), *second = handle(0x3000);
	uint64_t first, again;

	(void)state;
	dlt_nccl_made(&comm, 4, 2, &id, 1);
	assert_int_equal(value(0x1000, DLT_COMM_RANKS), 4);
	assert_int_equal(value(0x1000, DLT_COMM_RANK), 2);
	assert_int_equal(dlt_nccl_all(comm, 100), 400);
	dlt_nccl_split(&made, comm, 7);
	dlt_nccl_split(&second, comm, 7);
	first = value(0x2000, DLT_COMM_IDENTITY);
	assert_true(first && first != value(0x1000, DLT_COMM_IDENTITY));
	assert_int_not_equal(first, value(0x3000, DLT_COMM_IDENTITY));
	/* The same in another process that does the same: there the handle may have been another one's before. */
	dlt_nccl_made(&comm, 4, 3, &id, 1);
	dlt_nccl_split(&made, comm, 7);
	again = value(0x2000, DLT_COMM_IDENTITY);
	assert_true(again == first);
	dlt_nccl_made(&comm, 4, 3, &id, 1);
	dlt_nccl_split(&made, comm, 8);
	assert_true(value(0x2000, DLT_COMM_IDENTITY) != first);
	dlt_nccl_made(&comm, 4, 3, &other, 1);
	dlt_nccl_split(&made, comm, 7);
	assert_true(value(0x2000, DLT_COMM_IDENTITY) != first);
}

static void a_handle_that_comes_again_is_said_again(void **state)
{
	struct dlt_nccl_id id = { "again" };
	void *comm = handle(0x6000);
	uint32_t first;

	(void)state;
	said = 0;
	dlt_nccl_made(&comm, 2, 0, &id, 1);
	first = dlt_nccl_comm(comm);
	assert_int_equal(dlt_nccl_comm(comm), first);
	assert_int_equal(said, 1);
	dlt_nccl_made(&comm, 2, 1, &id, 1);
	assert_int_not_equal(dlt_nccl_comm(comm), first);
	assert_int_equal(said, 2);
	assert_int_equal(dlt_nccl_comm(NULL), 0);
}

/* Who was in the old one has no id to tell what the new one is; who comes has. */
static void a_grown_communicator(void **state)
{
	struct dlt_nccl_id id = { "grown" };
	void *comm = handle(0x7000);

	(void)state;
	dlt_nccl_grown(&comm, 5, -1, NULL);
	assert_int_equal(value(0x7000, DLT_COMM_RANKS), 5);
	assert_true(value(0x7000, DLT_COMM_RANK) == DLT_COMM_UNKNOWN);
	assert_int_equal(value(0x7000, DLT_COMM_IDENTITY), 0);
	dlt_nccl_grown(&comm, 5, -1, &id);
	assert_true(value(0x7000, DLT_COMM_RANK) == DLT_COMM_UNKNOWN);
	assert_int_equal(value(0x7000, DLT_COMM_IDENTITY), 0);
	dlt_nccl_grown(&comm, 5, 4, &id);
	assert_int_equal(value(0x7000, DLT_COMM_RANK), 4);
	assert_true(value(0x7000, DLT_COMM_IDENTITY) != 0);
}

static void all_of_one_process(void **state)
{
	void *comms[3] = { handle(0x8000), NULL, handle(0x8100) };

	(void)state;
	dlt_nccl_made_all(comms, 3);
	assert_int_equal(value(0x8000, DLT_COMM_RANK), 0);
	assert_int_equal(value(0x8100, DLT_COMM_RANK), 2);
	assert_int_equal(value(0x8100, DLT_COMM_RANKS), 3);
}

/* Handles of NCCL and MPI may be equal and mean different things. */
static void kinds_are_apart(void **state)
{
	const struct dlt_comm_first first = { .ranks = 9, .rank = 1 };

	(void)state;
	dlt_comm_made(DLT_COMM_MPI, 0x9000, &first);
	assert_int_equal(value(0x9000, DLT_COMM_RANKS), 0);
	dlt_nccl_ranks_are(handle(0x9000), 3);
	dlt_nccl_rank_is(handle(0x9000), 2);
	assert_int_equal(dlt_comm_of(DLT_COMM_MPI, 0x9000, &first)->values[DLT_COMM_RANKS], 9);
	assert_int_equal(value(0x9000, DLT_COMM_RANK), 2);
}

static void nobody_counts(void **state)
{
	(void)state;
	dlt_process.counted = false;
	assert_int_equal(dlt_nccl_comm(handle(0xa000)), 0);
	assert_int_equal(dlt_nccl_all(handle(0xa000), 100), 0);
	dlt_process.counted = true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_datatype_has_its_size),
		cmocka_unit_test(what_is_made_of_a_communicator_has_an_identity_of_its_own),
		cmocka_unit_test(a_handle_that_comes_again_is_said_again),
		cmocka_unit_test(a_grown_communicator),
		cmocka_unit_test(all_of_one_process),
		cmocka_unit_test(kinds_are_apart),
		cmocka_unit_test(nobody_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
