# SPDX-License-Identifier: MIT
# Functions below --min-share stand together as "other"; the breakdown stays complete.
. "$top_srcdir/tests/lib.sh"
cat >trace <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[1s] dltrace_proc:function process=1 function=cudaMalloc layer="runtime" kind="allocate" name="cudaMalloc"
[1s] dltrace_proc:function process=1 function=cudaFree layer="runtime" kind="allocate" name="cudaFree"
[1s] dltrace_proc:function process=1 function=cudaSetDevice layer="runtime" kind="other" name="cudaSetDevice"
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=990ms
[3s] dltrace_cuda:free thread=1 function=cudaFree duration=6ms
[4s] dltrace_cuda:other thread=1 function=cudaSetDevice duration=4ms
END
report_text <trace
same functions "['cudaMalloc', 'other']" "$(json '[x["function"] for x in r["shares"]]')"
same "share of other" 0.01 "$(json 'round(r["shares"][1]["share"], 6)')"
same "calls of other" 2 "$(json 'r["shares"][1]["calls"]')"
same "the breakdown" 3 "$(json 'len(r["breakdown"])')"
report_text --min-share 0.5 <trace
same "more functions" "['cudaMalloc', 'cudaFree', 'other']" "$(json '[x["function"] for x in r["shares"]]')"
report_text --function 'cudaM*' <trace
same filtered "['cudaMalloc']" "$(json '[x["function"] for x in r["breakdown"]]')"
same "the denominator stays" 0.99 "$(json 'r["breakdown"][0]["share"]')"
