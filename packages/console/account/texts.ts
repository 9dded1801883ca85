import type { Usage, UserOfKey } from '../../client/index.ts';
import { count, onDateAt } from '../../pages/format.ts';

const graceEnd = (seconds: number, now: number) => `${onDateAt(new Date(now + seconds * 1000))} (UTC)`;

type Dated = Pick<UserOfKey, 'validUntil' | 'limit'>;

export function renewalInWords({ validUntil, limit }: Dated, now: number): string {
  if (validUntil.getTime() <= now) {
    return `Your key expired on ${onDateAt(validUntil)}. The renewal starts a new period with ${count(limit)} calls. The key stays the same.`;
  }
  return `Your key is valid until ${onDateAt(validUntil)}. The renewal adds one more period. The key and your remaining calls stay the same.`;
}

export function deletionInWords(usage: Usage | undefined, now: number): string {
  const loss =
    usage && usage.remaining > 0 && usage.validUntil.getTime() > now
      ? ` You lose your ${count(usage.remaining)} remaining calls of the period that ends on ${onDateAt(usage.resetsAt)}.`
      : '';
  return `All keys of the account stop working within seconds, and your name and email address are erased.${loss} This cannot be undone.`;
}

export function replacementInWords({ validUntil }: Dated, graceSeconds: number, now: number): string {
  const old =
    graceSeconds > 0
      ? `Until ${graceEnd(graceSeconds, now)}, the old key can read data but cannot manage the account.`
      : 'The old key stops working immediately.';
  return `You get a new key. The new key is shown only once and is valid until ${onDateAt(validUntil)}. Your usage stays the same, and your other keys stay valid. ${old}`;
}

/** Shown after the replacement. */
export const oldKeyInWords = (graceSeconds: number, now: number): string =>
  graceSeconds > 0
    ? `The old key can read data until ${graceEnd(graceSeconds, now)}, and then stops working.`
    : 'The old key no longer works.';
