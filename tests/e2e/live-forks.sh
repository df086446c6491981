# SPDX-License-Identifier: MIT
# --live counts once what forks share, also when the process that they have it from is gone.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq
need gcc

cat >program.c <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	void *volatile block = malloc(50 << 20);
	for (int i = 0; i < 2; i++)
		if (!fork())
			for (;;) sleep(1);
	return !block;
}
END
gcc -w -o program program.c
"$RECORD" -q --children all -o trace -- sh -c './program; exec sleep 1000' &
recorder=$!
living='[.processes[] | select(.name == "program" and (.ended | not))]'
trap 'kill $(jq "$living[].pid" line.json) $recorder && wait $recorder || true' EXIT
for try in $(seq 100); do
	timeout -k 5 60 "$REPORT" --live $recorder --count 1 --interval 100ms -f json >line.json 2>err &&
		jq -e "$living | length == 2 and .[0].parent == .[1].parent" line.json >/dev/null && break
	sleep 0.2
done
holds "two of one parent, which is gone; each has it" "$living | length == 2 and .[0].parent == .[1].parent and
	all(.heap_bytes > 50000000)" line.json
holds "all have it once" '.heap_bytes > 50000000 and .heap_bytes < 80000000' line.json
