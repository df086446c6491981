# SPDX-License-Identifier: MIT
# A launch on several devices by one call is one launch, with the shape and the stream of the first one; of the
# runtime until CUDA 12, and of the driver.
. "$top_srcdir/tests/lib.sh"
need gcc

cat >launch.c <<'C'
#include <stddef.h>
struct dim3 { unsigned x, y, z; };
struct runtime { const void *kernel; struct dim3 grid, block; void **args; size_t shared; void *stream; };
struct driver { void *kernel; unsigned grid[3], block[3], shared; void *stream; void **args; };
int cudaLaunchCooperativeKernelMultiDevice(struct runtime *, unsigned, unsigned);
int cuLaunchCooperativeKernelMultiDevice(struct driver *, unsigned, unsigned);
static int a, b;
int main(void)
{
	struct runtime r[] = { { &a, { 2, 3, 4 }, { 64, 1, 1 }, NULL, 16, NULL }, { &a, { 2, 3, 4 }, { 64, 1, 1 }, NULL, 16, NULL } };
	struct driver d[] = { { &b, { 5, 6, 7 }, { 32, 2, 1 }, 8, NULL, NULL }, { &b, { 5, 6, 7 }, { 32, 2, 1 }, 8, NULL, NULL } };

	for (int i = 0; i < 3; i++)
		if (cudaLaunchCooperativeKernelMultiDevice(r, 2, 0) || cuLaunchCooperativeKernelMultiDevice(d, 2, 0))
			return 1;
	return 0;
}
C
gcc -o launch launch.c -L"$STUBS" -l:libcudart.so.12 -l:libcuda.so.1 -Wl,-rpath,"$STUBS"
"$RECORD" -q -o run -- ./launch
"$REPORT" -q -f json -o report.json run || [ $? = 1 ]
holds "kernels" '[.kernels[] | [.launches, .grid, .block, .shared_bytes]] | sort == ([[3, "2x3x4", "64x1x1", 16], [3, "5x6x7", "32x2x1", 8]] | sort)'
