/* SPDX-License-Identifier: MIT */
/* Rules of .eh_frame: the function's entry by binary search, then its program up to the place that is asked for. */
#include "cfi.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ROW 8			/* bytes, of .eh_frame_hdr */
#define REMEMBERED 8		/* DW_CFA_remember_state inside each other; compilers need one */

/* Numbers of registers in DWARF, System V ABI for x86-64, figure 3.36. */
enum { RBP = 6, RSP = 7, RETURN_ADDRESS = 16 };

/* How a pointer is written: LSB, 10.5. */
enum {
	PTR_ABSOLUTE = 0x00, PTR_UDATA2 = 0x02, PTR_UDATA4 = 0x03, PTR_UDATA8 = 0x04, PTR_SDATA2 = 0x0a,
	PTR_SDATA4 = 0x0b, PTR_SDATA8 = 0x0c, PTR_FORMAT = 0x0f, PTR_PC_RELATIVE = 0x10, PTR_RELATION = 0x70,
	PTR_OMITTED = 0xff, TABLE_ENCODING = 0x3b,	/* sdata4, from where .eh_frame_hdr begins */
};

/* DWARF 4, 6.4.2; the last two are GNU's. */
enum {
	CFA_ADVANCE = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0, CFA_HIGH = 0xc0, CFA_LOW = 0x3f,
	CFA_NOP = 0x00, CFA_SET_LOC = 0x01, CFA_ADVANCE_1 = 0x02, CFA_ADVANCE_2 = 0x03, CFA_ADVANCE_4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05, CFA_RESTORE_EXTENDED = 0x06, CFA_UNDEFINED = 0x07, CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09, CFA_REMEMBER = 0x0a, CFA_RECALL = 0x0b, CFA_DEF = 0x0c, CFA_DEF_REGISTER = 0x0d,
	CFA_DEF_OFFSET = 0x0e, CFA_DEF_EXPRESSION = 0x0f, CFA_EXPRESSION = 0x10, CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_SF = 0x12, CFA_DEF_OFFSET_SF = 0x13, CFA_VAL_OFFSET = 0x14, CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16, CFA_ARGUMENTS = 0x2e, CFA_NEGATIVE_OFFSET = 0x2f,
};

enum { OP_DEREF = 0x06, OP_BREG = 0x70 };	/* DWARF 4, 7.7.1: the latter plus the register's number */

/* ---- bytes --------------------------------------------------------------------------------- */

/* What is left to read; one that ends too early reads as zeros and is `broken`. */
struct bytes {
	const unsigned char *at, *end;
	bool broken;
};

static uint64_t take(struct bytes *b, unsigned size)
{
	uint64_t value = 0;

	if ((size_t)(b->end - b->at) < size) {
		b->broken = true;
		b->at = b->end;
		return 0;
	}
	memcpy(&value, b->at, size);
	b->at += size;
	return value;
}

/* A number by sevens of bits (LEB128); *bits: how many came, *last: the byte with the sign. */
static uint64_t take_sevens(struct bytes *b, unsigned *bits, uint8_t *last)
{
	uint64_t value = 0;

	*bits = 0;
	do {
		*last = (uint8_t)take(b, 1);
		value |= *bits < 64 ? (uint64_t)(*last & 0x7f) << *bits : 0;
		*bits += 7;
	} while (*last & 0x80);
	return value;
}

static uint64_t take_unsigned(struct bytes *b)
{
	unsigned bits;
	uint8_t last;

	return take_sevens(b, &bits, &last);
}

static int64_t take_signed(struct bytes *b)
{
	unsigned bits;
	uint8_t last;
	uint64_t value = take_sevens(b, &bits, &last);

	if (bits < 64 && last & 0x40)
		value |= ~0ULL << bits;
	return (int64_t)value;
}

static void pass(struct bytes *b, uint64_t size)
{
	if ((uint64_t)(b->end - b->at) < size) {
		b->broken = true;
		b->at = b->end;
	} else {
		b->at += size;
	}
}

