# SPDX-License-Identifier: MIT
# A real trace gives the same report, byte by byte, in any number of parts, from babeltrace2, and
# whether it was written in one piece or in fifty; what was lost is stated alike. Its memory is bounded.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need jq
need python3

timeout -s KILL 100 "$RECORD" -q -l full -o t -- "$APPS/heap_storm" forks 3 >/dev/null 2>&1 || [ -d t ] || fail "not recorded"

# report TRACE OPTION...: its JSON
report() {
	"$REPORT" -q -f json "$@" || [ $? = 1 ] || fail "no report of $*"
}

report t --jobs 1 >whole.json
for jobs in 2 3 7; do
	report t --jobs $jobs >parts.json
	cmp whole.json parts.json || fail "$jobs processes make another report"
done
"$REPORT" -v --jobs 3 t 2>&1 >/dev/null | grep -q ' parts' || fail "it was not read in parts"
holds "it says what was lost" '.traces[0] | has("lost")' whole.json
holds "by thread too" '.threads | all(has("lost"))' whole.json

# The same packets in 50 pieces, as rotations would have left them.
mkdir pieces
python3 - <<'END'
import os, shutil, struct
for folder, _, names in os.walk("t"):
    if "metadata" not in names:
        continue
    for name in names:
        if name in ("metadata", "recording") or name.endswith(".idx"):
            continue
        data = open(os.path.join(folder, name), "rb").read()
        at, packets = 0, []
        while at < len(data):  # magic, uuid, stream, instance; begin, end, content, size
            size = struct.unpack_from("<Q", data, at + 32 + 24)[0] // 8
            packets.append(data[at:at + size])
            at += size
        for piece in range(50):
            part = b"".join(packets[len(packets) * piece // 50:len(packets) * (piece + 1) // 50])
            to = os.path.join("pieces/t", f"piece-{piece:02}", folder[2:].replace("/", "-") or "top")
            os.makedirs(to, exist_ok=True)
            shutil.copy(os.path.join(folder, "metadata"), to)
            if part:
                open(os.path.join(to, name), "wb").write(part)
shutil.copy("t/recording", "pieces/t/recording")
END
(cd pieces && report t --jobs 1 >../one.json && report t --jobs 3 >../three.json)
cmp whole.json one.json || fail "50 pieces make another report"
cmp whole.json three.json || fail "50 pieces in parts make another report"

report t --source babeltrace2 >babeltrace.json
cmp whole.json babeltrace.json || fail "babeltrace2 makes another report"

# Its memory has nothing to do with the length of the trace: 100 MB of data are plenty for each process.
(ulimit -d 100000 && report t --jobs 2 >bounded.json) || fail "100 MB of data do not suffice"
cmp whole.json bounded.json || fail "with little memory the report is another one"

# A folder of recordings stands for each of them, wherever they are in it.
mkdir -p runs/deeper
cp -r t runs/b
cp -r t runs/deeper/a
report runs/b runs/deeper/a >each.json
report runs/ >folder.json
cmp each.json folder.json || fail "a folder of two recordings makes another report"
report --baseline runs/b runs >folder.json
holds "a baseline among them is read once" '[.traces[].path] == ["runs/b", "runs/deeper/a"]' folder.json

# What cannot be one trace is not read as one: of another host, boot or session.
# refused WHAT CHANGE: twice the same trace, but for a change (sed's) to the metadata of one
refused() {
	rm -rf two
	mkdir two
	cp -r t two/a
	cp -r t two/b
	rm two/*/recording
	find two/b -name metadata -exec sed -i "$2" {} +
	exits 4 "$REPORT" two
	same "$1: one line" "dltrace-report: cannot open trace: path=two: two/a and two/b are of two $1, which do not make one trace: give each, as by dltrace-report two/*" "$(cat err)"
}
refused hosts 's/hostname = "./hostname = "~/'
refused "boots of a host" '/name = "\?monotonic/ { n; s/uuid = "[0-7]/uuid = "f/; t; s/uuid = "./uuid = "0/ }'
refused sessions 's/trace_name = "./trace_name = "~/'
