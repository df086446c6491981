# SPDX-License-Identifier: MIT
# --fail-if: what holds, what does not, what cannot be told, and what is no condition.
. "$top_srcdir/tests/report/runs.inc"
train='python3 train.py --model x'
run a1 10100 1000 "$train"
run a2 10400 1100 "$train"
run a3 9800 1200 "$train"
run b1 12300 3000 "$train"
run b2 12900 3300 "$train"
run b3 11700 3600 "$train"

# fails, passes CONDITION...: of the b against the a
compared() {
	expected=$1
	shift
	for condition in "$@"; do
		exits "$expected" "$REPORT" --baseline 'a?.txt' b1.txt b2.txt b3.txt --fail-if "$condition"
	done
}

compared 3 'total>+20%'
same "one line" "dltrace-report: --fail-if 'total>+20%' holds: total is 12.3 s against 10.1 s, +21.8 % (3 and 3 runs, p = 0.011): b1.txt and 2 more" "$(cat err)"
compared 3 'total > +5% surely' 'total>+2s' 'total>=+2.2s' 'total>12s' 'function:sgemm_>+2ms' 'function:s*>+199%' \
	'kind:compute>+1ms' 'library:libtorch*>+1ms' 'layer:blas>3ms' 'calls:sgemm_>0' 'share:compute>+1%' 'share:compute>90%' \
	'lost<1' 'failures<=0' 'total<14s surely' 'calls:sgemm_>=+0' 'calls:sgemm_<=-0%' 'lost>=0'
compared 0 'total>+22%' 'total>+10% surely' 'total>+2.3s' 'total>12.5s' 'total<13s surely' 'total<12s' 'function:cudaMalloc>+0%' \
	'function:nothing>+5%' 'calls:*>+0' 'lost>0' 'share:compute>+50%' 'total<-1%' 'events>+0' 'total<+0'
compared 1 'epoch>+5%'
says "cannot be told: it is not known of any run$"
exits 3 "$REPORT" --baseline a1.txt b1.txt --fail-if 'lost>0' --fail-if 'total>+1s' --fail-if 'total>+2s'
same "a line each" 2 "$(wc -l <err)"
exits 3 "$REPORT" --baseline a1.txt b1.txt --fail-if 'epoch>1s' --fail-if 'total>+1s'
exits 1 "$REPORT" --baseline a1.txt b1.txt --fail-if 'total>+1s surely'
says "cannot be told: there are fewer than two good runs on a side, too few to be sure$"
exits 1 "$REPORT" a1.txt --fail-if 'total>1s surely'
says "cannot be told: there are fewer than two good runs, too few to be sure$"
exits 1 "$REPORT" --baseline 'a?.txt' b1.txt b2.txt --fail-if 'epoch>+1% surely'
says "cannot be told: it is not known of any run$"
exits 1 "$REPORT" a1.txt a2.txt --fail-if 'total>+5%'
says "--baseline names"
exits 1 "$REPORT" --baseline missing.txt b1.txt --fail-if 'total>+5%'
says "cannot be told: no trace that --baseline names could be read$"
exits 3 "$REPORT" a1.txt --fail-if 'total>10s'
grep -q "Time in BLAS" out || fail "no report beside it"
exits 0 "$REPORT" --baseline a1.txt a2.txt a3.txt --fail-if 'total>+5%'
same "nothing to say" "" "$(cat err)"
# What a misspelt name can never fail by is said.
exits 0 "$REPORT" a1.txt --fail-if 'calls:nope>1'; says "^dltrace-report: --fail-if 'calls:nope>1': nothing matches calls:nope, which counts as 0$"
says_one_line
exits 0 "$REPORT" a1.txt --fail-if 'layer:bl*>1h'
same "nothing to say of what is there" "" "$(cat err)"
# Several groups: the worst is named.
exits 3 "$REPORT" --baseline a1.txt b1.txt b2.txt --label b2.txt:v=2 --fail-if 'total>+5%'
says "+27.7 % (1 and 1 runs): v 2, and in 1 more"

for bad in '' total 'total>' 'total>5' 'total>5%' 'total>+5' 'total>x' 'total>+-5%' 'total>+5%%' 'total>5s x' 'rss_peak>5ms' \
	'lost>5%' 'lost>1K' 'share:wait>3' 'total:x>5s' '>5s' 'surely>5s' 'total>+5%surely' 'total=5s' 'total>+nan%'; do
	exits 2 "$REPORT" a1.txt --fail-if "$bad"
done
for bad in 'totl>5s' 'function>5s' 'function:>5s'; do
	exits 2 "$REPORT" a1.txt --fail-if "$bad"
	says "there are total, epoch, iteration"
done
exit 0
