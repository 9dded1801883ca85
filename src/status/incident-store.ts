import { isoDate, MINUTE, SECOND, startOfDate } from '#core/clock';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { bumpVersion } from '#upstream/claims-and-budgets-store';
import type { Incident, NewIncident, ObservedDay } from './incident.ts';

/** An incident that starts within this time after the previous one continues it, so that flapping adds few rows. */
const CONTINUES_WITHIN = 30 * MINUTE;
/** The maximum number of incidents in memory. */
const MOST = 200;

const ms = (length: number) => Prisma.sql`make_interval(secs => ${length / SECOND}::float8)`;

/** The version of the resource rises with each change, so that all processes reload the incidents. */
export function createIncidentStore(prisma: PrismaClient) {
  return {
    /** The newest incidents since an instant. Those that have not ended come first. */
    async read(since: number): Promise<Incident[]> {
      const rows = await prisma.incident.findMany({
        where: { OR: [{ endedAt: null }, { endedAt: { gte: new Date(since) } }] },
        orderBy: [{ endedAt: { sort: 'desc', nulls: 'first' } }, { id: 'desc' }],
        take: MOST,
      });
      return rows.map(({ startedAt, endedAt, ...row }) => ({
        ...(row as Pick<Incident, 'id' | 'component' | 'state' | 'reason'>),
        startedAt: startedAt.getTime(),
        endedAt: endedAt?.getTime() ?? null,
      }));
    },

    /**
     * Adds an incident, or continues the component's last one, with the worse state of both. Race: of two processes
     * that see the same failure, the second finds the unique index of incidents that have not ended, and adds nothing.
     */
    async begin({ component, state, reason, startedAt }: NewIncident): Promise<void> {
      await prisma.$queryRaw`
        WITH last AS MATERIALIZED (
          SELECT id FROM incident
          WHERE component = ${component}
            AND (ended_at IS NULL OR ended_at >= ${toInstant(startedAt)} - ${ms(CONTINUES_WITHIN)})
          ORDER BY ended_at DESC NULLS FIRST LIMIT 1 FOR UPDATE),
        continued AS (
          UPDATE incident SET ended_at = NULL, started_at = least(started_at, ${toInstant(startedAt)}),
            state = CASE WHEN state = 'down' THEN state ELSE ${state}::text END,
            reason = CASE WHEN state = 'down' THEN reason ELSE ${reason}::text END
          FROM last WHERE incident.id = last.id RETURNING incident.id),
        added AS (
          INSERT INTO incident (component, state, reason, started_at)
          SELECT ${component}::text, ${state}::text, ${reason}::text, ${toInstant(startedAt)} WHERE NOT EXISTS (SELECT FROM last)
          ON CONFLICT (component) WHERE ended_at IS NULL DO NOTHING),
        bumped AS (${bumpVersion('incidents')} RETURNING version)
        SELECT version FROM bumped`;
    },

    /** Ends an incident unless another process has ended it. */
    async end(id: number, at: number): Promise<void> {
      await prisma.$queryRaw`
        WITH ended AS (
          UPDATE incident SET ended_at = greatest(started_at, ${toInstant(at)})
          WHERE id = ${id}::int AND ended_at IS NULL),
        bumped AS (${bumpVersion('incidents')} RETURNING version)
        SELECT version FROM bumped`;
    },

    /** The dates since an instant on which a process observed each component. */
    async observedDays(since: number): Promise<ObservedDay[]> {
      const rows = await prisma.observedDay.findMany({ where: { date: { gte: new Date(startOfDate(since)) } } });
      return rows.map(({ component, date }) => ({ component, date: isoDate(date.getTime()) }));
    },

    async recordDays(days: readonly ObservedDay[]): Promise<void> {
      await prisma.$queryRaw`
        WITH added AS (
          INSERT INTO observed_day (component, date)
          SELECT component, date FROM json_to_recordset(${JSON.stringify(days)}::json) AS r(component text, date date)
          ON CONFLICT DO NOTHING),
        bumped AS (${bumpVersion('incidents')} RETURNING version)
        SELECT version FROM bumped`;
    },
  };
}
