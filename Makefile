# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One target per task. Each first installs what it needs, so on a fresh Debian 12 with Rust one command is enough.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

export PATH := $(CURDIR)/target/tools/bin:$(PATH)

GENERATIONS := 2026.2 2026.1
NEXTEST_PROFILE := $(if $(CI),ci,default)
GRAPHS := 10000
# Programs are built as members of the workspace: `cargo build -p` would build their dependencies again, with fewer features.
RELEASE := $(or $(CARGO_TARGET_DIR),target)/release

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | awk -F'\t' '{ printf "  make %-21s %s\n", $$1, $$2 }'

.PHONY: setup
setup: ## Install what the build, the tests and the demo need (Debian packages, clients, tools)
	scripts/setup.sh

.PHONY: setup-build
setup-build:
	@scripts/setup.sh system level-zero

.PHONY: build
build: setup-build ## Build everything, optimised
	cargo build --release --workspace --locked

.PHONY: dist
dist: build ## Stage the files for users in dist/
	scripts/dist.sh

# Third-party licences, and lists of the components of the packages.
.PHONY: third-party
third-party: setup-build
	scripts/setup.sh third-party
	python3 packaging/third_party.py target/third-party

.PHONY: wheel
wheel: dist third-party ## Build the Python packages, dist/oxur-*.whl and dist/oxur_cuda-*.whl
	scripts/setup.sh wheel
	packaging/wheel/build.sh

.PHONY: package
package: dist third-party ## Build dist/oxur-*.tar.gz and dist/oxur_*.deb
	packaging/tarball/build.sh
	packaging/deb/build.sh

.PHONY: demo
demo: dist ## Run dpnp and a SYCL C++ program on our libraries, without any OpenCL driver (ADAPTER=opencl: over one)
	scripts/setup.sh clients
	scripts/demo.sh $(ADAPTER)

# Most parts keep one core busy, so two lists run side by side, which take about as long. What the second prints comes when both have ended.
# Parts that write to the same folder in target/ are on the same side. Suites have one for each adapter.
RUST_PARTS := test-rust test-piglit test-reference sanitize test-consumers test-corpus test-nvptx test-wheel test-package-contents test-suites
PROGRAM_PARTS := test-sycl test-cpu test-clients-short test-level-zero test-cuda test-onemkl

.PHONY: test
test: setup wheel package ## Run all tests: ours, then real SYCL programs on dist/
	$(MAKE) --no-print-directory test-parts

# run_parts PARTS: each of them, also behind one that fails, and how long it took
run_parts = status=0; for part in $1; do \
    start=$$SECONDS; $(MAKE) --no-print-directory $$part || status=1; echo "$$part took $$((SECONDS - start)) s"; \
  done; exit $$status

.PHONY: test-parts
test-parts:
	( $(call run_parts,$(PROGRAM_PARTS)) ) >target/programs.log 2>&1 & programs=$$!; \
	status=0; ( $(call run_parts,$(RUST_PARTS)) ) || status=1; \
	wait $$programs || status=1; \
	cat target/programs.log; \
	if [ $$status = 0 ]; then echo "All parts passed."; else echo "A part failed: see *** above."; fi; exit $$status

# Without the tests that run a part of the others for narrower vectors: `test-rust` runs all of them so.
OF_ONE_LEVEL := not (package(oxur-compiler) and binary(run) and test(/^levels::/))

# on_level LEVEL [FILTER]: the tests of kernels and of mathematical functions, on vectors of this level. For the compiler alone cargo
# would build it once more, with other features of its dependencies.
on_level = UR_CPU_TARGET=$1 cargo nextest run --workspace --exclude oxur-conformance-cuda --locked --profile $(NEXTEST_PROFILE) \
  -E '$(OF_ONE_LEVEL) and package(oxur-compiler) and (binary(run) or kind(lib) and test(/vector_math::errors/)) $2'

