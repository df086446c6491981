# SPDX-License-Identifier: MIT
# What runs inside the environments of the study's frameworks is Python 3.6, and is not named like a package.
. "$top_srcdir/tests/lib.sh"
python3 - "$top_srcdir"/scripts/study/train/*.py <<'END' || fail "see above"
import ast, os, sys
PACKAGES = "torch tensorflow keras jax mxnet paddle chainer cntk theano lasagne caffe2 horovod cupy onnxruntime tinygrad"
for file in sys.argv[1:]:
    ast.parse(open(file).read(), file, feature_version=(3, 6))
    name = os.path.basename(file)[:-len(".py")]
    assert name not in PACKAGES.split(), f"{file} hides the package {name} from scripts beside it"
END
