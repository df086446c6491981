# SPDX-License-Identifier: MIT
# What NVML says of a process, over both GPUs, less what the ledger knows then: unaccounted. Without
# NVML, or where its pids are others', it is null.
. "$top_srcdir/tests/lib.sh"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:process process=2 pid=101 begin=1s exe="/bin/other"
[2s] dltrace_cuda:alloc thread=1 function=cudaMalloc duration=1ms ptr=0x1000 size=1000
[2s] dltrace_cuda:alloc thread=2 function=cudaMalloc duration=1ms ptr=0x1000 size=10
[2100ms] dltrace_cuda:alloc thread=1 function=cudaMallocManaged duration=1ms ptr=0x2000 size=5000 memory=4
[3s] dltrace_record:gpu_process gpu=0 pid=100 used=1400
[3s] dltrace_record:gpu_process gpu=1 pid=100 used=50
[3s] dltrace_record:gpu_process gpu=0 pid=999 used=77777
[4s] dltrace_cuda:free thread=1 function=cudaFree duration=1ms ptr=0x1000 size=1000
[5s] dltrace_record:gpu_process gpu=0 pid=100 used=400
[5s] dltrace_record:gpu_process gpu=1 pid=100 used=50
END
same "largest reading" "[1450, 1000, 450]" "$(json '[row("gpu", process=1)[k] for k in ("nvml_bytes", "ledger_bytes", "unaccounted_bytes")]')"
same "no reading" "[None, None]" "$(json '[row("gpu", process=2)[k] for k in ("nvml_bytes", "unaccounted_bytes")]')"
same "its curve" 450 "$(json 'int(points("gpu_nvml_bytes", 1)[-1][1])')"
same "in words" "  · train (100) by NVML: 1.42 KiB at most, 1000 B of it asked for, 450 B
    unaccounted (contexts, modules, workspaces)" "$("$REPORT" trace.txt | grep -A1 'by NVML')"

# Curves that are alike but for the device or the machine: each says whose it is, wherever it is written.
report_text <<'END'
dltrace-text 1
host "a"
[1s] dltrace_proc:process process=1 pid=100 begin=1s host="a" exe="/bin/train"
[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s name="train"
[1s] dltrace_sample:machine cpus=4 memory=100G available=60G host="a" time=1s runnable=1
[1s] dltrace_sample:machine cpus=4 memory=100G available=50G host="b" time=1s runnable=3
[2s] dltrace_record:gpu gpu=0 name="H" memory=80G used=1G utilisation=0 power=50000 clock=1
[2s] dltrace_record:gpu gpu=3 name="H" memory=80G used=9G utilisation=90 power=300000 clock=1
[2s] dltrace_record:energy domain="package-0" energy=1000000
[2s] dltrace_record:energy domain="dram" energy=1000000
[3s] dltrace_gpu:kernel process=1 caller=1 begin=2500ms duration=100ms kernel=7 device=0 stream=9
[3s] dltrace_gpu:kernel process=1 caller=1 begin=2500ms duration=300ms kernel=7 device=1 stream=9
[3s] dltrace_record:gpu gpu=0 name="H" memory=80G used=1G utilisation=0 power=50000 clock=1
[3s] dltrace_record:gpu gpu=3 name="H" memory=80G used=9G utilisation=70 power=300000 clock=1
[3s] dltrace_record:energy domain="package-0" energy=21000000
[3s] dltrace_record:energy domain="dram" energy=3000000
[3s] dltrace_sample:machine cpus=4 memory=100G available=60G host="a" time=3s runnable=1
[3s] dltrace_sample:machine cpus=4 memory=100G available=50G host="b" time=3s runnable=3
[4s] dltrace_proc:exit process=1 code=0
END
named='[(s["name"], s.get("device", "-"), max(v for _, v in s["points"])) for s in r["series"] if s["process"] is None and s["name"] in ("gpu_percent", "gpu_used_bytes", "gpu_watts", "cpu_watts")]'
same "each device's" "$(python3 -c 'print([("gpu_used_bytes", "GPU 0", 2**30), ("gpu_percent", "GPU 0", 0), ("gpu_watts", "GPU 0", 50),
	("gpu_used_bytes", "GPU 3", 9 * 2**30), ("gpu_percent", "GPU 3", 90), ("gpu_watts", "GPU 3", 300),
	("cpu_watts", "package-0", 20), ("cpu_watts", "dram", 2)])')" "$(json "$named")"
same "busy with a process" "['GPU 0', 'GPU 1']" "$(json '[s["device"] for s in r["series"] if s["name"] == "gpu_busy_percent" and s["process"] == 1]')"
same "no two are alike" 0 "$(json 'len(r["series"]) - len({(s["name"], s["trace"], s["process"], s["host"], s.get("library"), s.get("device")) for s in r["series"]})')"
"$REPORT" -q trace.txt -o r.csv/ -o r.pftrace -o r.html -o figures.svg/
"$REPORT" -q trace.txt >text
grep -q '^0,a,,gpu_percent,percent,[0-9]*,90,,GPU 3' r.csv/series.csv || fail "no device in the CSV: $(grep gpu_percent r.csv/series.csv)"
grep -q '"device":"GPU 3"' r.html || fail "no device on the page"
for row in 'GPU 0 ' 'GPU 3 ' 'GPU 3 memory ' 'GPU 3, W ' 'package-0, W ' 'dram, W '; do
	grep -q "^  $row" text || fail "no $row in the text: $(cat text)"
done
grep -q '>GPU 3, most of 2</text>' figures.svg/curves.svg || fail "not the busiest GPU is drawn"
PYTHONPATH=$top_srcdir/tests/report PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import json, pftrace
values = pftrace.read("r.pftrace").values
assert len(values) == len(json.load(open("r.json"))["series"]), sorted(values, key=str)
for name in ("gpu_percent GPU 0", "gpu_percent GPU 3", "cpu_watts dram", "runnable a", "runnable b"):
    assert (name, None) in values, (name, sorted(values, key=str))
assert max(v for _, v in values["gpu_percent GPU 3", None]) == 90
END