# The longest of them, which x86-64-v2 leaves to x86-64-v3: both have as many lanes. `make test-levels` runs them.
LONG_ON_LEVELS := test(/masks::indices|coherent::every_limit|launched_groups::(stores|reductions|strided_loops|loops|addresses)/) or \
  test(/guards::every|collectives::|shapes::(strides|local_sizes)|division::by_one_number$$|functions::huge_kernels/)

# The parts of `make test`. They need `make setup wheel package` first.
.PHONY: test-rust
test-rust: ## Our own tests, and those of kernels and of mathematical functions on narrower vectors
	cargo nextest run --workspace --exclude oxur-conformance-cuda --locked --profile $(NEXTEST_PROFILE) -E '$(OF_ONE_LEVEL)'
	$(call on_level,x86-64-v3)
	$(call on_level,x86-64-v2,and not ($(LONG_ON_LEVELS)))

.PHONY: test-levels
test-levels: setup-build ## All tests of kernels on vectors of x86-64-v2, of which test-rust runs the shorter ones
	scripts/setup.sh nextest
	$(call on_level,x86-64-v2)

.PHONY: test-reference
test-reference: ## The conformance suites on Intel's loader and OpenCL adapter, and on Intel's driver for Level Zero
	conformance/ur/run.sh intel -- --locked --profile $(NEXTEST_PROFILE)
	conformance/level_zero/run.sh intel -- --locked --profile $(NEXTEST_PROFILE)

.PHONY: sanitize
sanitize: ## The tests of the crates with unsafe code under AddressSanitizer and ThreadSanitizer
	scripts/sanitize.sh

# The tests of graph dumps have little unsafe code, and their graphs are large. The tests use the host's clock and environment.
.PHONY: miri
miri: setup-build ## Handles, USM pools and the other parts of the kit under Miri, which checks the rules of unsafe Rust
	scripts/setup.sh miri
	MIRIFLAGS=-Zmiri-disable-isolation CARGO_TARGET_DIR=target/miri \
	  cargo +nightly miri test --locked -p oxur-adapter-kit --lib -- --skip graph_dump

.PHONY: test-sycl
test-sycl: ## SYCL C++ programs on dist/, compared with Intel's stack
	for generation in $(GENERATIONS); do \
	  python3 conformance/sycl/run.py --generation $$generation --ours dist/lib; \
	done

.PHONY: test-sycl-spec
test-sycl-spec: ## Generated kernels for all of SYCL 2020's device code, on the CPU adapter and on Intel's driver (SPEC=--help shows the options)
	scripts/setup.sh clients sycl-spec
	python3 conformance/sycl/spec/run.py --lib dist/lib $(SPEC)

.PHONY: test-consumers
test-consumers: ## C and C++ programs built against dist/ with CMake and pkg-config
	conformance/consumers/test.sh dist

.PHONY: test-wheel
test-wheel: ## The wheels in dist/, installed into copies of the client environments, and uninstalled (WHEEL=--help shows more)
	scripts/setup.sh nvptx
	for generation in $(GENERATIONS); do \
	  python3 conformance/clients/wheel/run.py --generation $$generation $(WHEEL); \
	done

.PHONY: test-package-contents
test-package-contents: ## The contents of the tarball and the .deb in dist/, unpacked but not installed
	scripts/setup.sh packages
	conformance/packages/contents.sh

.PHONY: test-package
test-package: test-package-contents ## The same, installed into fresh Debian 12 and 13 systems (as root; debootstrap)
	scripts/setup.sh clients
	conformance/packages/test.sh

.PHONY: test-cpu-levels
test-cpu-levels: ## A part of the conformance suite on processors of x86-64-v1, -v2 and -v3, by qemu-user
	scripts/setup.sh qemu
	conformance/cpu_levels/test.sh

# oneMKL and dpctl.program, which call OpenCL on native handles.
MATHEMATICS := python3 conformance/clients/mathematics/run.py --stack ours --lib dist/lib

