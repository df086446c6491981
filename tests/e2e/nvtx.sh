# SPDX-License-Identifier: MIT
# NVTX's own header, compiled into a program as frameworks have it; skips where there is none.
. "$top_srcdir/tests/lib.sh"
need jq

include=
for cuda in "${CUDA_HOME:-}" /usr/local/cuda /usr; do
	if [ -e "$cuda/include/nvtx3/nvToolsExt.h" ]; then
		include=$cuda/include
		break
	fi
done
[ -n "$include" ] || skip "no NVTX headers"
cat >program.c <<'END'
#include <nvtx3/nvToolsExt.h>
#if __has_include(<driver_types.h>) && __has_include(<nvtx3/nvToolsExtCudaRt.h>)
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtCuda.h>
#define NAMES
#endif
#include <stdio.h>

int main(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
	nvtxEventAttributes_t a = { 0 };
	nvtxRangeId_t id;

	a.version = NVTX_VERSION;
	a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	a.message.registered = nvtxDomainRegisterStringA(domain, "registered");
	a.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
	a.payload.dValue = 0.5;
	a.category = 3;
	nvtxDomainNameCategoryA(domain, 3, "category");
	printf("%d\n", nvtxRangePushA("outer"));
	printf("%d\n", nvtxDomainRangePushEx(domain, &a));
	printf("%d\n", nvtxDomainRangePop(domain));
	printf("%d\n", nvtxRangePop());
	id = nvtxDomainRangeStartEx(domain, &a);
	nvtxDomainRangeEnd(domain, id);
	nvtxMarkW(L"wide");
#ifdef NAMES
	nvtxNameCudaDeviceA(0, "trainer");
	nvtxNameCudaDeviceW(1, L"helper");
	nvtxNameCuDeviceA(2, "spare");
	nvtxNameCuDeviceA(3, "");
	nvtxNameCudaStreamA((cudaStream_t)0x1230, "compute");
	nvtxNameCudaStreamW((cudaStream_t)0x4560, L"copies");
#endif
	nvtxDomainDestroy(domain);
	return 0;
}
END
${CC:-cc} -I"$include" -o program program.c -ldl
unset NVTX_INJECTION64_PATH
./program >without
"$RECORD" -q -o trace -- ./program >recorded
same "what NVTX returns" "$(cat without)" "$(cat recorded)"
"$REPORT" -q --dump trace | sed -n 's/.*dltrace_mark:range.* kind=\(.\) depth=\(.\) open=\(.\) payload_type=\(.\).*domain=\(.*\) inside=\[\]/\1 \2 \3 \4 \5/p' >ranges
cat >wanted <<'END'
1 1 0 3 "domain" category="category" name="registered"
1 0 0 0 "" category="" name="outer"
2 0 0 3 "domain" category="category" name="registered"
3 0 0 0 "" category="" name="wide"
END
# names TYPE: what was given a name, and the name
names() {
	"$REPORT" -q --dump trace | sed -n "s/.*dltrace_proc:object .* type=$1 .* handle=\(0x[0-9a-f]*\|0\) .* name=\"\(.*\)\"\$/\1 \2/p" |
		sort -u | tr '\n' ' ' | sed 's/ $//'
}
if [ -e "$include/driver_types.h" ]; then
	same "names of streams" "0x1230 compute 0x4560 copies" "$(names 10)"
	same "names of GPUs" "0 trainer 0x1 helper 0x2 spare" "$(names 11)"
fi
diff wanted ranges || fail "ranges of NVTX (< wanted, > seen)"
