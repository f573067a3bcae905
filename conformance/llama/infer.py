# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Continues a prompt with the likeliest tokens, on llama.cpp's CPU backend and on its SYCL backend, and compares: infer.py MODEL

The SYCL backend computes in float what the CPU backend computes in 8 bits, so quantized models are expected to differ.
"""

import sys

import cyllama.llama.llama_cpp as llama
import numpy as np

PROMPT = [1] + [index * 37 % 300 + 10 for index in range(39)]
COUNT = 24
CLOSE = 0.02  # how much of the largest logit two may differ


def infer(path, on_sycl):
    """The tokens, and the logits of each step."""
    parameters = llama.LlamaModelParams()
    parameters.n_gpu_layers = 99 if on_sycl else 0
    model = llama.LlamaModel(path, parameters)
    parameters = llama.LlamaContextParams()
    parameters.n_ctx = 256
    parameters.n_batch = parameters.n_ubatch = 64
    parameters.n_threads = parameters.n_threads_batch = 2
    if not on_sycl:
        parameters.offload_kqv = parameters.op_offload = False
    context = llama.LlamaContext(model, parameters)
    tokens, logits = [], []
    context.decode(llama.llama_batch_get_one(PROMPT, 0))
    for position in range(len(PROMPT), len(PROMPT) + COUNT):
        logits.append(np.array(context.get_logits_ith(-1), dtype=np.float32))
        tokens.append(int(logits[-1].argmax()))
        context.decode(llama.llama_batch_get_one([tokens[-1]], position))
    return tokens, np.array(logits)


def main():
    llama.llama_backend_init()
    llama.ggml_backend_load_all()
    (cpu, cpu_logits), (sycl, sycl_logits) = (infer(sys.argv[1], on_sycl) for on_sycl in (False, True))
    same = next((index for index in range(COUNT) if cpu[index] != sycl[index]), COUNT)
    compared = slice(0, min(same + 1, COUNT))  # once a token differs, all after it do
    difference = np.abs(cpu_logits[compared] - sycl_logits[compared]).max() / np.abs(cpu_logits[compared]).max()
    print(f"{same} of {COUNT} tokens are the same; the logits differ by at most {difference:.1e} of the largest: {sycl}")
    return 0 if same == COUNT and difference < CLOSE else 1


if __name__ == "__main__":
    sys.exit(main())
