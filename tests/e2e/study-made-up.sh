# SPDX-License-Identifier: MIT
# The second and third study's trainings on made-up data: as many steps as asked for, the same losses each
# time, learning something; ranks share the batches, and the first that fails tells how it ended.
. "$top_srcdir/tests/lib.sh"
python=$(python_with_torch)
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
train=$top_srcdir/scripts/study/train
job() {
	"$python" "$train/pytorch_job.py" "$@" 2>errors || fail "$*: status $?: $(cat errors)"
}
for model in cifar_cnn resnet44 imdb_rnn; do
	job --model $model --examples 20 --batch 8 >$model
	same "$model: steps" "epoch 1: 3 steps" "$(sed 's/, loss [0-9.]*$//' $model)"
done
job --model cifar_cnn --examples 20 --batch 8 | cmp - cifar_cnn || fail "the losses differ from run to run"
job --model resnet50_features --examples 6 --batch 4 --size 64 >features
grep -q '^epoch 1: 2 steps, mean [0-9]*\.[0-9]*$' features || fail "features: $(cat features)"

# Two ranks: half of the batches each, other ones, and one model.
cat >both.py <<'END'
import sys
sys.path.insert(0, sys.argv.pop(1))
import job, pytorch_job, torch
class Both(pytorch_job.PyTorch):
    def close(self):
        total = sum(p.double().abs().sum() for p in self.model.parameters())
        sys.stdout.write(f"rank {self.rank}: {float(total):.9f}\n")
        super().close()
job.run(Both)
END
# Somebody has the port that ranks on several hosts meet at.
"$python" -c 'import socket, time; s = socket.socket(); s.bind(("", 29400)); s.listen(1); time.sleep(1000)' 2>/dev/null &
holder=$!
trap 'kill $holder 2>/dev/null || :' EXIT
"$python" "$train/ranks.py" --ranks 2 -- "$python" both.py "$train" --model cifar_cnn --examples 40 \
	--batch 8 >both 2>errors || fail "two ranks: status $?: $(cat errors)"
same "each has its part" "epoch 1: 2 steps|epoch 1: 2 steps|" "$(sed -n 's/, loss .*//p' both | tr '\n' '|')"
same "of other examples" 2 "$(grep -c . <<END
$(grep loss both | sort -u)
END
)"
same "one model" 1 "$(sed -n 's/^rank [01]: //p' both | sort -u | grep -c .)"
status=0
"$python" "$train/ranks.py" --ranks 3 -- sh -c '[ $RANK = 1 ] && exit 7; sleep 60' || status=$?
same "a rank that fails ends the others" 7 $status
PYTHONPATH=$train "$python" - <<'END' || fail "see above"
import argparse
import made_up
args = argparse.Namespace(size=32, seed=1, examples=None, model="cifar_cnn")
one, other = (made_up.examples(args, layout) for layout in ("NCHW", "NHWC"))
assert len(one) == 50000 and len(one.classes) == 10
image, label = one[50003]
assert image.shape == (3, 32, 32) and label == 3 and (image == one[3][0]).all(), "a key is an example in any epoch"
assert (image.transpose(1, 2, 0) == other[3][0]).all()
args.model, args.size = "imdb_rnn", 150
words, labels = made_up.examples(args, "NCHW").batch(range(8))
assert words.shape == (8, 150) and words.min() >= 0 and words.max() < made_up.WORDS and words.dtype == labels.dtype == "int64"
END
