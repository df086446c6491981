# SPDX-License-Identifier: MIT
# The SVG figures are well-formed and can be rendered; text in them is outlines.
. "$top_srcdir/tests/lib.sh"
need rsvg-convert
"$REPORT" "$top_srcdir/tests/report/training.txt" -o figures.svg/
for f in curves functions heap; do
	rsvg-convert -o $f.png figures.svg/$f.svg || fail "$f.svg cannot be drawn"
	[ "$(wc -c <$f.png)" -gt 2000 ] || fail "$f.png is empty"
	grep -q '<text' figures.svg/$f.svg && fail "$f.svg needs fonts"
done
cp -r figures.svg first
"$REPORT" "$top_srcdir/tests/report/training.txt" -o figures.svg/
diff -r first figures.svg || fail "the same report gives other figures"
