import type { Plan } from '#accounts/ledger/plan';
import { iso } from '#core/clock';
import { hasAddress } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { secretsAt, type Target } from '#notifications/webhooks/delivery-store';
import { addUsageNotices, addValidityNotices } from './due-notices-store.ts';
import { NOTICE_MAIL, NOTICE_WEBHOOK, type Notice } from './notice.ts';

export type Addressed = {
  notice: Notice;
  user: { email: string; plan: Plan; anchor: number; isVerified: boolean };
  webhook: Target | undefined;
};

type Row = {
  id: string;
  userKey: number;
  kind: 'usage' | 'validity';
  concerns: Date;
  threshold: number;
  used: number | null;
  limit: number | null;
  toldAt: Date;
  email: string;
  plan: Plan;
  anchor: Date;
  isVerified: boolean;
  url: string | null;
  secrets: string[];
};

function toNotice({ id, userKey, kind, concerns, threshold, used, limit, toldAt }: Row): Notice {
  const [common, at] = [{ id, userKey, toldAt: toldAt.getTime() }, concerns.getTime()];
  if (kind === 'validity') return { ...common, kind, days: threshold, validUntil: at };
  return { ...common, kind, threshold, periodStart: at, used: used ?? 0, limit: limit ?? 0 };
}

/** A message whose notice has not been delivered. Instants in Unix ms. */
export type NoticeMessage = {
  notice: string;
  userKey: number;
  kind: 'usage' | 'validity';
  threshold: number;
  channel: 'notice-mail' | 'notice-webhook';
  createdAt: number;
  attempts: number;
  dueAt: number | null;
  /** The last error; null before the first failure. */
  lastError: string | null;
};

const MOST_LISTED = 1_000;
/** How long notices are stored, in days: longer than a yearly period, so that no notice is sent twice. */
const KEPT_DAYS = 400;

export function createNoticeStore(prisma: PrismaClient) {
  async function countAdded(statement: Prisma.Sql): Promise<number> {
    const [row] = await prisma.$queryRaw<[{ added: number }]>(statement);
    return row.added;
  }

  return {
    /** Returns the number of notices. `now` is in Unix ms. Usage must stay at or above a threshold for `staysMs`. */
    addUsageNotices: (now: number, staysMs: number): Promise<number> => countAdded(addUsageNotices(now, staysMs)),
    addValidityNotices: (now: number): Promise<number> => countAdded(addValidityNotices(now)),

    /** Returns undefined if the user was erased. `now` is in Unix ms. */
    async find(id: string, now: number): Promise<Addressed | undefined> {
      const [row] = await prisma.$queryRaw<Row[]>`
        SELECT n.id::text, n.user_key AS "userKey", n.kind::text, n.concerns, n.threshold, n.used, n."limit",
          n.told_at AS "toldAt", u.email, u.plan::text, u.anchor, u.verified_at IS NOT NULL AS "isVerified",
          s.webhook_url AS url, ${secretsAt(now)} AS secrets
        FROM notice n JOIN "user" u ON u.key = n.user_key LEFT JOIN notice_settings s ON s.user_key = u.key
        WHERE n.id = ${id}::uuid AND n.told_at IS NOT NULL AND u.erased_at IS NULL`;
      if (!row) return undefined;
      const { email, plan, anchor, isVerified, url, secrets } = row;
      return {
        notice: toNotice(row),
        user: { email, plan, anchor: anchor.getTime(), isVerified },
        webhook: url === null ? undefined : { url, secrets },
      };
    },

    /** Counts the notices emailed to an address (case-insensitive) since an instant (Unix ms). */
    async mailedTo(email: string, since: number): Promise<number> {
      const [row] = await prisma.$queryRaw<[{ count: number }]>`
        SELECT count(*)::int AS count FROM notice n JOIN "user" u ON u.key = n.user_key
        WHERE ${hasAddress(email)} AND n.mailed_at > ${iso(since)}::timestamptz`;
      return row.count;
    },

    async delivered(id: string, by: 'mail' | 'webhook', now: number): Promise<void> {
      const column = Prisma.raw(by === 'mail' ? 'mailed_at' : 'posted_at');
      await prisma.$executeRaw`
        UPDATE notice SET ${column} = ${iso(now)}::timestamptz WHERE id = ${id}::uuid`;
    },

    /** Returns messages that wait for delivery or were given up, newest first. */
    async undelivered(): Promise<NoticeMessage[]> {
      type Listed = Omit<NoticeMessage, 'createdAt' | 'dueAt'> & { createdAt: Date; dueAt: Date | null };
      const rows = await prisma.$queryRaw<Listed[]>`
        SELECT n.id::text AS notice, n.user_key AS "userKey", n.kind::text AS kind, n.threshold, m.kind AS channel,
          m.created_at AS "createdAt", m.attempts, m.due_at AS "dueAt", m.last_error AS "lastError"
        FROM outbox_message m JOIN notice n ON n.id = (m.payload ->> 'notice')::uuid
        WHERE m.kind IN (${NOTICE_MAIL}, ${NOTICE_WEBHOOK})
        ORDER BY m.created_at DESC, m.id LIMIT ${MOST_LISTED}`;
      return rows.map(({ createdAt, dueAt, ...rest }) => ({
        ...rest,
        createdAt: createdAt.getTime(),
        dueAt: dueAt?.getTime() ?? null,
      }));
    },

    /** Race: a statement that overlaps an erasure may add a notice of the erased user. */
    async tidy(): Promise<void> {
      await prisma.$executeRaw`
        DELETE FROM notice WHERE told_at < clock_timestamp() - make_interval(days => ${KEPT_DAYS}::int)
          OR user_key IN (SELECT key FROM "user" WHERE erased_at IS NOT NULL)`;
    },
  };
}

export type NoticeStore = ReturnType<typeof createNoticeStore>;
