# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""llama.cpp, whisper.cpp and stable-diffusion.cpp on their SYCL backend, against their own CPU backends. run.py starts it in
the client's Python.

The models have random weights, since no package registry has real ones that are small (*_model.py). Attention is computed by
their flash attention: without it, and without a GPU for oneDNN, this version multiplies permuted matrices wrongly.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "common"), str(HERE)]

import cyllama.llama.llama_cpp as llama  # noqa: E402
import cyllama.sd.stable_diffusion as sd  # noqa: E402
import cyllama.whisper.whisper_cpp as whisper  # noqa: E402
import diffusion_model  # noqa: E402
import llama_model  # noqa: E402
import numpy as np  # noqa: E402
import whisper_model  # noqa: E402
from cases import Cases, random  # noqa: E402

THREADS = 2
# The backends' names in stable-diffusion.cpp.
CPU, SYCL = "CPU", "SYCL0"
# How much of the largest logit, and how much of a probability, two backends may differ. Both use half precision in places.
LOGITS, PROBABILITIES = 0.02, 0.05
# How much a colour of 0 to 255 may.
COLOUR = 3


def model(name, write):
    """The path of a model, which is written when the first case wants it."""
    path = Path(os.environ["GGML_MODELS"]) / name
    if not path.exists():
        unfinished = path.with_suffix(".part")
        write(str(unfinished))
        unfinished.rename(path)
    return str(path)


def continued(kind, on_sycl, prompt, count=24):
    """The likeliest tokens behind a prompt, and the logits of each step."""
    parameters = llama.LlamaModelParams()
    parameters.n_gpu_layers = 99 if on_sycl else 0
    loaded = llama.LlamaModel(model(f"llama-{kind}.gguf", lambda path: llama_model.write(path, kind)), parameters)
    parameters = llama.LlamaContextParams()
    parameters.n_ctx = 256
    parameters.n_batch = parameters.n_ubatch = 64
    parameters.n_threads = parameters.n_threads_batch = THREADS
    if not on_sycl:
        parameters.offload_kqv = parameters.op_offload = False
    context = llama.LlamaContext(loaded, parameters)
    tokens, logits = [], []
    context.decode(llama.llama_batch_get_one(prompt, 0))
    for position in range(len(prompt), len(prompt) + count):
        logits.append(np.array(context.get_logits_ith(-1), dtype=np.float32))
        tokens.append(int(logits[-1].argmax()))
        context.decode(llama.llama_batch_get_one([tokens[-1]], position))
    return np.array(tokens), np.array(logits)


def texts(cases):
    lengths = [1, 40] + [2, 7, 64] * cases.full
    for kind in ("F32", "F16"):
        for length in lengths:
            prompt = [1] + [index * 37 % 300 + 10 for index in range(length - 1)]
            cases.case(
                f"llama.cpp, {kind}, a prompt of {length}",
                lambda: continued(kind, True, prompt),
                lambda: continued(kind, False, prompt),
                LOGITS,
            )


def sound(name, seconds=5):
    """Tones and noise, at 16 kHz."""
    time = np.arange(16000 * seconds) / 16000
    noise = random("sound", name).standard_normal(time.size)
    tone = {"a tone": np.sin(2 * np.pi * 440 * time * (1 + 0.1 * np.sin(time))), "noise": 0, "silence": 0}[name]
    return (0.3 * tone + {"a tone": 0.05, "noise": 0.3, "silence": 0}[name] * noise).astype(np.float32)


def heard(kind, on_sycl, name):
    """The tokens of a sound, and their probabilities."""
    parameters = whisper.WhisperContextParams()
    parameters.use_gpu, parameters.flash_attn = on_sycl, True
    stored = {"F32": whisper_model.F32, "F16": whisper_model.F16}[kind]
    path = model(f"whisper-{kind}.bin", lambda path: whisper_model.write(path, stored))
    context = whisper.WhisperContext(path, parameters)
    how = whisper.WhisperFullParams()  # greedy: a search by beams takes random tokens
    how.n_threads, how.language, how.print_progress = THREADS, "en", False
    how.temperature_inc = 0  # or it would try again with random tokens
    how.max_tokens = 24  # of hundreds some would be as likely as others
    context.full(sound(name), how)
    places = [(i, j) for i in range(context.full_n_segments()) for j in range(context.full_n_tokens(i))]
    tokens = [context.full_get_token_id(*place) for place in places]
    return np.array(tokens), np.array([context.full_get_token_p(*place) for place in places])


