/* SPDX-License-Identifier: MIT */
/*
 * Bytes of OpenCL's images, by their formats; rows are taken as packed, however an implementation
 * pads them. An image's element is remembered by its handle, since a copy names only a region.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "opencl.h"

#define IMAGES		2048	/* a power of 2 */
#define IMAGE_BITS	11
#define WINDOW		32	/* places that an image may be in */

/* cl_image_format */
struct format {
	uint32_t order, type;
};

/* cl_image_desc */
struct description {
	uint32_t type;
	size_t width, height, depth, layers, row_pitch, slice_pitch;
	uint32_t levels, samples;
	const void *memory;	/* of another object, which the image only shows */
};

enum { FIRST_ORDER = 0x10b0, FIRST_TYPE = 0x10d0 };
enum { IMAGE_2D = 0x10f1, IMAGE_3D, IMAGE_2D_ARRAY, IMAGE_1D, IMAGE_1D_ARRAY, IMAGE_1D_BUFFER };

/* CL_R, CL_A, CL_RG ... CL_ABGR */
static const uint8_t channels[] = { 1, 1, 2, 2, 3, 4, 4, 4, 1, 1, 2, 3, 4, 1, 2, 3, 4, 4, 4, 4 };

#define PACKED 0x80u	/* all channels in one word */

/* CL_SNORM_INT8 ... CL_UNORM_INT_101010_2: bytes a channel, or of that word. */
static const uint8_t types[] = {
	1, 2, 1, 2, PACKED | 2, PACKED | 2, PACKED | 4, 1, 2, 4, 1, 2, 4, 2, 4, 4, PACKED | 4,
};

static struct image {
	const void *handle;	/* NULL: free */
	size_t element;
} images[IMAGES];

/* Bytes of a picture's element; 0: a format of an extension. */
static size_t element_of(const void *format)
{
	struct format f;

	memcpy(&f, format, sizeof(f));
	f.order -= FIRST_ORDER;
	f.type -= FIRST_TYPE;
	if (f.order >= sizeof(channels) || f.type >= sizeof(types))
		return 0;
	return types[f.type] & PACKED ? types[f.type] & ~PACKED : (size_t)types[f.type] * channels[f.order];
}

size_t dlt_cl_plain_image_size(const void *format, size_t width, size_t height, size_t depth)
{
	return format ? element_of(format) * width * (height ? height : 1) * (depth ? depth : 1) : 0;
}

const void *dlt_cl_image_memory(const void *description)
{
	struct description d;

	memcpy(&d, description, sizeof(d));
	return d.memory;
}

size_t dlt_cl_image_size(const void *format, const void *description)
{
	struct description d;

	if (!format || !description)
		return 0;
	memcpy(&d, description, sizeof(d));
	if (d.memory)
		return 0;
	switch (d.type) {
	case IMAGE_1D:
		return dlt_cl_plain_image_size(format, d.width, 1, 1);
	case IMAGE_1D_ARRAY:
		return dlt_cl_plain_image_size(format, d.width, 1, d.layers);
	case IMAGE_2D:
		return dlt_cl_plain_image_size(format, d.width, d.height, 1);
	case IMAGE_2D_ARRAY:
		return dlt_cl_plain_image_size(format, d.width, d.height, d.layers);
	case IMAGE_3D:
		return dlt_cl_plain_image_size(format, d.width, d.height, d.depth);
	default:
		return 0;
	}
}

static struct image *place_of(const void *handle, bool make)
{
	uint64_t at = (uintptr_t)handle * 0x9e3779b97f4a7c15 >> (64 - IMAGE_BITS);
	struct image *free_one = NULL;

	for (unsigned i = 0; i < WINDOW; i++) {
		struct image *m = &images[(at + i) % IMAGES];
		const void *seen = __atomic_load_n(&m->handle, __ATOMIC_ACQUIRE);

		if (seen == handle)
			return m;
		free_one = seen || free_one ? free_one : m;
	}
	if (!make)
		return NULL;
	return free_one ? free_one : &images[at];
}

/*
 * Never taken out: a handle that comes again is told anew. Where two threads want one place, or all
 * are taken, one of the images has no size in copies.
 */
void dlt_cl_image_made(const void *image, const void *format)
{
	size_t element = image && format ? element_of(format) : 0;
	struct image *m = element ? place_of(image, true) : NULL;

	if (!m)
		return;
	m->element = element;
	__atomic_store_n(&m->handle, image, __ATOMIC_RELEASE);
}

size_t dlt_cl_region_size(const void *image, const size_t region[3])
{
	const struct image *m = image && region ? place_of(image, false) : NULL;

	return m ? m->element * region[0] * region[1] * region[2] : 0;
}
