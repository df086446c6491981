/* SPDX-License-Identifier: MIT */
/* Compares driver.tbl and cu_types.h with cuda.h, as cuda_check.h does it for the runtime. */
#ifndef DLT_TRACEPOINTS_CU_CHECK_H
#define DLT_TRACEPOINTS_CU_CHECK_H

#include "cuda_check.h"

static_assert(sizeof(CUmemLocation) == sizeof(dlt_cu_location));
static_assert(offsetof(CUmemAllocationProp, type) == 0 && offsetof(CUmemAllocationProp, location) == 2 * sizeof(int));
static_assert(offsetof(CUmemPoolProps, allocType) == 0 && offsetof(CUmemPoolProps, location) == 2 * sizeof(int));
#if CUDA_VERSION >= 13050
static_assert(CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN == 6);
static_assert(offsetof(CUmemLocation, localized.deviceId) == offsetof(dlt_cu_location, id));	/* its low byte */
#endif
static_assert(sizeof(CUipcMemHandle) == sizeof(dlt_cu_ipc));
static_assert(sizeof(CUipcEventHandle) == sizeof(dlt_cu_ipc));
static_assert(sizeof(CUDA_MEMCPY2D) == sizeof(dlt_cu_copy2d));
static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(dlt_cu_copy3d));
static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(dlt_cu_copy3d));
static_assert(sizeof(CUDA_ARRAY_DESCRIPTOR) == sizeof(dlt_cu_array));
static_assert(sizeof(CUDA_ARRAY3D_DESCRIPTOR) == sizeof(dlt_cu_array3d));
SAME_PLACE(CUDA_MEMCPY2D, srcMemoryType, dlt_cu_copy2d, from.type);
SAME_PLACE(CUDA_MEMCPY2D, dstMemoryType, dlt_cu_copy2d, to.type);
SAME_PLACE(CUDA_MEMCPY2D, WidthInBytes, dlt_cu_copy2d, width);
SAME_PLACE(CUDA_MEMCPY3D, srcMemoryType, dlt_cu_copy3d, from.type);
SAME_PLACE(CUDA_MEMCPY3D, dstMemoryType, dlt_cu_copy3d, to.type);
SAME_PLACE(CUDA_MEMCPY3D, WidthInBytes, dlt_cu_copy3d, width);
SAME_PLACE(CUDA_MEMCPY3D_PEER, srcMemoryType, dlt_cu_copy3d, from.type);
SAME_PLACE(CUDA_MEMCPY3D_PEER, dstMemoryType, dlt_cu_copy3d, to.type);
SAME_PLACE(CUDA_MEMCPY3D_PEER, WidthInBytes, dlt_cu_copy3d, width);
SAME_PLACE(CUDA_ARRAY_DESCRIPTOR, Format, dlt_cu_array, format);
SAME_PLACE(CUDA_ARRAY3D_DESCRIPTOR, Format, dlt_cu_array3d, format);
SAME_PLACE(CUDA_ARRAY3D_DESCRIPTOR, Flags, dlt_cu_array3d, flags);
static_assert(DLT_CU_LAYERS == (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP));
#if CUDA_VERSION >= 12080
static_assert(sizeof(CUDA_MEMCPY3D_BATCH_OP) == sizeof(dlt_cu_copy3d_op));
static_assert(sizeof(cudaMemcpy3DBatchOp) == sizeof(dlt_cu_copy3d_op));
SAME_PLACE(CUDA_MEMCPY3D_BATCH_OP, src.op.array.array, dlt_cu_copy3d_op, from.what);
SAME_PLACE(CUDA_MEMCPY3D_BATCH_OP, dst.op.array.array, dlt_cu_copy3d_op, to.what);
SAME_PLACE(CUDA_MEMCPY3D_BATCH_OP, extent.width, dlt_cu_copy3d_op, width);
#endif
#if CUDA_VERSION >= 11080
SAME_PLACE(CUlaunchConfig, blockDimX, dlt_cu_launch_config, block_x);
SAME_PLACE(CUlaunchConfig, sharedMemBytes, dlt_cu_launch_config, shared);
SAME_PLACE(CUlaunchConfig, hStream, dlt_cu_launch_config, stream);
#endif
SAME_PLACE(CUDA_LAUNCH_PARAMS, blockDimX, dlt_cu_launch_params, block_x);
SAME_PLACE(CUDA_LAUNCH_PARAMS, sharedMemBytes, dlt_cu_launch_params, shared);
SAME_PLACE(CUDA_LAUNCH_PARAMS, hStream, dlt_cu_launch_params, stream);
#if CUDA_VERSION >= 13050
static_assert(sizeof(CUDA_FABRIC_COPY_BATCH_OP) == sizeof(dlt_cu_fabric_copy));
SAME_PLACE(CUDA_FABRIC_COPY_BATCH_OP, size, dlt_cu_fabric_copy, size);
SAME_PLACE(CUDA_FABRIC_CPY_BATCH_NODE_PARAMS, opList, dlt_cu_fabric_batch, copies);
SAME_PLACE(CUDA_MEMCPY_BATCH_NODE_PARAMS, sizes, dlt_cuda_batch, sizes);
static_assert(CU_GRAPH_NODE_TYPE_MEMCPY_BATCH == 14 && CU_GRAPH_NODE_TYPE_FABRIC_CPY_BATCH == 18); /* captures.h */
#endif

#endif
