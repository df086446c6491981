# SPDX-License-Identifier: MIT
"""The study's training with Keras 2.2 to 3, on the engine that KERAS_BACKEND names; it has all but AlexNet itself."""
import os
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
warnings.simplefilter("ignore")

import job  # noqa: E402
import keras  # noqa: E402
import networks  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers as L  # noqa: E402


class Words:
    """The kinds of layers that AlexNet has."""

    def conv(self, x, layer):
        padded = L.ZeroPadding2D(layer.pad)(x) if layer.pad else x
        return L.Conv2D(layer.out, layer.kernel, strides=layer.stride, use_bias=layer.bias)(padded)

    def relu(self, x, layer):
        return L.Activation("relu")(x)

    def pool(self, x, layer):
        return L.MaxPooling2D(layer.kernel, layer.stride)(x)

    def flatten(self, x, layer):
        return L.Flatten()(x)

    def linear(self, x, layer):
        return L.Dense(layer.out)(x)

    def dropout(self, x, layer):
        return L.Dropout(layer.rate)(x)


def alexnet(weights, classes, input_shape):
    """As one of keras.applications."""
    images = L.Input(input_shape)
    logits = networks.walk(networks.layers("alexnet", classes, input_shape[0]), Words(), images)
    return keras.models.Model(images, L.Activation("softmax")(logits))


class Keras(job.Framework):
    layout = "NHWC"

    def build(self):
        args = self.args
        np.random.seed(args.seed)
        if hasattr(keras.utils, "set_random_seed"):
            keras.utils.set_random_seed(args.seed)
        zoo = keras.applications
        make = {"alexnet": alexnet, "mobilenet_v2": zoo.mobilenet_v2.MobileNetV2, "resnet50": zoo.resnet50.ResNet50,
                "vgg16": zoo.vgg16.VGG16}[args.model]
        self.model = make(weights=None, classes=args.classes, input_shape=(args.size, args.size, 3))
        self.model.compile(keras.optimizers.SGD(job.RATE, momentum=job.MOMENTUM), "sparse_categorical_crossentropy")

    def step(self, images, labels):
        loss = self.model.train_on_batch(images, labels)
        if hasattr(self.model, "reset_metrics"):  # Keras 3 gives the mean of the batches since then
            self.model.reset_metrics()
        return loss


if __name__ == "__main__":
    job.run(Keras)
