# SPDX-License-Identifier: MIT
"""The study's training with MXNet: Gluon, and the models of its zoo."""
import job
import mxnet
from mxnet import autograd, gluon
from mxnet.gluon.model_zoo import vision

ZOO = {"alexnet": vision.alexnet, "mobilenet_v2": vision.mobilenet_v2_1_0, "resnet50": vision.resnet50_v1,
       "vgg16": vision.vgg16}


class MXNet(job.Framework):
    def loader(self, photos, order):
        return gluon.data.DataLoader(photos, batch_sampler=order, num_workers=self.args.workers)

    def build(self):
        mxnet.random.seed(self.args.seed)
        self.context = mxnet.gpu() if self.args.device == "cuda" else mxnet.cpu()
        self.model = ZOO[self.args.model](classes=self.args.classes)
        self.model.initialize(mxnet.init.Xavier(), ctx=self.context)
        self.model.hybridize()
        self.loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
        self.trainer = gluon.Trainer(self.model.collect_params(), "sgd",
                                     {"learning_rate": job.RATE, "momentum": job.MOMENTUM})

    def step(self, images, labels):
        images, labels = images.as_in_context(self.context), labels.as_in_context(self.context)
        with autograd.record():
            loss = self.loss_of(self.model(images), labels)
        loss.backward()
        self.trainer.step(len(images))
        return loss.mean().asscalar()


if __name__ == "__main__":
    job.run(MXNet)