# Open3D, scikit-learn-intelex, oneDNN. The short part is in CI. CLIENTS=ggml and CLIENTS=cycles are only run when named: the first needs
# Python 3.12, the second is Blender.
CLIENTS := open3d sklearnex onednn

# oneDAL uses kernels only on GPUs.
SKLEARNEX_AS_GPU := python3 conformance/clients/sklearnex/run.py --lib dist/lib --device gpu --under 'dist/bin/oxur run --as-gpu --'

# The tests of scikit-learn-intelex's wheel: oneDAL's, and the estimators'.
SKLEARNEX_SUITE := python3 conformance/clients/sklearnex/suite.py --lib dist/lib

# llama.cpp and its siblings accept only GPUs, and Intel's CPU driver rejects their kernels.
GGML := python3 conformance/clients/ggml/run.py --lib dist/lib --under 'dist/bin/oxur run --as-gpu --' --full

# Blender, on a libsycl of 2025.3 and on that of 2025.2 which its wheel has.
CYCLES := python3 conformance/clients/cycles/run.py --lib dist/lib
OWN_LIBSYCL = --under 'env -u LD_LIBRARY_PATH dist/bin/oxur run --level-zero --' \
  --libsycl $(wildcard target/env/cycles/lib/python3*/site-packages/bpy/lib)

.PHONY: test-clients
test-clients: setup-build ## Real programs on dist/, compared with Intel's stack, large sizes too (an hour; CLIENTS=open3d: one of them)
	scripts/setup.sh $(CLIENTS)
	for client in $(filter-out ggml cycles,$(CLIENTS)); do \
	  python3 conformance/clients/$$client/run.py --lib dist/lib --full --against-intel; \
	done
	$(if $(filter ggml,$(CLIENTS)),$(GGML))
	$(if $(filter cycles,$(CLIENTS)),$(CYCLES) --full --libsycl target/env/cycles/lib)
	$(if $(filter cycles,$(CLIENTS)),$(CYCLES) $(OWN_LIBSYCL))
	$(if $(filter sklearnex,$(CLIENTS)),$(SKLEARNEX_AS_GPU))
	$(if $(filter sklearnex,$(CLIENTS)),$(SKLEARNEX_SUITE))

.PHONY: test-clients-level-zero
test-clients-level-zero: setup-build ## Open3D and scikit-learn-intelex on the Level Zero adapter over our driver, as programs for GPUs (20 minutes)
	scripts/setup.sh open3d sklearnex
	python3 conformance/clients/open3d/run.py --lib dist/lib --adapter level_zero
	python3 conformance/clients/sklearnex/run.py --lib dist/lib --adapter level_zero --device gpu

.PHONY: test-clients-short
test-clients-short: setup-build ## Real programs on dist/, in four minutes
	scripts/setup.sh $(CLIENTS)
	for client in $(CLIENTS); do \
	  python3 conformance/clients/$$client/run.py --lib dist/lib; \
	done
	$(SKLEARNEX_AS_GPU) --groups linear,decomposition,clusters,memory --only '*float32*'
	$(SKLEARNEX_SUITE) --modules onedal
	python3 conformance/clients/onednn/run.py --lib dist/lib --adapter opencl

.PHONY: test-suites
test-suites: ## dpctl's test suite and a slice of dpnp's on dist/, compared with Intel's stack
	for generation in $(GENERATIONS); do \
	  python3 conformance/suites/compare.py dpctl dpnp --generation $$generation --stack ours --lib dist/lib --verify-stack; \
	done
	$(MATHEMATICS) --generation 2026.2 --adapter opencl --groups linalg,programs --sizes 2,300

