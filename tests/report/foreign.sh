# SPDX-License-Identifier: MIT
# Processes of another recording are left out, counted, and said.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
recording id 42
[1s] dltrace_proc:process process=1 pid=100 begin=1s recording=42
[1s] dltrace_proc:process process=2 pid=200 begin=1s recording=43
[2s] dltrace_cuda:free thread=1 function=cudaFree duration=3ms
[2s] dltrace_cuda:free thread=2 function=cudaFree duration=4ms
[3s] dltrace_sample:process process=1 time=3s threads=1 rss_anon=1M
[3s] dltrace_sample:process process=2 time=3s threads=5 rss_anon=9M
END
same processes "[100]" "$(json '[p["pid"] for p in r["processes"]]')"
same breakdown "[3000000]" "$(json '[b["total_ns"] for b in r["breakdown"]]')"
same threads 1 "$(json 'int(peak("threads"))')"
same memory 1048576 "$(json 'int(peak("rss_bytes"))')"
same said 2 "$(json 'int(row("limits", kind="foreign")["value"])')"

# Nor is anything found in them.
report_text <<'END'
dltrace-text 1
recording id 42
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/python3" recording=42
[1s] dltrace_proc:process process=9 pid=900 begin=1s exe="/usr/bin/somebody" recording=7
[1s] dltrace_proc:function function=cudaGetDeviceCount name="cudaGetDeviceCount" layer="runtime" kind="other" process=9
[2s] dltrace_cuda:other thread=9 function=cudaGetDeviceCount duration=500 result=100
[3s] dltrace_sample:process process=1 time=3s threads=1 rss_anon=1G user=2s allocated=2G
END
same findings "[]" "$(json '[f["rule"] for f in r["findings"] if f["rule"] == "no_gpu"]')"
