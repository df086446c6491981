/* SPDX-License-Identifier: MIT */
/* Short names of kernels: real ones of PyTorch, cuDNN, cuBLAS, CUTLASS, CuPy and JAX; cut and hostile ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "analysis/report/short_name.c"

static const struct { const char *name, *is; } real[] = {
	{ "void (anonymous namespace)::softmax_warp_forward<float, float, float, 2, true, false>(float*, float const*,"
	  " int, int, int, bool const*, int, bool)",
	  "softmax_warp_forward<float, 2, true, false>" },
	{ "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::BUnaryFunctor<fl"
	  "oat, float, float, at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, at::native::"
	  "BUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> > const&)::{lambda(int)#1"
	  "}>(int, at::native::gpu_kernel_impl_nocast<at::native::BUnaryFunctor<float, float, float, at::native::binar"
	  "y_internal::MulFunctor<float> > >(at::TensorIteratorBase&, at::native::BUnaryFunctor<float, float, float, a"
	  "t::native::binary_internal::MulFunctor<float> > const&)::{lambda(int)#1})",
	  "elementwise_kernel<128, 2, BUnaryFunctor<float, MulFunctor<float>>>" },
	{ "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >("
	  "int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
	  "vectorized_elementwise_kernel<4, FillFunctor<float>>" },
	{ "void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::masked_fill_kernel(at:"
	  ":TensorIterator&, c10::Scalar const&)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() const::"
	  "{lambda(float, bool)#1}, std::array<char*, 3ul> >(int, at::native::(anonymous namespace)::masked_fill_kerne"
	  "l(at::TensorIterator&, c10::Scalar const&)::{lambda()#1}::operator()() const::{lambda()#7}::operator()() co"
	  "nst::{lambda(float, bool)#1}, std::array<char*, 3ul>)",
	  "vectorized_elementwise_kernel<4, masked_fill_kernel(float, bool)>" },
	{ "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::Tensor"
	  "ListMetadata<2>, at::native::(anonymous namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<flo"
	  "at>, float>(at::native::(anonymous namespace)::TensorListMetadata<2>, at::native::(anonymous namespace)::Bi"
	  "naryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, float)",
	  "multi_tensor_apply_kernel<BinaryOpListAlphaFunctor<float, 2, 2, 0>, plus<float>, float>" },
	{ "void cudnn::engines_precompiled::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)"
	  "2>(cudnn::engines_precompiled::nchw2nhwc_params_t<float>, float const*, float*)",
	  "nchwToNhwcKernel<float, false, true, 2>" },
	{ "void cub::CUB_300102_SM_750_800_860_890_900_1000_1200::detail::reduce::DeviceReduceSingleTileKernel<cub::CU"
	  "B_300102_SM_750_800_860_890_900_1000_1200::detail::reduce::policy_hub<float, unsigned int, cuda::std::__4::"
	  "plus<void> >::Policy1000, float*, float*, int, cuda::std::__4::plus<void>, float, float, cuda::std::__4::id"
	  "entity>(float*, float*, int, cuda::std::__4::plus<void>, float, cuda::std::__4::identity)",
	  "DeviceReduceSingleTileKernel<float*, int, plus<void>, float>" },
	{ "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float, float, float, float, cudnnTens"
	  "orStruct, float const*, cudnnTensorStruct, float const*, cudnnTensorStruct, float*, float const*, float*, f"
	  "loat*, float const*, float const*, float)",
	  "bn_bw_1C11_kernel_new<float, float2, 512, true, 1>" },
	{ "void cudnn::bn_bw_1C11_singleread<float, 512, true, 1, 2, 0>(cudnn::bn_bw_1C11_args<float>)",
	  "bn_bw_1C11_singleread<float, 512, true, 1, 2, 0>" },
	{ "void scal_kernel<float, float, 1, true, 6, 5, 5, 3>(cublasTransposeParams<float>, float const*, float*, flo"
	  "at const*)",
	  "scal_kernel<float, 1, true, 6, 5, 5, 3>" },
	{ "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nt_align1>(cutlass_80_tensorop_s1688gemm_64x"
	  "64_16x6_nt_align1::Params)",
	  "s1688gemm_64x64_16x6_nt_align1" },
	{ "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_16x6_nt_align4>(cutlass_80_tensorop_s1688gemm_64x"
	  "64_16x6_nt_align4::Params)",
	  "s1688gemm_64x64_16x6_nt_align4" },
	{ "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nt_align1>(cutlass_80_simt_sgemm_128x32_8x5_nt_align"
	  "1::Params)",
	  "sgemm_128x32_8x5_nt_align1" },
	{ "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_s1688dgrad_optimized_tf32_64x128_32x3_nhwc_align4>(cutlass_"
	  "tensorop_s1688dgrad_optimized_tf32_64x128_32x3_nhwc_align4::Params)",
	  "s1688dgrad_optimized_tf32_64x128_32x3_nhwc_align4" },
	{ "sm80_xmma_fprop_implicit_gemm_indexed_wo_smem_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x32x16_stage1_wa"
	  "rpsize4x1x1_g1_tensor16x8x8_aligna4_alignc8_execute_kernel__5x_cudnn",
	  "sm80_fprop_indexed_wo_smem_tf32_nhwc_128x32x16" },
	{ "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x64x32_stage5_warpsize2x2x1_g1_t"
	  "ensor16x8x8_execute_kernel__5x_cudnn",
	  "sm80_fprop_tf32_nhwc_nchw_128x64x32" },
	{ "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize128x32x8_stage3_warpsize2x2x1_g1_ffma"
	  "_aligna4_alignc4_execute_kernel__5x_cudnn",
	  "sm80_fprop_f32_nchw_128x32x8" },
	{ "sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x64x64_stage4_warpsize2x2x1_g1_te"
	  "nsor16x8x8_t1r3s3_execute_kernel__5x_cudnn",
	  "sm80_dgrad_tf32_nhwc_64x64x64_t1r3s3" },
	{ "sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x32_warpgroupsize1x1x1_g1_exe"
	  "cute_segment_k_off_kernel__5x_cudnn",
	  "sm90_fprop_tf32_nhwc_128x128x32" },
	{ "sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x32_warpgroupsize1x1x1_g1_exe"
	  "cute_segment_k_on_kernel__5x_cudnn",
	  "sm90_fprop_tf32_nhwc_128x128x32_k_on" },
	{ "sm90_xmma_dgrad_implicit_gemm_indexed_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize256x64x32_warpgroupsize1x1x1"
	  "_g1_strided_execute_kernel__5x_cudnn",
	  "sm90_dgrad_indexed_tf32_nhwc_256x64x32_strided" },
	{ "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_spl"
	  "it_k_kernel__5x_cublas",
	  "sm80_gemm_f32_nn_64x64x8_split_k" },
	{ "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x128x32_warpgroupsize1x1x1_execute_segment_k_off_kernel__5"
	  "x_cublas",
	  "sm90_gemm_tf32_tn_64x128x32" },
	{ "loop_multiply_fusion_2", "loop_multiply_fusion_2" },
	{ "cupy_arange__float_float_float32", "cupy_arange__float_float_float32" },
};

static const struct { const char *name, *is; } made[] = {
	{ "copy host to device", "copy host to device" },
	{ "", "" },
	{ "one(float*, int)", "one" },
	{ "unsigned long a::b<unsigned long, (a::kind)1>(int)", "b<unsigned long, 1>" },
	{ "my_operator<int>(int)", "my_operator<int>" },
	{ "void f<&(g<int>::operator<(int)), 3>(int)", "f<&(g<int>::operator<(int)), 3>" },
	{ "void at::f<at::g(int)::{lambda(int)#1}>(int)", "f<g>" },
	/* Cut where it was too long. */
	{ "void at::native::f<4, at::native::Fill<float>, at::nat", "f<4, Fill<float>, nat>" },
	{ "void at::native::f<4, at::native::Fill<flo", "f<4, Fill<flo>>" },
	{ "sm80_xmma_fprop_implicit_ge", "sm80_fprop_implicit_ge" },
	{ "(", "(" }, { "<>", "<>" }, { ")(", ")(" }, { "a<(", "a" },
};

