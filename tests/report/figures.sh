# SPDX-License-Identifier: MIT
# Figures as SVG, PDF and PNG: well-formed, of the size that is asked for, the same each time.
. "$top_srcdir/tests/lib.sh"
need rsvg-convert
need pdfinfo
training=$top_srcdir/tests/report/training.txt
cp "$training" t.txt

# ---- SVG: text is text ----
"$REPORT" t.txt -o figures.svg/
for f in curves functions heap; do
	rsvg-convert -o $f.png figures.svg/$f.svg || fail "$f.svg cannot be drawn"
	[ "$(wc -c <$f.png)" -gt 2000 ] || fail "$f.png is empty"
done
grep -q '>Threads</text>' figures.svg/curves.svg || fail "the SVG's text is no text"
[ ! -e figures.svg/overlay.svg ] || fail "one trace is not overlaid"
python3 - <<'END'
import glob, xml.dom.minidom
for path in glob.glob("figures.svg/*.svg"):
    xml.dom.minidom.parse(path)
END

# ---- PDF: a page a figure, fonts in it ----
"$REPORT" t.txt -o r.pdf -o functions.txt
same "pages" "$(ls figures.svg | wc -l)" "$(pdfinfo r.pdf | sed -n 's/^Pages: *//p')"
pdfinfo r.pdf | grep -q '^Title: .*train.py' || fail "the PDF has no title"
pdffonts r.pdf | tail -n +3 >fonts
[ -s fonts ] || fail "the PDF has no fonts"
awk '{ if ($(NF - 4) != "yes") exit 1 }' fonts || { cat fonts; fail "a font is not embedded"; }
pdftoppm -r 60 -png r.pdf page || fail "poppler cannot draw the PDF"
same "drawn pages" "$(ls figures.svg | wc -l)" "$(ls page*.png | wc -l)"
pdftotext r.pdf - | grep -q sgemm_ || fail "the PDF's text is no text"
"$REPORT" t.txt -o one.pdf --figure heap
same "pages with --figure" 1 "$(pdfinfo one.pdf | sed -n 's/^Pages: *//p')"

# ---- sizes ----
size() { # FILE: width and height of a PNG in pixels, and pixels a metre
	python3 -c "import struct, sys; d = open('$1', 'rb').read()
at = d.index(b'pHYs') + 4; print(*struct.unpack('>II', d[16:24]), struct.unpack('>I', d[at:at + 4])[0])"
}
"$REPORT" t.txt -o p.png --size 600x400px
same "pixels" "600 400 3780" "$(size p.png)"
"$REPORT" t.txt -o p.png --size 600x400px --dpi 192
same "pixels at 192 dpi" "600 400 7559" "$(size p.png)"
"$REPORT" t.txt -o p.png -o p.pdf -o p.svg --size 50.8x80mm --dpi 100
same "pixels of 2 inches" "200 315 3937" "$(size p.png)"
pdfinfo p.pdf | grep -q '^Page size: *144 x 226.7' || { pdfinfo p.pdf; fail "the PDF has another size"; }
grep -q 'width="144pt" height="226.7' p.svg || fail "the SVG has another size"
for size in 85mm 8.5cm 3.3in 240pt 600px 85mmx60mm 3x2in; do
	"$REPORT" t.txt --size $size -o p.svg || fail "--size $size"
done
for bad in 85 mm 85km 85x60 85mmx3in 1mm 1000in 85mmx 85mm60 nanmm infmm -85mm; do
	"$REPORT" t.txt --size=$bad -o bad.svg 2>/dev/null && fail "--size $bad was taken"
	[ ! -e bad.svg ] || fail "--size $bad was drawn"
done
"$REPORT" t.txt --dpi 5 2>/dev/null && fail "--dpi 5 was taken"
exits 5 "$REPORT" t.txt -o bad.png --size 199in --dpi 300
says "bad.png: File too large"

# ---- titles and styles ----
"$REPORT" t.txt -o p.svg --title 'A & <B>'
grep -q 'A &amp; &lt;B&gt;</text>' p.svg || fail "--title is not there"
grep -q train.py p.svg && fail "the figure's own title is still there"
"$REPORT" t.txt -o p.svg --title ''
grep -q train.py p.svg && fail "--title '' left the figure's own"
"$REPORT" t.txt -o titled.svg/ --title Study
grep -q 'Study: ' titled.svg/heap.svg || fail "a title of several figures hides theirs"
# A long one takes two lines, of whole words; what finds no room in them is left out, with an ellipsis.
texts() { grep -o 'font-weight="bold"[^>]*>[^<]*' "$1" | sed 's/.*>//' | head -n "$2"; }
long='Training of a network of seventeen layers on pictures of flowers, with a data set that is read by two workers'
"$REPORT" t.txt -o p.svg --size 120mm --title "$long"
same "a title of two lines" "$long" "$(texts p.svg 2 | xargs)"
[ "$(texts p.svg 2 | awk '{ n[NR] = length($0) } END { print n[1] < 1.3 * n[2] && n[2] < 1.3 * n[1] }')" = 1 ] ||
	fail "lines of unlike length: $(texts p.svg 2)"
