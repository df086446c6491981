/* SPDX-License-Identifier: MIT */
/* Elements of CUDA's arrays by handle, and what copies of so many elements move. */
#include "arrays.h"

#include "handles.h"

#define BITS 12

static struct handle arrays[1 << BITS];

void dlt_array_made(const void *array, size_t element)
{
	if (element && element < UINT16_MAX)
		dlt_handle_note(arrays, BITS, array, (uint32_t)element);
	else
		dlt_handle_gone(arrays, BITS, array);
}

void dlt_array_made_of(const void *array, const struct dlt_cuda_channel *format)
{
	dlt_array_made(array, dlt_cuda_block_size(format) ? 0 : dlt_cuda_element_size(format));
}

void dlt_array_made_as(const void *array, int format, unsigned channels)
{
	dlt_array_made(array, dlt_cu_block_size(format) ? 0 : dlt_cu_element_size(format, channels));
}

void dlt_array_level(const void *level, const void *mipmapped)
{
	dlt_array_made(level, dlt_handle_noted(arrays, BITS, mipmapped));
}

void dlt_array_gone(const void *array)
{
	dlt_handle_gone(arrays, BITS, array);
}

/* Of either side; both have the same where both are arrays. */
static size_t element(const void *from, const void *to)
{
	uint32_t noted = from ? dlt_handle_noted(arrays, BITS, from) : 0;

	if (!noted && to)
		noted = dlt_handle_noted(arrays, BITS, to);
	return noted ? noted : 1;
}

size_t dlt_array_copied(const struct dlt_cuda_copy3d *copy)
{
	return dlt_cuda_elements(copy->extent) * element(copy->from_array, copy->to_array);
}

size_t dlt_array_copied_peer(const struct dlt_cuda_copy3d_peer *copy)
{
	return dlt_cuda_elements(copy->extent) * element(copy->from_array, copy->to_array);
}

size_t dlt_array_copied_batch(const struct dlt_cu_copy3d_op *ops, size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += ops[i].width * ops[i].height * ops[i].depth *
		       element(dlt_cu_operand_array(&ops[i].from), dlt_cu_operand_array(&ops[i].to));
	return sum;
}