# A driver of 2024, without the extensions that adapters do not require.
OLDER_LEVEL_ZERO = ZE_OXUR_DRIVER_VERSION=1.3.30049 ZE_OXUR_API_VERSION=1.9 ZE_OXUR_HIDE_EXTENSIONS=$(subst $(space),$(comma),$(OPTIONAL_EXTENSIONS))
OPTIONAL_EXTENSIONS = ZE_extension_image_copy ZE_extension_image_format_support ZE_extension_srgb \
  ZE_extension_device_vector_sizes ZE_extension_device_ip_version ZE_extension_device_usablemem_size_properties \
  ZE_extension_device_memory_properties ZE_extension_eu_count ZE_extension_kernel_max_group_size_properties \
  ZE_extension_float_atomics ZE_extension_bfloat16_conversions ZE_experimental_event_pool_counter_based \
  ZE_experimental_mutable_command_list ZE_experimental_immediate_command_list_append \
  ZE_experimental_relaxed_allocation_limits
comma = ,
space = $(subst ,, )

.PHONY: test-level-zero
test-level-zero: ## Level Zero's rules on our driver under three loaders and on Intel's driver; the conformance suite, SYCL C++ programs and dpctl on our adapter over ours; what of the suite needs no execution over Intel's; dpctl and a part of dpnp (MODULES) on Intel's adapters over it; PTI, sysman and OpenMP's runtime on it
	conformance/level_zero/run.sh ours-1.8 ours-alone intel -- --locked --profile $(NEXTEST_PROFILE)
	python3 conformance/level_zero/device_info.py --lib dist/lib
	conformance/ur/run.sh ours-level_zero -- --locked --profile $(NEXTEST_PROFILE)
	$(OLDER_LEVEL_ZERO) conformance/ur/run.sh ours-level_zero -- --locked --profile $(NEXTEST_PROFILE)
	conformance/ur/run.sh ours-level_zero-intel -- --locked --profile $(NEXTEST_PROFILE)
	for generation in $(GENERATIONS); do \
	  python3 conformance/sycl/run.py --generation $$generation --ours dist/lib --adapter level_zero; \
	done
	python3 conformance/suites/compare.py dpctl --generation 2026.2 --stack ours --adapter level_zero --lib dist/lib --verify-stack
	for adapter in level_zero level_zero_v2; do \
	  python3 conformance/suites/compare.py dpctl --generation 2026.2 --stack driver --adapter $$adapter --lib dist/lib \
	    --verify-stack; \
	  python3 conformance/suites/compare.py dpnp --modules $(or $(MODULES),test_sum) --generation 2026.2 --stack driver \
	    --adapter $$adapter --lib dist/lib; \
	done
	scripts/setup.sh level-zero-clients
	python3 conformance/clients/level_zero/run.py --lib dist/lib

.PHONY: test-cuda
test-cuda: ## The CUDA adapter on a driver without a GPU that interprets PTX: its own tests, the conformance suite, a SYCL program on two devices, a slice of dpnp's suite
	conformance/cuda/run.sh own -- --locked --profile $(NEXTEST_PROFILE)
	conformance/cuda/run.sh ur -- --locked --profile $(NEXTEST_PROFILE)
	python3 conformance/sycl/run.py --generation 2026.2 --ours dist/lib --adapter cuda --only several_devices
	scripts/setup.sh clients nvptx
	python3 conformance/suites/compare.py dpnp --generation 2026.2 --stack ours --adapter cuda --lib dist/lib --modules test_indexing,test_sort --verify-stack

.PHONY: test-onemkl
test-onemkl: ## oneMKL's BLAS, LAPACK and Fourier transforms for NVIDIA GPUs, and programs that call them, on a driver without a GPU
	python3 onemkl/test/run.py --ours dist/lib
	scripts/setup.sh sklearnex open3d
	python3 conformance/clients/sklearnex/run.py --lib dist/lib --device gpu --adapter cuda --only 'vectors: SVC*101x5*'
	python3 conformance/clients/sklearnex/run.py --lib dist/lib --device gpu --adapter cuda --only 'forests: Random* float32 101x5'
	python3 conformance/clients/open3d/run.py --lib dist/lib --adapter cuda --groups reduction,hybrid

