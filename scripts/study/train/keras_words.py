# SPDX-License-Identifier: MIT
"""Keras's words for the tables of networks.py: of tensorflow.keras, Keras 2 or Keras 3, images last in channels."""
import networks


class Words:
    def __init__(self, layers):
        """layers: the module keras.layers"""
        self.k = layers

    def conv(self, x, layer):
        if layer.pad:  # "same" would pad the right and the bottom alone, with a stride
            x = self.k.ZeroPadding2D(layer.pad)(x)
        if layer.groups == 1:
            return self.k.Conv2D(layer.out, layer.kernel, strides=layer.stride, use_bias=layer.bias)(x)
        return self.k.DepthwiseConv2D(layer.kernel, strides=layer.stride, use_bias=layer.bias)(x)

    def norm(self, x, layer):
        return self.k.BatchNormalization(epsilon=1.001e-5, momentum=0.9)(x)  # Theano wants more than 1e-5

    def relu(self, x, layer):
        return self.k.Activation("relu")(x)

    def relu6(self, x, layer):
        return self.k.ReLU(6.0)(x)

    def pool(self, x, layer):
        if layer.pad:  # of values that are not below 0: they come from relu
            x = self.k.ZeroPadding2D(layer.pad)(x)
        return self.k.MaxPooling2D(layer.kernel, strides=layer.stride)(x)

    def mean(self, x, layer):
        return self.k.GlobalAveragePooling2D()(x)

    def flatten(self, x, layer):
        return self.k.Flatten()(x)

    def linear(self, x, layer):
        return self.k.Dense(layer.out)(x)

    def dropout(self, x, layer):
        return self.k.Dropout(layer.rate)(x)

    def add(self, x, y, layer):
        return self.k.add([x, y])


def model(keras, name, classes, size, channels=3):
    """The network `name` as a keras.Model that gives probabilities, as those of keras.applications do."""
    images = keras.layers.Input((size, size, channels))
    logits = networks.walk(networks.layers(name, classes, size, channels), Words(keras.layers), images)
    return keras.models.Model(images, keras.layers.Activation("softmax")(logits))


def reader(keras, classes, words, length):
    """The second study's network for reviews: words, a layer of GRU, and what its last state says."""
    review = keras.layers.Input((length,), dtype="int64")
    state = keras.layers.GRU(100)(keras.layers.Embedding(words, 125)(review))
    return keras.models.Model(review, keras.layers.Activation("softmax")(keras.layers.Dense(classes)(state)))
