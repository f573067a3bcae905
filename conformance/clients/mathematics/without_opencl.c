/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An audit library for the dynamic linker (LD_AUDIT) that hides each libOpenCL but the one in the folder
 * OXUR_ONLY_OPENCL, if that is set: so a machine that has some looks like one that has none.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>

unsigned int la_version(unsigned int version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned int flag) {
  (void)cookie;
  (void)flag;
  const char *slash = strrchr(name, '/');
  /* A bare name is searched: its paths come later. */
  if (!slash || strncmp(slash + 1, "libOpenCL.so", 12) != 0) return (char *)name;
  const char *only = getenv("OXUR_ONLY_OPENCL");
  return only && strncmp(name, only, strlen(only)) == 0 ? (char *)name : NULL;
}