.PHONY: test-piglit
test-piglit: setup-build ## Piglit's tests of OpenCL C: in the interpreter, on the compiler's modes, and on the adapters, the CPU one also on vectors of x86-64-v2 and -v3 (WORDS=... those with a word in their names)
	scripts/setup.sh piglit
	cargo build --release --locked --workspace --bin differential
	DRIVER=none $(RELEASE)/differential piglit $(WORDS)
	conformance/piglit/run.sh $(WORDS)
	for level in x86-64-v2 x86-64-v3; do \
	  UR_CPU_TARGET=$$level conformance/piglit/run.sh -s cpu $(WORDS) || exit 1; \
	done

.PHONY: test-differential
test-differential: setup-build ## Random kernels and OpenCL.std's functions on the compiler's modes, in the interpreter and on Intel's driver (DIFFERENTIAL=--help shows the options)
	scripts/setup.sh clients
	cargo build --release --locked --workspace --bin differential
	$(RELEASE)/differential $(DIFFERENTIAL)

.PHONY: test-mutations
test-mutations: setup-build ## Deliberate faults in the compiler, one at a time: its tests must see each (MUTATIONS=--help shows the options)
	scripts/setup.sh nextest
	python3 conformance/mutations/run.py $(MUTATIONS)

.PHONY: test-graphs
test-graphs: ## Random graphs of commands through UR on our adapters (GRAPHS=10000 says how many)
	OXUR_UR_GRAPHS=$(GRAPHS) conformance/ur/run.sh ours-cpu ours-level_zero -- --release --locked --profile long random::

# Few kernels of tests run for so long that they get their best code by themselves. So most suites ask for it; programs have what
# users have, as the suites of `test-level-zero`.
.PHONY: test-cpu
test-cpu: ## The conformance suite, SYCL C++ programs, dpctl's suite and a slice of dpnp's on the CPU adapter, without OpenCL
	UR_CPU_TIER=best conformance/ur/run.sh ours-cpu -- --locked --profile $(NEXTEST_PROFILE)
	for generation in $(GENERATIONS); do \
	  python3 conformance/sycl/run.py --generation $$generation --ours dist/lib --adapter cpu; \
	done
	UR_CPU_TIER=best python3 conformance/sycl/spec/run.py --lib dist/lib --quick
	UR_CPU_TIER=best python3 conformance/suites/compare.py dpctl dpnp --generation 2026.2 --stack ours --adapter cpu --lib dist/lib --verify-stack
	python3 conformance/suites/compare.py dpctl --generation 2026.1 --stack ours --adapter cpu --lib dist/lib --verify-stack
	for generation in $(GENERATIONS); do \
	  python3 conformance/clients/as_gpu/run.py --generation $$generation --lib dist/lib; \
	done
	UR_CPU_TIER=best $(MATHEMATICS) --generation 2026.2 --adapter cpu --opencl none
	$(MATHEMATICS) --generation 2026.1 --adapter cpu --groups linalg,programs,exit --sizes 2,300
	$(MATHEMATICS) --generation 2026.2 --adapter cpu --opencl system --groups linalg,programs --sizes 300

# What of Open3D has kernels that count on how items of a sub-group come together: scans, masks, hash maps.
TIER_GROUPS := unary,reduction,indexing,hashing

