import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readStartCommand } from '../scripts/start-command.ts';

/**
 * The Node that servers run with: the one that runs the bench, or another with `BENCH_NODE=/path/to/node`. All of them
 * are started as `npm start` does it, those that are compared with as well: the same Node is what makes them comparable.
 */
export const node = process.env.BENCH_NODE || process.execPath;

const { env, flags, script } = await readStartCommand();
export const nodeEnv = env;
export const nodeFlags = flags;

/** This checkout, and the script of `npm start` in one. */
export const TREE = new URL('..', import.meta.url).pathname;
export const serviceOf = (tree: string): string => join(tree, script);
export const SERVICE = serviceOf(TREE);

export const nodeVersion = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
