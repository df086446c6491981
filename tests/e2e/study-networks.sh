# SPDX-License-Identifier: MIT
# The study's tables of networks learn as many parameters as torchvision's models, stage by stage; and
# walking a table gives every layer the values of the shape that the table says.
. "$top_srcdir/tests/lib.sh"
python=$(python_with_torch)
PYTHONPATH=$top_srcdir/scripts/study/train PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 "$python" - <<'END' || fail "see above"
import collections, math, sys
import numpy, torch, torchvision
import networks
F = torch.nn.functional

def shapes(tensors):
    """How many tensors of each size, whatever their names; without the ones and zeros of each dimension."""
    return collections.Counter(tuple(n for n in t) for t in tensors)

class Words:
    """The kinds of layers in PyTorch's functions, which see that shapes are as the table says."""
    def __init__(self):
        self.random = numpy.random.RandomState(1)
        self.seen = 0
    def __getattr__(self, kind):
        def word(*arguments):
            *values, layer = arguments
            assert tuple(values[0].shape[1:]) == layer.before, layer
            p = {n: torch.from_numpy(v) for n, v in networks.initial(layer, self.random).items()}
            result = FUNCTIONS[kind](*values, layer, p)
            assert tuple(result.shape[1:]) == layer.after, layer
            self.seen += 1
            return result
        return word

FUNCTIONS = {
    "conv": lambda x, l, p: F.conv2d(x, p["weight"], p.get("bias"), l.stride, l.pad, groups=l.groups),
    "norm": lambda x, l, p: F.batch_norm(x, None, None, p["scale"], p["shift"], training=True),
    "relu": lambda x, l, p: F.relu(x), "relu6": lambda x, l, p: F.relu6(x),
    "pool": lambda x, l, p: F.max_pool2d(x, l.kernel, l.stride, l.pad),
    "mean": lambda x, l, p: x.mean((2, 3)), "flatten": lambda x, l, p: x.flatten(1),
    "linear": lambda x, l, p: F.linear(x, p["weight"], p["bias"]), "dropout": lambda x, l, p: F.dropout(x, l.rate),
    "add": lambda x, y, l, p: x + y,
}

def learned(model, classes, size):
    return [s for layer in networks.layers(model, classes, size) for s in networks.parameters(layer).values()]

for model in ("alexnet", "mobilenet_v2", "resnet50", "vgg16"):
    theirs = [tuple(p.shape) for p in getattr(torchvision.models, model)(num_classes=3).parameters()]
    ours = learned(model, 3, 224)
    assert shapes(ours) == shapes(theirs), (model, shapes(ours) - shapes(theirs), shapes(theirs) - shapes(ours))
assert learned("resnet50_features", 3, 224) == learned("resnet50", 3, 224)[:-2]
for model, parameters in (("resnet44", 661338), ("cifar_cnn", 3441592)):
    assert sum(map(math.prod, learned(model, 10, 32))) == parameters, model
for model, size in (("alexnet", 64), ("mobilenet_v2", 64), ("resnet50", 64), ("vgg16", 64), ("resnet44", 32), ("cifar_cnn", 32)):
    layers, words = networks.layers(model, 3, size), Words()
    logits = networks.walk(layers, words, torch.ones(2, 3, size, size))
    assert logits.shape == (2, 3) and words.seen == len(layers), model
END
