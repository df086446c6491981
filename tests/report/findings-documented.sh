# SPDX-License-Identifier: MIT
# Every rule is in the man page, and nothing else is.
. "$top_srcdir/tests/lib.sh"
sed -n 's/^RULE([a-z]*, \([a-z_]*\), .*/\1/p' "$top_srcdir/analysis/rules/rules.tbl" | sort >rules
[ "$(wc -l <rules)" -gt 20 ] || fail "no table of rules: $(cat rules)"
sed -n '/^\.SH FINDINGS/,/^\.SH TABLES/p' "$top_srcdir/man/dltrace-report.1" | sed -n '/The rules:/,$p' | grep '^\.BR\{0,1\} ' |
	grep -o '[a-z]*_[a-z_]*\|died\|damaged\|crowded\|communication\|recorder' | sort >told
same "rules" "$(cat rules)" "$(cat told)"
