# SPDX-License-Identifier: MIT
# cppcheck finds nothing in the sources.
. "$top_srcdir/tests/lib.sh"
need cppcheck
cd "$top_srcdir"
cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr \
	-j "$(nproc)" --suppress=missingInclude --suppress=missingIncludeSystem \
	-D__x86_64__ -D_GNU_SOURCE '-DElfW(type)=Elf64_##type' \
	'-Djson_array_foreach(a,i,v)=if ((v = json_array_get(a, i = 0)))' \
	'-Djson_object_foreach(o,k,v)=if ((k = json_object_iter_key(o)) && (v = json_object_get(o, k)))' \
	-I . -I tracepoints -I "$top_builddir/tracepoints" interpose sampler record analysis
