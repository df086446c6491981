# SPDX-License-Identifier: MIT
"""The study's training with TensorFlow's MultiWorkerMirroredStrategy; TF_CONFIG, as of ranks.py, names the workers."""
import os

import job
import tensorflow as tf
import tensorflow_job


class MultiWorker(tensorflow_job.TensorFlow):
    def __init__(self, args):
        super().__init__(args)
        self.rank, self.ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        # Before anything touches the runtime.
        self.strategy = tf.distribute.MultiWorkerMirroredStrategy() if self.ranks > 1 else None

    def trained(self, images, labels):
        """Each worker's own gradients, their mean over all workers, and the same step everywhere."""
        if not self.strategy:
            return super().trained(images, labels)
        variables = self.model.trainable_variables

        def local(images, labels):
            with tf.GradientTape() as tape:
                loss = self.loss_of(labels, self.model(images, training=True))
            context = tf.distribute.get_replica_context()
            return loss, context.all_reduce(tf.distribute.ReduceOp.MEAN, tape.gradient(loss, variables))

        loss, gradients = self.strategy.run(local, args=(images, labels))
        self.optimiser.apply_gradients(zip(gradients, variables))
        return loss


if __name__ == "__main__":
    tensorflow_job.prepare(os.environ.get("OMP_NUM_THREADS"))
    job.run(MultiWorker)
