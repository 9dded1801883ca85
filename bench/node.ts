import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '#process/node-flags';

/**
 * The Node that servers run with: the one that runs the bench, or another with `BENCH_NODE=/path/to/node`. All of them
 * are started as `npm start` does it, those that are compared with as well: the same Node is what makes them comparable.
 */
export const node = process.env.BENCH_NODE || process.execPath;

export const nodeEnv = NODE_ENVIRONMENT;
export const nodeFlags = NODE_FLAGS;

/** This checkout, and the script of `npm start` in one. */
export const TREE = new URL('..', import.meta.url).pathname;
export const serviceOf = (tree: string): string => join(tree, 'build/main.js');
export const SERVICE = serviceOf(TREE);

export const nodeVersion = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