/* An address as `encoding` says it. */
static uintptr_t take_pointer(struct bytes *b, unsigned encoding)
{
	uintptr_t here = (uintptr_t)b->at, value;

	switch (encoding & PTR_FORMAT) {
	case PTR_ABSOLUTE:
	case PTR_UDATA8:
	case PTR_SDATA8:
		value = take(b, 8);
		break;
	case PTR_UDATA2:
		value = take(b, 2);
		break;
	case PTR_UDATA4:
		value = take(b, 4);
		break;
	case PTR_SDATA2:
		value = (uintptr_t)(int16_t)take(b, 2);
		break;
	case PTR_SDATA4:
		value = (uintptr_t)(int32_t)take(b, 4);
		break;
	default:
		b->broken = true;
		return 0;
	}
	switch (encoding & PTR_RELATION) {
	case 0:
		return value;
	case PTR_PC_RELATIVE:
		return here + value;
	default:
		b->broken = true;
		return 0;
	}
}

/* ---- entries ------------------------------------------------------------------------------- */

struct entry {
	uintptr_t begin, end;		/* of the function */
	unsigned encoding;		/* of addresses in it */
	uint64_t code_unit, data_unit;	/* the latter is negative; products are modulo 2^64, as sums are */
	struct bytes first, program;	/* instructions that all functions of its kind have, and its own */
	bool signal;			/* a signal's frame */
};

/* What is there from `at` on; nothing, where that lies elsewhere. */
static struct bytes bytes_at(const struct dlt_cfi_tables *t, const unsigned char *at)
{
	bool inside = at >= t->begin && at < t->end;

	return (struct bytes){ inside ? at : t->end, t->end, !inside };
}

/* Rows of .eh_frame_hdr, sorted: where a function begins and where its entry is, from the header on. 0: no such. */
static size_t open_rows(const struct dlt_cfi_tables *t, const unsigned char **rows)
{
	struct bytes b = bytes_at(t, t->header);
	uint32_t kinds = (uint32_t)take(&b, 4);
	unsigned encoding = kinds >> 8 & 0xff;
	size_t count;

	if ((kinds & 0xff) != 1 || encoding == PTR_OMITTED || kinds >> 16 != (TABLE_ENCODING << 8 | PTR_UDATA4))
		return 0;
	take_pointer(&b, encoding);
	count = take(&b, 4);
	*rows = b.at;
	return b.broken || count > (size_t)(b.end - b.at) / ROW ? 0 : count;
}

/* The entry of the function that begins last of those not behind pc. NULL: none. */
static const unsigned char *search(const struct dlt_cfi_tables *t, uintptr_t pc)
{
	int64_t wanted = (int64_t)(pc - (uintptr_t)t->header);
	const unsigned char *rows;
	size_t low = 0, high = open_rows(t, &rows);
	int32_t place[2];

	if (!high)
		return NULL;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		memcpy(place, rows + ROW * middle, ROW);
		if (place[0] <= wanted)
			low = middle;
		else
			high = middle;
	}
	memcpy(place, rows + ROW * low, ROW);
	return place[0] <= wanted ? t->header + place[1] : NULL;
}

/* The content of the record at `at`, behind its length; false: none, or it is in DWARF's 64-bit form. */
static bool record(const struct dlt_cfi_tables *t, const unsigned char *at, struct bytes *b)
{
	uint64_t length;

	*b = bytes_at(t, at);
	length = take(b, 4);
	if (b->broken || !length || length > (uint64_t)(b->end - b->at))
		return false;
	b->end = b->at + length;
	return true;
}

/* What all functions of one kind have in common; false: not understood. */
static bool read_common(const struct dlt_cfi_tables *t, const unsigned char *at, struct entry *e, bool *augmented)
{
	const char *letters;
	unsigned version;
	struct bytes *b = &e->first;

	if (!record(t, at, b) || take(b, 4) != 0)
		return false;
	version = (unsigned)take(b, 1);
	letters = (const char *)b->at;
	pass(b, strnlen(letters, (size_t)(b->end - b->at)) + 1);
	if (version != 1 && version != 3)
		return false;
	e->code_unit = take_unsigned(b);
	e->data_unit = (uint64_t)take_signed(b);
	if ((version == 1 ? take(b, 1) : take_unsigned(b)) != RETURN_ADDRESS || b->broken)
		return false;
	e->encoding = PTR_ABSOLUTE;
	*augmented = letters[0] == 'z';
	if (!*augmented)
		return !letters[0];
	struct bytes data = { b->at, b->end, false };
	uint64_t size = take_unsigned(&data);

	*b = data;
	pass(b, size);
	for (letters++; *letters; letters++) {
		if (*letters == 'R')
			e->encoding = (unsigned)take(&data, 1);
		else if (*letters == 'L')
			take(&data, 1);
		else if (*letters == 'P')
			take_pointer(&data, (unsigned)take(&data, 1));
		else if (*letters == 'S')
			e->signal = true;
		else
			return false;
	}
	return !data.broken && !b->broken;
}

