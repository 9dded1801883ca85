import { iso } from '#core/clock';
import { sqlEmailEquals } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { secretsAt } from '#notifications/channels/webhook/delivery-store';
import type { Plan } from '#users/plan';
import type { Addressed } from '../channels/channel.ts';
import { CHANNELS, type ChannelSettings, channelOfKind } from '../channels/channels.ts';
import type { Notice } from '../notice.ts';
import {
  addUsageNotices,
  addValidityNotices,
  findPassedThresholds,
  type PassedThreshold,
} from './due-notices-store.ts';
import { SETTINGS } from './notice-settings-store.ts';

type Row = ChannelSettings & {
  id: string;
  userKey: number;
  kind: 'usage' | 'validity';
  concerns: Date;
  threshold: number;
  used: number | null;
  limit: number | null;
  reportedAt: Date;
  address: string;
  plan: Plan;
  anchor: Date;
  isVerified: boolean;
  secrets: string[];
};

function toNotice({ id, userKey, kind, concerns, threshold, used, limit, reportedAt }: Row): Notice {
  const common = { id, userKey, reportedAt: reportedAt.getTime() };
  const at = concerns.getTime();
  if (kind === 'validity') return { ...common, kind, days: threshold, validUntil: at };
  return { ...common, kind, threshold, periodStart: at, used: used ?? 0, limit: limit ?? 0 };
}

/** A message whose notice has not been delivered. Instants in Unix ms. */
export type NoticeMessage = {
  notice: string;
  userKey: number;
  kind: 'usage' | 'validity';
  threshold: number;
  channel: string;
  createdAt: number;
  attempts: number;
  dueAt: number | null;
  lastError: string | null;
};

const MAX_LISTED = 1_000;

export function createNoticeStore(prisma: PrismaClient) {
  async function countAdded(statement: Prisma.Sql): Promise<number> {
    const [row] = await prisma.$queryRaw<[{ added: number }]>(statement);
    return row.added;
  }

  return {
    /** Returns the number of notices. `now` is in Unix ms. Usage must stay at or above a threshold for `staysMs`. */
    async addUsageNotices(now: number, staysMs: number): Promise<number> {
      const passed = await prisma.$queryRaw<PassedThreshold[]>(findPassedThresholds(now));
      return countAdded(addUsageNotices(passed, staysMs));
    },
    addValidityNotices: (now: number): Promise<number> => countAdded(addValidityNotices(now)),

    /** Returns undefined if the user was erased. `now` is in Unix ms. */
    async find(id: string, now: number): Promise<Addressed | undefined> {
      const [row] = await prisma.$queryRaw<Row[]>`
        SELECT n.id::text, n.user_key AS "userKey", n.kind::text, n.concerns, n.threshold, n.used, n."limit",
          n.reported_at AS "reportedAt", u.email AS address, u.plan::text, u.anchor, u.verified_at IS NOT NULL AS "isVerified",
          ${SETTINGS}, ${secretsAt(now)} AS secrets
        FROM notice n JOIN "user" u ON u.key = n.user_key LEFT JOIN notice_settings s ON s.user_key = u.key
        WHERE n.id = ${id}::uuid AND n.reported_at IS NOT NULL AND u.erased_at IS NULL`;
      if (!row) return undefined;
      const { address: email, plan, anchor, isVerified, webhookUrl: url, secrets } = row;
      return {
        notice: toNotice(row),
        user: { email, plan, anchor: anchor.getTime(), isVerified },
        settings: row,
        webhook: url === null ? undefined : { url, secrets },
      };
    },

    /** Counts the notices emailed to an address (case-insensitive) since an instant (Unix ms). */
    async mailedTo(email: string, since: number): Promise<number> {
      const [row] = await prisma.$queryRaw<[{ count: number }]>`
        SELECT count(*)::int AS count FROM notice n JOIN "user" u ON u.key = n.user_key
        WHERE ${sqlEmailEquals(email)} AND n.mailed_at > ${iso(since)}::timestamptz`;
      return row.count;
    },

    async delivered(id: string, column: string, now: number): Promise<void> {
      await prisma.$executeRaw`
        UPDATE notice SET ${Prisma.raw(column)} = ${iso(now)}::timestamptz WHERE id = ${id}::uuid`;
    },

    async undelivered(): Promise<NoticeMessage[]> {
      type Listed = Omit<NoticeMessage, 'createdAt' | 'dueAt' | 'channel'> & {
        messageKind: string;
        createdAt: Date;
        dueAt: Date | null;
      };
      const rows = await prisma.$queryRaw<Listed[]>`
        SELECT n.id::text AS notice, n.user_key AS "userKey", n.kind::text AS kind, n.threshold, m.kind AS "messageKind",
          m.created_at AS "createdAt", m.attempts, m.due_at AS "dueAt", m.last_error AS "lastError"
        FROM outbox_message m JOIN notice n ON n.id = (m.payload ->> 'notice')::uuid
        WHERE m.kind IN (${Prisma.join(CHANNELS.map(({ kind }) => kind))})
        ORDER BY m.created_at DESC, m.id LIMIT ${MAX_LISTED}`;
      return rows.map(({ createdAt, dueAt, messageKind, ...rest }) => ({
        ...rest,
        channel: channelOfKind(messageKind)?.name ?? messageKind,
        createdAt: createdAt.getTime(),
        dueAt: dueAt?.getTime() ?? null,
      }));
    },
  };
}

export type NoticeStore = ReturnType<typeof createNoticeStore>;
