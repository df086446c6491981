# SPDX-License-Identifier: MIT
# What the study's training scripts share: all images of an epoch are trained on once, the last
# smaller batch too; the losses depend on the seed alone, not on who loads; what is said of epochs may come at the
# end; an error says what to do.
. "$top_srcdir/tests/lib.sh"
python=$(python_with_torch)
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
"$python" - <<'END'
import os, random
from PIL import Image
random.seed(1)
for number in range(11):
    folder = ("data/fire", "data/none", "data/smoke")[number % 3]
    os.makedirs(folder, exist_ok=True)
    width, height = random.randint(60, 120), random.randint(60, 120)
    Image.frombytes("RGB", (width, height), random.randbytes(3 * width * height)).save(f"{folder}/{number:04}.jpg")
END
train() {
	"$python" "$top_srcdir/scripts/study/train/pytorch_job.py" --data data --size 64 --batch 4 --epochs 2 "$@"
}
train >once 2>times || fail "status $?: $(cat times)"
train --workers 2 >workers 2>errors || fail "status $?: $(cat errors)"
train --seed 2 >other 2>errors || fail "status $?: $(cat errors)"
train --iterations 1 >short 2>errors || fail "status $?: $(cat errors)"
same "steps" "epoch 1: 3 steps|epoch 2: 3 steps|" "$(sed 's/, loss .*//' once | tr '\n' '|')"
same "steps at most" "epoch 1: 1 steps|epoch 2: 1 steps|" "$(sed 's/, loss .*//' short | tr '\n' '|')"
STUDY_SILENT=1 train >silent 2>errors || fail "status $?: $(cat errors)"
same "silent until its end" "{\"steps\": [3, 3], \"loss\": [$(sed 's/.*, loss \(.*\)/"\1"/' once | paste -s -d , | sed 's/,/, /')]}" "$(cat silent)"
! grep -i epoch silent errors || fail "it says epochs"
same "times" "epoch 1:|epoch 2:|" "$(sed 's/ [0-9.]* s$//' times | tr '\n' '|')"
cmp once workers || fail "the losses depend on who loads the photos"
! cmp -s once other || fail "the losses do not depend on the seed"
status=0
"$python" "$top_srcdir/scripts/study/train/pytorch_job.py" --data nowhere 2>errors || status=$?
same "status without photos" 1 $status
grep -q 'nowhere.*study data' errors || fail "no photos: $(cat errors)"

# One that would train on the CPU where a GPU was asked for.
cat >quiet.py <<'END'
import job
class Quiet(job.Framework):
    def build(self): pass
    def step(self, images, labels): return images.mean()
job.run(Quiet)
END
quiet() {
	PYTHONPATH=$top_srcdir/scripts/study/train "$python" quiet.py --data data --size 32 --batch 4 "$@" >out 2>errors
}
quiet || fail "status $?: $(cat errors)"
if [ ! -e /dev/nvidia0 ]; then
	! quiet --device cuda || fail "it trains on the CPU: $(cat out)"
	grep -q 'the first step has not opened a GPU' errors || fail "$(cat errors)"
	[ ! -s out ] || fail "results: $(cat out)"
fi

# The loader of frameworks that have none: as the batches made one by one, in another order each epoch.
PYTHONPATH=$top_srcdir/scripts/study/train "$python" - <<'END' || fail "see above"
import argparse
import numpy
import job
args = argparse.Namespace(batch=4, seed=1, iterations=None)
for layout, shape in (("NCHW", (3, 32, 32)), ("NHWC", (32, 32, 3))):
    photos = job.Photos("data", 32, 1, layout)
    assert photos.classes == ["fire", "none", "smoke"] and len(photos) == 11
    order = job.Order(len(photos), args)
    here, there = job.Loader(photos, order, 0), job.Loader(photos, order, 2)
    orders = []
    for order.epoch in (1, 2):
        alone, together = list(here), list(there)
        assert [images.shape for images, _ in alone] == [(4,) + shape, (4,) + shape, (3,) + shape]
        assert all(numpy.array_equal(a, b) for x, y in zip(alone, together) for a, b in zip(x, y))
        assert all(images.dtype == numpy.float32 and abs(images).max() < 3 for images, _ in alone)
        keys = [key for batch in order for key in batch]
        assert sorted(key % 11 for key in keys) == list(range(11))
        assert all(label == photos.files[key % 11][1] for key, label in zip(keys, numpy.concatenate([l for _, l in alone])))
        orders.append([key % 11 for key in keys])
    assert orders[0] != orders[1]
    there.close()
first = [job.Photos("data", 32, 1)[key][0] for key in (11, 22)]
assert not numpy.array_equal(*first), "a photo is prepared in the same way in each epoch"
END
