# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a small llama with random weights, for want of a real one that could be fetched: model.py FILE F32|F16|Q8_0|Q4_0"""

import sys

import gguf
import numpy as np

VOCABULARY, EMBEDDING, HEADS, KV_HEADS, LAYERS, FEED_FORWARD = 320, 256, 4, 2, 3, 512


def write(path, kind):
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(path, "llama")

    def weights(name, rows, columns):
        values = (random.standard_normal((rows, columns)) / np.sqrt(columns) * 2).astype(np.float32)
        if kind in ("F32", "F16"):
            writer.add_tensor(name, values.astype({"F32": np.float32, "F16": np.float16}[kind]))
        else:
            quantization = getattr(gguf.GGMLQuantizationType, kind)
            writer.add_tensor(name, gguf.quants.quantize(values, quantization), raw_dtype=quantization)

    def norm(name):
        writer.add_tensor(name, (1 + 0.1 * random.standard_normal(EMBEDDING)).astype(np.float32))

    writer.add_context_length(512)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    writer.add_vocab_size(VOCABULARY)

    tokens = [b"<unk>", b"<s>", b"</s>"] + [f"<0x{byte:02X}>".encode() for byte in range(256)]
    kinds = [2, 3, 3] + [6] * 256
    tokens += [f"\u2581w{index}".encode() for index in range(VOCABULARY - len(tokens))]
    kinds += [1] * (VOCABULARY - len(kinds))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(index) for index in range(VOCABULARY)])
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)

    weights("token_embd.weight", VOCABULARY, EMBEDDING)
    norm("output_norm.weight")
    weights("output.weight", VOCABULARY, EMBEDDING)
    kv = EMBEDDING // HEADS * KV_HEADS
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        norm(block + "attn_norm.weight")
        for name, rows in (("attn_q", EMBEDDING), ("attn_k", kv), ("attn_v", kv), ("attn_output", EMBEDDING)):
            weights(f"{block}{name}.weight", rows, EMBEDDING)
        norm(block + "ffn_norm.weight")
        weights(block + "ffn_gate.weight", FEED_FORWARD, EMBEDDING)
        weights(block + "ffn_up.weight", FEED_FORWARD, EMBEDDING)
        weights(block + "ffn_down.weight", EMBEDDING, FEED_FORWARD)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    write(*sys.argv[1:])
