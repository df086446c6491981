# SPDX-License-Identifier: MIT
# The number that a program says behind the word "epoch" on its standard output or error is told when it
# changes, nothing else of what it writes; write does what it did.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need python3

cat >says.py <<'END'
import errno, os, sys

for text in ("Epoch 1/3\n", "epoch: 2, loss 0.5\n", "Train Epoch: [3][0/5]\r", "epoch=4", " EPOCH #5\n", '{"epoch": 6}\nepoch 7 epoch 77\n',
             "x" * 70000 + "epoch 88\n", "{'loss': 0.5, 'epoch': 8.0}\n",
             # none of these
             "epochs 20\n", "epoch 20.5\n", "epoch 20.01\n", "epoch 20.0.1\n", "num_epoch 20\n", "nepoch 20\n", "epoch took 20 s\n", "epoch 20%\n", "epoch 20s\n", "epoch\n20\n",
             "epoch", "epoch 1234567890\n", "epoch     20\n", "", "e", "h\n"):
    os.write(1, text.encode())
for number in (1, 1, 1, 2):
    sys.stderr.write("epoch %d\n" % number)
    sys.stderr.flush()
if os.fork() == 0:
    os.write(1, b"epoch 8\n")
    os._exit(0)
os.wait()
print("epoch 9.")
sys.stdout.flush()
other = os.open("other", os.O_WRONLY | os.O_CREAT)
os.write(other, b"epoch 21\n")
os.close(1)
try:
    os.write(1, b"epoch 22\n")
except OSError as error:
    sys.exit(0 if error.errno == errno.EBADF else 1)
sys.exit(2)
END
python3 says.py >expected 2>expected.err
"$RECORD" -q -o trace -- python3 says.py >actual 2>actual.err
cmp expected actual && cmp expected.err actual.err || fail "what is written is not what it was"
"$REPORT" --dump trace | sed -n 's/.*mark:range thread=\([0-9]*\) .* kind=6 .* payload=\([0-9]*\) domain="\([a-z]*\)" .*/\1 \3 \2/p' >said
self=$(head -n 1 said | cut -d ' ' -f 1)
same "numbers" "1 2 3 4 5 6 7 8 9" "$(sed -n "s/^$self stdout //p" said | paste -s -d ' ')"
same "standard error" "1 2" "$(sed -n "s/^$self stderr //p" said | paste -s -d ' ')"
same "a forked child begins anew" "stdout 8" "$(sed -n "/^$self /!s/^[0-9]* //p" said)"

# Python without a buffer writes each argument by itself.
cat >pieces.py <<'END'
import sys

for number in range(3):
    print("epoch", number, "loss", 20 + number)
    print("Epoch: ", number + 3, sep="")
    print("epoch", "took", 40)
    print("an epoch")
    print(50)
    sys.stdout.write("epoch")
    sys.stdout.write("s 60")
    sys.stdout.write("\n")
END
python3 -u pieces.py >expected
"$RECORD" -q -o pieces -- python3 -u pieces.py >actual
cmp expected actual || fail "what is written in pieces is not what it was"
same "in pieces" "0 3 1 4 2 5" "$("$REPORT" --dump pieces | sed -n 's/.*mark:range .* kind=6 .* payload=\([0-9]*\) .*/\1/p' | paste -s -d ' ')"

# A table whose first column is the epoch, with rules, progress bars that clear their line, and what is none of it.
cat >table.py <<'END'
import os

for text in ("  epoch    train_loss    valid_acc\n-------  ------------  -----------\n", "      1        0.6868       0.50\n",
             "      2        0.5\n", "done: 20\n", "      21       0.6\n",
             "\n      Epoch    GPU_mem   box_loss  mAP50\n", "\r        3/9         0G      2.9:  50%", " 22/30", "\r\033[K        3/9  0G",
             "\r\033[1;32m        4/9  0G\n", "                 Class     Images\n", "                   23         24\n",
             "epoch  loss", "\n", "\n 5  0.5\n6\t0.4\n", "25:10 late\n", "26 0.5\n",
             "an epoch  loss\n27 0.5\n", "epoch took 28 s\n29 0.5\n", "epochs  loss\n30 0.5\n", "epoch\n31 0.5\n",
             "epoch  loss\n7  0.5\n8  0.4\nend\n"):
    os.write(1, text.encode())
END
python3 table.py >expected
"$RECORD" -q -o table -- python3 table.py >actual
cmp expected actual || fail "what is written in a table is not what it was"
same "in a table" "1 2 3 4 5 6 7 8" "$("$REPORT" --dump table | sed -n 's/.*mark:range .* kind=6 .* payload=\([0-9]*\) .*/\1/p' | paste -s -d ' ')"

# Where little is allowed.
"$APPS/writes" >expected 2>expected.err
"$RECORD" -q -o writes -- "$APPS/writes" >actual 2>actual.err
same "what came of it" "$(cat expected.err)" "$(cat actual.err)"
for file in expected actual; do
	sort $file | grep -v -c -e 'epoch [12]$' >$file.others
done
same "and was written" "$(cat expected.others)" "$(cat actual.others)"
"$REPORT" --dump writes | sed -n 's/.*mark:range .* kind=6 .* payload=\([0-9]*\) .*/\1/p' | sort -nu >said
# Where nobody looks at what is written, it need not be there.
"$RECORD" -q -o nowhere -- "$APPS/writes" >/dev/null 2>&1 || fail "written to /dev/null: exit status $?"
same "numbers, but for the child's of vfork" "1 2 4 5 10 11 12" "$(paste -s -d ' ' said)"

# Not in a summary; and a flood is none.
"$RECORD" -q -l summary -o summary -- python3 says.py >actual 2>&1
same "summary" 0 "$("$REPORT" --dump summary | grep -c 'mark:range .* kind=6')"
cat >flood.py <<'END'
import os
for number in range(20000):
    os.write(1, b"epoch %d\n" % (number % 2))
END
"$RECORD" -q -o flood -- python3 flood.py >actual
same "all is written" 20000 "$(wc -l <actual)"
told=$("$REPORT" --dump flood | grep -c 'mark:range .* kind=6')
[ "$told" -ge 1000 ] && [ "$told" -lt 10000 ] || fail "of 20,000 changes $told are told"
