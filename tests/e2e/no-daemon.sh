# SPDX-License-Identifier: MIT
# With the library preloaded and no session daemon, a program behaves as without: output, status.
. "$top_srcdir/tests/lib.sh"

export LTTNG_HOME=$TMP/nowhere
plain=$(sh -c 'echo out; echo err >&2; exit 3' 2>&1) && fail "status lost" || status=$?
same "plain status" 3 $status
preloaded=$(LD_PRELOAD=$DLTRACE_LIB sh -c 'echo out; echo err >&2; exit 3' 2>&1) && fail "status lost" || status=$?
same "status" 3 $status
same "output" "$plain" "$preloaded"
