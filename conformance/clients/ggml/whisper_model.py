# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small Whisper with random weights in the format of whisper.cpp."""

import struct

import numpy as np

# The vocabulary of English models: whisper.cpp has the numbers of its special tokens inside.
VOCABULARY, WORDS = 51864, 50257
AUDIO_CONTEXT, TEXT_CONTEXT, STATE, HEADS, LAYERS, MELS, BINS = 1500, 448, 128, 2, 4, 80, 201
F32, F16 = 0, 1


def mel_filters():
    """Triangles that are equally far apart on the mel scale, for a sample rate of 16 kHz and windows of 400."""
    mels = np.linspace(0, 2595 * np.log10(1 + 8000 / 700), MELS + 2)
    edges = 700 * (10 ** (mels / 2595) - 1)
    frequencies = np.linspace(0, 8000, BINS)
    up = (frequencies - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - frequencies) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(up, down)) * (2 / (edges[2:] - edges[:-2]))[:, None]


def tensors(random):
    """Name and values of each tensor, the outermost dimension first."""

    def weights(name, *shape, bias=True):
        fan_in = np.prod(shape[1:])
        yield f"{name}.weight", random.standard_normal(shape) / np.sqrt(fan_in)
        if bias:
            # whisper.cpp adds the bias of a convolution to rows.
            yield f"{name}.bias", 0.1 * random.standard_normal((shape[0], 1) if len(shape) == 3 else shape[0])

    def norm(name):
        yield f"{name}.weight", 1 + 0.1 * random.standard_normal(STATE)
        yield f"{name}.bias", 0.1 * random.standard_normal(STATE)

    def block(name, attentions):
        for attention in attentions:
            yield from norm(f"{name}.{attention}_ln")
            for part in ("query", "key", "value", "out"):
                yield from weights(f"{name}.{attention}.{part}", STATE, STATE, bias=part != "key")
        yield from norm(f"{name}.mlp_ln")
        yield from weights(f"{name}.mlp.0", 4 * STATE, STATE)
        yield from weights(f"{name}.mlp.2", STATE, 4 * STATE)

    yield "encoder.positional_embedding", 0.1 * random.standard_normal((AUDIO_CONTEXT, STATE))
    yield from weights("encoder.conv1", STATE, MELS, 3)
    yield from weights("encoder.conv2", STATE, STATE, 3)
    yield from norm("encoder.ln_post")
    yield "decoder.positional_embedding", 4 * random.standard_normal((TEXT_CONTEXT, STATE))
    yield "decoder.token_embedding.weight", 0.5 * random.standard_normal((VOCABULARY, STATE))
    yield from norm("decoder.ln")
    for layer in range(LAYERS):
        yield from block(f"encoder.blocks.{layer}", ["attn"])
        yield from block(f"decoder.blocks.{layer}", ["attn", "cross_attn"])


def write(path, kind):
    """kind: F32 or F16, of matrices and convolutions. All else is float."""
    with open(path, "wb") as file:
        shape = (VOCABULARY, AUDIO_CONTEXT, STATE, HEADS, LAYERS, TEXT_CONTEXT, STATE, HEADS, LAYERS, MELS)
        file.write(struct.pack("<4s11i", b"lmgg", *shape, kind))
        file.write(struct.pack("<2i", MELS, BINS))
        file.write(mel_filters().astype("<f4").tobytes())
        file.write(struct.pack("<i", WORDS))
        for index in range(WORDS):
            word = bytes([index]) if index < 256 else b" w%d" % index
            file.write(struct.pack("<i", len(word)) + word)
        for name, values in tensors(np.random.default_rng(5)):
            is_float = values.ndim == 1 or values.shape[-1] == 1 or name.endswith("positional_embedding")
            stored = F32 if is_float else kind
            file.write(struct.pack("<3i", values.ndim, len(name), stored))
            file.write(struct.pack(f"<{values.ndim}i", *reversed(values.shape)) + name.encode())
            file.write(values.astype(("<f4", "<f2")[stored]).tobytes())