def sounds(cases):
    for kind in ("F32", "F16"):
        for name in ("a tone", "noise", "silence"):
            hear = lambda on_sycl: lambda: heard(kind, on_sycl, name)  # noqa: E731
            cases.case(f"whisper.cpp, {kind}, {name}", hear(True), hear(False), PROBABILITIES)
    # The cases above would tell nothing otherwise.
    differ = lambda: not np.array_equal(heard("F16", True, "a tone")[0], heard("F16", True, "noise")[0])  # noqa: E731
    cases.case("whisper.cpp, other sounds have other tokens", differ, lambda: True)


DTYPES = {"F32": np.float32, "F16": np.float16}
PICTURES = {}


def picture(backend, kind="F16", prompt="a lovely cat", size=128, steps=2, guidance=1.0, start=None, sampler=None):
    """What Stable Diffusion makes of a prompt, and of a picture to start with."""
    if (backend, kind) not in PICTURES:
        parameters = sd.SDContextParams()
        parameters.model_path = model(
            f"diffusion-{kind}.safetensors", lambda path: diffusion_model.network().write(path, DTYPES[kind])
        )
        parameters.taesd_path = model(
            f"taesd-{kind}.safetensors", lambda path: diffusion_model.autoencoder().write(path, DTYPES[kind])
        )
        parameters.backend, parameters.auto_fit, parameters.n_threads = backend, False, THREADS
        parameters.flash_attn = parameters.diffusion_flash_attn = True
        PICTURES[backend, kind] = sd.SDContext(parameters)
    (made,) = PICTURES[backend, kind].generate(
        prompt,
        negative_prompt="a dog",
        width=size,
        height=size,
        seed=5,
        sample_steps=steps,
        cfg_scale=guidance,
        sample_method=sampler,
        init_image=None if start is None else sd.SDImage.from_numpy(start),
    )
    return made.to_numpy()


def noise(width, height):
    return random("picture", width, height).integers(0, 256, (height, width, 3)).astype(np.uint8)


def upscaled(backend, width, height):
    path = model("esrgan.safetensors", lambda path: diffusion_model.upscaler().write(path))
    return sd.Upscaler(path, backend=backend).upscale(sd.SDImage.from_numpy(noise(width, height))).to_numpy()


def pictures(cases):
    def case(name, **options):
        make = lambda backend: lambda: picture(backend, **options)  # noqa: E731
        cases.case(f"stable-diffusion.cpp, {name}", make(SYCL), make(CPU), COLOUR)

    for width, height in ((1, 1), (32, 32), (45, 17)) + ((128, 96),) * cases.full:
        size = lambda backend: lambda: upscaled(backend, width, height)  # noqa: E731
        cases.case(f"stable-diffusion.cpp, ESRGAN, {width} x {height}", size(SYCL), size(CPU), COLOUR)
    for kind in DTYPES if cases.full else ("F16",):
        case(f"{kind}, of text", kind=kind)
    case("a smaller one", size=64)
    case("of text and a picture", start=noise(128, 128))
    case("Euler's method", sampler=sd.SampleMethod.EULER)
    if cases.full:
        case("with guidance", guidance=4.5)
        case("a larger one", size=192)
        case("a still larger one", size=256, steps=3)
    differ = lambda: not np.array_equal(picture(SYCL), picture(SYCL, prompt="a house"))  # noqa: E731
    cases.case("stable-diffusion.cpp, other texts have other pictures", differ, lambda: True)


llama.llama_backend_init()
for library in (llama, whisper, sd):
    library.ggml_backend_load_all()
Cases({"texts": texts, "sounds": sounds, "pictures": pictures})
