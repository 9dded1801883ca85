import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '#process/node-flags';

/**
 * The Node that runs the servers: the Node of the bench, or `BENCH_NODE=/path/to/node`. All servers, including the
 * baselines, run on the same Node with the flags of `npm start`, so that the results are comparable.
 */
export const node = process.env.BENCH_NODE || process.execPath;

export const nodeEnv = NODE_ENVIRONMENT;
export const nodeFlags = NODE_FLAGS;

/** This checkout, and the module of a checkout that `quotient serve` runs with the flags above. */
export const TREE = new URL('../..', import.meta.url).pathname;
export const serviceOf = (tree: string): string => join(tree, 'build/serve.js');
export const SERVICE = serviceOf(TREE);

export const nodeVersion = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
