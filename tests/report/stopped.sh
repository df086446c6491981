# SPDX-License-Identifier: MIT
# What the recorder could say only beside the trace, since LTTng was gone: the report says that the rest is missing.
. "$top_srcdir/tests/lib.sh"
# stopped LINE: what the limits say of a recording whose file has that line
stopped() {
	report_text <<-END
	dltrace-text 1
	recording id 42
	$1
	[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
	END
	json '[x["text"] for x in rows("limits", kind="stopped")]'
}
same "a daemon that died" "[\"LTTng's session daemon has died, recording has stopped 4.0 s after its start: what came later is missing\"]" \
	"$(stopped "recording note 2 consumer LTTng's session daemon has died, recording has stopped 4.0 s after its start")"
same "its keeper" "['the process that holds the LTTng session has died: what came later is missing']" \
	"$(stopped "recording note 2 keeper the process that holds the LTTng session has died")"
same "a sampler that dies again and again" "['dltrace-sampler has died too often: no more samples, and no more events']" \
	"$(stopped "recording note 2 samplers dltrace-sampler has died too often: no more samples, and no more events")"
same "what is in the trace, too" "[]" "$(stopped "recording note 1 stall data does not leave LTTng's buffers")"

# Into text and back: said once.
cat >stopped.txt <<'END'
dltrace-text 1
recording note 2 consumer LTTng's consumer daemon has died
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
END
"$REPORT" -q --dump stopped.txt >dumped || [ $? = 1 ] || fail "no dump"
grep -q '^problem stopped ' dumped || fail "nothing of it in the dump: $(cat dumped)"
report_text <dumped
same "from a dump" "[\"LTTng's consumer daemon has died: what came later is missing\"]" \
	"$(json '[x["text"] for x in rows("limits", kind="stopped")]')"

# How much of it nobody in LTTng has counted: what was emitted and is not there.
report_text <<'END'
dltrace-text 1
recording id 42
recording events 1000
recording lost 3
recording stalled 1
recording note 2 consumer LTTng's consumer daemon has died
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
END
same "how much" "999 999 events that processes emitted have not come out of LTTng's buffers" \
	"$(json 'row("traces")["lost"]') $(json 'row("limits", kind="lost")["text"]')"
"$REPORT" -q -f text trace.txt >report || [ $? = 1 ]
! grep -q 'none lost' report || fail "none lost: $(cat report)"

# A trace that begins after the command, or is over before it ends, as the recorder knows, is a part of the run.
part() {
	report_text
	json '[x["text"] for x in rows("limits", kind="part")]'
}
part="only a part of the run was recorded (--delay, --duration, --max-size, or --control stop)"
same "the middle" "['$part: it began 2.0 s before the trace, and ended after it; times, totals and peaks are of that part']" "$(part <<'END'
dltrace-text 1
recording id 42
recording exit 0
[3s] dltrace_proc:process process=1 pid=100 recording=42 begin=1s exe="/bin/train"
[4s] dltrace_sample:process process=1 time=4s threads=1 user=1s
END
)"
same "the begin" "['$part: it ended after the trace; times, totals and peaks are of that part']" "$(part <<'END'
dltrace-text 1
recording id 42
recording exit 0
[1s] dltrace_proc:process process=1 pid=100 recording=42 begin=1s exe="/bin/train"
[2s] dltrace_sample:process process=1 time=2s threads=1 user=1s
END
)"
same "the end" "['$part: it began 2.0 s before the trace; times, totals and peaks are of that part']" "$(part <<'END'
dltrace-text 1
recording id 42
recording exit 0
[3s] dltrace_proc:process process=1 pid=100 recording=42 begin=1s exe="/bin/train"
[4s] dltrace_proc:exit process=1 how=0 code=0
END
)"
same "all of it" "[]" "$(part <<'END'
dltrace-text 1
recording id 42
recording exit 0
[1010ms] dltrace_proc:process process=1 pid=100 recording=42 begin=1s exe="/bin/train"
[4s] dltrace_proc:exit process=1 how=0 code=0
END
)"
same "what a shell leaves behind" "[]" "$(part <<'END'
dltrace-text 1
recording id 42
recording exit 0
[1s] dltrace_proc:process process=1 pid=100 recording=42 begin=1s exe="/bin/serve"
[2s] dltrace_record:note severity=0 kind="exit" process=0 value=0 text="the command ended with status 0"
END
)"
