/* SPDX-License-Identifier: MIT */
/*
 * Compares functions.tbl and cuda_types.h with NVIDIA's headers, at compile time (C++17): the same
 * number of arguments, each of the same size and kind. "gen-functions check" includes this.
 */
#ifndef DLT_TRACEPOINTS_CUDA_CHECK_H
#define DLT_TRACEPOINTS_CUDA_CHECK_H

#include <cstddef>

#include "cuda_types.h"
#include "same_call.h"

/*
 * A row whose list of arguments is the longest of several: each of theirs comes in a register that
 * ours reads too, so none is floating-point and none is larger than ours at its place.
 */
template <typename A, typename B> constexpr bool fits_argument()
{
	return !std::is_floating_point_v<A> && sizeof(A) <= 8 && sizeof(B) <= 8;
}

template <typename A, typename B> struct fits_call : std::false_type {};
template <typename RA, typename... A, typename RB, typename... B>
struct fits_call<RA (*)(A...), RB (*)(B...)> {
	static constexpr bool value = sizeof...(A) <= sizeof...(B) && same_argument<RA, RB>() &&
				      (fits_argument<A, A>() && ...) &&
				      (fits_argument<B, B>() && ...);
};

#define SAME_PLACE(theirs, field, ours, own) \
	static_assert(offsetof(theirs, field) == offsetof(ours, own), #ours "." #own)

static_assert(sizeof(dim3) == sizeof(dlt_cuda_dim3));
static_assert(sizeof(cudaExtent) == sizeof(dlt_cuda_extent));
static_assert(sizeof(cudaPitchedPtr) == sizeof(dlt_cuda_pitched));
static_assert(sizeof(cudaMemLocation) == sizeof(dlt_cuda_location));
static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(dlt_cuda_ipc));
static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(dlt_cuda_ipc));
static_assert(sizeof(cudaChannelFormatDesc) == sizeof(dlt_cuda_channel));
static_assert(sizeof(cudaMemcpy3DPeerParms) == sizeof(dlt_cuda_copy3d_peer));
SAME_PLACE(cudaMemcpy3DPeerParms, extent, dlt_cuda_copy3d_peer, extent);
SAME_PLACE(cudaChannelFormatDesc, w, dlt_cuda_channel, w);
static_assert(sizeof(cudaMemcpy3DParms) == sizeof(dlt_cuda_copy3d));
SAME_PLACE(cudaPitchedPtr, pitch, dlt_cuda_pitched, pitch);
SAME_PLACE(cudaMemcpy3DParms, extent, dlt_cuda_copy3d, extent);
SAME_PLACE(cudaMemcpy3DParms, kind, dlt_cuda_copy3d, kind);
SAME_PLACE(cudaMemAllocNodeParams, bytesize, dlt_cuda_node_memory, size);
SAME_PLACE(cudaMemAllocNodeParams, dptr, dlt_cuda_node_memory, p);
SAME_PLACE(cudaMemsetParams, elementSize, dlt_cuda_set, element);
SAME_PLACE(cudaMemsetParams, width, dlt_cuda_set, width);
SAME_PLACE(cudaMemsetParams, height, dlt_cuda_set, height);
#if CUDART_VERSION < 13000
SAME_PLACE(cudaLaunchParams, blockDim, dlt_cuda_launch_params, block);
SAME_PLACE(cudaLaunchParams, sharedMem, dlt_cuda_launch_params, shared);
SAME_PLACE(cudaLaunchParams, stream, dlt_cuda_launch_params, stream);
#endif
#if CUDART_VERSION >= 12020
static_assert(offsetof(cudaGraphNodeParams, memcpy) == 16);	/* interpose/graphs.c: bytes_in */
static_assert(offsetof(cudaGraphNodeParams, memset) == 16);
static_assert(offsetof(cudaMemcpyNodeParams, copyParams) == 16);
static_assert(offsetof(cudaGraphNodeParams, graph) == offsetof(dlt_cuda_node, child));
static_assert(offsetof(cudaChildGraphNodeParams, graph) == 0);
#endif
#if CUDART_VERSION >= 12030
static_assert(offsetof(cudaGraphNodeParams, conditional) == 16);
SAME_PLACE(cudaConditionalNodeParams, size, dlt_cuda_conditional, count);
SAME_PLACE(cudaConditionalNodeParams, phGraph_out, dlt_cuda_conditional, graphs);
#endif
#if CUDART_VERSION >= 12090
static_assert(offsetof(cudaGraphNodeParams, graph) + offsetof(cudaChildGraphNodeParams, ownership) ==
	      offsetof(dlt_cuda_node, ownership) && cudaGraphChildGraphOwnershipMove == 1);
#endif
#if CUDART_VERSION >= 13050
SAME_PLACE(cudaMemcpyBatchNodeParams, sizes, dlt_cuda_batch, sizes);
static_assert(offsetof(cudaGraphNodeParams, memcpyBatch) == 16);
#endif
#if CUDART_VERSION >= 11080
SAME_PLACE(cudaLaunchConfig_t, gridDim, dlt_cuda_launch_config, grid);
SAME_PLACE(cudaLaunchConfig_t, blockDim, dlt_cuda_launch_config, block);
SAME_PLACE(cudaLaunchConfig_t, dynamicSmemBytes, dlt_cuda_launch_config, shared);
SAME_PLACE(cudaLaunchConfig_t, stream, dlt_cuda_launch_config, stream);
#endif

#endif