static void are_short(void **state)
{
	char text[128];

	(void)state;
	for (size_t i = 0; i < COUNT(real); i++)
		assert_string_equal(short_name(real[i].name, text, sizeof(text)), real[i].is);
	for (size_t i = 0; i < COUNT(made); i++)
		assert_string_equal(short_name(made[i].name, text, sizeof(text)), made[i].is);
}

static void are_cut(void **state)
{
	char text[8];

	(void)state;
	assert_string_equal(short_name("sgemm_nn_of_mine", text, sizeof(text)), "sgemm_n");
	assert_string_equal(short_name("void f<4, Fill<float> >(int)", text, sizeof(text)), "f<4, Fi");
}

/* Brackets that nobody closes, as deep as a name is long. */
static void are_not_harmed(void **state)
{
	static const char signs[] = "<({[>:,";
	char name[4096], text[64];

	(void)state;
	for (size_t i = 0; i < strlen(signs); i++) {
		for (size_t k = 0; k < sizeof(name) - 1; k++)
			name[k] = k % 2 ? signs[i] : 'a';
		name[sizeof(name) - 1] = '\0';
		assert_true(strlen(short_name(name, text, sizeof(text))) < sizeof(text));
	}
}

/* As deep as none is: the stack is not used up. */
static void are_not_followed_for_ever(void **state)
{
	static char name[200000];
	char text[64], *to = stpcpy(name, "f<a::");

	(void)state;
	for (int i = 0; i < 8000; i++)
		to = stpcpy(to, "{lambda(");
	to = stpcpy(to, "int");
	for (int i = 0; i < 8000; i++)
		to = stpcpy(to, ")#1}");
	strcpy(to, ">(int)");
	assert_true(strlen(short_name(name, text, sizeof(text))) < sizeof(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(are_short), cmocka_unit_test(are_cut), cmocka_unit_test(are_not_harmed),
		cmocka_unit_test(are_not_followed_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
