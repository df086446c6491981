# SPDX-License-Identifier: MIT
# What NVTX gives a mark: payloads of each type, categories by domain and without a name, strings that nobody
# registered, attributes of a size that is none, registered strings by the ten thousand, and one again and again.
# The program's own table stands in for NVTX's: no header is needed.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >table.h <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "interpose/nvtx_abi.h"
static nvtx_function functions[6][32], *places[6][32];
static int get_module(int module, nvtx_function ***table, unsigned *count)
{
	if (module < 0 || module > NVTX_MODULE_CORE2)
		return 0;
	for (int i = 0; i < 32; i++)
		places[module][i] = &functions[module][i];
	*table = places[module];
	/* An older NVTX has fewer: what lies behind must stay as it is. */
	*count = module == NVTX_MODULE_CUDA ? NVTX_CUDA_STREAM_A : 32;
	return 1;
}
static const struct nvtx_callbacks callbacks = { sizeof(callbacks), get_module };
static const void *get_table(uint32_t table)
{
	return table == NVTX_TABLE_CALLBACKS ? &callbacks : NULL;
}
#define CORE(place, type) ((type)functions[NVTX_MODULE_CORE][place])
#define CORE2(place, type) ((type)functions[NVTX_MODULE_CORE2][place])
static int begin(void)
{
	int (*inject)(nvtx_get_table);
	*(void **)&inject = dlsym(dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_NOW), "InitializeInjectionNvtx2");
	return inject && inject(get_table);
}
C
cat >program.c <<'C'
#include "table.h"
static void mark(const char *domain, struct nvtx_attributes a, int message)
{
	a.version = 3;
	a.size = a.size ? a.size : sizeof(a);
	a.message_type = message;
	if (domain)
		CORE2(NVTX_DOMAIN_MARK_EX, void (*)(const char *, const struct nvtx_attributes *))(domain, &a);
	else
		CORE(NVTX_MARK_EX, void (*)(const struct nvtx_attributes *))(&a);
}
int main(void)
{
	const char *first, *second;
	if (!begin())
		return 3;
	if (functions[NVTX_MODULE_CUDA][NVTX_CUDA_STREAM_A] || !functions[NVTX_MODULE_CUDA][NVTX_CUDA_DEVICE_A])
		return 4;
	first = CORE2(NVTX_DOMAIN_CREATE_A, const char *(*)(const char *))("first");
	second = CORE2(NVTX_DOMAIN_CREATE_A, const char *(*)(const char *))("second");
	mark(NULL, (struct nvtx_attributes){ .payload_type = NVTX_U64, .payload.u64 = 1ull << 63, .message.ascii = "u64" }, 1);
	mark(NULL, (struct nvtx_attributes){ .payload_type = NVTX_I64, .payload.i64 = -5, .message.ascii = "i64" }, 1);
	mark(NULL, (struct nvtx_attributes){ .payload_type = NVTX_DOUBLE, .payload.real = 2.5, .message.ascii = "double" }, 1);
	mark(NULL, (struct nvtx_attributes){ .payload_type = NVTX_U32, .payload.u32 = 4000000000u, .message.ascii = "u32" }, 1);
	mark(NULL, (struct nvtx_attributes){ .payload_type = NVTX_I32, .payload = { .u64 = 0xdeadbeeffffffff9 }, .message.ascii = "i32" }, 1);
	mark(NULL, (struct nvtx_attributes){ .payload_type = NVTX_FLOAT, .payload.real32 = 1.5f, .message.ascii = "float" }, 1);
	mark(NULL, (struct nvtx_attributes){ .payload_type = 7, .payload.u64 = 9, .message.ascii = "odd" }, 1);
	CORE2(NVTX_DOMAIN_CATEGORY_A, void (*)(const char *, uint32_t, const char *))(first, 12, "twelve");
	mark(first, (struct nvtx_attributes){ .category = 12, .message.ascii = "named" }, 1);
	mark(NULL, (struct nvtx_attributes){ .category = 12, .message.ascii = "no domain" }, 1);
	mark(second, (struct nvtx_attributes){ .category = 12, .message.ascii = "elsewhere" }, 1);
	mark(NULL, (struct nvtx_attributes){ .message.registered = "nobody's" }, 3);
	mark(NULL, (struct nvtx_attributes){ .size = 8, .message.ascii = "short" }, 1);
	return 0;
}
C
gcc -w -I"$top_srcdir" -I. -o program program.c -ldl
"$RECORD" -q -o trace -- ./program || fail "the program ended with $?"
"$REPORT" -q --dump trace | sed -n 's/.*dltrace_mark:range.* kind=3 .* payload_type=\(.\) payload=\([^ ]*\) domain=\(.*\) inside=\[\]/\1 \2 \3/p' >marks
bits() {
	python3 -c "import struct; print(int.from_bytes(struct.pack('<d', $1), 'little'))"
}
cat >wanted <<END
1 9223372036854775808 "" category="" name="u64"
2 18446744073709551611 "" category="" name="i64"
3 $(bits 2.5) "" category="" name="double"
1 4000000000 "" category="" name="u32"
2 18446744073709551609 "" category="" name="i32"
3 $(bits 1.5) "" category="" name="float"
0 0 "" category="" name="odd"
0 0 "first" category="twelve" name="named"
0 0 "" category="12" name="no domain"
0 0 "second" category="12" name="elsewhere"
0 0 "" category="" name=""
0 0 "" category="" name=""
END
diff wanted marks || fail "marks of NVTX (< wanted, > seen)"

