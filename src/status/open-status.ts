import { type Clock, isoDate, SECOND } from '#core/clock';
import { withinDeadline } from '#database/deadline';
import type { Capability, CapabilityDeps } from '#server/capability';
import type { Component } from '#upstream/component';
import type { SourceOutcomes } from '#upstream/source-outcomes';
import { type Incident, type ObservedDay, shownSince } from './incident.ts';
import { createIncidentStore } from './incident-store.ts';
import { createIncidentWatch } from './incident-watch.ts';

/** How often the components are observed, in ms. */
const OBSERVE_EVERY = 5 * SECOND;

type Deps = Pick<CapabilityDeps, 'database' | 'deadline' | 'versions' | 'clock'> & {
  outcomes: Pick<SourceOutcomes, 'sync'>;
  /** The components of all other capabilities. */
  components: () => Component[];
  checkDatabase: () => Promise<void>;
};

/** The database as a component, by the results of the checks and of the reads of this process. */
function watchDatabase(check: () => Promise<void>, clock: Clock) {
  let isUp = true;
  let workedAt: number | null = null;

  async function watched<Result>(work: Promise<Result>): Promise<Result> {
    try {
      const result = await work;
      [isUp, workedAt] = [true, clock.now()];
      return result;
    } catch (error) {
      isUp = false;
      throw error;
    }
  }

  return {
    check: () => watched(check()),
    /** Reads. After a failure, also checks whether the database is writable again, which a read does not show. */
    async read(work: () => Promise<unknown>): Promise<boolean> {
      const wasUp = isUp;
      await watched(withinDeadline(work()).then(() => (wasUp ? undefined : check()))).catch(() => undefined);
      return isUp;
    },
    component: (): Component => ({
      ...{ name: 'database', title: 'Database', state: isUp ? 'operational' : 'down', dataAt: workedAt },
      ...(!isUp && { reason: 'database_unavailable' as const }),
    }),
  };
}

/** The components of the service with their states, and the incidents of the last 30 days. */
export async function openStatus({ database: { prisma }, outcomes, components, checkDatabase, ...deps }: Deps) {
  const { deadline, versions, clock } = deps;
  const database = watchDatabase(checkDatabase, clock);
  const store = deadline.over(createIncidentStore(prisma));
  let recordedIncidents: Incident[] = [];
  let observed: ObservedDay[] = [];
  const watched = versions.watch({
    names: () => ['incidents'],
    async reload(changed) {
      if (changed.length === 0) return;
      const since = shownSince(clock.now());
      [recordedIncidents, observed] = await Promise.all([store.read(since), store.observedDays(since)]);
    },
  });
  await watched.sync();

  const current = (): Component[] => [...components(), database.component()];
  const incidents = createIncidentWatch({
    open: (component) =>
      recordedIncidents.find((incident) => incident.component === component && incident.endedAt === null),
    async begin(incident) {
      await store.begin(incident);
      await watched.sync();
    },
    async end(id, at) {
      await store.end(id, at);
      await watched.sync();
    },
    clock,
  });

  async function recordToday(seen: readonly Component[]): Promise<void> {
    const date = isoDate(clock.now());
    const observedToday = new Set(observed.filter((day) => day.date === date).map(({ component }) => component));
    const configured = seen.filter(({ name, state }) => state !== 'not_configured' && !observedToday.has(name));
    if (configured.length === 0) return;
    await store.recordDays(configured.map(({ name: component }) => ({ component, date })));
    await watched.sync();
  }

  async function observe(): Promise<void> {
    const isUp = await database.read(outcomes.sync);
    const seen = current();
    incidents.observe(seen);
    if (!isUp) return;
    await incidents.write();
    await recordToday(seen);
  }

  return {
    checkDatabase: database.check,
    /** Reads no database, because anyone may request the status page. */
    report: () => {
      const since = shownSince(clock.now());
      const shown = recordedIncidents.filter(({ endedAt }) => endedAt === null || endedAt >= since);
      return { components: current(), incidents: shown.sort((a, b) => b.startedAt - a.startedAt), observed };
    },
    jobs: [
      {
        name: 'incident watch',
        every: OBSERVE_EVERY,
        run: observe,
        isOfPeers: true,
      },
    ],
  } satisfies Capability & Record<string, unknown>;
}

export type StatusReport = ReturnType<Awaited<ReturnType<typeof openStatus>>['report']>;
