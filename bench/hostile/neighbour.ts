import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

type Seen = { latencies: number[]; failures: string[] };

/** What a neighbour saw for a while: how many answers, how long they took (ms), and which of them were no 200. */
export type Spell = { answers: number; p50: number; p99: number; slowest: number; failures: string[] };

function spellOf({ latencies, failures }: Seen): Spell {
  const ascending = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => ascending[Math.ceil(share * ascending.length) - 1] ?? Number.NaN;
  return { answers: ascending.length, p50: at(0.5), p99: at(0.99), slowest: at(1), failures };
}

/** A user who asks for the latest price every 20 ms, from a process of its own; `close` ends it. */
export async function startNeighbour(url: string, apiKey: string) {
  const child = fork(new URL('./neighbour-process.ts', import.meta.url).pathname, {
    env: { PATH: process.env.PATH, NEIGHBOUR_URL: url, NEIGHBOUR_KEY: apiKey },
    execArgv: [],
  });
  const exited = once(child, 'exit');

  async function seen(): Promise<Seen> {
    const told = once(child, 'message') as Promise<[Seen]>;
    child.send('tell');
    return (await told)[0];
  }
  // The first answers wait for a connection and for a lease: they are no measure.
  await seen();
  await wait(500);
  await seen();

  return {
    /** What it saw while some work went on. */
    async during<T>(work: () => Promise<T>): Promise<{ spell: Spell; result: T }> {
      await seen();
      const result = await work();
      return { spell: spellOf(await seen()), result };
    },

    async close(): Promise<void> {
      child.kill();
      await exited;
    },
  };
}

export type Neighbour = Awaited<ReturnType<typeof startNeighbour>>;
