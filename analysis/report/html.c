/* SPDX-License-Identifier: MIT */
/*
 * HTML: one file that needs no other and asks no host. The data are JSON in it, of which its own
 * scripts make the page; a Content-Security-Policy lets nothing else run or load.
 */
#include <string.h>

#include "analysis/report/escape.h"
#include "analysis/report/html_assets.h"
#include "analysis/report/html_data.h"
#include "analysis/report/sha256.h"
#include "analysis/report/text.h"
#include "analysis/report/writer.h"

/* Text as HTML shows it, whatever is in it. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else
			fputc(*text, out);
	}
}

/* Without a last line that names a source map: browsers would look for it. */
static size_t length_of(const char *asset)
{
	const char *map = strstr(asset, "//# sourceMappingURL=");

	if (!map)
		map = strstr(asset, "/*# sourceMappingURL=");
	return map ? (size_t)(map - asset) : strlen(asset);
}

static void put_hashes(FILE *out, const char *directive, const char *const *assets)
{
	char hash[SHA256_BASE64_SIZE];

	fprintf(out, "; %s", directive);
	for (size_t i = 0; assets[i]; i++)
		fprintf(out, " 'sha256-%s'", sha256_base64(assets[i], length_of(assets[i]), hash));
}

/* Only what has these hashes runs; nothing is loaded; text made into HTML goes through page.js. */
static void put_policy(FILE *out)
{
	fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'", out);
	put_hashes(out, "script-src", html_scripts);
	put_hashes(out, "style-src", html_styles);
	fputs("; img-src data:; base-uri 'none'; form-action 'none'; "
	      "require-trusted-types-for 'script'; trusted-types default\">\n", out);
}

static void put_assets(FILE *out, const char *tag, const char *const *assets)
{
	for (size_t i = 0; assets[i]; i++) {
		fprintf(out, "<%s>", tag);
		fwrite(assets[i], 1, length_of(assets[i]), out);
		fprintf(out, "</%s>\n", tag);
	}
}

static void put_title(const struct report *r, FILE *out)
{
	const struct table *traces = report_table(r, "traces");
	char *command = text_command(table_get(traces, 0, "command"));
	char *clean = text_clean(command ? command : "", true);

	fputs("<title>", out);
	if (text_rows(traces) > 1)
		fprintf(out, "%zu traces", traces->row_count);
	else
		put_text(out, *clean ? clean : "a trace");
	fputs(" - dltrace</title>\n", out);
	free(command);
	free(clean);
}

int write_html(const struct report *r, const char *page, FILE *out, const struct writer_options *o)
{
	int err;

	(void)page;
	(void)o;
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
	put_policy(out);
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n", out);
	put_title(r, out);
	put_assets(out, "style", html_styles);
	fputs("</head>\n<body>\n", out);
	fputs(html_body, out);
	fputs("<details class=\"licence\"><summary>The curves are drawn by dygraphs (MIT licence)</summary>\n<pre>",
	      out);
	put_text(out, html_dygraphs_licence);
	fputs("</pre></details>\n</footer>\n<script type=\"application/json\" id=\"data\">", out);
	err = html_data_write(r, out);
	fputs("</script>\n", out);
	put_assets(out, "script", html_scripts);
	fputs("</body>\n</html>\n", out);
	return err;
}
