# SPDX-License-Identifier: MIT
"""The study's training with Horovod over PyTorch, started by horovodrun or ranks.py; alone it is one rank."""
import horovod.torch as hvd
import job
import pytorch_job


class Horovod(pytorch_job.PyTorch):
    def __init__(self, args):
        super().__init__(args)
        hvd.init()
        self.rank, self.ranks = hvd.rank(), hvd.size()

    def local_rank(self):
        return hvd.local_rank()

    def distribute(self):
        self.optimiser = hvd.DistributedOptimizer(self.optimiser, named_parameters=self.model.named_parameters())
        hvd.broadcast_parameters(self.model.state_dict(), root_rank=0)

    def close(self):
        hvd.shutdown()


if __name__ == "__main__":
    job.run(Horovod)
