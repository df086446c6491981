/* SPDX-License-Identifier: MIT */
/* The files of the page, put into the program by the assembler. */
#include "analysis/report/html_assets.h"

#include <stddef.h>

#define EMBED(symbol, path)						\
	__asm__(".pushsection .rodata\n"				\
		".hidden " #symbol "\n"					\
		".globl " #symbol "\n"					\
		#symbol ":\n"						\
		".incbin \"" path "\"\n"				\
		".byte 0\n"						\
		".popsection\n");					\
	extern const char symbol[]

EMBED(html_body, DLT_HTML "/body.html");
EMBED(html_dygraphs_licence, DLT_DYGRAPHS_LICENCE);

EMBED(html_dygraphs_css, DLT_DYGRAPHS "/dygraph.min.css");
EMBED(html_page_css, DLT_HTML "/page.css");

EMBED(html_dygraphs_js, DLT_DYGRAPHS "/dygraph.min.js");
EMBED(html_base_js, DLT_HTML "/base.js");
EMBED(html_format_js, DLT_HTML "/format.js");
EMBED(html_grid_js, DLT_HTML "/grid.js");
EMBED(html_summary_js, DLT_HTML "/summary.js");
EMBED(html_iterations_js, DLT_HTML "/iterations.js");
EMBED(html_comparison_js, DLT_HTML "/comparison.js");
EMBED(html_panel_js, DLT_HTML "/panel.js");
EMBED(html_curves_js, DLT_HTML "/curves.js");
EMBED(html_breakdown_js, DLT_HTML "/breakdown.js");
EMBED(html_flame_js, DLT_HTML "/flame.js");
EMBED(html_processes_js, DLT_HTML "/processes.js");
EMBED(html_page_js, DLT_HTML "/page.js");

const char *const html_styles[] = { html_dygraphs_css, html_page_css, NULL };

const char *const html_scripts[] = {
	html_dygraphs_js,
	html_base_js,
	html_format_js,
	html_grid_js,
	html_summary_js,
	html_iterations_js,
	html_comparison_js,
	html_panel_js,
	html_curves_js,
	html_breakdown_js,
	html_flame_js,
	html_processes_js,
	html_page_js,
	NULL,
};
