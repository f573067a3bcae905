# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The chapters of the SYCL 2020 specification that have device code, each a module with `sources()`."""
