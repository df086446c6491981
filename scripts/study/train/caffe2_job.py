# SPDX-License-Identifier: MIT
"""The study's training with Caffe2, as PyTorch brought it until 1.10."""
import job
import networks
import numpy as np
from caffe2.proto import caffe2_pb2
from caffe2.python import brew, core, model_helper, optimizer, workspace


class Words:
    """The kinds of layers as operators of the net `m`; values are the names of its blobs."""

    def __init__(self, m, training):
        self.m, self.training = m, training

    def conv(self, x, layer):
        return brew.conv(self.m, x, layer.name, layer.before[0], layer.out, kernel=layer.kernel, stride=layer.stride,
                         pad=layer.pad, group=layer.groups, no_bias=not layer.bias)

    def norm(self, x, layer):
        return brew.spatial_bn(self.m, x, layer.name, layer.before[0], epsilon=1e-5, momentum=0.9, is_test=not self.training)

    def relu(self, x, layer):
        return brew.relu(self.m, x, layer.name)

    def relu6(self, x, layer):
        return self.m.net.Clip([x], [layer.name], min=0., max=6.)

    def pool(self, x, layer):
        return brew.max_pool(self.m, x, layer.name, kernel=layer.kernel, stride=layer.stride, pad=layer.pad)

    def mean(self, x, layer):
        return brew.average_pool(self.m, x, layer.name, kernel=layer.before[1], stride=1)

    def flatten(self, x, layer):
        return self.m.net.Flatten([x], [layer.name])

    def linear(self, x, layer):
        return brew.fc(self.m, x, layer.name, layer.before[0], layer.out)

    def dropout(self, x, layer):
        return brew.dropout(self.m, x, layer.name, ratio=layer.rate, is_test=not self.training)

    def add(self, x, y, layer):
        return brew.sum(self.m, [x, y], layer.name)


class Caffe2(job.Framework):
    def build(self):
        args = self.args
        workspace.GlobalInit(["caffe2", "--caffe2_log_level=3"])
        m = model_helper.ModelHelper("study", arg_scope={"order": "NCHW"})
        training = args.model != "resnet50_features"
        self.last = networks.walk(networks.layers(args.model, args.classes, args.size), Words(m, training), "images")
        if training:
            _, loss = m.net.SoftmaxWithLoss([self.last, "labels"], ["softmax", "loss"])
            m.AddGradientOperators([loss])
            optimizer.build_sgd(m, base_learning_rate=job.RATE, momentum=job.MOMENTUM, policy="fixed")
        if args.device == "cuda":
            m.param_init_net.RunAllOnGPU()
            m.net.RunAllOnGPU()
        for net in (m.param_init_net, m.net):
            net.Proto().device_option.random_seed = args.seed
        workspace.RunNetOnce(m.param_init_net)
        self.net = m.net

    def run(self, result, **blobs):
        """Feeds the net, runs it once, and gives the blob `result`."""
        option = core.DeviceOption(caffe2_pb2.CUDA if self.args.device == "cuda" else caffe2_pb2.CPU)
        for name, value in blobs.items():
            workspace.FeedBlob(name, value, option)
        if not hasattr(self, "created"):
            self.created = workspace.CreateNet(self.net)
        workspace.RunNet(self.net)
        return workspace.FetchBlob(result)

    def step(self, images, labels):
        return self.run("loss", images=images, labels=labels.astype(np.int32))

    def features(self, images):
        return self.run(self.last, images=images).mean()


if __name__ == "__main__":
    job.run(Caffe2)
