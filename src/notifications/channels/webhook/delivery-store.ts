import { randomUUID } from 'node:crypto';
import { HOUR, iso, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { OutboxMessage } from '#notifications/outbox-store';
import type { Authority } from '#users/authority';
import { changeUser } from '#users/user-changes';
import type { SignedMessage, Target } from '../channel.ts';

/** The kind of the outbox messages for test events and resent webhooks. A delivery has the ID of its message. */
export const WEBHOOK_DELIVERY = 'webhook-delivery';
/** The number of deliveries that a user can list. */
export const MAX_LISTED = 50;
/** How many deliveries of a kind a user can request per hour. */
export const PER_HOUR = { test: 10, resend: 30 } as const;

type FailureReason = 'http_status' | 'no_response' | 'webhook_off';
type Claim = Pick<OutboxMessage, 'id' | 'attempts'>;

export type StoredDelivery = {
  id: string;
  messageId: string;
  resendOf: string | null;
  payload: string;
  createdAt: Date;
  attempts: number;
  attemptedAt: Date | null;
  httpStatus: number | null;
  reason: FailureReason | null;
  deliveredAt: Date | null;
  /** When the next attempt is due. Null if no attempt follows. */
  dueAt: Date | null;
};

/** SQL: the secrets of the settings `s` that sign webhooks at an instant (Unix ms). */
export const secretsAt = (now: number): Prisma.Sql => Prisma.sql`array_remove(ARRAY[s.secret,
  CASE WHEN s.previous_until > ${iso(now)}::timestamptz THEN s.previous_secret END], NULL)`;

/** SQL: deliveries `d` with the messages `m` that will be attempted again. */
const DELIVERIES = Prisma.sql`
  SELECT d.id::text, d.message_id::text AS "messageId", d.resend_of::text AS "resendOf", d.payload,
    d.created_at AS "createdAt", d.attempts, d.attempted_at AS "attemptedAt", d.http_status AS "httpStatus", d.reason,
    d.delivered_at AS "deliveredAt", m.due_at AS "dueAt"
  FROM webhook_delivery d LEFT JOIN outbox_message m ON m.id = d.id AND m.given_up_at IS NULL`;

/** SQL: deletes a user's ended, unlisted deliveries. Those of the last hour remain: the hourly limits count them. */
const deleteSurplus = (userKey: number): Prisma.Sql => Prisma.sql`
  DELETE FROM webhook_delivery WHERE id IN (
    SELECT d.id FROM (
      SELECT id, created_at FROM webhook_delivery WHERE user_key = ${userKey}::int
      ORDER BY created_at DESC, id DESC OFFSET ${MAX_LISTED}::int) d
    WHERE d.created_at < clock_timestamp() - make_interval(secs => ${HOUR / SECOND}::float8)
      AND NOT EXISTS (SELECT FROM outbox_message m WHERE m.id = d.id AND m.given_up_at IS NULL))`;

const LIMITS = {
  test: { name: 'webhook-tests', detail: `A user can send up to ${PER_HOUR.test} test events per hour.` },
  resend: { name: 'webhook-resends', detail: `A user can send up to ${PER_HOUR.resend} webhooks again per hour.` },
} as const;

function limitReached(kind: keyof typeof LIMITS, retryAfter: number): Problem {
  const { name, detail } = LIMITS[kind];
  const headers = {
    'ratelimit-policy': `"${name}";q=${PER_HOUR[kind]};w=${HOUR / SECOND}`,
    ratelimit: `"${name}";r=0;t=${Math.max(1, Math.ceil(retryAfter))}`,
  };
  return new Problem('rate_limited', detail, { retryAfter, headers });
}

/** The limit is exact, because the user's row is locked. */
async function assertWithinLimit(tx: Prisma.TransactionClient, userKey: number, kind: keyof typeof PER_HOUR) {
  const [row] = await tx.$queryRaw<[{ count: number; seconds: number | null }]>`
    SELECT count(*)::int AS count,
      extract(epoch FROM min(created_at) - clock_timestamp())::float8 + ${HOUR / SECOND}::float8 AS seconds
    FROM webhook_delivery WHERE user_key = ${userKey}::int AND kind = ${kind}
      AND created_at > clock_timestamp() - make_interval(secs => ${HOUR / SECOND}::float8)
      AND created_at <= clock_timestamp()`;
  if (row.count >= PER_HOUR[kind]) throw limitReached(kind, row.seconds ?? 0);
}

/** Adds a delivery with its outbox message. Throws `not_found`, `webhook_not_set` and `rate_limited`. */
const request = (
  prisma: PrismaClient,
  authority: Authority,
  kind: keyof typeof PER_HOUR,
  read: (tx: Prisma.TransactionClient) => Promise<(SignedMessage & { resendOf: string | null }) | undefined>,
): Promise<StoredDelivery> =>
  changeUser(prisma, authority, async (tx) => {
    const { userKey } = authority;
    const message = await read(tx);
    if (!message) throw new Problem('not_found', 'The user has no delivery with this ID.');
    const [settings] = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM notice_settings WHERE user_key = ${userKey}::int AND webhook_url IS NOT NULL`;
    if (!settings) {
      const detail = 'The user has no webhook URL. Set webhookUrl with PUT /v1/user/notices.';
      throw new Problem('webhook_not_set', detail);
    }
    await assertWithinLimit(tx, userKey, kind);
    const id = randomUUID();
    await tx.$executeRaw`
      WITH added AS (
        INSERT INTO webhook_delivery (id, user_key, message_id, kind, resend_of, payload, created_at)
        VALUES (${id}::uuid, ${userKey}::int, ${message.messageId}::uuid, ${kind}, ${message.resendOf}::uuid,
          ${message.body}, clock_timestamp()))
      INSERT INTO outbox_message (id, kind, user_key, payload, created_at)
      VALUES (${id}::uuid, ${WEBHOOK_DELIVERY}, ${userKey}::int, '{}', clock_timestamp())`;
    await tx.$executeRaw(deleteSurplus(userKey));
    const [added] = await tx.$queryRaw<[StoredDelivery]>`${DELIVERIES} WHERE d.id = ${id}::uuid`;
    return added;
  });

export function createDeliveryStore(prisma: PrismaClient) {
  return {
    addTest: (authority: Authority, message: SignedMessage) =>
      request(prisma, authority, 'test', async () => ({ ...message, resendOf: null })),

    /** Adds a new delivery of the same message. The original delivery keeps its outcome. */
    addResend: (authority: Authority, id: string) =>
      request(prisma, authority, 'resend', async (tx) => {
        const [found] = await tx.$queryRaw<(SignedMessage & { resendOf: string })[]>`
          SELECT message_id::text AS "messageId", payload AS body, id::text AS "resendOf"
          FROM webhook_delivery WHERE id = ${id}::uuid AND user_key = ${authority.userKey}::int`;
        return found;
      }),

    list: (userKey: number): Promise<StoredDelivery[]> =>
      prisma.$queryRaw<StoredDelivery[]>`
        ${DELIVERIES} WHERE d.user_key = ${userKey}::int
        ORDER BY d.created_at DESC, d.id DESC LIMIT ${MAX_LISTED}::int`,

    /**
     * The user's webhook address. Undefined if webhooks are off, or if the operator has suspended the user or revoked
     * its keys: the webhooks that a user has requested may be an attack on their receiver. `now` is in Unix ms.
     */
    async targetOf(userKey: number, now: number): Promise<Target | undefined> {
      const [row] = await prisma.$queryRaw<Target[]>`
        SELECT s.webhook_url AS url, ${secretsAt(now)} AS secrets
        FROM notice_settings s JOIN "user" u ON u.key = s.user_key
        WHERE s.user_key = ${userKey}::int AND s.webhook_url IS NOT NULL AND u.suspended_at IS NULL
          AND EXISTS (SELECT FROM api_key k WHERE k.user_key = u.key AND k.revoked_at IS NULL)`;
      return row;
    },

    /**
     * Records the start of an attempt. Returns the stored message, so that every attempt sends the same body. Returns
     * undefined if the delivery was deleted. Race: an erasure updates the user's row, so an attempt that overlaps the
     * erasure waits, and then finds no user to add a delivery for.
     */
    async begin(
      { id, attempts }: Claim,
      notice?: SignedMessage & { userKey: number },
    ): Promise<SignedMessage | undefined> {
      if (notice) {
        const { userKey, messageId, body } = notice;
        const added = await prisma.$executeRaw`
          INSERT INTO webhook_delivery (id, user_key, message_id, kind, payload, created_at)
          SELECT ${id}::uuid, key, ${messageId}::uuid, 'notice', ${body}, clock_timestamp()
          FROM "user" WHERE key = ${userKey}::int AND erased_at IS NULL FOR SHARE
          ON CONFLICT (id) DO NOTHING`;
        if (added > 0) await prisma.$executeRaw(deleteSurplus(userKey));
      }
      const [started] = await prisma.$queryRaw<SignedMessage[]>`
        UPDATE webhook_delivery SET attempts = greatest(attempts, ${attempts}::int), attempted_at = clock_timestamp()
        WHERE id = ${id}::uuid RETURNING message_id::text AS "messageId", payload AS body`;
      return started;
    },

    /** Records a successful attempt, even if the claim has expired. */
    async delivered({ id }: Claim, httpStatus: number): Promise<void> {
      await prisma.$executeRaw`
        UPDATE webhook_delivery SET delivered_at = clock_timestamp(), http_status = ${httpStatus}::int, reason = NULL
        WHERE id = ${id}::uuid`;
    },

    /** Records a failed attempt. Changes nothing if the message was delivered or claimed again in the meantime. */
    async failed({ id, attempts }: Claim, reason: FailureReason, httpStatus: number | null): Promise<void> {
      await prisma.$executeRaw`
        UPDATE webhook_delivery SET http_status = ${httpStatus}::int, reason = ${reason}
        WHERE id = ${id}::uuid AND attempts <= ${attempts}::int AND delivered_at IS NULL`;
    },
  };
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;
