// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All headers of Level Zero.

// ze_loader.h uses bool, and leaves the include to its users.
#include <stdbool.h>

#include <ze_api.h>
#include <ze_ddi.h>
#include <zer_api.h>
#include <zer_ddi.h>
#include <zes_api.h>
#include <zes_ddi.h>
#include <zet_api.h>
#include <zet_ddi.h>
#include <ze_ddi_common.h>
#include <layers/zel_tracing_api.h>
#include <layers/zel_tracing_ddi.h>
#include <layers/zel_tracing_register_cb.h>
#include <loader/ze_loader.h>
