/* SPDX-License-Identifier: MIT */
/* A library that calls the runtime; tests/apps/first_calls.c loads copies of it. */
int cudaGetDevice(int *), cudaGetDeviceCount(int *), cudaDriverGetVersion(int *), cudaRuntimeGetVersion(int *);
int cudaGetLastError(void), cudaPeekAtLastError(void), cudaDeviceSynchronize(void), cudaFree(void *);
int first_calls(void);

int first_calls(void)
{
	int n;

	return cudaGetDevice(&n) + cudaGetDeviceCount(&n) + cudaDriverGetVersion(&n) + cudaRuntimeGetVersion(&n) +
	       cudaGetLastError() + cudaPeekAtLastError() + cudaDeviceSynchronize() + cudaFree(0);
}
