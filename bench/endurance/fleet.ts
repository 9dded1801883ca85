import { freePort } from '../stand/free-port.ts';
import { SERVICE } from '../stand/node.ts';
import { type Server, startServer } from '../stand/service-process.ts';
import type { Journal } from './journal.ts';
import { createOutages, type Outages } from './outages.ts';

/** How long clients may still encounter broken connections after a process listens again, in ms. */
const GRACE = 1_000;

export type Member = {
  name: string;
  url: string;
  server: Server;
  /** The times at which the current process was started and killed, by `performance.now()`. */
  startedAt: number;
  killedAt: number | undefined;
  outages: Outages;
};

/** Starts several processes of the service. A restarted process keeps its port. */
export async function startFleet(size: number, env: Record<string, string>, journal: Journal) {
  async function start(name: string, port: number): Promise<Server> {
    const onLine = journal.log(name);
    const options = { isPinned: false, isDetached: true, onLine };
    return startServer(SERVICE, { ...env, PORT: String(port) }, options);
  }

  const members: Member[] = [];
  const close = () => Promise.all(members.map(({ server }) => server.close()));
  for (let i = 1; i <= size; i++) {
    const name = `process ${i}`;
    const server = await start(name, await freePort()).catch(async (error) => {
      await close();
      throw error;
    });
    const outages = createOutages(GRACE);
    members.push({
      name,
      url: server.url,
      server,
      startedAt: performance.now(),
      killedAt: undefined,
      outages,
    });
  }

  return {
    members: members as readonly Member[],

    /** Kills a process (SIGKILL). */
    async kill(member: Member): Promise<void> {
      member.outages.start();
      member.killedAt = performance.now();
      await member.server.kill();
      journal.report(`${member.name} killed`);
    },

    /** Restarts a killed process on the same port. */
    async restart(member: Member): Promise<void> {
      member.server = await start(member.name, Number(new URL(member.url).port));
      member.startedAt = performance.now();
      member.killedAt = undefined;
      member.outages.end();
      journal.report(`${member.name} restarted after ${member.server.startedIn.toFixed(0)} ms`);
    },

    /** Stops all processes (SIGTERM). Returns their exit codes. */
    close,
  };
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;
