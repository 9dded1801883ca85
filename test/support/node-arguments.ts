import { resolve } from 'node:path';

/** For a process that lives for seconds: the embedded database is compiled quickly instead of well, at half the cost. */
export const SHORT_LIVED = ['--liftoff-only'];

/** The environment of such a process: what it loads is compiled once, which is a third of what its start costs. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/quotient-tests') };
