import type { Authority } from '#accounts/keys/api-key';
import { changeUser, lockUser } from '#accounts/keys/change-user-store';
import { toUser, type User } from '#accounts/keys/key-holder-store';
import type { Suspension } from '#accounts/keys/suspension';
import { startDuePlans } from '#accounts/ledger/next-plan-store';
import { periodAt } from '#accounts/ledger/plan';
import { iso, isoOrNull } from '#core/clock';
import { audit, jsonOf } from '#database/audit';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { type PlanRequest, planChange, termValues } from './plan-change.ts';

type Outcome = 'changed' | 'unchanged' | 'ended';
type Tx = Prisma.TransactionClient;
/** The row of the ledger for a period; `limit` is null if the period has the limit of the user. */
type PeriodRow = { limit: number | null; credits: number };

export type Grant = { calls: number; reason: string };

const suspensionValues = (suspension: Suspension | undefined) => ({
  suspended: suspension !== undefined,
  reason: suspension?.reason ?? null,
});

const instantOrNull = (at: number | undefined) => Prisma.sql`${isoOrNull(at ?? null)}::timestamptz`;

/** The operator's changes to a user. Each is one statement that also adds the audit event. */
export function createAdministrationStore(prisma: PrismaClient) {
  const find = async (tx: Tx, key: number): Promise<User> =>
    toUser(await tx.user.findUniqueOrThrow({ where: { key } }));

  /**
   * Runs a change that also writes to the ledger's rows. Race: a settlement locks rows of `usage` before the user, so
   * this locks them first too, to prevent a deadlock. A plan that has become due starts before the change.
   */
  function changeTerms<Result>(
    authority: Authority,
    now: number,
    change: (tx: Tx, user: User) => Promise<Result>,
  ): Promise<Result | 'ended'> {
    const { userKey } = authority;
    return prisma.$transaction(async (tx) => {
      await tx.$queryRaw`
        SELECT period_start FROM usage WHERE user_key = ${userKey} ORDER BY period_start FOR UPDATE`;
      if (!(await lockUser(tx, authority))) return 'ended';
      await tx.$executeRaw(startDuePlans(now, userKey));
      return change(tx, await find(tx, userKey));
    });
  }

  /** Sets columns of a user. `more` are further steps of the statement, each of the form `name AS (…),`. */
  const update = async (
    tx: Tx,
    { userKey, operator }: Authority,
    now: number,
    {
      set = Prisma.empty,
      more = Prisma.empty,
      ...event
    }: Omit<Parameters<typeof audit>[1], 'target'> & {
      set?: Prisma.Sql;
      more?: Prisma.Sql;
    },
  ): Promise<Outcome> => {
    await tx.$queryRaw`
      WITH changed AS (
        UPDATE "user" SET updated_at = ${toInstant(now)}, changed_at = clock_timestamp() ${set}
        WHERE key = ${userKey} RETURNING key),
      ${more}
      ${audit(operator, { ...event, target: `user:${userKey}`, userKey })}
      done AS (SELECT key FROM changed)
      SELECT key FROM done`;
    return 'changed';
  };

  const periodRow = async (tx: Tx, userKey: number, periodStart: number): Promise<PeriodRow> => {
    const row = await tx.usage.findUnique({
      where: { userKey_periodStart: { userKey, periodStart: new Date(periodStart) } },
      select: { limit: true, credits: true },
    });
    return row ?? { limit: null, credits: 0 };
  };

  const setSuspension = (authority: Authority, next: Suspension | undefined, reason: string, now: number) =>
    changeUser(prisma, authority, async (tx): Promise<Outcome> => {
      const { suspension } = await find(tx, authority.userKey);
      if (suspension?.reason === next?.reason) return 'unchanged';
      const since = next && (suspension?.since ?? next.since);
      return update(tx, authority, now, {
        action: next ? 'user.suspend' : 'user.resume',
        before: jsonOf(suspensionValues(suspension)),
        after: jsonOf({ ...suspensionValues(next), reason }),
        set: Prisma.sql`, suspended_at = ${instantOrNull(since)}, suspended_reason = ${next?.reason ?? null}`,
      });
    });

  return {
    /** A second suspension replaces the reason. */
    suspend: (authority: Authority, reason: string, now: number): Promise<Outcome> =>
      setSuspension(authority, { since: now, reason }, reason, now),

    resume: (authority: Authority, reason: string, now: number): Promise<Outcome> =>
      setSuspension(authority, undefined, reason, now),

    /** The current period loses the limit of its own that it may have since a change of the plan. */
    setLimit: (authority: Authority, limit: number, now: number): Promise<Outcome> =>
      changeTerms(authority, now, async (tx, user): Promise<Outcome> => {
        const { start } = periodAt(user.plan, user.anchor, now);
        const own = await periodRow(tx, user.key, start);
        if (user.limit === limit && own.limit === null) return 'unchanged';
        return update(tx, authority, now, {
          action: 'user.limit',
          before: jsonOf({ limit: own.limit ?? user.limit }),
          after: jsonOf({ limit }),
          set: Prisma.sql`, "limit" = ${limit}::int`,
          more: Prisma.sql`
            own AS (
              UPDATE usage SET "limit" = NULL FROM changed
              WHERE user_key = key AND period_start = ${toInstant(start)}),`,
        });
      }),

    changePlan: (authority: Authority, request: PlanRequest, now: number): Promise<Outcome> =>
      changeTerms(authority, now, async (tx, user): Promise<Outcome> => {
        const { start } = periodAt(user.plan, user.anchor, now);
        const own = await periodRow(tx, user.key, start);
        const { terms, periodLimits } = planChange(user, request, now, (at) =>
          at === start ? (own.limit ?? undefined) : undefined,
        );
        const { plan, limit, anchor, validUntil, next } = terms;
        const [starts, limits] = [periodLimits.map((one) => iso(one.start)), periodLimits.map((one) => one.limit)];
        return update(tx, authority, now, {
          action: 'user.plan',
          before: jsonOf(termValues(user)),
          after: jsonOf(termValues(terms)),
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

    /** Adds calls to the current period. Nothing changes if its credits would exceed `most`. */
    grantCredits: (
      authority: Authority,
      { calls, reason }: Grant,
      most: number,
      now: number,
    ): Promise<Outcome | 'too_many'> =>
      changeTerms(authority, now, async (tx, user): Promise<Outcome | 'too_many'> => {
        const { start } = periodAt(user.plan, user.anchor, now);
        const { credits } = await periodRow(tx, user.key, start);
        if (credits + calls > most) return 'too_many';
        const period = { periodStart: iso(start) };
        return update(tx, authority, now, {
          action: 'user.credits',
          before: jsonOf({ credits, ...period }),
          after: jsonOf({ credits: credits + calls, ...period, reason }),
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

    /** Starts the plans whose first period has started. Returns how many. `now` in Unix ms. */
    startDuePlans: (now: number): Promise<number> => prisma.$executeRaw(startDuePlans(now)),
  };
}

export type AdministrationStore = ReturnType<typeof createAdministrationStore>;
