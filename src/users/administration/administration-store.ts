import { iso, isoOrNull } from '#core/clock';
import { invalidRequest } from '#core/problems';
import { jsonOf } from '#database/audit';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { Authority } from '../authority.ts';
import { changeUser, lockUser, updateUser } from '../change-user-store.ts';
import { periodAt } from '../plan.ts';
import { type Suspension, toUser, type User } from '../user.ts';
import { startDuePlans } from './next-plan-store.ts';
import { type PlanRequest, planChange, termValues } from './plan-change.ts';

type Tx = Prisma.TransactionClient;
/** The ledger's row for a period. `limit` is null if the user's limit applies to the period. */
type PeriodRow = { limit: number | null; credits: number };

/** The maximum number of calls in a limit, and in the credits of a period. */
export const MAX_CALLS = 2_000_000_000;

const suspensionValues = (suspension: Suspension | undefined) => ({
  suspended: suspension !== undefined,
  reason: suspension?.reason ?? null,
});

const instantOrNull = (at: number | undefined) => Prisma.sql`${isoOrNull(at ?? null)}::timestamptz`;

const find = async (tx: Tx, key: number): Promise<User> => toUser(await tx.user.findUniqueOrThrow({ where: { key } }));

async function periodRow(tx: Tx, userKey: number, periodStart: Date): Promise<PeriodRow> {
  const where = { userKey_periodStart: { userKey, periodStart } };
  return (await tx.usage.findUnique({ where, select: { limit: true, credits: true } })) ?? { limit: null, credits: 0 };
}

/** The operator's changes to a user. Each change is one statement, which also adds the audit event. */
export function createAdministrationStore(prisma: PrismaClient) {
  /**
   * Runs a change that also writes to the ledger's rows. Race: the ledger locks rows of `usage` first, so this change
   * does too, to prevent a deadlock. A due plan is started before. `start` (Unix ms) and `own` are the current
   * period's.
   */
  function changeTerms(
    authority: Authority,
    now: number,
    change: (tx: Tx, user: User, start: number, own: PeriodRow) => Promise<void>,
  ): Promise<void> {
    const { userKey } = authority;
    return prisma.$transaction(async (tx) => {
      await tx.$queryRaw`
        SELECT period_start FROM usage WHERE user_key = ${userKey} ORDER BY period_start FOR UPDATE`;
      await lockUser(tx, authority);
      await tx.$executeRaw(startDuePlans(now, userKey));
      const user = await find(tx, userKey);
      const { start } = periodAt(user.plan, user.anchor, now);
      return change(tx, user, start, await periodRow(tx, userKey, new Date(start)));
    });
  }

  const setSuspension = (authority: Authority, next: Suspension | undefined, reason: string, now: number) =>
    changeUser(prisma, authority, async (tx) => {
      const { suspension } = await find(tx, authority.userKey);
      if (suspension?.reason === next?.reason) return;
      const since = next && (suspension?.since ?? next.since);
      await updateUser(tx, authority, {
        updatedAt: now,
        event: {
          action: next ? 'user.suspend' : 'user.resume',
          before: jsonOf(suspensionValues(suspension)),
          after: jsonOf({ ...suspensionValues(next), reason }),
        },
        set: Prisma.sql`, suspended_at = ${instantOrNull(since)}, suspended_reason = ${next?.reason ?? null}`,
      });
    });

  return {
    /** A second suspension replaces the reason. */
    suspend: (authority: Authority, reason: string, now: number): Promise<void> =>
      setSuspension(authority, { since: now, reason }, reason, now),

    resume: (authority: Authority, reason: string, now: number): Promise<void> =>
      setSuspension(authority, undefined, reason, now),

    /** Also removes the separate limit that the current period may have had since a change of the plan. */
    setLimit: (authority: Authority, limit: number, now: number): Promise<void> =>
      changeTerms(authority, now, async (tx, user, start, own) => {
        if (user.limit === limit && own.limit === null) return;
        await updateUser(tx, authority, {
          updatedAt: now,
          event: { action: 'user.limit', before: jsonOf({ limit: own.limit ?? user.limit }), after: jsonOf({ limit }) },
          set: Prisma.sql`, "limit" = ${limit}::int`,
          more: Prisma.sql`
            own AS (
              UPDATE usage SET "limit" = NULL FROM changed
              WHERE user_key = key AND period_start = ${toInstant(start)}),`,
        });
      }),

    changePlan: (authority: Authority, request: PlanRequest, now: number): Promise<void> =>
      changeTerms(authority, now, async (tx, user, start, own) => {
        const ownLimit = (at: number) => (at === start ? (own.limit ?? undefined) : undefined);
        const { terms, periodLimits } = planChange(user, request, now, ownLimit);
        const { plan, limit, anchor, validUntil, next } = terms;
        const starts = periodLimits.map((period) => iso(period.start));
        const limits = periodLimits.map((period) => period.limit);
        await updateUser(tx, authority, {
          updatedAt: now,
          event: { action: 'user.plan', before: jsonOf(termValues(user)), after: jsonOf(termValues(terms)) },
          set: Prisma.sql`, plan = ${plan}::plan, "limit" = ${limit}::int, anchor = ${toInstant(anchor)},
            valid_until = ${toInstant(validUntil)}, next_plan = ${next?.plan ?? null}::plan,
            next_limit = ${next?.limit ?? null}::int, next_from = ${instantOrNull(next?.from)}`,
          more: Prisma.sql`
            period_limits AS (
              INSERT INTO usage (user_key, period_start, "limit")
              SELECT key, p.start, p.own FROM changed, unnest(${starts}::timestamptz[], ${limits}::int[]) AS p(start, own)
              ON CONFLICT (user_key, period_start) DO UPDATE SET "limit" = excluded."limit"),`,
        });
      }),

    grantCredits: (authority: Authority, { calls, reason }: { calls: number; reason: string }, now: number) =>
      changeTerms(authority, now, async (tx, _user, start, { credits }) => {
        if (credits + calls > MAX_CALLS) {
          const message = `must not raise the credits of the period above ${MAX_CALLS}`;
          throw invalidRequest({ location: 'body.calls', message, fix: 'grant fewer calls' });
        }
        const period = { periodStart: iso(start) };
        await updateUser(tx, authority, {
          updatedAt: now,
          event: {
            action: 'user.credits',
            before: jsonOf({ credits, ...period }),
            after: jsonOf({ credits: credits + calls, ...period, reason }),
          },
          more: Prisma.sql`
            granted AS (
              INSERT INTO credit (user_key, period_start, calls, reason, created_at)
              SELECT key, ${toInstant(start)}, ${calls}::int, ${reason}, ${toInstant(now)} FROM changed),
            held AS (
              INSERT INTO usage (user_key, period_start, credits)
              SELECT key, ${toInstant(start)}, ${calls}::int FROM changed
              ON CONFLICT (user_key, period_start) DO UPDATE SET credits = usage.credits + excluded.credits),`,
        });
      }),

    startDuePlans: (now: number): Promise<number> => prisma.$executeRaw(startDuePlans(now)),
  };
}

export type AdministrationStore = ReturnType<typeof createAdministrationStore>;