[ "$(texts p.svg 1)" != "$long" ] || fail "a title is wider than its figure"
"$REPORT" t.txt -o p.svg --size 85mm --title "$long, each for a second time"
texts p.svg 2 | grep -q ' …$' || fail "a title that has no room: $(texts p.svg 2)"
case "$long" in "$(texts p.svg 2 | xargs | sed 's/ …$//') "*) ;; *) fail "cut in a word: $(texts p.svg 2)" ;; esac
"$REPORT" t.txt -o p.svg --size 85mm --title "/a/folder/of/many/parts/that/go/on/and/on/for/more/than/a/line/and/end/in/a/run"
texts p.svg 1 | grep -q '/$' || fail "a path is not cut at its parts: $(texts p.svg 2)"
for style in paper slide dark mono; do
	"$REPORT" t.txt --style $style -o $style.svg -o $style.pdf -o $style.png || fail "--style $style"
	rsvg-convert -o p.png $style.svg || fail "the SVG of $style cannot be drawn"
	! cmp -s $style.svg paper.svg || [ $style = paper ] || fail "$style looks like paper"
done
grep -q '#0072b2' mono.svg && fail "mono has colours"
"$REPORT" t.txt --style nonsense 2>/dev/null && fail "--style nonsense"

# ---- several traces ----
cp t.txt u.txt
"$REPORT" t.txt u.txt -o several.svg/ -o several.pdf -o several.png/
grep -q '>u.txt</text>' several.svg/curves.svg || fail "a trace has no name"
grep -q '>u.txt</text>' several.svg/functions.svg || fail "a trace's functions have no name"
# A function without a share of its own is in "other" there, and is not taken for one that is not called.
awk '/function=sgemm_/ { sub(/duration=[0-9]+ms/, "duration=1us") } { print }' t.txt >less.txt
"$REPORT" t.txt less.txt -f svg --figure functions >less.svg
same "called, but little" "2 0" "$(grep -c '>in other</text>' less.svg) $(grep -c '>–</text>' less.svg || :)"
grep -v 'function=sgemv_ library' t.txt >without.txt
"$REPORT" less.txt without.txt -f svg --figure functions >less.svg
same "never called, and nothing in other" "1 2" "$(grep -c '>in other</text>' less.svg) $(grep -c '>–</text>' less.svg)"
[ -s several.svg/overlay.svg ] || fail "several traces are not overlaid"
same "files" "$(ls several.svg | sed 's/svg/png/')" "$(ls several.png)"
for n in 3 4 5; do
	cp t.txt $n.txt
done
"$REPORT" t.txt u.txt 3.txt 4.txt 5.txt -o five.svg
same "panels of five traces" 5 "$(grep -c '>no data<\|>[tu345].txt<' five.svg)"

# ---- kinds of work: repeated runs are one bar with an interval ----
sed 's/--model/--batch=7\\x1f--model/; s/duration=98ms/duration=60ms/' t.txt >other.txt
sed 's/duration=98ms/duration=90ms/' t.txt >u.txt
"$REPORT" t.txt u.txt other.txt --figure kinds -o kinds.svg
grep -q '(2 runs)</text>' kinds.svg || fail "two runs are not one group"
for word in allocate launch compute 'Share of the time in calls (%)'; do
	grep -q ">$word</text>" kinds.svg || fail "kinds has no $word"