static bool read_entry(const struct dlt_cfi_tables *t, const unsigned char *at, struct entry *e)
{
	const unsigned char *common;
	bool augmented;
	struct bytes *b = &e->program;

	*e = (struct entry){ 0 };
	if (!record(t, at, b))
		return false;
	common = b->at;
	common -= take(b, 4);
	if (common == at + 4 || !read_common(t, common, e, &augmented))
		return false;
	e->begin = take_pointer(b, e->encoding);
	e->end = e->begin + take_pointer(b, e->encoding & PTR_FORMAT);
	if (augmented)
		pass(b, take_unsigned(b));
	return !b->broken;
}

static bool find_entry(const struct dlt_cfi_tables *t, uintptr_t pc, struct entry *e)
{
	const unsigned char *at = t->header ? search(t, pc) : NULL;

	return at && read_entry(t, at, e) && pc - e->begin < e->end - e->begin;
}

/* ---- rules --------------------------------------------------------------------------------- */

/* Where a register of the caller's lies. */
struct place {
	enum { IS_SAME, AT_CFA, AT_RBP, IS_UNDEFINED, IS_ELSEWHERE } how;
	int64_t offset;			/* AT_CFA, AT_RBP: bytes from there */
};

struct row {
	enum { CFA_REGISTER_PLUS, CFA_AT_RBP, CFA_ELSEWHERE } how;
	uint64_t reg;
	int64_t offset;
	struct place rbp, back;		/* back: the return address */
};

struct machine {
	const struct entry *entry;
	struct row row, first;		/* first: what the common instructions leave, for CFA_RESTORE */
	struct row kept[REMEMBERED];
	unsigned depth;
	uintptr_t at;			/* what the row is for */
};

static struct place *place_of(struct row *r, uint64_t reg)
{
	return reg == RBP ? &r->rbp : reg == RETURN_ADDRESS ? &r->back : NULL;
}

static void set(struct machine *m, uint64_t reg, struct place p)
{
	struct place *to = place_of(&m->row, reg);

	if (to)
		*to = p;
}

static void restore(struct machine *m, uint64_t reg)
{
	struct place *to = place_of(&m->row, reg);

	if (to)
		*to = *place_of(&m->first, reg);
}

/* rbp + offset: what else a compiler may say is not understood. `deref`: what lies there. */
static bool is_rbp_plus(struct bytes expression, bool deref, int64_t *offset)
{
	if (take(&expression, 1) != OP_BREG + RBP)
		return false;
	*offset = take_signed(&expression);
	return (!deref || take(&expression, 1) == OP_DEREF) && !expression.broken && expression.at == expression.end;
}

static struct bytes take_expression(struct bytes *b)
{
	uint64_t size = take_unsigned(b);
	struct bytes expression = { b->at, b->at, false };

	pass(b, size);
	expression.end = b->at;
	return expression;
}

static void define(struct machine *m, uint64_t reg, int64_t offset)
{
	m->row.how = CFA_REGISTER_PLUS;
	m->row.reg = reg;
	m->row.offset = offset;
}

static void define_by_expression(struct machine *m, struct bytes *b)
{
	m->row.how = is_rbp_plus(take_expression(b), true, &m->row.offset) ? CFA_AT_RBP : CFA_ELSEWHERE;
}

static void set_by_expression(struct machine *m, struct bytes *b)
{
	uint64_t reg = take_unsigned(b);
	struct place p = { AT_RBP, 0 };

	if (!is_rbp_plus(take_expression(b), false, &p.offset))
		p.how = IS_ELSEWHERE;
	set(m, reg, p);
}

