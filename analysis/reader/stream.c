/* SPDX-License-Identifier: MIT */
/* One stream of a CTF trace: its packets and events. */
#include "analysis/reader/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/reader/must.h"

#define PACKET_MAGIC 0xc1fc1fc1U
#define WINDOW (1U << 20)
#define HEAD_MAX 65536		/* header and context of a packet fit into this */

/* ---- packets ------------------------------------------------------------------------------ */

static void close_file(struct stream *s)
{
	if (s->window)
		munmap((void *)s->window, s->window_size);
	s->window = NULL;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* Bytes offset..offset+size of the present file, mapped; NULL and errno. */
static const uint8_t *map(struct stream *s, uint64_t offset, uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = offset & ~(page - 1);
	uint64_t left = s->files[s->file].size - from;
	uint64_t want = offset + size - from > WINDOW ? offset + size - from : WINDOW;
	void *window;

	if (s->window && offset >= s->window_offset &&
	    offset + size <= s->window_offset + s->window_size)
		return s->window + (offset - s->window_offset);
	if (s->window)
		munmap((void *)s->window, s->window_size);
	s->window = NULL;
	if (want > left)
		want = left;
	window = mmap(NULL, want, PROT_READ, MAP_PRIVATE | MAP_POPULATE, s->fd, (off_t)from);
	if (window == MAP_FAILED)
		return NULL;
	s->window = window;
	s->window_offset = from;
	s->window_size = want;
	return s->window + (offset - from);
}

/* Takes what it knows of a packet's header and context. */
static void put_packet(void *context, const struct ctf_field *field, const struct walk_value *v)
{
	struct packet *p = context;
	const struct {
		const char *name;
		uint64_t *to;
		bool *has;
	} numbers[] = {
		{ "stream_id", &p->stream_id, NULL },
		{ "stream_instance_id", &p->instance, NULL },
		{ "timestamp_begin", &p->begin, NULL },
		{ "timestamp_end", &p->end, NULL },
		{ "content_size", &p->content, NULL },
		{ "packet_size", &p->size, NULL },
		{ "packet_seq_num", &p->sequence, &p->has_sequence },
		{ "events_discarded", &p->discarded, &p->has_discarded },
	};

	if (strcmp(field->name, "magic") == 0)
		p->magic = (uint32_t)v->number;
	if (strcmp(field->name, "uuid") == 0 && v->count == 16) {
		p->has_uuid = true;
		for (int i = 0; i < 16; i++)
			p->uuid[i] = (uint8_t)v->words[i];
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (strcmp(field->name, numbers[i].name) == 0) {
			*numbers[i].to = v->number;
			if (numbers[i].has)
				*numbers[i].has = true;
		}
}

static const struct part_class *find_class(const struct part *part, uint64_t id)
{
	for (size_t i = 0; i < part->metadata->stream_count; i++)
		if (part->classes[i].stream->id == id)
			return &part->classes[i];
	return NULL;
}

/* Is the packet possible, in a file with `left` bytes from its begin? NULL, or why not. */
static const char *check_packet(const struct part *part, struct packet *p, uint64_t left)
{
	const struct ctf_metadata *m = part->metadata;

	if (p->magic != PACKET_MAGIC)
		return "no packet begins there";
	if (m->has_uuid && p->has_uuid && memcmp(p->uuid, m->uuid, 16) != 0)
		return "it belongs to another trace (uuid)";
	if (p->size % 8 || p->content > p->size || p->events_at > p->content || p->size == 0 ||
	    (p->events_at + 7) / 8 > p->content / 8)
		return "impossible sizes";
	p->content /= 8;
	p->size /= 8;
	return p->size > left ? "truncated" : NULL;
}

/*
 * Reads header and context at `bytes`, of which it may look at `have`. NULL, or why there is no
 * packet; then p->size may still be the size that it would have.
 */
static const char *read_packet(struct plan_state *state, const struct part *part, struct packet *p,
			       const uint8_t *bytes, uint64_t have, uint64_t left)
{
	struct walk *w = &state->walk;
	const struct part_class *class;
	const char *why;

	w->bits = (struct bits){ bytes, 0, 8 * have };
	w->put = put_packet;
	w->context = p;
	p->magic = PACKET_MAGIC;
	p->size = p->content = 8 * left;
	if (part->metadata->packet_header && walk(w, part->metadata->packet_header) < 0)
		return left < HEAD_MAX ? "truncated" : "no packet begins there";
	class = find_class(part, p->stream_id);
	if (p->magic == PACKET_MAGIC && !class)
		return "a stream that the metadata does not know";
	if (p->magic == PACKET_MAGIC && class->stream->packet_context &&
	    walk(w, class->stream->packet_context) < 0)
		return left < HEAD_MAX ? "truncated" : "no packet begins there";
	p->events_at = w->bits.at;
	why = check_packet(part, p, left);
	w->put = NULL;
	return why;
}

/* Counts what LTTng says it lost between two packets. */
static void count_lost(struct stream *s, const struct packet *before, const struct packet *now,
		       uint64_t *events, uint64_t *packets)
{
	if (now->has_sequence && before && now->sequence > before->sequence + 1)
		*packets += now->sequence - before->sequence - 1;
	if (!now->has_discarded)
		return;
	if (!before && now->has_sequence && now->sequence > 0)
		s->discarded = now->discarded;	/* lost before what is here begins */
	/* The counter only grows, but LTTng-UST now and then writes 0 for one packet. */
	if (now->discarded > s->discarded) {
		*events += now->discarded - s->discarded;
		s->discarded = now->discarded;
	}
}

static bool is_part(const struct stream *s)
{
	return s->span.from || s->span.to != UINT64_MAX;
}

static void set_packet(struct stream *s, const uint8_t *bytes, const struct packet *p)
{
	s->packet = *p;
	s->started = true;
	s->class = find_class(s->files[s->file].part, p->stream_id);
	s->base = bytes;
	s->at = bytes + (p->events_at + 7) / 8;
	s->end = bytes + p->content;
	s->cycles = p->begin;
	s->events = 0;
	if (is_part(s) && part_time(s->files[s->file].part, p->begin) > s->time)
		s->time = part_time(s->files[s->file].part, p->begin);
	if (p->end >= p->begin && part_time(s->files[s->file].part, p->end) > s->reader->info.end)
		s->reader->info.end = part_time(s->files[s->file].part, p->end);
}

/* The packet at `offset` of the present file. 1: it is there; 0: it was read already; -1: none. */
static int open_packet(struct stream *s, uint64_t offset)
{
	struct stream_file *file = &s->files[s->file];
	uint64_t left = file->size - offset, head = left < HEAD_MAX ? left : HEAD_MAX;
	struct packet p = { .offset = offset };
	const uint8_t *bytes;
	const char *why;

	bytes = map(s, offset, head);
	why = bytes ? read_packet(s->state, file->part, &p, bytes, head, left) : strerror(errno);
	if (!why) {
		bytes = map(s, offset, p.size);
		why = bytes ? NULL : strerror(errno);
	}
	if (why) {
		bool cut = strcmp(why, "truncated") == 0;

		source_problem(s->reader, cut ? PROBLEM_TRUNCATED : PROBLEM_CORRUPT, left,
			       "%s: the last %" PRIu64 " bytes were left out: packet at byte %"
			       PRIu64 ": %s", file->path, left, offset, why);
		return -1;
	}
	s->packet.offset = offset;
	s->packet.size = p.size;
	/* Snapshots hold the same packet several times. */
	if (s->started && p.has_sequence && p.sequence <= s->packet.sequence &&
	    p.begin < s->packet.end && p.has_uuid)
		return 0;
	count_lost(s, s->started ? &s->packet : NULL, &p, &s->reader->info.discarded,
		   &s->reader->info.discarded_packets);
	set_packet(s, bytes, &p);
	return 1;
}

static bool open_file(struct stream *s)
{
	struct stream_file *file = &s->files[s->file];
	struct stat st;

	s->fd = source_open_descriptor(file->path);
	if (s->fd < 0 || fstat(s->fd, &st) < 0) {
		source_problem(s->reader, PROBLEM_UNREADABLE, file->size, "%s: %s", file->path,
			       strerror(errno));
		close_file(s);
		return false;
	}
	if ((uint64_t)st.st_size < file->size)	/* else a mapping ends in SIGBUS */
		file->size = (uint64_t)st.st_size;
	return true;
}

/* The next packet with events, in this file or the next one. */
static bool next_packet(struct stream *s)
{
	uint64_t offset = s->packet.offset + s->packet.size;
	int ret;

	while (s->file < s->file_count) {
		if (s->fd < 0 && !open_file(s)) {
			s->file++;
			continue;
		}
		ret = offset < s->files[s->file].size ? open_packet(s, offset) : -1;
		if (ret > 0)
			return true;
		if (ret == 0) {
			offset = s->packet.offset + s->packet.size;
			continue;
		}
		close_file(s);
		s->file++;
		offset = 0;
	}
	return false;
}

int stream_probe(struct reader *r, struct plan_state *state, struct stream_file *file)
{
	struct stream s = { .files = file, .file_count = 1, .fd = -1 };
	const uint8_t *bytes;
	const char *why = NULL;
	uint64_t head;
	int ret = 0;

	s.reader = r;
	if (file->size == 0)
		return -ENODATA;
	if (!open_file(&s))
		return -EIO;
	memset(&file->first, 0, sizeof(file->first));
	head = file->size < HEAD_MAX ? file->size : HEAD_MAX;
	bytes = map(&s, 0, head);
	why = bytes ? read_packet(state, file->part, &file->first, bytes, head, file->size)
		    : strerror(errno);
	if (why) {
		source_problem(r, strcmp(why, "truncated") == 0 ? PROBLEM_TRUNCATED : PROBLEM_CORRUPT,
			       file->size, "%s: all %" PRIu64 " bytes were left out: %s",
			       file->path, file->size, why);
		ret = -ENODATA;
	}
	close_file(&s);
	return ret;
}

/* ---- all packets at a glance ---------------------------------------------------------------- */

#define HEAD_LIKELY 4096	/* bytes; LTTng's heads have some 100 */

static void add_place(struct stream *s, uint64_t offset, uint64_t end)
{
	if (s->place_count == s->place_room) {
		s->place_room = s->place_room ? 2 * s->place_room : 64;
		s->places = must(realloc(s->places, s->place_room * sizeof(*s->places)));
	}
	s->places[s->place_count++] = (struct packet_place){ offset, end, (uint32_t)s->file };
}

static bool skim_packet(struct stream *s, uint64_t offset, struct stream_packets *found)
{
	struct stream_file *file = &s->files[s->file];
	uint64_t left = file->size - offset, size = left < HEAD_LIKELY ? left : HEAD_LIKELY, begin, end;
	struct packet p = { .offset = offset };
	uint8_t bytes[HEAD_LIKELY];

	if (pread(s->fd, bytes, size, (off_t)offset) != (ssize_t)size ||
	    read_packet(s->state, file->part, &p, bytes, size, left) || p.end < p.begin)
		return false;
	begin = part_time(file->part, p.begin), end = part_time(file->part, p.end);
	if (s->place_count && (begin < s->places[s->place_count - 1].end ||
			       (p.has_sequence && p.sequence <= s->packet.sequence)))
		return false;
	count_lost(s, s->started ? &s->packet : NULL, &p, &found->discarded, &found->discarded_packets);
	s->packet = p;
	s->started = true;
	add_place(s, offset, end);
	if (end > found->end)
		found->end = end;
	found->each(found->context, begin, end, p.size);
	return true;
}

void stream_rest(struct stream *s)
{
	close_file(s);
}

static void rewind_stream(struct stream *s)
{
	close_file(s);
	s->file = 0;
	s->packet = (struct packet){ 0 };
	s->started = false;
	s->discarded = s->time = s->went_back = 0;
	s->base = s->at = s->end = NULL;
}

bool stream_skim(struct stream *s, struct stream_packets *found)
{
	bool good = true;

	rewind_stream(s);
	s->place_count = 0;
	for (; good && s->file < s->file_count; s->file++) {
		good = open_file(s);
		for (uint64_t offset = 0; good && offset < s->files[s->file].size; offset += s->packet.size)
			good = skim_packet(s, offset, found);
		close_file(s);
	}
	return good;
}

/* The first packet that ends at `time` or later. */
static size_t place_at(const struct stream *s, uint64_t time)
{
	size_t low = 0, high = s->place_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->places[middle].end < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void stream_begin(struct stream *s, struct stream_span span)
{
	size_t place;

	rewind_stream(s);
	s->span = span;
	if (!span.from)
		return;
	place = place_at(s, span.from);
	if (place == s->place_count) {
		s->file = s->file_count;
		return;
	}
	s->file = s->places[place].file;
	s->packet.offset = s->places[place].offset;
}

/* ---- events ------------------------------------------------------------------------------- */

/* The last cycles of which only the low bits are told; they grew by less than their range. */
static uint64_t unwrap(uint64_t last, uint64_t low, unsigned bits)
{
	uint64_t mask, cycles;

	if (bits >= 64)
		return low;
	mask = (1ULL << bits) - 1;
	cycles = (last & ~mask) | low;
	return cycles < last ? cycles + mask + 1 : cycles;
}

/* What a walk over an event's header finds. */
struct event_head {
	struct stream *s;
	uint64_t id;
};

static void put_head(void *context, const struct ctf_field *field, const struct walk_value *v)
{
	struct event_head *h = context;

	if (field->type->clock)
		h->s->cycles = unwrap(h->s->cycles, v->number, field->type->size);
	else if (strcmp(field->name, "id") == 0)
		h->id = v->number;	/* the last one: behind 31 or 65535 comes the real one */
}

static bool walk_head(struct stream *s, uint64_t *id)
{
	struct event_head h = { s, 0 };
	struct walk *w = &s->state->walk;
	int ret;

	if (!s->class->stream->event_header)
		return false;
	w->bits = (struct bits){
		s->base, 8 * (uint64_t)(s->at - s->base), 8 * (uint64_t)(s->end - s->base),
	};
	w->put = put_head;
	w->context = &h;
	ret = walk(w, s->class->stream->event_header);
	w->put = NULL;
	if (ret < 0 || w->bits.at < 8 * (uint64_t)(s->at - s->base) + 8)
		return false;	/* no event takes less than a byte, or there would be no end */
	s->at = s->base + (w->bits.at + 7) / 8;
	*id = h.id;
	return true;
}

/* Behind a compact or large header's escape: id and full time. */
static bool read_extended(struct stream *s, size_t skip, uint64_t *id)
{
	uint32_t wide;

	if ((size_t)(s->end - s->at) < skip + 12)
		return false;
	memcpy(&wide, s->at + skip, 4);
	memcpy(&s->cycles, s->at + skip + 4, 8);
	*id = wide;
	s->at += skip + 12;
	return true;
}

static inline bool read_head(struct stream *s, uint64_t *id)
{
	uint32_t word;
	uint16_t half;

	if (s->class->header == HEADER_COMPACT && s->end - s->at >= 4) {
		memcpy(&word, s->at, 4);
		*id = word & 31;
		if (*id == 31)
			return read_extended(s, 1, id);
		s->cycles = unwrap(s->cycles, word >> 5, 27);
		s->at += 4;
		return true;
	}
	if (s->class->header == HEADER_LARGE && s->end - s->at >= 6) {
		memcpy(&half, s->at, 2);
		*id = half;
		if (half == 65535)
			return read_extended(s, 2, id);
		memcpy(&word, s->at + 2, 4);
		s->cycles = unwrap(s->cycles, word, 32);
		s->at += 6;
		return true;
	}
	return walk_head(s, id);
}

static void leave_packet(struct stream *s, const char *why)
{
	uint64_t left = (uint64_t)(s->end - s->at);

	source_problem(s->reader, PROBLEM_CORRUPT, left, "%s: packet at byte %" PRIu64 ": its last %"
		       PRIu64 " bytes were left out: event %" PRIu64 ": %s", s->files[s->file].path,
		       s->packet.offset, left, s->events, why);
	s->at = s->end;
}

static void set_time(struct stream *s)
{
	uint64_t time = part_time(s->files[s->file].part, s->cycles);

	if (time < s->time) {
		if (s->went_back++ == 0)
			source_problem(s->reader, PROBLEM_CORRUPT, s->time - time, "%s: packet at byte %"
				PRIu64 ": time goes back; such events are given the time of the "
				"one before", s->files[s->file].path, s->packet.offset);
		return;
	}
	s->time = time;
}

static bool is_after(const struct stream *s, uint64_t time)
{
	return time >= s->span.to && s->span.to != UINT64_MAX;
}

/*
 * Whoever reads a part relies on the times of the packets before it: when these do not hold, what
 * is read is not what would be read from the begin on.
 */
static bool leave_whole_packet(struct stream *s)
{
	const struct part *part;

	if (is_part(s) && s->base) {
		part = s->files[s->file].part;
		s->reader->irregular |= part_time(part, s->cycles) > part_time(part, s->packet.end);
	}
	if (!next_packet(s))
		return false;
	return !is_after(s, part_time(s->files[s->file].part, s->packet.begin));
}

static void pass_over(struct stream *s)
{
	if (plan_run(s->plan, s->state, s->base, &s->at, s->end, s->state->spare) < 0)
		leave_packet(s, "it reaches beyond the packet");
}

bool stream_next(struct stream *s)
{
	uint64_t id;

	for (;;) {
		if (s->at == s->end && !leave_whole_packet(s))
			return false;
		if (s->at == s->end)
			continue;
		s->events++;
		if (!read_head(s, &id)) {
			leave_packet(s, "its header makes no sense");
			continue;
		}
		s->plan = id < s->class->stream->event_count ? s->class->plans[id] : NULL;
		if (!s->plan) {
			leave_packet(s, "its class is not in the metadata");
			continue;
		}
		if (s->plan->type != DLT_EVENTS) {
			set_time(s);
			if (is_after(s, s->time))
				return false;
			if (s->time >= s->span.from)
				return true;
		} else if (part_time(s->files[s->file].part, s->cycles) >= s->span.from) {
			if (is_after(s, part_time(s->files[s->file].part, s->cycles)))
				return false;
			s->reader->info.foreign++;
		}
		pass_over(s);
	}
}

bool stream_decode(struct stream *s, void *data)
{
	if (plan_run(s->plan, s->state, s->base, &s->at, s->end, data) == 0)
		return true;
	leave_packet(s, "it reaches beyond the packet");
	return false;
}

struct stream *stream_new(struct reader *r, struct plan_state *state, struct stream_file *files,
			  size_t file_count)
{
	struct stream *s = must(calloc(1, sizeof(*s)));

	s->reader = r;
	s->state = state;
	s->files = files;
	s->file_count = file_count;
	s->fd = -1;
	s->span = (struct stream_span){ 0, UINT64_MAX };
	return s;
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	close_file(s);
	free(s->places);
	for (size_t i = 0; i < s->file_count; i++)
		free(s->files[i].path);
	free(s->files);
	free(s);
}
