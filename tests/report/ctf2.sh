# SPDX-License-Identifier: MIT
# A trace whose metadata are JSON, CTF 2 as LTTng 2.16 writes it by default, gives byte for byte what the same packets
# give with the TSDL of CTF 1.8; what makes no sense of it is told in one line.
. "$top_srcdir/tests/lib.sh"
need python3

cat >make.py <<'END'
import json, os, struct, sys

UUID = bytes(range(16))
U8, U16, U32, U64 = ((f"<{c}", 8 * struct.calcsize(c)) for c in "BHIQ")
TYPES = {"u8": U8, "u16": U16, "u32": U32, "u64": U64}
EVENTS = {      # id: name, fields
    0: ("dltrace_proc:process", [("process", "u32"), ("pid", "u32"), ("begin", "u64"), ("exe", "string")]),
    3: ("dltrace_proc:object", [("process", "u32"), ("type", "u8"), ("id", "u32"), ("handle", "u64"),
                                ("_values_length", "u32"), ("values", ["u64"]), ("name", "string")]),
    7: ("dltrace_heap:free", [("thread", "u32"), ("size", "u64")]),
    65534: ("dltrace_heap:alloc", [("thread", "u32"), ("size", "u64"), ("ptr", "u64")]),
    65535: ("dltrace_proc:exit", [("process", "u32"), ("code", "u32")]),
    9: ("other:strange", None),
}
STRANGE = struct.pack("<f B 3s B 2s H 2Q", 1.5, 255, b"abc", 2, b"xy", 1, 4, 5) + b"end\0"

def tsdl_integer(size, more=""):
    return f"integer {{ size = {size}; align = 8; signed = 0; {more}}}"

def tsdl_fields(fields):
    if fields is None:
        return (f"floating_point {{ exp_dig = 8; mant_dig = 24; align = 8; byte_order = le; }} f;"
                f"enum : {tsdl_integer(8)} {{ a = 0 ... 200, b = 255 }} e; {tsdl_integer(8)} s[3];"
                f"{tsdl_integer(8)} n; {tsdl_integer(8)} b[n];"
                f"struct {{ {tsdl_integer(16)} n; struct {{ {tsdl_integer(64)} x; {tsdl_integer(64)} y; }} p[n]; }} c;"
                f"string t;")
    text = ""
    for name, kind in fields:
        if kind == "string":
            text += f"string _{name};"
        elif isinstance(kind, list):
            text += f"{tsdl_integer(TYPES[kind[0]][1])} _{name}[__{name}_length];"
        else:
            text += f"{tsdl_integer(TYPES[kind][1])} _{name};"
    return text

def tsdl():
    clock = "map = clock.monotonic.value; "
    uuid = f"{UUID.hex()[:8]}-0405-0607-0809-{UUID.hex()[20:]}"
    text = (f'/* CTF 1.8 */ trace {{ major = 1; minor = 8; uuid = "{uuid}";'
            f'byte_order = le; packet.header := struct {{ {tsdl_integer(32)} magic; {tsdl_integer(8)} uuid[16];'
            f'{tsdl_integer(32)} stream_id; {tsdl_integer(64)} stream_instance_id; }}; }};'
            f'env {{ hostname = "node7"; trace_name = "mine"; }};'
            f'clock {{ name = "monotonic"; uuid = "6f56bd72-abed-4207-9e34-f5af236a4176"; freq = 1000000000;'
            f'offset_s = 1700000000; offset = 5; }};'
            f'stream {{ id = 0; packet.context := struct {{ {tsdl_integer(64, clock)} timestamp_begin;'
            f'{tsdl_integer(64, clock)} timestamp_end; {tsdl_integer(64)} content_size;'
            f'{tsdl_integer(64)} packet_size; {tsdl_integer(64)} packet_seq_num;'
            f'{tsdl_integer(64)} events_discarded; {tsdl_integer(32)} cpu_id; }};'
            f'event.header := struct {{ enum : {tsdl_integer(16)} {{ compact = 0 ... 65534, extended = 65535 }} id;'
            f'variant <id> {{ struct {{ {tsdl_integer(32, clock)} timestamp; }} compact;'
            f'struct {{ {tsdl_integer(32)} id; {tsdl_integer(64, clock)} timestamp; }} extended; }} v;'
            f'}} align(8); }};')
    for number, (name, fields) in EVENTS.items():
        text += (f'event {{ name = "{name}"; id = {number}; stream_id = 0;'
                 f'fields := struct {{ {tsdl_fields(fields)} }}; }};\n')
    return text

