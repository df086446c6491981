# SPDX-License-Identifier: MIT
"""The study's training with JAX: layers of flax, SGD of optax, compiled by XLA."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import job
import made_up
import networks
import optax


class Words:
    """The kinds of layers, in flax's words; its layers have the channels last."""

    def __init__(self, training):
        self.training = training

    def conv(self, x, layer):
        return nn.Conv(layer.out, (layer.kernel,) * 2, layer.stride, [(layer.pad,) * 2] * 2,
                       feature_group_count=layer.groups, use_bias=layer.bias)(x)

    def norm(self, x, layer):
        return nn.BatchNorm(use_running_average=not self.training, momentum=0.9, epsilon=1e-5)(x)

    def relu(self, x, layer):
        return nn.relu(x)

    def relu6(self, x, layer):
        return nn.relu6(x)

    def pool(self, x, layer):
        return nn.max_pool(x, (layer.kernel,) * 2, (layer.stride,) * 2, [(layer.pad,) * 2] * 2)

    def mean(self, x, layer):
        return x.mean((1, 2))

    def flatten(self, x, layer):
        return x.reshape(len(x), -1)

    def linear(self, x, layer):
        return nn.Dense(layer.out)(x)

    def dropout(self, x, layer):
        return nn.Dropout(layer.rate, deterministic=not self.training)(x)

    def add(self, x, y, layer):
        return x + y


class Network(nn.Module):
    model: str
    classes: int
    size: int
    training: bool = True

    @nn.compact
    def __call__(self, examples):
        if self.model == "imdb_rnn":  # words, a layer of GRU, and what its last state says
            states = nn.RNN(nn.GRUCell(100))(nn.Embed(made_up.WORDS, 125)(examples))
            return nn.Dense(self.classes)(states[:, -1])
        return networks.walk(networks.layers(self.model, self.classes, self.size), Words(self.training), examples)


class Jax(job.Framework):
    layout = "NHWC"

    def build(self):
        args = self.args
        jax.config.update("jax_platforms", args.device)
        self.key = jax.random.key(args.seed)
        network = Network(args.model, args.classes, args.size)
        example = (jnp.zeros((args.batch, args.size), jnp.int32) if args.model == "imdb_rnn" else
                   jnp.zeros((args.batch, args.size, args.size, 3)))
        made = jax.jit(network.init)({"params": self.key, "dropout": self.key}, example)
        forward = network.clone(training=False)
        self.extract = jax.jit(lambda images: forward.apply(made, images).mean())
        optimiser = optax.sgd(job.RATE, job.MOMENTUM)
        self.state = made["params"], made.get("batch_stats", {}), optimiser.init(made["params"])
        self.steps = 0

        def loss_of(parameters, statistics, key, images, labels):
            logits, changed = network.apply({"params": parameters, "batch_stats": statistics}, images,
                                            mutable=["batch_stats"], rngs={"dropout": key})
            loss = optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()
            return loss, changed.get("batch_stats", {})

        @jax.jit
        def update(state, key, images, labels):
            parameters, statistics, momenta = state
            (loss, statistics), slopes = jax.value_and_grad(loss_of, has_aux=True)(parameters, statistics, key, images,
                                                                                  labels)
            changes, momenta = optimiser.update(slopes, momenta)
            return loss, (optax.apply_updates(parameters, changes), statistics, momenta)

        self.update = update

    def step(self, images, labels):
        self.steps += 1
        loss, self.state = self.update(self.state, jax.random.fold_in(self.key, self.steps), images, labels)
        return loss

    def features(self, images):
        return self.extract(images)


if __name__ == "__main__":
    job.run(Jax)
