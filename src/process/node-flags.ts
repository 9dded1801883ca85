/*
 * The flags and the environment of the service. The README of this folder has the reasons and measurements.
 */

/** The flags of Node. */
export const NODE_FLAGS = [
  '--expose-gc',
  '--no-allocation-site-pretenuring',
  '--v8-pool-size=1',
  '--max-semi-space-size=8',
  '--max-old-space-size=512',
  // WebAssembly is compiled quickly instead of well.
  '--liftoff-only',
] as const;

/** For glibc, which reads them as a process begins. */
export const NODE_ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: '40960',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
