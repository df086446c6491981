# SPDX-License-Identifier: MIT
"""The study's training with Paddle and the models of paddle.vision, 2.0 or newer."""
import job
import networks
import paddle
from paddle.vision import models


class Paddle(job.Framework):
    def loader(self, photos, order):
        return paddle.io.DataLoader(photos, batch_sampler=order, num_workers=self.args.workers)

    def build(self):
        paddle.set_device("gpu" if self.args.device == "cuda" else "cpu")
        paddle.seed(self.args.seed)
        self.model = getattr(models, self.args.model)(num_classes=self.args.classes)
        if self.args.model == "alexnet":  # made for 224 pixels alone
            first = next(layer for layer in networks.layers("alexnet", self.args.classes, self.args.size)
                         if layer.kind == "linear")
            self.model._fc6 = paddle.nn.Linear(first.before[0], first.out)
        self.model.train()
        self.loss_of = paddle.nn.CrossEntropyLoss()
        self.optimiser = paddle.optimizer.Momentum(job.RATE, job.MOMENTUM, parameters=self.model.parameters())

    def step(self, images, labels):
        loss = self.loss_of(self.model(images), labels)
        loss.backward()
        self.optimiser.step()
        self.optimiser.clear_grad()
        return loss


if __name__ == "__main__":
    job.run(Paddle)
