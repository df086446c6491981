# SPDX-License-Identifier: MIT
"""The study's networks with ONNX Runtime, which runs models: only the forward half of each step, for the same loss."""
import os

import job
import networks
import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


class Words:
    """The kinds of layers as nodes of an ONNX graph; values are names."""

    def __init__(self, seed):
        self.random, self.nodes, self.constants = np.random.RandomState(seed), [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind, inputs, layer, **attributes):
        self.nodes.append(helper.make_node(kind, list(inputs), [layer.name], **attributes))
        return layer.name

    def learned(self, layer, *names):
        values = networks.initial(layer, self.random)
        return [self.constant("%s %s" % (layer.name, name), values[name]) for name in names if name in values]

    def conv(self, x, layer):
        return self.node("Conv", [x] + self.learned(layer, "weight", "bias"), layer, group=layer.groups,
                         strides=[layer.stride] * 2, pads=[layer.pad] * 4)

    def norm(self, x, layer):
        statistics = [self.constant("%s %s" % (layer.name, name), np.full(layer.before[0], value, np.float32))
                      for name, value in (("mean", 0), ("variance", 1))]
        return self.node("BatchNormalization", [x] + self.learned(layer, "scale", "shift") + statistics, layer)

    def relu(self, x, layer):
        return self.node("Relu", [x], layer)

    def relu6(self, x, layer):
        limits = [self.constant("%s %g" % (layer.name, limit), np.float32(limit)) for limit in (0, 6)]
        return self.node("Clip", [x] + limits, layer)

    def pool(self, x, layer):
        return self.node("MaxPool", [x], layer, kernel_shape=[layer.kernel] * 2, strides=[layer.stride] * 2,
                         pads=[layer.pad] * 4)

    def mean(self, x, layer):
        return self.node("ReduceMean", [x], layer, axes=[2, 3], keepdims=0)

    def flatten(self, x, layer):
        return self.node("Flatten", [x], layer)

    def linear(self, x, layer):
        return self.node("Gemm", [x] + self.learned(layer, "weight", "bias"), layer, transB=1)

    def dropout(self, x, layer):
        return x

    def add(self, x, y, layer):
        return self.node("Add", [x, y], layer)


def options():
    """So many threads as the others read from the environment themselves. Its default is one a core of the machine, and each
    pins itself to its own, whatever the process may use."""
    found = onnxruntime.SessionOptions()
    found.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS", "0"))  # 0: the default
    return found


class OnnxRuntime(job.Framework):
    def build(self):
        args, words = self.args, Words(self.args.seed)
        shape = ["batch", 3, args.size, args.size]
        logits = networks.walk(networks.layers(args.model, args.classes, args.size), words, "images")
        graph = helper.make_graph(words.nodes, args.model,
                                  [helper.make_tensor_value_info("images", TensorProto.FLOAT, shape)],
                                  [helper.make_tensor_value_info(logits, TensorProto.FLOAT, ["batch", args.classes])],
                                  words.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        provider = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}[args.device]
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options(), providers=[provider])

    def step(self, images, labels):
        logits, = self.session.run(None, {"images": images})
        shifted = logits - logits.max(1, keepdims=True)
        right = shifted[np.arange(len(labels)), labels]
        return (np.log(np.exp(shifted).sum(1)) - right).mean()

    def features(self, images):
        return self.session.run(None, {"images": images})[0].mean()


if __name__ == "__main__":
    job.run(OnnxRuntime)
