# SPDX-License-Identifier: MIT
"""The study's training with PyTorch and torchvision's models, 1.8 or newer."""
import job
import torch
import torchvision


class PyTorch(job.Framework):
    def loader(self, photos, order):
        return torch.utils.data.DataLoader(photos, batch_sampler=order, num_workers=self.args.workers)

    def build(self):
        torch.manual_seed(self.args.seed)
        model = getattr(torchvision.models, self.args.model)(num_classes=self.args.classes)
        self.model = model.to(self.args.device).train()
        self.loss_of = torch.nn.CrossEntropyLoss()
        self.optimiser = torch.optim.SGD(self.model.parameters(), lr=job.RATE, momentum=job.MOMENTUM)

    def step(self, images, labels):
        loss = self.loss_of(self.model(images.to(self.args.device)), labels.to(self.args.device))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return loss.item()


if __name__ == "__main__":
    job.run(PyTorch)
