# SPDX-License-Identifier: MIT
# A std::thread belongs to the library that made it, not to libstdc++; a worker of an OpenMP
# region to the region's library, not to libgomp.
. "$top_srcdir/tests/lib.sh"
need babeltrace2
need g++

cat >maker.cc <<'END'
#include <thread>
extern "C" int by_std(int n)
{
	std::thread t([&n] { n++; });
	t.join();
	return n;
}
END
cat >region.c <<'END'
int by_openmp(void)
{
	int n = 0;
#pragma omp parallel num_threads(3) reduction(+:n)
	n++;
	return n;
}
END
cat >main.c <<'END'
int by_std(int n);
int by_openmp(void);
int main(void)
{
	return by_std(1) + by_openmp() != 5;
}
END
g++ -shared -fPIC -o libmaker.so maker.cc
gcc -shared -fPIC -fopenmp -o libregion.so region.c 2>/dev/null || skip "no OpenMP"
gcc -o main main.c ./libmaker.so ./libregion.so

session_start 'dltrace_*'
env LD_PRELOAD="$DLTRACE_LIB" ./main
session_stop
babeltrace2 trace >text

# library NAME: its id
library() {
	sed -n "s/.*dltrace_proc:library: .* library = \([0-9]*\), .*path = \".*$1\".*/\1/p" text | grep -vx 0 | sort -u
}
maker=$(library libmaker.so)
region=$(library libregion.so)
[ -n "$maker" ] && [ -n "$region" ] || fail "a library is not named"
same "std::thread's creator and code" 1 \
	"$(grep -c "dltrace_proc:thread: .*creator_library = $maker, start_library = $maker,.*reason = 0" text)"
same "OpenMP workers' creator" 2 "$(grep -c "dltrace_proc:thread: .*creator_library = $region,.*reason = 0" text)"