# Each thread registers all names, in its own order, and opens half of the ranges. All events have room in an
# outbox that nobody empties; what is registered 100,000 times comes last, and would not fit if it were kept each time.
cat >names.c <<'C'
#include "table.h"
#define NAMES 20000
#define TIMES 50000
static const char *handles[2][NAMES + 1];
static const char *registered(const char *name)
{
	return CORE2(NVTX_DOMAIN_STRING_A, const char *(*)(const char *, const char *))(NULL, name);
}
static void range(const char *handle)
{
	struct nvtx_attributes a = { .version = 3, .size = sizeof(a), .message_type = 3, .message.registered = handle };
	CORE(NVTX_PUSH_EX, int (*)(const struct nvtx_attributes *))(&a);
	CORE(NVTX_POP, int (*)(void))();
}
static void *name_all(void *thread)
{
	const char **mine = handles[thread != NULL], *handle;
	for (int i = 0; i < NAMES; i++) {
		char name[32];
		int number = thread ? i : (i * 7) % NAMES;
		snprintf(name, sizeof(name), "layer-%05d/forward", number);
		mine[number] = registered(name);
		if (number % 2 == (thread != NULL))
			range(mine[number]);
	}
	for (int i = 0; i < TIMES; i++) {
		handle = registered("one and the same name, longer than a hundredth of a thousandth of all the room");
		if (i % 1000 == 0 || handle != mine[NAMES])
			range(handle);
		mine[NAMES] = handle;
	}
	return NULL;
}
int main(void)
{
	pthread_t thread;
	int twice = 0;
	if (!begin() || pthread_create(&thread, NULL, name_all, handles))
		return 3;
	name_all(NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i <= NAMES; i++)
		twice += handles[0][i] != handles[1][i];
	printf("%d\n", twice);
	return 0;
}
C
gcc -w -pthread -I"$top_srcdir" -I. -o names names.c -ldl
same "names that were kept twice" 0 "$("$RECORD" -q -o names.trace -- ./names)"
"$REPORT" -q --dump names.trace | sed -n 's/.*dltrace_mark:range.* kind=1 .* name="\(.*\)" inside=\[\]/\1/p' >ranges
same "ranges without their name" 0 "$(grep -c '(too many names)' ranges || true)"
python3 -c 'for i in range(20000): print(f"layer-{i:05d}/forward")' >wanted
grep ^layer- ranges | sort | cmp - wanted || fail "not all 20,000 names come out, once each"
same "ranges of one name" 100 "$(grep -c '^one and the same' ranges)"
"$REPORT" -q -f json names.trace >report.json || [ $? = 1 ] || fail "dltrace-report failed"
holds "the report has them by name, as far as it goes" '[.ranges[].count] | add == 20100'
holds "and none that has none" '.ranges | any(.name == "(too many names)") | not'

# Where there is no libdltrace.so it declines.
status=0
NVTX_INJECTION64_PATH=${DLTRACE_LIB%.so}-nvtx.so ./program || status=$?
same "nobody to lead to" 3 $status
