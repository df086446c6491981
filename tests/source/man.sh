# SPDX-License-Identifier: MIT
# groff formats every man page without a complaint; what a table lists, a page lists; no sentence begins in a macro's line.
. "$top_srcdir/tests/lib.sh"
need groff
found=
for page in "$top_srcdir"/man/*.[1-8] "$top_builddir"/man/*.[1-8]; do
	[ -e "$page" ] || continue
	found=yes
	groff -man -Tutf8 -wall -z "$page" 2>>complaints
done
[ -n "$found" ] || fail "no man page found"
[ ! -s complaints ] || fail "$(cat complaints)"
! grep -nE '^\.[BIR][BIR]? .* \. [A-Z]' "$top_srcdir"/man/* || fail "a sentence that groff glues together"
for domain in all $(sed -n 's/^\tX([A-Z]*, "\([a-z]*\)").*/\1/p' "$top_srcdir/tracepoints/log_domains.h"); do
	sed -n '/^\.B DLTRACE_DEBUG/,/^\.S[SH]/p' "$top_srcdir/man/dltrace.7" | grep -qw "$domain" || fail "DLTRACE_DEBUG: $domain is not in dltrace.7"
done