done
"$REPORT" t.txt other.txt --figure kinds -o single.svg
[ "$(grep -c 'stroke="#222222"' kinds.svg)" -gt "$(grep -c 'stroke="#222222"' single.svg)" ] ||
	fail "two runs have no interval"

# Whose calls nobody saw has no bars, and its name says so.
grep -v 'dltrace_c[a-z]*:\|sample:function' other.txt >silent.txt
for figure in kinds functions; do
	"$REPORT" -q t.txt silent.txt --figure $figure -o silent.svg
	grep -q '>no calls seen: [^<]*\(batch 7\|silent.txt\)' silent.svg || fail "$figure: a group without calls is gone without a word"
	! grep -q 'no calls seen' kinds.svg || fail "$figure: no calls seen of all"
done
"$REPORT" -q t.txt silent.txt --figure kinds -o silent.svg
grep -q ">device cuda<" silent.svg || fail "one group of several has no legend"

# ---- the heap: the sum is dashed over its processes, curves that are alike are not of one width ----
heaps() { # PEAK-IN-MB...: of processes
	echo 'dltrace-text 1'
	n=0
	for peak in "$@"; do
		n=$((n + 1))
		echo "[1s] dltrace_proc:process process=$n pid=$((100 + n)) begin=1s host=\"h\" exe=\"/bin/app\""
		for t in 2 3 4; do
			echo "[${t}s] dltrace_sample:process process=$n time=${t}s threads=1 allocated=${peak}M freed=0 heap_peak=${peak}M"
		done
	done
}
heaps 90 50 50 20 10 >many.txt
"$REPORT" -q many.txt --figure heap -o heap.svg
grep -q '>4 of 5 processes' heap.svg || fail "who is left out"
[ "$(grep -c 'stroke-dasharray' heap.svg)" = 2 ] || fail "the sum is not dashed"
[ "$(grep -c 'stroke-width="1.5"' heap.svg)" = 1 ] || fail "what is alike: $(grep -o 'stroke-width="[^"]*' heap.svg | sort | uniq -c)"
heaps 90 >one.txt
"$REPORT" -q one.txt --figure heap -o heap.svg
! grep -q 'stroke-dasharray\|processes: ' heap.svg || fail "one process is a sum"

# ---- runs of a study: by model, data set and mini-batch rather than by their folders ----
for batch in 1 8; do
	sed "s/--model/--dataset\\\\x1fsmall\\\\x1f--batch\\\\x1f$batch\\\\x1f--model/" t.txt >run$batch.txt
done
"$REPORT" run1.txt run8.txt -o study.svg
grep -q '>batch 8</text>' study.svg && grep -q '>batch 1[^<]*</text>' study.svg || fail "a run of a study is named by its folder"
! grep -q '>run[18].txt</text>' study.svg || fail "folders are shown beside"

# ---- many repeated runs: one of each group is drawn ----
for n in 3 4 5; do
	cp t.txt $n.txt
done
"$REPORT" t.txt 3.txt 4.txt 5.txt u.txt other.txt -o many.svg/
same "drawn runs" 2 "$(grep -c '>[a-z0-9]*.txt</text>' many.svg/curves.svg)"
texts many.svg/curves.svg 2 | xargs | grep -q ', one run each$' || fail "nobody says that runs are left out"
grep -q '(5 runs)</text>' many.svg/kinds.svg || fail "kinds leaves runs out"

# ---- very small ones ----
"$REPORT" t.txt --size 30mm --figure curves -o tiny.svg
for text in 'RAM: this run' 'RAM: all programs' 1; do
	grep -q ">$text</text>" tiny.svg || fail "30 mm: no $text"
done

# ---- epochs ----
cat >>u.txt <<'END'
[1400ms] dltrace_mark:range thread=1 begun_by=1 kind=4 domain="dltrace" name="epoch" payload_type=2 payload=5
[2200ms] dltrace_mark:range thread=1 begun_by=1 kind=4 domain="dltrace" name="epoch" payload_type=2 payload=6
END
"$REPORT" u.txt -o epochs.svg
for epoch in 'epoch 5' 6; do
	grep -q ">$epoch</text>" epochs.svg || fail "epoch $epoch has no number"
done
# The word has the room that it needs before the next line, or another one has it.
sed 's/^\[2200ms\]\(.*"epoch"\)/[1500ms]\1/' u.txt >near.txt
"$REPORT" near.txt -o near.svg
for epoch in 5 'epoch 6'; do
	grep -q ">$epoch</text>" near.svg || fail "an epoch beside another one: no $epoch"
done

# ---- the same bytes ----
for ending in svg pdf png; do
	"$REPORT" t.txt -o first.$ending/
	sleep 1.1	# no date of writing is in it
	"$REPORT" t.txt -o second.$ending/
	diff -r first.$ending second.$ending || fail "the same report gives another $ending"
done

# A command of 8,000 words takes no time.
{
	echo "dltrace-text 1"
	printf 'recording command "python3'
	for i in $(seq 8000); do printf '\\x1f--a%d' "$i"; done
	echo '"'
	cat <<'END'
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/usr/bin/work"
[3s] dltrace_sample:process process=1 time=3s threads=2 rss_anon=1M
[4s] dltrace_sample:process process=1 time=4s threads=2 rss_anon=2M
END
} >words.txt
timeout 30 "$REPORT" -q -o words.svg/ words.txt || fail "a long command: $?"
