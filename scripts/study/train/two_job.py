# SPDX-License-Identifier: MIT
"""Two frameworks in one process: each step trains a network of PyTorch and, on the same images, one of JAX."""
import jax_job
import job
import pytorch_job


class Two(job.Framework):
    def __init__(self, args):
        super().__init__(args)
        self.torch, self.jax = pytorch_job.PyTorch(args), jax_job.Jax(args)

    def loader(self, photos, order):
        return self.torch.loader(photos, order)

    def build(self):
        self.torch.build()
        self.jax.build()

    def step(self, images, labels):
        channels_last = images.permute(0, 2, 3, 1).contiguous().numpy()
        return (self.torch.step(images, labels) + float(self.jax.step(channels_last, labels.numpy()))) / 2


if __name__ == "__main__":
    job.run(Two)
