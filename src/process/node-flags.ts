// The README in this folder has the reasons and measurements.

export const NODE_FLAGS = [
  '--expose-gc',
  '--no-allocation-site-pretenuring',
  '--v8-pool-size=1',
  '--max-semi-space-size=8',
  '--max-old-space-size=512',
  // Makes V8 compile WebAssembly quickly instead of optimizing it.
  '--liftoff-only',
] as const;

/** glibc reads these variables at process start. */
export const NODE_ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: '40960',
  MALLOC_TRIM_THRESHOLD_: '131072',
};
