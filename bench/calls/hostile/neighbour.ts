import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

type Report = { latencies: number[]; failures: string[] };

/** The neighbour's results in one period: the number of responses, the latencies (ms), and the failed requests. */
type Spell = { responses: number; p50: number; p95: number; p99: number; slowest: number; failures: string[] };

function spellOf({ latencies, failures }: Report): Spell {
  const ascending = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => ascending[Math.ceil(share * ascending.length) - 1] ?? Number.NaN;
  return { responses: ascending.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), slowest: at(1), failures };
}

/** Starts a process that requests the latest price every 20 ms as another user. `close` stops it. */
export async function startNeighbour(url: string, apiKey: string) {
  const child = fork(new URL('./neighbour-process.ts', import.meta.url).pathname, {
    env: { PATH: process.env.PATH, NEIGHBOUR_URL: url, NEIGHBOUR_KEY: apiKey },
    execArgv: [],
  });
  const exited = once(child, 'exit');

  async function report(): Promise<Report> {
    const reported = once(child, 'message') as Promise<[Report]>;
    child.send('report');
    return (await reported)[0];
  }
  // The first responses wait for a connection and a lease, so they are not measured.
  await report();
  await wait(500);
  await report();

  return {
    /** Runs `work` and returns the neighbour's results during that time. */
    async during<T>(work: () => Promise<T>): Promise<{ spell: Spell; result: T }> {
      await report();
      const result = await work();
      return { spell: spellOf(await report()), result };
    },

    async close(): Promise<void> {
      child.kill();
      await exited;
    },
  };
}

export type Neighbour = Awaited<ReturnType<typeof startNeighbour>>;
