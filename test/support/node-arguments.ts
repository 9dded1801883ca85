import { resolve } from 'node:path';

/**
 * Flags for processes that run for seconds: the embedded database is compiled quickly instead of optimised, which
 * halves the cost.
 */
export const SHORT_LIVED = ['--liftoff-only'];

/** Environment of such a process: a compile cache, which saves a third of the start time. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/quotient-tests') };