def integer(size, *roles, **more):
    field = {"type": "fixed-length-unsigned-integer", "length": size, "alignment": 8, "byte-order": "little-endian"}
    if roles:
        field["roles"] = list(roles)
    return {**field, **{key.replace("_", "-"): value for key, value in more.items()}}

def structure(*members, **more):
    return {"type": "structure", "member-classes": [{"name": name, "field-class": field} for name, field in members],
            **{key.replace("_", "-"): value for key, value in more.items()}}

def place(*path):
    return {"origin": "event-record-payload", "path": list(path)}

def json_fields(fields):
    if fields is None:
        point = structure(("x", integer(64)), ("y", integer(64)))
        return structure(
            ("f", {"type": "fixed-length-floating-point-number", "length": 32, "byte-order": "little-endian",
                   "alignment": 8}),
            ("e", integer(8, mappings={"a": [[0, 200]], "b": [[255, 255]], "large": [[2**63, 2**64 - 1]]})),
            ("s", {"type": "static-length-string", "length": 3}), ("n", integer(8)),
            ("b", {"type": "dynamic-length-blob", "length-field-location": place("n")}),
            ("c", structure(("n", integer(16)), ("p", {"type": "dynamic-length-array", "element-field-class": point,
                                                       "length-field-location": place("c", "n")}))),
            ("t", {"type": "null-terminated-string", "encoding": "utf-8"}))
    members = []
    for name, kind in fields:
        if kind == "string":
            field = {"type": "null-terminated-string"}
        elif isinstance(kind, list):
            field = {"type": "dynamic-length-array", "element-field-class": integer(TYPES[kind[0]][1]),
                     "length-field-location": place(f"_{name}_length")}
        else:
            field = integer(TYPES[kind][1], preferred_display_base=10)
        members.append((name, field))
    return structure(*members)

def fragments(numbers=EVENTS):
    yield {"type": "preamble", "uuid": list(UUID), "version": 2}
    yield {"type": "trace-class", "name": "", "namespace": "lttng.org,2009",
           "uid": "beb2fbe6-32cb-4ea6-a97c-d6a5631b258e",
           "environment": {"hostname": "node7", "trace_name": "mine", "domain": "ust", "tracer_major": 2},
           "packet-header-field-class": structure(
               ("magic", integer(32, "packet-magic-number")),
               ("uuid", {"type": "static-length-blob", "length": 16, "roles": ["metadata-stream-uuid"]}),
               ("stream_id", integer(32, "data-stream-class-id")),
               ("stream_instance_id", integer(64, "data-stream-id")))}
    yield {"type": "clock-class", "id": "monotonic", "name": "monotonic", "frequency": 1000000000,
           "origin": "unix-epoch", "offset-from-origin": {"seconds": 1700000000, "cycles": 5},
           "uid": "6f56bd72-abed-4207-9e34-f5af236a4176"}
    tags = {"compact": [[0, 65534]], "extended": [[65535, 65535]]}
    extended = structure(("id", integer(32, "event-record-class-id")),
                         ("timestamp", integer(64, "default-clock-timestamp")))
    yield {"type": "data-stream-class", "id": 0, "default-clock-class-id": "monotonic",
           "packet-context-field-class": structure(
               ("timestamp_begin", integer(64, "default-clock-timestamp")),
               ("timestamp_end", integer(64, "packet-end-default-clock-timestamp")),
               ("content_size", integer(64, "packet-content-length")),
               ("packet_size", integer(64, "packet-total-length")),
               ("packet_seq_num", integer(64, "packet-sequence-number")),
               ("events_discarded", integer(64, "discarded-event-record-counter-snapshot")), ("cpu_id", integer(32))),
           "event-record-header-field-class": structure(
               ("id", integer(16, "event-record-class-id", mappings=tags)),
               ("v", {"type": "variant", "selector-field-location": {"origin": "event-record-header", "path": ["id"]},
                      "options": [{"name": "compact", "selector-field-ranges": tags["compact"],
                                   "field-class": structure(("timestamp", integer(32, "default-clock-timestamp")))},
                                  {"name": "extended", "selector-field-ranges": tags["extended"],
                                   "field-class": extended}]}))}
    for number in numbers:
        name, fields = EVENTS[number]
        yield {"type": "event-record-class", "id": number, "data-stream-class-id": 0, "name": name,
               "attributes": {"lttng.org,2009": {"log-level": "debug:line"}},
               "payload-field-class": json_fields(fields)}

