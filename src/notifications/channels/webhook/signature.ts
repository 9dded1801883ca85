import { createHmac, randomBytes } from 'node:crypto';

/* Standard Webhooks (github.com/standard-webhooks/standard-webhooks, "Signature scheme"). */

const PREFIX = 'whsec_';
/** The specification requires 24 to 64 bytes. */
const SECRET_BYTES = 32;

export const mintWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

type Message = {
  id: string;
  /** The time of the attempt, in Unix ms. */
  now: number;
  body: string;
};

/** Signs with each secret, so that the receiver can verify the webhook with any of them. */
export function webhookHeaders({ id, now, body }: Message, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