static void remember(struct machine *m, struct bytes *b)
{
	if (m->depth == REMEMBERED)
		b->broken = true;
	else
		m->kept[m->depth++] = m->row;
}

static void recall(struct machine *m, struct bytes *b)
{
	if (!m->depth)
		b->broken = true;
	else
		m->row = m->kept[--m->depth];
}

static struct place at_cfa(uint64_t offset)
{
	return (struct place){ AT_CFA, (int64_t)offset };
}

/* One whose number has no operand in it. */
static void step_plain(struct machine *m, struct bytes *b, unsigned code)
{
	const uint64_t unit = m->entry->data_unit;
	uint64_t reg;

	switch (code) {
	case CFA_NOP:
		break;
	case CFA_ARGUMENTS:
		take_unsigned(b);
		break;
	case CFA_SET_LOC:
		m->at = take_pointer(b, m->entry->encoding);
		break;
	case CFA_ADVANCE_1:
	case CFA_ADVANCE_2:
	case CFA_ADVANCE_4:
		m->at += take(b, 1u << (code - CFA_ADVANCE_1)) * m->entry->code_unit;
		break;
	case CFA_OFFSET_EXTENDED:
		reg = take_unsigned(b);
		set(m, reg, at_cfa(take_unsigned(b) * unit));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		reg = take_unsigned(b);
		set(m, reg, at_cfa((uint64_t)take_signed(b) * unit));
		break;
	case CFA_NEGATIVE_OFFSET:
		reg = take_unsigned(b);
		set(m, reg, at_cfa(-take_unsigned(b) * unit));
		break;
	case CFA_RESTORE_EXTENDED:
		restore(m, take_unsigned(b));
		break;
	case CFA_UNDEFINED:
		set(m, take_unsigned(b), (struct place){ IS_UNDEFINED, 0 });
		break;
	case CFA_SAME_VALUE:
		set(m, take_unsigned(b), (struct place){ IS_SAME, 0 });
		break;
	case CFA_REGISTER:
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:		/* how long the second one is does not depend on its sign */
		set(m, take_unsigned(b), (struct place){ IS_ELSEWHERE, 0 });
		take_unsigned(b);
		break;
	case CFA_REMEMBER:
		remember(m, b);
		break;
	case CFA_RECALL:
		recall(m, b);
		break;
	case CFA_DEF:
		reg = take_unsigned(b);
		define(m, reg, (int64_t)take_unsigned(b));
		break;
	case CFA_DEF_SF:
		reg = take_unsigned(b);
		define(m, reg, (int64_t)((uint64_t)take_signed(b) * unit));
		break;
	case CFA_DEF_REGISTER:
		define(m, take_unsigned(b), m->row.offset);
		break;
	case CFA_DEF_OFFSET:
		define(m, m->row.reg, (int64_t)take_unsigned(b));
		break;
	case CFA_DEF_OFFSET_SF:
		define(m, m->row.reg, (int64_t)((uint64_t)take_signed(b) * unit));
		break;
	case CFA_DEF_EXPRESSION:
		define_by_expression(m, b);
		break;
	case CFA_EXPRESSION:
		set_by_expression(m, b);
		break;
	case CFA_VAL_EXPRESSION:
		set(m, take_unsigned(b), (struct place){ IS_ELSEWHERE, 0 });
		take_expression(b);
		break;
	default:
		b->broken = true;
	}
}

/* False: an instruction that is not understood. */
static bool run(struct machine *m, struct bytes b, uintptr_t pc)
{
	while (b.at < b.end && !b.broken && m->at <= pc) {
		unsigned code = (unsigned)take(&b, 1), low = code & CFA_LOW;

		switch (code & CFA_HIGH) {
		case CFA_ADVANCE:
			m->at += low * m->entry->code_unit;
			break;
		case CFA_OFFSET:
			set(m, low, at_cfa(take_unsigned(&b) * m->entry->data_unit));
			break;
		case CFA_RESTORE:
			restore(m, low);
			break;
		default:
			step_plain(m, &b, code);
		}
	}
	return !b.broken;
}

/* The row in few words; UNKNOWN where these do not do. */
static struct dlt_cfi_rule rule_of(const struct row *r)
{
	struct dlt_cfi_rule rule = { .cfa = (int32_t)r->offset, .saved = DLT_CFI_SAME, .base = DLT_CFI_UNKNOWN };
	bool by_rbp = r->rbp.how == AT_RBP;