def event(number, time, *values):
    short = struct.pack("<HI", number % 65536, time & 0xffffffff)
    head = short if number < 65535 else struct.pack("<HIQ", 65535, number, time)
    if EVENTS[number][1] is None:
        return head + STRANGE
    body = b""
    for (_, kind), value in zip(EVENTS[number][1], values):
        if kind == "string":
            body += value + b"\0"
        else:
            for one in value if isinstance(kind, list) else [value]:
                body += struct.pack(TYPES[kind[0] if isinstance(kind, list) else kind][0], one)
    return head + body

def packet(sequence, discarded, begin, end, *events):
    events = b"".join(events)
    content = 32 + 52 + len(events)
    head = struct.pack("<I16sIQ", 0xc1fc1fc1, UUID, 0, 1)
    context = struct.pack("<6QI", begin, end, 8 * content, 8 * 4096, sequence, discarded, 0)
    return (head + context + events).ljust(4096, b"\0")

S = 1000000000
stream = packet(0, 0, S, 7 * S, event(0, S, 1, 100, S, b"/usr/bin/python3"),
                event(3, S, 1, 3, 5, 0xa0, 3, [1, 2, 2**64 - 1], b"n"), event(9, 2 * S),
                event(65534, 2 * S, 1, 65536, 4096), event(65535, 7 * S, 2, 3))
stream += packet(1, 4, 8 * S, 9 * S, event(7, 8 * S, 1, 65536), event(9, 8 * S), event(7, 9 * S, 1, 17),
                 event(65535, 9 * S, 1, 0))

own = packet(0, 0, S, 7 * S, event(0, S, 1, 100, S, b"/usr/bin/python3"),
             event(3, S, 1, 3, 5, 0xa0, 2, [1, 2], b""), event(65535, 7 * S, 2, 3))

def trace(folder, metadata, stream=stream):
    os.mkdir(folder)
    open(folder + "/metadata", "wb").write(metadata)
    open(folder + "/c_0", "wb").write(stream)

def sequence(fragments):
    return b"".join(b"\x1e" + json.dumps(f, indent=2).encode() for f in fragments)

def packetised(text, size=1000):
    parts = [text[i:i + size] for i in range(0, len(text), size)]
    return b"".join(struct.pack("<I16sIII5B", 0x75d11d57, UUID, 0, 8 * (37 + len(p)), 8 * 4096, 0, 0, 0, 2, 0).ljust(37)
                    + p.ljust(4096 - 37, b"\0") for p in parts)

trace("tsdl", tsdl().encode())
trace("json", sequence(fragments()))
trace("own", sequence(fragments([0, 3, 65535])), own)
trace("json-packets", packetised(sequence(fragments())))
broken = list(fragments())
trace("truncated", sequence(broken)[:-40])
trace("headless", sequence(broken[1:]))
trace("twice", sequence(broken + broken[-1:]))
trace("keyless", sequence([{k: v for k, v in f.items() if k != "type"} for f in broken]))
trace("binary", b"\x1e\x00\xff{\n")
trace("bare", b"\x1e")
END
python3 make.py
"$REPORT" -q --dump tsdl >wanted
same "events" 7 "$(grep -c '^\[' wanted)"
grep -q '^discarded 4' wanted || fail "what was lost is not counted: $(cat wanted)"
grep -q '^foreign 2' wanted || fail "others' events are not counted: $(cat wanted)"
grep -q 'values=\[1 2 \(18446744073709551615\|0xffffffffffffffff\)\]' wanted || fail "no sequence: $(cat wanted)"
for trace in json json-packets; do
	"$REPORT" -q --source fast --dump $trace >dump 2>err || fail "$trace: $(cat err)"
	cmp wanted dump || fail "$trace: $(diff wanted dump)"
done
"$REPORT" -q --jobs 4 --dump json | cmp wanted - || fail "by several processes"
"$REPORT" -v json 2>&1 >/dev/null | grep -q "by source fast" || fail "not by the fast decoder"
"$REPORT" -q --source fast --dump own >wanted
if "$REPORT" -q --source babeltrace2 --dump own >dump 2>err; then	# from 2.1 on
	cmp wanted dump || fail "babeltrace2 reads something else: $(diff wanted dump)"
fi

# refused FOLDER WHY: by the fast decoder, in one line; whoever comes after it can say no more
refused() {
	for source in fast auto; do
		status=0
		timeout -k 5 60 "$REPORT" --source $source "$1" >out 2>err || status=$?
		same "$1: status ($source)" 4 $status
		says_one_line
		says "path=$1: .*$2"
	done
}
refused truncated "metadata fragment 10: line "
refused headless "metadata fragment 1: a preamble was expected"
refused twice "metadata fragment 11: event id 9 stands twice"
refused keyless "metadata fragment 1: a preamble was expected"
refused binary "metadata fragment 1: line 1: "
refused bare "no event of dltrace is declared"
