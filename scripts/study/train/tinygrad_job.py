# SPDX-License-Identifier: MIT
"""The study's training with tinygrad: clang compiles each kernel when it is first met."""
import job
import networks
from tinygrad import Context, Tensor, nn
from tinygrad.helpers import DEV

# A layer with something to learn is an object, any other a function.
LEARNS = {
    "conv": lambda layer: nn.Conv2d(layer.before[0], layer.out, layer.kernel, layer.stride, layer.pad,
                                    groups=layer.groups, bias=layer.bias),
    "norm": lambda layer: nn.BatchNorm(layer.before[0]),
    "linear": lambda layer: nn.Linear(layer.before[0], layer.out),
}


class Words:
    """The kinds of layers, in tinygrad's words."""

    def __init__(self, layers):
        self.learns = {layer.name: LEARNS[layer.kind](layer) for layer in layers if layer.kind in LEARNS}

    def conv(self, x, layer):
        return self.learns[layer.name](x)

    norm = linear = conv

    def relu(self, x, layer):
        return x.relu()

    def relu6(self, x, layer):
        return x.relu6()

    def pool(self, x, layer):
        return x.max_pool2d(layer.kernel, layer.stride, padding=layer.pad)

    def mean(self, x, layer):
        return x.mean((2, 3))

    def flatten(self, x, layer):
        return x.flatten(1)

    def dropout(self, x, layer):
        return x.dropout(layer.rate)

    def add(self, x, y, layer):
        return x + y


class Tinygrad(job.Framework):
    def build(self):
        args = self.args
        DEV.value = {"cpu": "CPU", "cuda": "CUDA"}[args.device]
        Tensor.manual_seed(args.seed)
        self.layers = networks.layers(args.model, args.classes, args.size)
        self.words = Words(self.layers)
        self.optimiser = nn.optim.SGD(nn.state.get_parameters(self.words.learns), job.RATE, job.MOMENTUM)

    def step(self, images, labels):
        with Context(TRAINING=1):
            logits = networks.walk(self.layers, self.words, Tensor(images))
            loss = logits.sparse_categorical_crossentropy(Tensor(labels))
            self.optimiser.zero_grad()
            loss.backward()
            self.optimiser.step()
            return loss.item()


if __name__ == "__main__":
    job.run(Tinygrad)
