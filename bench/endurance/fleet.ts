import { freePort } from '../free-port.ts';
import { SERVICE } from '../node.ts';
import { type Server, startServer } from '../service-process.ts';
import type { Journal } from './journal.ts';
import { createReclaimGuard, type ReclaimGuard } from './outages.ts';

/** After a process listens again, how long its old connections may still be found dead, in ms. */
const GRACE = 1_000;

export type Member = {
  name: string;
  url: string;
  server: Server;
  /** When the process that now runs was started, and when it was killed, by `performance.now()`. */
  startedAt: number;
  killedAt: number | undefined;
  outages: ReclaimGuard;
};

/** Some processes of the service, each on a port that it keeps when it is started again. */
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
    const outages = createReclaimGuard(GRACE);
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

    /** Ends a process at once. */
    async kill(member: Member): Promise<void> {
      member.outages.began();
      member.killedAt = performance.now();
      await member.server.kill();
      journal.tell(`${member.name} was killed`);
    },

    /** Starts a killed process again, on its port. */
    async revive(member: Member): Promise<void> {
      member.server = await start(member.name, Number(new URL(member.url).port));
      member.startedAt = performance.now();
      member.killedAt = undefined;
      member.outages.ended();
      journal.tell(`${member.name} is there again, after ${member.server.startedIn.toFixed(0)} ms`);
    },

    /** Asks all to stop; gives their exit codes. */
    close,
  };
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;
