# SPDX-License-Identifier: MIT
"""The study's training with TensorFlow, 1.15 or newer: keras.applications, and AlexNet written out."""
import os

import job
import keras_words
import made_up

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # what it found on this machine is no result
import tensorflow as tf  # noqa: E402

ZOO = {"mobilenet_v2": tf.keras.applications.MobileNetV2, "resnet50": tf.keras.applications.ResNet50,
       "vgg16": tf.keras.applications.VGG16}


class TensorFlow(job.Framework):
    layout = "NHWC"

    @staticmethod
    def options(parser):
        parser.add_argument("--api", choices=("function", "train_on_batch"), default="function",
                            help="what trains: a tf.function with a GradientTape, or Keras's train_on_batch")

    def loader(self, photos, order):
        """With workers, tf.data: its threads do the loading."""
        if not self.args.workers:
            return super().loader(photos, order)
        image = (self.args.size, self.args.size, 3)

        def load(keys):
            images, labels = tf.numpy_function(photos.batch, [keys], [tf.float32, tf.int64])
            return tf.ensure_shape(images, (None,) + image), tf.ensure_shape(labels, (None,))

        data = tf.data.Dataset.from_generator(lambda: iter(order), tf.int64, (None,))
        return data.map(load, num_parallel_calls=self.args.workers).prefetch(self.args.workers)

    def build(self):
        args = self.args
        if hasattr(tf.keras.utils, "set_random_seed"):
            tf.keras.utils.set_random_seed(args.seed)
        else:
            tf.compat.v1.set_random_seed(args.seed)
        example = (args.size, args.size, 3)
        if args.model in ZOO:
            self.model = ZOO[args.model](weights=None, classes=args.classes, input_shape=example)
        elif args.model == "resnet50_features":
            self.model = ZOO["resnet50"](weights=None, include_top=False, pooling="avg", input_shape=example)
        elif args.model == "imdb_rnn":
            example = (args.size,)
            self.model = keras_words.reader(tf.keras, args.classes, made_up.WORDS, args.size)
        else:
            self.model = keras_words.model(tf.keras, args.model, args.classes, args.size)
        self.loss_of = tf.keras.losses.SparseCategoricalCrossentropy()
        self.optimiser = tf.keras.optimizers.SGD(job.RATE, momentum=job.MOMENTUM)
        if args.api == "train_on_batch":
            self.model.compile(self.optimiser, self.loss_of)
        else:
            images = tf.TensorSpec((None,) + example, tf.int64 if args.model == "imdb_rnn" else tf.float32)
            self.function = tf.function(self.trained, input_signature=(images, tf.TensorSpec((None,), tf.int64)))
            self.forward = tf.function(self.extracted, input_signature=(images,))

    def trained(self, images, labels):
        with tf.GradientTape() as tape:
            loss = self.loss_of(labels, self.model(images, training=True))
        variables = self.model.trainable_variables
        self.optimiser.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    def extracted(self, images):
        return tf.reduce_mean(self.model(images, training=False))

    def features(self, images):
        return self.forward(images)

    def step(self, images, labels):
        if self.args.api == "function":
            return self.function(images, labels)
        self.model.reset_metrics()  # Keras 3 gives the mean since then
        return self.model.train_on_batch(images, labels)


def prepare(threads):
    """One thread for an operation and for operations, where the user wants OpenMP to have one; before any work."""
    if tf.__version__.startswith("1."):
        tf.compat.v1.enable_v2_behavior()
    if threads == "1":
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)


if __name__ == "__main__":
    prepare(os.environ.get("OMP_NUM_THREADS"))
    job.run(TensorFlow)
