/* SPDX-License-Identifier: MIT */
/* The text that describes the streams of ctf.c, in CTF's language (TSDL). */
#include "analysis/export/ctf_metadata.h"

#include <inttypes.h>

static const char types[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n";

static const char streams[] =
	"typealias integer { size = 32; align = 8; signed = false; map = clock.monotonic.value; }"
	" := time32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; }"
	" := time64_t;\n"
	"struct event_header_large {\n"
	"	enum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
	"	variant <id> {\n"
	"		struct { time32_t timestamp; } compact;\n"
	"		struct { uint32_t id; time64_t timestamp; } extended;\n"
	"	} v;\n"
	"} align(8);\n"
	"stream {\n"
	"	id = 0;\n"
	"	event.header := struct event_header_large;\n"
	"	packet.context := struct {\n"
	"		time64_t timestamp_begin;\n"
	"		time64_t timestamp_end;\n"
	"		uint64_t content_size;\n"
	"		uint64_t packet_size;\n"
	"		uint64_t packet_seq_num;\n"
	"		uint64_t events_discarded;\n"
	"		uint32_t cpu_id;\n"
	"	};\n"
	"	event.context := struct {\n"
	"		integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _vpid;\n"
	"		integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _vtid;\n"
	"		integer { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; }"
	" _procname[17];\n"
	"	};\n"
	"};\n";

#define POINTER "integer { size = 64; align = 8; signed = 0; encoding = none; base = 16; } _"
#define NUMBER	"integer { size = 64; align = 8; signed = 0; encoding = none; base = 10; } _"
#define RESULT	"integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _"

/* Names, fields and log levels as liblttng-ust-libc-wrapper and -cyg-profile have them. */
static const struct {
	const char *name, *fields;
	int level;
} events[CTF_EVENTS] = {
	[CTF_EXIT] = { "lttng_ust_cyg_profile:func_exit", POINTER "addr; " POINTER "call_site;", 12 },
	[CTF_ENTRY] = { "lttng_ust_cyg_profile:func_entry", POINTER "addr; " POINTER "call_site;", 12 },
	[CTF_FREE] = { "lttng_ust_libc:free", POINTER "ptr;", 13 },
	[CTF_MALLOC] = { "lttng_ust_libc:malloc", NUMBER "size; " POINTER "ptr;", 13 },
	[CTF_CALLOC] = { "lttng_ust_libc:calloc", NUMBER "nmemb; " NUMBER "size; " POINTER "ptr;", 13 },
	[CTF_REALLOC] = { "lttng_ust_libc:realloc", POINTER "in_ptr; " NUMBER "size; " POINTER "ptr;",
			  13 },
	[CTF_MEMALIGN] = { "lttng_ust_libc:memalign",
			   NUMBER "alignment; " NUMBER "size; " POINTER "ptr;", 13 },
	[CTF_POSIX_MEMALIGN] = { "lttng_ust_libc:posix_memalign", POINTER "out_ptr; " NUMBER
				 "alignment; " NUMBER "size; " RESULT "result;", 13 },
};

static void put_uuid(FILE *out, const unsigned char *uuid)
{
	for (int i = 0; i < CTF_UUID; i++)
		fprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* A host's name may be anything: what is not plain becomes _. */
static void put_plain(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(*text > ' ' && *text <= '~' && *text != '"' && *text != '\\' ? *text : '_', out);
}

void ctf_metadata(FILE *out, const unsigned char *uuid, int64_t clock_offset, const char *host)
{
	fputs(types, out);
	fputs("trace {\n	major = 1;\n	minor = 8;\n	uuid = \"", out);
	put_uuid(out, uuid);
	fputs("\";\n	byte_order = le;\n	packet.header := struct {\n		uint32_t magic;\n"
	      "		uint8_t uuid[16];\n		uint32_t stream_id;\n"
	      "		uint64_t stream_instance_id;\n	};\n};\n"
	      "env {\n	domain = \"ust\";\n	tracer_name = \"lttng-ust\";\n	tracer_major = 2;\n"
	      "	tracer_minor = 13;\n	hostname = \"", out);
	put_plain(out, host);
	fprintf(out, "\";\n};\nclock {\n	name = \"monotonic\";\n	description = \"Monotonic Clock\";\n"
		"	freq = 1000000000;\n	offset = %" PRId64 ";\n};\n", clock_offset);
	fputs(streams, out);
	for (int i = 0; i < CTF_EVENTS; i++)
		fprintf(out, "event {\n	name = \"%s\";\n	id = %d;\n	stream_id = 0;\n"
			"	loglevel = %d;\n	fields := struct { %s };\n};\n", events[i].name, i,
			events[i].level, events[i].fields);
}
