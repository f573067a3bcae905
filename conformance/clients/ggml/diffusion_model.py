# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small networks with random weights for stable-diffusion.cpp, as safetensors.

Its text encoders have the sizes of the real ones. Of a UNet it takes the width from the tensors, TAESD, which makes images of
latents, is small, and ESRGAN has any number of blocks.
"""

import json
import struct

import numpy as np

LATENT, WORDS = 4, 768  # channels of a latent, width of CLIP-L
GREY = 0.5  # between black and white, so that few colours are at an end


class Weights:
    """Tensors by name, of random numbers."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.tensors = {}

    def layer(self, name, *shape, gain=1.0, bias=True):
        """A matrix or a convolution, the outputs first."""
        fan_in = np.prod(shape[1:])
        self.tensors[f"{name}.weight"] = self.random.standard_normal(shape, np.float32) * np.float32(gain / np.sqrt(fan_in))
        if bias:
            self.tensors[f"{name}.bias"] = 0.1 * self.random.standard_normal(shape[0], np.float32)

    def norm(self, name, width):
        self.tensors[f"{name}.weight"] = 1 + 0.1 * self.random.standard_normal(width, np.float32)
        self.tensors[f"{name}.bias"] = 0.1 * self.random.standard_normal(width, np.float32)

    def write(self, path, dtype=np.float32):
        header, at = {}, 0
        stored = {name: np.ascontiguousarray(values.astype(dtype)) for name, values in self.tensors.items()}
        for name, values in stored.items():
            header[name] = {
                "dtype": {np.float32: "F32", np.float16: "F16"}[dtype],
                "shape": values.shape,
                "data_offsets": [at, at + values.nbytes],
            }
            at += values.nbytes
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        with open(path, "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for values in stored.values():
                file.write(values.tobytes())


def upscaler(blocks=2, features=64, growth=32):
    """ESRGAN, which makes an image four times as wide and high."""
    w = Weights(11)
    w.layer("conv_first", features, 3, 3, 3)
    for block in range(blocks):
        for dense in (1, 2, 3):
            for index in range(5):
                outputs = features if index == 4 else growth
                w.layer(f"body.{block}.rdb{dense}.conv{index + 1}", outputs, features + index * growth, 3, 3)
    for name in ("conv_body", "conv_up1", "conv_up2", "conv_hr"):
        w.layer(name, features, features, 3, 3)
    w.layer("conv_last", 3, features, 3, 3, gain=0.2)
    w.tensors["conv_last.bias"][:] = GREY
    return w


def network():
    """What makes latents of text: a UNet and a text encoder."""
    w = Weights(12)
    unet(w)
    text_encoder(w)
    return w


def unet(w, channels=32):
    """That of a small Stable Diffusion (BK-SDM-Tiny), which lacks the innermost level of 1.5, its middle and half of its
    blocks."""
    root, times = "model.diffusion_model.", 4 * channels

    def residual(name, inputs, outputs):
        w.norm(f"{name}.in_layers.0", inputs)
        w.layer(f"{name}.in_layers.2", outputs, inputs, 3, 3)
        w.layer(f"{name}.emb_layers.1", outputs, times)
        w.norm(f"{name}.out_layers.0", outputs)
        w.layer(f"{name}.out_layers.3", outputs, outputs, 3, 3)
        if inputs != outputs:
            w.layer(f"{name}.skip_connection", outputs, inputs, 1, 1)

    def transformer(name, width):
        w.norm(f"{name}.norm", width)
        w.layer(f"{name}.proj_in", width, width, 1, 1)
        block = f"{name}.transformer_blocks.0."
        for attention, context in (("attn1", width), ("attn2", WORDS)):
            for part, inputs in (("to_q", width), ("to_k", context), ("to_v", context)):
                w.layer(f"{block}{attention}.{part}", width, inputs, bias=False)
            w.layer(f"{block}{attention}.to_out.0", width, width)
        w.layer(f"{block}ff.net.0.proj", 8 * width, width)
        w.layer(f"{block}ff.net.2", width, 4 * width)
        for norm in ("norm1", "norm2", "norm3"):
            w.norm(f"{block}{norm}", width)
        w.layer(f"{name}.proj_out", width, width, 1, 1)

    w.layer(f"{root}time_embed.0", times, channels)
    w.layer(f"{root}time_embed.2", times, times)
    w.layer(f"{root}input_blocks.0.0", channels, LATENT, 3, 3)
    levels = [channels, 2 * channels, 4 * channels]
    kept, now = [channels], channels
    # The blocks that are left keep their numbers.
    for level, width in enumerate(levels):
        name = f"{root}input_blocks.{3 * level + 1}"
        residual(f"{name}.0", now, width)
        transformer(f"{name}.1", width)
        kept.append(width)
        now = width
        if width != levels[-1]:
            w.layer(f"{root}input_blocks.{3 * level + 3}.0.op", width, width, 3, 3)
            kept.append(width)
    for level, width in enumerate(reversed(levels)):
        for at in (3 * level, 3 * level + 1):
            name = f"{root}output_blocks.{at}"
            residual(f"{name}.0", now + kept.pop(), width)
            transformer(f"{name}.1", width)
            now = width
        if width != levels[0]:
            w.layer(f"{root}output_blocks.{3 * level + 2}.{1 if level == 0 else 2}.conv", width, width, 3, 3)
    w.norm(f"{root}out.0", now)
    w.layer(f"{root}out.2", LATENT, now, 3, 3)


def text_encoder(w):
    """CLIP-L, which makes vectors of a prompt's words."""
    root = "cond_stage_model.transformer.text_model."
    w.tensors[f"{root}embeddings.token_embedding.weight"] = w.random.standard_normal((49408, WORDS), np.float32)
    w.tensors[f"{root}embeddings.position_embedding.weight"] = w.random.standard_normal((77, WORDS), np.float32)
    for layer in range(12):
        name = f"{root}encoder.layers.{layer}."
        for norm in ("layer_norm1", "layer_norm2"):
            w.norm(f"{name}{norm}", WORDS)
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            w.layer(f"{name}self_attn.{part}", WORDS, WORDS)
        w.layer(f"{name}mlp.fc1", 4 * WORDS, WORDS)
        w.layer(f"{name}mlp.fc2", WORDS, 4 * WORDS)
    w.norm(f"{root}final_layer_norm", WORDS)


def autoencoder(features=64):
    """TAESD, which makes latents of images and images of latents."""
    w = Weights(14)

    def network(root, layers, inputs, outputs):
        for at, layer in enumerate(layers):
            name = f"{root}.layers.{at}"
            if layer == "block":
                for part in (0, 2, 4):
                    w.layer(f"{name}.conv.{part}", features, features, 3, 3)
            elif layer == "conv":
                w.layer(name, features, features, 3, 3, bias=False)
            elif layer == "first":
                w.layer(name, features, inputs, 3, 3)
            elif layer == "last":
                w.layer(name, outputs, features, 3, 3, gain=0.2)

    three = ["block"] * 3
    network("encoder", ["first", "block", "conv", *three, "conv", *three, "conv", *three, "last"], 3, LATENT)
    up = [*three, "no weights", "conv"]
    network("decoder", ["first", "no weights", *up, *up, *up, "block", "last"], LATENT, 3)
    w.tensors["decoder.layers.18.bias"][:] = GREY
    return w