# UR_CPU_TIER reaches the programs; a second process does not get the best code instead.
.PHONY: test-tiers
test-tiers: ## The same suites on quick code and nothing else
	UR_CPU_TIER=quick conformance/ur/run.sh ours-cpu -- --locked --profile $(NEXTEST_PROFILE)
	for generation in $(GENERATIONS); do \
	  UR_CPU_TIER=quick python3 conformance/sycl/run.py --generation $$generation --ours dist/lib --adapter cpu || exit 1; \
	done
	UR_CPU_TIER=quick python3 conformance/sycl/spec/run.py --lib dist/lib --quick
	UR_CPU_TIER=quick python3 conformance/suites/compare.py dpctl dpnp --generation 2026.2 --stack ours --adapter cpu --lib dist/lib --verify-stack
	UR_CPU_TIER=quick $(MATHEMATICS) --generation 2026.2 --adapter cpu --opencl none
	scripts/setup.sh open3d
	UR_CPU_TIER=quick python3 conformance/clients/open3d/run.py --lib dist/lib --groups $(TIER_GROUPS)

.PHONY: setup-corpus
setup-corpus: setup-build
	@scripts/setup.sh corpus

.PHONY: corpus
corpus: setup-corpus ## Compile every kernel that dpnp, oneMKL, oneDAL, Open3D, oneCCL, JAX and llama.cpp ship (CORPUS=--help shows the options)
	cargo build --release --locked --workspace --bin oxur-compiler
	target/env/corpus/bin/python conformance/corpus/corpus.py compile $(CORPUS)

.PHONY: test-corpus
test-corpus: setup-corpus ## Compile a sample of 300 modules of them
	conformance/corpus/test.sh
	cargo build --release --locked --workspace --bin oxur-compiler
	target/env/corpus/bin/python conformance/corpus/corpus.py compile --sample 300 --time-limit 600

.PHONY: test-nvptx
test-nvptx: setup-corpus ## Compile a sample of dpnp, oneMKL, oneDAL and Open3D for NVIDIA GPUs; NVIDIA's assembler must accept it
	scripts/setup.sh nvptx
	cargo build --release --locked --workspace --bin oxur-compiler
	nvidia=$$(echo target/env/nvptx/lib/python3*/site-packages/nvidia/cuda_nvcc); \
	for sm in 70 90; do \
	  UR_CUDA_LIBDEVICE=$$nvidia/nvvm/libdevice/libdevice.10.bc target/env/corpus/bin/python conformance/corpus/corpus.py \
	    compile --library dpnp --library onemkl-vm --library onemkl-rng --library onedal --library open3d --sample 150 --seed $$sm \
	    --time-limit 600 --target nvptx64:sm_$$sm --ptxas $$nvidia/bin/ptxas --goal 0.99 --report target/corpus/nvptx-$$sm || exit 1; \
	done

.PHONY: fuzz
fuzz: setup-build ## Fuzz the compiler, the CPU adapter and the Level Zero driver: FUZZ_SECONDS (60) for each target, FUZZ_TARGETS
	scripts/setup.sh fuzz
	scripts/fuzz.sh $(FUZZ_TARGETS)

.PHONY: bench
bench: dist ## Compare call costs: raw OpenCL, Intel's stack, ours (BENCH=--help shows the options)
	scripts/setup.sh clients
	cargo build --release --locked --workspace --bin oxur-bench
	$(RELEASE)/oxur-bench $(BENCH)

.PHONY: bench-first-calls
bench-first-calls: dist ## Compare the times of first calls in dpnp, compiled and from the cache: Intel's driver, our CPU adapter
	scripts/setup.sh clients
	python3 bench/first_calls.py $(BENCH)

.PHONY: bench-dpnp
bench-dpnp: dist ## Compare the times of dpnp's functions once they are compiled: Intel's driver, our CPU adapter, NumPy on one thread
	scripts/setup.sh clients
	python3 bench/dpnp_steady.py $(BENCH)

.PHONY: lint
lint: setup-build ## Check formatting, clippy, and the licences, sources and state of the crates we use
	scripts/setup.sh deny
	scripts/lint.sh

.PHONY: clean
clean: ## Remove build outputs (the clients and tools in target/env and target/tools stay)
	rm -rf dist dist.new
	if [ -d target ]; then find target -mindepth 1 -maxdepth 1 ! -name env ! -name tools -exec rm -rf {} +; fi
