# SPDX-License-Identifier: MIT
# What NVTX gives a mark: payloads of each type, categories by domain and without a name, strings that nobody
# registered, attributes of a size that is none. The program's own table stands in for NVTX's: no header is needed.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >program.c <<'C'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	int (*inject)(nvtx_get_table);
	const char *first, *second;
	*(void **)&inject = dlsym(dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_NOW), "InitializeInjectionNvtx2");
	if (!inject || !inject(get_table))
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
gcc -w -I"$top_srcdir" -o program program.c -ldl
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
# Where there is no libdltrace.so it declines.
status=0
NVTX_INJECTION64_PATH=${DLTRACE_LIB%.so}-nvtx.so ./program || status=$?
same "nobody to lead to" 3 $status
