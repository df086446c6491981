# SPDX-License-Identifier: MIT
# A plugin, loaded for itself alone, with a CUDA runtime linked in: the report has all its launches
# at the driver's level, under the plugin's name, and its kernel's handle; nothing twice.
. "$top_srcdir/tests/lib.sh"
need jq

DLTRACE_STUB_REPORT=$TMP/stub "$RECORD" -q -o run -- "$APPS/static_runtime" 100
"$REPORT" -q -f json run >report.json
awk '$1 == "libcuda.so.1" { print $2, $3 }' stub | sort >wanted
jq -r '.breakdown[] | select(.layer == "driver" and (.library | endswith("libstaticplugin.so"))) |
	"\(.function) \(.calls)"' report.json | sort >seen
diff wanted seen || fail "the plugin's calls differ (< stub, > report)"
holds "launches" '[.breakdown[] | select(.function == "cuLaunchKernel")] | length == 1 and .[0].calls == 200'
holds "no calls of the runtime" '[.breakdown[] | select(.layer == "runtime")] | length == 0'
"$REPORT" -q --min-share=0 run >report.txt
grep -q 'cuLaunchKernel' report.txt || fail "the text does not name the launches"

# The runtime over the driver: each level's totals are the stub's, and the outermost is the runtime's.
DLTRACE_STUB_OVER=1 DLTRACE_STUB_REPORT=$TMP/over "$RECORD" -q -o over-run -- "$APPS/cuda_work"
"$REPORT" -q -f json over-run >report.json
awk '{ print $2, $3 }' over | sort >wanted
jq -r '.breakdown[] | select(.layer == "driver" or .layer == "runtime") | "\(.function) \(.calls)"' report.json |
	sort >seen
diff wanted seen || fail "calls of two levels differ (< stub, > report)"
# All of the driver's calls but those that nobody else is outside of are nested: their time is no share.
holds "driver calls nest" '[.breakdown[] | select(.layer == "driver") | .share] | add == 0 or add == null'
