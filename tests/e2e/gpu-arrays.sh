# SPDX-License-Identifier: MIT
# Bytes of arrays with all of their levels and layers, and of copies from and to them, which count elements.
. "$top_srcdir/tests/lib.sh"
need gcc
need jq

cat >arrays.c <<'C'
#include <stddef.h>
#include <string.h>
struct extent { size_t width, height, depth; };
struct pitched { void *p; size_t pitch, x, y; };
struct copy3d {
	void *from_array; struct extent from_pos; struct pitched from;
	void *to_array; struct extent to_pos; struct pitched to;
	struct extent extent; int kind;
};
struct channel { int x, y, z, w, kind; };
struct array { size_t width, height, depth; int format; unsigned channels, flags; };
struct operand { int type; void *what; size_t words[3]; };
struct op { struct operand from, to; struct extent extent; int order; unsigned flags; };
int cudaMallocArray(void **, const struct channel *, size_t, size_t, unsigned);
int cudaMallocMipmappedArray(void **, const struct channel *, struct extent, unsigned, unsigned);
int cudaGetMipmappedArrayLevel(void **, void *, unsigned);
int cudaFreeArray(void *);
int cudaMemcpy3D(const struct copy3d *);
int cudaMemcpy3DBatchAsync(size_t, struct op *, unsigned long long, void *);
int cudaMemcpy3DWithAttributesAsync(struct op *, unsigned long long, void *);
int cuMipmappedArrayCreate(void **, const struct array *, unsigned);
int cuArray3DCreate_v2(void **, const struct array *);
int cuMemcpy3DBatchAsync_v2(size_t, struct op *, unsigned long long, void *);
/* The stubs leave handles of arrays as they are: these are ours. */
int main(void)
{
	struct channel float1 = { 32, 0, 0, 0, 2 }, float4 = { 32, 32, 32, 32, 2 };
	struct array driver_s = { 1024, 1024, 0, 0x20, 1, 0 }, half2 = { 64, 64, 64, 0x10, 2, 0 };
	void *mipmaps = (void *)0x1000, *layers = (void *)0x2000, *flat = (void *)0x3000, *level = (void *)0x4000,
	     *deep = (void *)0x5000;
	struct copy3d copy = { .to_array = flat, .extent = { 256, 256, 1 }, .kind = 1 };
	struct op ops[3] = {
		{ .from = { 1, NULL }, .to = { 1, NULL }, .extent = { 1000, 1, 1 } },
		{ .from = { 1, NULL }, .to = { 2, flat }, .extent = { 10, 10, 1 } },
		{ .from = { 2, level }, .to = { 1, NULL }, .extent = { 5, 5, 2 } },
	};

	cuMipmappedArrayCreate(&mipmaps, &driver_s, 11);
	cudaMallocMipmappedArray(&layers, &float1, (struct extent){ 1024, 1024, 16 }, 2, 1);
	cudaMallocArray(&flat, &float4, 256, 256, 0);
	cuArray3DCreate_v2(&deep, &half2);
	cudaGetMipmappedArrayLevel(&level, layers, 1);
	cudaMemcpy3D(&copy);				/* 1 MiB */
	cudaMemcpy3DBatchAsync(3, ops, 0, NULL);	/* 1000 + 1600 + 200 */
	cudaMemcpy3DWithAttributesAsync(&ops[1], 0, NULL);
	cuMemcpy3DBatchAsync_v2(2, ops + 1, 0, NULL);
	cudaFreeArray(flat);
	ops[1].to.what = (void *)0x9999;		/* nobody knows: bytes */
	cudaMemcpy3DWithAttributesAsync(&ops[1], 0, NULL);
	return 0;
}
C
gcc -o arrays arrays.c -L"$STUBS" -l:libcudart.so.13 "$STUBS/libcuda.so.1" -Wl,-rpath,"$STUBS"
"$RECORD" -q -o run -- ./arrays
"$REPORT" -q -o report.json run || [ $? = 1 ]
same "arrays" $((5592404 + 83886080 + 1048576 + 1048576)) \
	"$(jq '[.gpu_memory[] | select(.kind == "array") | .allocated_bytes] | add' report.json)"
same "live" $((5592404 + 83886080 + 1048576)) "$(jq '[.gpu_memory[] | select(.kind == "array") | .live_bytes] | add' report.json)"
same "copies" '[["cuMemcpy3DBatchAsync_v2",1800],["cudaMemcpy3D",1048576],["cudaMemcpy3DBatchAsync",2800],["cudaMemcpy3DWithAttributesAsync",1700]]' \
	"$(jq -c '[.breakdown[] | select(.function | contains("3D")) | select(.kind == "copy") | [.function, .bytes]] | sort' report.json)"
