# SPDX-License-Identifier: MIT
"""The study's training with Keras 2.2 to 3, on the engine that KERAS_BACKEND names; it has all but AlexNet itself."""
import os
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
warnings.simplefilter("ignore")

import job  # noqa: E402
import keras  # noqa: E402
import keras_words  # noqa: E402
import made_up  # noqa: E402
import numpy as np  # noqa: E402


class Keras(job.Framework):
    layout = "NHWC"

    def build(self):
        args = self.args
        np.random.seed(args.seed)
        if hasattr(keras.utils, "set_random_seed"):
            keras.utils.set_random_seed(args.seed)
        self.model = self.network()
        self.model.compile(keras.optimizers.SGD(job.RATE, momentum=job.MOMENTUM), "sparse_categorical_crossentropy")

    def network(self):
        args, zoo = self.args, keras.applications
        make = {"mobilenet_v2": zoo.mobilenet_v2.MobileNetV2, "resnet50": zoo.resnet50.ResNet50, "vgg16": zoo.vgg16.VGG16}
        image = (args.size, args.size, 3)
        if args.model in make:
            return make[args.model](weights=None, classes=args.classes, input_shape=image)
        if args.model == "imdb_rnn":
            return keras_words.reader(keras, args.classes, made_up.WORDS, args.size)
        if args.model == "resnet50_features":
            return zoo.resnet50.ResNet50(weights=None, include_top=False, pooling="avg", input_shape=image)
        return keras_words.model(keras, args.model, args.classes, args.size)

    def features(self, images):
        return self.model.predict_on_batch(images).mean()

    def step(self, images, labels):
        loss = self.model.train_on_batch(images, labels)
        if hasattr(self.model, "reset_metrics"):  # Keras 3 gives the mean of the batches since then
            self.model.reset_metrics()
        return loss


if __name__ == "__main__":
    if os.environ.get("KERAS_BACKEND") == "cntk":
        import cntk_job
        cntk_job.prepare(os.environ.get("OMP_NUM_THREADS"))
    job.run(Keras)
