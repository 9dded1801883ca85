import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import { nodeFlags, nodeVersion } from '../stand/node.ts';
import { hasWrk } from './load.ts';
import type { Figure } from './table.ts';

const FILE = new URL('../results/latest.json', import.meta.url);

/** Describes the machine in self-contained phrases. `node` is the version of Node that runs the servers. */
export function describeMachine(postgresql: string) {
  const [cpu] = cpus();
  return {
    date: new Date().toISOString(),
    cpu: `${cpus().length} cores of ${cpu?.model ?? 'an unknown CPU'}${cpu?.speed ? ` at ${cpu.speed} MHz` : ''}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${type()} ${release()}`,
    node: ['Node', nodeVersion, ...nodeFlags].join(' '),
    bench: `bench on Node ${process.version}`,
    postgresql: `PostgreSQL ${postgresql}`,
    load: `load from ${hasWrk ? 'wrk' : 'autocannon'}`,
  };
}

type Machine = ReturnType<typeof describeMachine>;

/** Writes the machine, the noise and the figures to a file that the next run overwrites. Returns its path. */
export async function writeResults(
  machine: Machine,
  noise: number | undefined,
  figures: readonly Figure[],
): Promise<string> {
  await mkdir(new URL('.', FILE), { recursive: true });
  await writeFile(FILE, `${JSON.stringify({ machine, noise, figures }, null, 2)}\n`);
  return FILE.pathname;
}
