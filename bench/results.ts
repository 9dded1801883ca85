import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem, type } from 'node:os';
import { hasWrk } from './load.ts';
import { nodeFlags, nodeVersion } from './node.ts';
import type { Figure } from './table.ts';

const FILE = new URL('./results/latest.json', import.meta.url);

/** What the figures were seen on, each in words that stand alone. `node` is that of the servers. */
export function describeMachine(postgresql: string) {
  const [cpu] = cpus();
  return {
    date: new Date().toISOString(),
    cpu: `${cpus().length} cores of ${cpu?.model ?? 'unknown make'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${type()} ${release()}`,
    node: ['Node', nodeVersion, ...nodeFlags].join(' '),
    bench: `bench on Node ${process.version}`,
    postgresql: `PostgreSQL ${postgresql}`,
    load: `load from ${hasWrk ? 'wrk' : 'autocannon'}`,
  };
}

export type Machine = ReturnType<typeof describeMachine>;

/** Writes the figures, with the machine, where the next run overwrites them; returns the file's path. */
export async function writeResults(machine: Machine, figures: readonly Figure[]): Promise<string> {
  await mkdir(new URL('.', FILE), { recursive: true });
  await writeFile(FILE, `${JSON.stringify({ machine, figures }, null, 2)}\n`);
  return FILE.pathname;
}
