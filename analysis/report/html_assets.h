/* SPDX-License-Identifier: MIT */
/*
 * What a page consists of beside its data: files of analysis/report/html/ and dygraphs, which the
 * assembler puts into the program as they are. Each is text and ends with '\0'.
 */
#ifndef DLT_ANALYSIS_REPORT_HTML_ASSETS_H
#define DLT_ANALYSIS_REPORT_HTML_ASSETS_H

/* In the order in which the page needs them; NULL ends a list. */
extern const char *const html_styles[];
extern const char *const html_scripts[];

extern const char html_body[];
extern const char html_dygraphs_licence[];	/* as its package states it */

#endif
