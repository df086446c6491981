/* SPDX-License-Identifier: MIT */
/* build: .libs/libreader.a .libs/libtables.a -lbabeltrace2 -ljansson */
/* Reads a trace with one source and writes its events as text: read_trace TRACE SOURCE dump */
#include "tests/bench/reader.c"
