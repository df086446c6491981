/* SPDX-License-Identifier: MIT */
/*
 * Writes neighbouring integer fields of an event at once. LTTng-UST calls its ring buffer for each
 * field (5 to 7 ns); fields lie packed in the buffer, so one call for all of them does the same.
 *
 * No guard: a provider's header is read again for each of LTTng's stages, and only the one that
 * writes (it alone has the macro lttng_ust__get_dynamic_len) differs. In a version of LTTng where
 * that is not so, and where fields are aligned, this is LTTng's own way of writing.
 *
 *	dlt_pack(26) dlt_field_integer(uint32_t, thread, e->thread) ... dlt_unpack
 */
#undef dlt_pack
#undef dlt_pack_note
#undef dlt_unpack
#undef dlt_field_integer
#undef dlt_field_integer_hex

/* Of an event that finds its session not active, or no room, no field is written (bridge.h). */
#ifdef DLT_RECORDER
#define dlt_pack_note (dlt_bridge_wrote = true)
#else
#define dlt_pack_note ((void)0)
#endif

#if defined(lttng_ust__get_dynamic_len) && !defined(LTTNG_UST_RING_BUFFER_NATURAL_ALIGN)
#define dlt_pack(_size) { char __packed[_size]; size_t __at = 0; dlt_pack_note;
#define dlt_field_integer(_type, _item, _src)				\
	{								\
		_type __tmp = (_src);					\
		__builtin_memcpy(__packed + __at, &__tmp, sizeof(__tmp)); \
		__at += sizeof(__tmp);					\
	}
#define dlt_field_integer_hex(_type, _item, _src) dlt_field_integer(_type, _item, _src)
#define dlt_unpack __chan->ops->event_write(&__ctx, __packed, __at, 1); }
#else
#define dlt_pack(_size)
#define dlt_field_integer(_type, _item, _src) lttng_ust_field_integer(_type, _item, (dlt_pack_note, (_src)))
#define dlt_field_integer_hex(_type, _item, _src) lttng_ust_field_integer_hex(_type, _item, (dlt_pack_note, (_src)))
#define dlt_unpack
#endif
