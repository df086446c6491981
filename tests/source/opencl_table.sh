# SPDX-License-Identifier: MIT
# opencl.tbl agrees with OpenCL's headers, and has every function that the loader exports; skips
# where they are not installed.
. "$top_srcdir/tests/lib.sh"
command -v g++ >/dev/null || skip "no g++"
echo '#include <CL/cl_egl.h>' | g++ -E - >/dev/null 2>&1 || skip "no OpenCL headers"

tables=$top_srcdir/tracepoints
cat >headers.h <<'END'
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_gl.h>
#include <CL/cl_egl.h>
#include <CL/cl_ext.h>
END
g++ -E -w headers.h | grep -o '\<cl[A-Z][A-Za-z0-9_]*(' | sort -u | sed 's/\(.*\)(/#define HAVE_\1/' >have.h
# agrees TABLE
agrees() {
	"$top_srcdir/scripts/gen-functions" check -l opencl "$tables/events.tbl" "$tables/functions.tbl" "$tables/runtime.tbl" "$1" |
		sed '1,/cu_check.h/d' >check.cc
	g++ -std=c++17 -w -fsyntax-only -I"$tables" -include ./have.h -include ./headers.h -include same_call.h check.cc
}
agrees "$tables/opencl.tbl" || fail "opencl.tbl and the headers differ"
[ "$(grep -c 'static_assert' check.cc)" -gt 100 ] || fail "next to nothing was compared"
sed 's/int clFinish(void \*command_queue)/int clFinish(unsigned command_queue)/' "$tables/opencl.tbl" >bad.tbl
! agrees bad.tbl 2>/dev/null || fail "a wrong argument is not seen"

library=$(ldconfig -p 2>/dev/null | sed -n 's/.*libOpenCL.so.1 .*=> //p' | head -1)
[ -n "$library" ] || exit 0
nm -D --defined-only "$library" | sed -n 's/.* T \(cl[A-Z][A-Za-z0-9_]*\).*/\1/p' | sort -u >exported
"$top_srcdir/scripts/gen-functions" names -l opencl "$tables/events.tbl" "$tables/functions.tbl" "$tables/runtime.tbl" "$tables/opencl.tbl" | sort >wrapped
missing=$(comm -23 exported wrapped)
same "functions of $library that are not in the table" "" "$missing"
