/* SPDX-License-Identifier: MIT */
/* All of the reader in one translation unit, so that unit tests run it under the sanitizers. */
#include "analysis/reader/arena.c"
#ifdef HAVE_BABELTRACE
#include "analysis/reader/babeltrace.c"
#include "analysis/reader/frames.c"
#ifndef TEST_OWN_GRAPH	/* a test that plays the child itself */
#include "analysis/reader/graph.c"
#endif
#endif
#include "analysis/reader/batches.c"
#include "analysis/reader/content.c"
#include "analysis/reader/ctf2.c"
#include "analysis/reader/ctf2_types.c"
#include "analysis/reader/cuts.c"
#include "analysis/reader/fast.c"
#include "analysis/reader/folders.c"
#include "analysis/reader/layout.c"
#include "analysis/reader/metadata.c"
#include "analysis/reader/outbox.c"
#include "analysis/reader/part.c"
#include "analysis/reader/plan.c"
#include "analysis/reader/reader.c"
#include "analysis/reader/stream.c"
#include "analysis/reader/text.c"
#include "analysis/reader/text_writer.c"
#include "analysis/reader/tsdl_lex.c"
#include "analysis/reader/tsdl_types.c"
#include "analysis/reader/value.c"
#include "analysis/reader/walk.c"
