import type { ApiKey, CreatedKey, Usage } from '../../client/index.ts';
import { fromNow, onDateAt } from '../../pages/format.ts';
import { SCOPES } from './terms.ts';

type Scopes = Pick<ApiKey, 'scopes'>;
type Origins = Pick<ApiKey, 'allowedOrigins'>;

export const isOwner = ({ scopes }: Scopes) => scopes.includes('account');

/** A replaced owner key can only read data. */
export const canManage = (key: ApiKey) => isOwner(key) && key.replacedAt === null;

/** Whether only web pages can use the key. */
export const isForPages = ({ allowedOrigins }: Origins) => (allowedOrigins?.length ?? 0) > 0;

export const nameOf = (key: ApiKey): string => key.label ?? (isOwner(key) ? 'Owner key' : 'Key without a label');

/** A replaced owner key has the same name as the new one. */
export const distinctNameOf = (key: ApiKey): string => (key.replacedAt ? `${nameOf(key)} (replaced)` : nameOf(key));

export function purposeInWords(key: Scopes & Origins & Pick<ApiKey, 'url'>): string {
  if (isOwner(key)) return 'Account';
  if (isForPages(key)) return 'Web pages';
  return key.url ? 'URLs' : 'Programs';
}

export function scopesInWords(key: Scopes): string {
  if (isOwner(key)) return 'full access';
  const words = Object.entries(SCOPES).filter(([scope]) => key.scopes.some((one) => one === scope));
  return words.map(([, scope]) => scope.words).join(', ');
}

export const ORIGINS = 'Browsers block calls from a web page unless the operator has allowed the origin of the page.';

/** Whether browsers let the pages of a new key read the responses. */
export const corsInWords = ({ blockedOrigins }: Pick<CreatedKey, 'blockedOrigins'>): string =>
  blockedOrigins.length === 0
    ? 'The operator allows calls from its pages.'
    : `Browsers block calls from ${blockedOrigins.join(', ')} until the operator adds the origin to CORS_ORIGINS.`;

export function adviceFor(key: { scopes: readonly string[] } & Origins, isForUrls = false): string {
  if (key.scopes.length === 0) return '';
  if (isForUrls)
    return 'A key for a program that cannot send headers. Anyone who sees the URL can use the key, up to its daily limit.';
  if (isForPages(key))
    return `A key for a web page. Visitors to the page can spend your allowance with this key, but cannot change your account. ${ORIGINS}`;
  if (key.scopes.length === 1 && key.scopes[0] === 'prices')
    return 'A key for a program. For a web page, enter the origin of the page, so that other sites cannot use the key.';
  return 'A key for a program. Do not use this key in a web page, because any visitor can read it.';
}

/** `accountEnds` is the time when the account expires. Keys without their own expiry expire with it. */
export function validityInWords(expiresAt: Date | null, accountEnds: Date | undefined): string {
  if (expiresAt !== null) return `It expires on ${onDateAt(expiresAt)} and cannot be renewed.`;
  return accountEnds
    ? `It is valid until ${onDateAt(accountEnds)}. Renewing the account extends it.`
    : 'It is valid as long as the account is active.';
}

/** How other people may have read an owner key. */
export function exposuresInWords({ seenOrigin, exposedAt, start }: ApiKey): string[] {
  const name = start === null ? 'an owner key' : `the owner key ${start}…`;
  return [
    seenOrigin &&
      `A web page on ${seenOrigin} has used ${name}. Any visitor to this page can read the key and delete your account. Replace the owner key, and use a key for web pages instead.`,
    exposedAt &&
      `A URL contained ${name} on ${onDateAt(exposedAt)}. URLs are stored in logs and histories. Replace the owner key, and use a URL key instead.`,
  ].filter((text) => typeof text === 'string');
}

/** The service reports the last use only to the minute. */
const JUST_NOW_MS = 120_000;

/** `isInUse`: this page uses the key. */
export function useInWords({ lastUsedAt }: ApiKey, now: number, isInUse = false): string {
  if (isInUse || (lastUsedAt && now - lastUsedAt.getTime() < JUST_NOW_MS)) return 'just now';
  return lastUsedAt ? fromNow(lastUsedAt, now) : 'not used yet';
}

type KeyUsage = NonNullable<Usage['keys']>[number];

/** The calls on a UTC date, such as `2026-01-31`. */
export const callsOn = (date: string, usage: Pick<KeyUsage, 'daily'> | undefined): number =>
  usage?.daily.find((day) => day.date === date)?.calls ?? 0;

/** Returns the key whose start matches, or undefined if several may match. Old keys have no stored start. */
export function keyInUse(keys: readonly ApiKey[], presented: string): ApiKey | undefined {
  const alike = keys.filter(({ start }) => start !== null && presented.startsWith(start));
  const candidates = alike.length > 0 ? alike : keys.filter(({ start }) => start === null);
  return candidates.length === 1 ? candidates[0] : undefined;
}
