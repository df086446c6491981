# SPDX-License-Identifier: MIT
"""Reads what dltrace-report -o r.pftrace writes, strictly: by the part of Perfetto's schema that it uses.

pftrace.read(path) gives tracks, slices, instants, values and flows; a field that the schema lacks, an
id that nobody explained, an end without a begin is an AssertionError. Where PyPI's package perfetto
is installed, its complete schema must know every field too.

trace_processor itself is not asked: the package (0.59.1) holds its schema alone and fetches the program
from a host of its makers at the first use, which no test may do, and Debian 12 has no package of it.
"""
import struct

# message: {field: (name, type)}; a type is an int's wire form, "text", "double" or another message
SCHEMA = {
    "Trace": {1: ("packet", "Packet")},
    "Packet": {6: ("clock_snapshot", "Clocks"), 8: ("timestamp", "uint"), 10: ("sequence", "uint"),
               11: ("track_event", "Event"), 12: ("interned_data", "Interned"),
               13: ("flags", "uint"), 60: ("track_descriptor", "Track")},
    "Clocks": {1: ("clocks", "Clock")},
    "Clock": {1: ("id", "uint"), 2: ("timestamp", "uint")},
    "Track": {1: ("uuid", "uint"), 2: ("name", "text"), 3: ("process", "Process"),
              4: ("thread", "Thread"), 5: ("parent", "uint"), 8: ("counter", "Counter")},
    "Process": {1: ("pid", "uint"), 2: ("cmdline", "text"), 6: ("name", "text")},
    "Thread": {1: ("pid", "uint"), 2: ("tid", "uint"), 5: ("name", "text")},
    "Counter": {3: ("unit", "uint"), 6: ("unit_name", "text")},
    "Event": {3: ("category", "uint"), 4: ("detail", "Detail"), 9: ("type", "uint"),
              10: ("name_iid", "uint"), 11: ("track", "uint"), 23: ("name", "text"),
              44: ("value", "double"), 47: ("flow", "fixed"), 48: ("flow_ends", "fixed")},
    "Detail": {1: ("name_iid", "uint"), 3: ("uint", "uint"), 4: ("int", "uint"), 6: ("text", "text"),
               17: ("text_iid", "uint")},
    "Interned": {1: ("category", "Named"), 2: ("name", "Named"), 3: ("detail", "Named"),
                 29: ("text", "Named")},
    "Named": {1: ("iid", "uint"), 2: ("name", "text")},
}
WIRE = {"uint": 0, "fixed": 1, "double": 1}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def message(data, kind):
    """{name: [values]}"""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        assert tag >> 3 in SCHEMA[kind], f"{kind} has no field {tag >> 3}"
        name, form = SCHEMA[kind][tag >> 3]
        assert tag & 7 == WIRE.get(form, 2), f"{kind}.{name} has wire type {tag & 7}"
        if form == "uint":
            value, at = varint(data, at)
        elif form in ("fixed", "double"):
            value = struct.unpack_from("<Q" if form == "fixed" else "<d", data, at)[0]
            at += 8
        else:
            size, at = varint(data, at)
            assert at + size <= len(data), f"{kind}.{name} is cut"
            value = data[at:at + size]
            value = value.decode() if form == "text" else message(value, form)
            at += size
        found.setdefault(name, []).append(value)
    return found


def one(m, name, otherwise=None):
    return m.get(name, [otherwise])[0]


class Trace:
    def __init__(self):
        self.tracks, self.slices, self.instants, self.values = {}, [], [], {}
        self.flows, self.clocks, self.packets = {}, [], 0

    def title(self, uuid):
        track = self.tracks[uuid]
        thread = one(track, "thread")
        return one(thread, "name") if thread else one(track, "name")

    def process(self, uuid):
        """pid that a track belongs to; None: the run"""
        track = self.tracks[uuid]
        for kind in ("thread", "process"):
            if kind in track:
                return one(one(track, kind), "pid")
        return self.process(one(track, "parent")) if "parent" in track else None

    def on(self, title):
        """(name, begin, end, details) of each slice on tracks of that name, by begin"""
        return sorted((s["name"], s["begin"], s["end"], s["details"]) for s in self.slices
                      if self.title(s["track"]) == title)


def read(path):
    data = open(path, "rb").read()
    known_by_perfetto(data)
    trace, events = Trace(), []
    ids = {"category": {}, "name": {}, "detail": {}, "text": {}}
    for number, packet in enumerate(message(data, "Trace")["packet"]):
        trace.packets += 1
        assert one(packet, "flags") == (3 if number == 0 else 2)
        for kind, named in one(packet, "interned_data", {}).items():
            for n in named:
                assert one(n, "iid") not in ids[kind], "explained twice"
                ids[kind][one(n, "iid")] = one(n, "name")
        trace.clocks += [(one(c, "id"), one(c, "timestamp")) for s in packet.get("clock_snapshot", [])
                         for c in s["clocks"]]
        for track in packet.get("track_descriptor", []):
            trace.tracks[one(track, "uuid")] = track
        for event in packet.get("track_event", []):
            assert one(event, "track") in trace.tracks, "a track that nobody described"
            details = {}
            for d in event.get("detail", []):
                text = one(d, "text")
                if "text_iid" in d:
                    text = ids["text"][one(d, "text_iid")]
                number = one(d, "int") - 2**64 if "int" in d else one(d, "uint")
                details[ids["detail"][one(d, "name_iid")]] = number if text is None else text
            name = one(event, "name")
            if "name_iid" in event:
                name = ids["name"][one(event, "name_iid")]
            category = ids["category"][one(event, "category")] if "category" in event else ""
            events.append((one(packet, "timestamp"), event, name, category, details))
    for track in trace.tracks.values():
        assert "parent" not in track or one(track, "parent") in trace.tracks
    place(trace, events)
    return trace


def place(trace, events):
    """As trace_processor does: by time, equal times as they come; an end closes the innermost."""
    open_slices = {}
    for time, event, name, category, details in sorted(events, key=lambda e: e[0]):
        track, kind = one(event, "track"), one(event, "type")
        stack = open_slices.setdefault(track, [])
        if kind == 1:
            stack.append({"track": track, "name": name, "category": category, "begin": time,
                          "details": details})
            for f, name in ((f, n) for n in ("flow", "flow_ends") for f in event.get(n, [])):
                trace.flows.setdefault(f, {})[name] = stack[-1]
        elif kind == 2:
            assert stack, "an end without a begin"
            trace.slices.append(dict(stack.pop(), end=time))
        elif kind == 3:
            trace.instants.append((trace.title(track), time, name))
        else:
            assert kind == 4 and "counter" in trace.tracks[track]
            trace.values.setdefault((trace.title(track), trace.process(track)), []).append(
                (time, one(event, "value")))
    assert not any(open_slices.values()), "a slice that never ends"


def known_by_perfetto(data):
    try:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2
    except ImportError:
        return
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString(data)
    assert trace.SerializeToString() and not unknown(trace), "a field that Perfetto does not know"


def unknown(m):
    from google.protobuf.unknown_fields import UnknownFieldSet
    if len(UnknownFieldSet(m)):
        return True
    return any(unknown(v) for field, value in m.ListFields() if field.message_type
               for v in (value if hasattr(value, "__len__") else [value]))
