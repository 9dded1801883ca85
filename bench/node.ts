import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * The Node that servers run with: the one that runs the bench, or another with `BENCH_NODE=/path/to/node`. All of
 * them get the flags of `npm start`, those that are compared with as well: the same Node is what makes them comparable.
 */
export const node = process.env.BENCH_NODE || process.execPath;

/** What `npm start` does, read from where it stands. Throws when it is more than `node`, flags and the script. */
function readStart(): { flags: string[]; script: string } {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { start } = (JSON.parse(text) as { scripts: { start: string } }).scripts;
  const [program, ...flags] = start.split(/\s+/);
  const script = flags.pop();
  if (program !== 'node' || script === undefined || !flags.every((word) => word.startsWith('-'))) {
    throw new Error(`the bench cannot start the service as \`${start}\` does`);
  }
  return { flags, script: `../${script}` };
}

/** The flags of `npm start`, and its script as it is called from here. */
export const { flags: nodeFlags, script: SERVICE } = readStart();

export const nodeVersion = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim();