	if (r->back.how == IS_UNDEFINED)
		return (struct dlt_cfi_rule){ .base = DLT_CFI_OUTERMOST };
	if (r->back.how != AT_CFA || r->back.offset != -8 || r->offset != rule.cfa || r->rbp.how == IS_ELSEWHERE ||
	    r->rbp.how == IS_UNDEFINED)
		return rule;
	if (r->rbp.how != IS_SAME) {
		rule.saved = (int16_t)r->rbp.offset;
		if (rule.saved != r->rbp.offset || rule.saved == DLT_CFI_SAME)
			return rule;
	}
	if (r->how == CFA_AT_RBP && r->rbp.how != AT_CFA)
		rule.base = DLT_CFI_AT_RBP;
	else if (r->how == CFA_REGISTER_PLUS && !by_rbp && (r->reg == RSP || r->reg == RBP))
		rule.base = r->reg == RSP ? DLT_CFI_RSP : DLT_CFI_RBP;
	return rule;
}

static struct dlt_cfi_rule rule_of_entry(const struct entry *e, uintptr_t pc)
{
	struct dlt_cfi_rule unknown = { .base = DLT_CFI_UNKNOWN };
	struct machine m = { .entry = e, .at = e->begin, .row.how = CFA_ELSEWHERE };

	if (e->signal)
		return (struct dlt_cfi_rule){ .base = DLT_CFI_OUTERMOST };
	if (!run(&m, e->first, pc))
		return unknown;
	m.first = m.row;
	return run(&m, e->program, pc) ? rule_of(&m.row) : unknown;
}

struct dlt_cfi_rule dlt_cfi_find(const struct dlt_cfi_tables *t, uintptr_t pc)
{
	struct entry e;

	return find_entry(t, pc, &e) ? rule_of_entry(&e, pc) : (struct dlt_cfi_rule){ .base = DLT_CFI_UNKNOWN };
}

/* ---- functions ----------------------------------------------------------------------------- */

int dlt_cfi_function(const struct dlt_cfi_tables *t, uintptr_t pc, struct dlt_cfi_range *function)
{
	struct entry e;

	if (!find_entry(t, pc, &e))
		return false;
	*function = (struct dlt_cfi_range){ e.begin, e.end };
	return true;
}

/* Is there a jump by a distance of 32 bits (e9, 0f 80 to 0f 8f) to behind the function's begin? */
static bool jumps_into(const struct entry *part, const struct dlt_cfi_range *function)
{
	const unsigned char *end = (const unsigned char *)part->end;
	int32_t distance;

	for (const unsigned char *at = (const unsigned char *)part->begin; end - at >= 6; at++) {
		bool conditional = at[0] == 0x0f && (at[1] & 0xf0) == 0x80;
		const unsigned char *next = at + 5 + conditional;

		memcpy(&distance, next - 4, sizeof(distance));
		if ((conditional || at[0] == 0xe9) &&
		    (uintptr_t)next + (uintptr_t)(intptr_t)distance - function->begin - 1 <
		    function->end - function->begin - 1)
			return true;
	}
	return false;
}

static bool is_entered(const struct entry *e)
{
	struct dlt_cfi_rule rule = rule_of_entry(e, e->begin);

	return rule.base == DLT_CFI_RSP && rule.cfa == 8;
}

unsigned dlt_cfi_parts(const struct dlt_cfi_tables *t, const struct dlt_cfi_range *function,
		       const struct dlt_cfi_range *code, struct dlt_cfi_range *parts, unsigned most)
{
	const unsigned char *rows;
	size_t rows_left = t->header ? open_rows(t, &rows) : 0;
	unsigned count = 0;
	int32_t place[2];
	struct entry e;

	for (; rows_left && count < most; rows_left--, rows += ROW) {
		memcpy(place, rows, ROW);
		if (read_entry(t, t->header + place[1], &e) && e.begin >= code->begin && e.begin < e.end &&
		    e.end <= code->end && !is_entered(&e) && jumps_into(&e, function))
			parts[count++] = (struct dlt_cfi_range){ e.begin, e.end };
	}
	return count;
}
