import type { ApiKey, CreatedKey, Usage } from '../../client/index.ts';
import { byId, make, makeButton, softText } from '../../pages/dom.ts';
import { count, fromNow, inCalls, onDate, onDateAt } from '../../pages/format.ts';

type Scopes = Pick<ApiKey, 'scopes'>;

export const isOwner = ({ scopes }: Scopes) => scopes.includes('account');

type Origins = Pick<ApiKey, 'allowedOrigins'>;

/** Whether only web pages can use the key. */
export const isForPages = ({ allowedOrigins }: Origins) => (allowedOrigins?.length ?? 0) > 0;

export function scopesInWords(key: Scopes): string {
  if (isOwner(key)) return 'full access, including account management';
  const [prices, node] = [key.scopes.includes('prices'), key.scopes.includes('node')];
  if (prices && node) return 'reads prices and uses the node';
  return prices ? 'reads prices' : 'uses the node';
}

export const ORIGINS = 'Browsers block calls from a web page unless the operator has allowed the origin of the page.';

/** Whether browsers let the pages of a new key read the responses. */
export const corsInWords = ({ blockedOrigins }: Pick<CreatedKey, 'blockedOrigins'>): string =>
  blockedOrigins.length === 0
    ? 'The operator allows calls from its pages.'
    : `Browsers block calls from ${blockedOrigins.join(', ')} until the operator adds the origin to CORS_ORIGINS.`;

export function adviceFor(key: Scopes & Origins, isForUrls = false): string {
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

/** A replaced owner key can only read data. */
export const canManage = (key: ApiKey) => isOwner(key) && key.replacedAt === null;

/** The service reports the last use only to the minute. */
const JUST_NOW_MS = 120_000;

function useInWords({ lastUsedAt }: ApiKey, now: number, isInUse: boolean): string {
  if (isInUse || (lastUsedAt && now - lastUsedAt.getTime() < JUST_NOW_MS)) return 'used just now';
  return lastUsedAt ? `used ${fromNow(lastUsedAt, now)}` : 'not used yet';
}

/** `isInUse`: this page uses the key. */
export function lifeInWords(key: ApiKey, now: number, isInUse = false): string {
  const { createdAt, expiresAt, replacedAt } = key;
  const parts = [`Created ${onDate(createdAt)}`, useInWords(key, now, isInUse)];
  if (expiresAt === null) parts.push('expires with the account');
  else parts.push(`${replacedAt ? 'replaced, read-only until' : 'expires'} ${onDateAt(expiresAt)}`);
  return `${parts.join(', ')}.`;
}

export const nameOf = (key: ApiKey): string => key.label ?? (isOwner(key) ? 'Owner key' : 'Key without a label');

export const originsInWords = ({ allowedOrigins }: Origins): string =>
  `Only for web pages on ${(allowedOrigins ?? []).join(', ')}.`;

export const exposureInWords = (exposedAt: Date): string =>
  `First seen in a URL on ${onDateAt(exposedAt)}. URLs are stored in logs and histories, so replace this key.`;

type KeyUsage = NonNullable<Usage['keys']>[number];

/** The calls on a UTC date, such as `2026-01-31`. */
export const callsOn = (date: string, { daily }: Pick<KeyUsage, 'daily'>): number =>
  daily.find((day) => day.date === date)?.calls ?? 0;

/** `usage`: undefined for a key without calls. */
export function usageInWords({ dailyLimit }: ApiKey, usage: KeyUsage | undefined, now: number): string {
  const today = usage ? callsOn(new Date(now).toISOString().slice(0, 10), usage) : 0;
  const limit = dailyLimit === null ? '' : ` of ${count(dailyLimit)} a day`;
  return `${inCalls(today)} today${limit}, ${count(usage?.calls ?? 0)} in 31 days.`;
}

/** Returns the key whose start matches, or undefined if several may match. Old keys have no stored start. */
export function keyInUse(keys: readonly ApiKey[], presented: string): ApiKey | undefined {
  const alike = keys.filter(({ start }) => start !== null && presented.startsWith(start));
  const candidates = alike.length > 0 ? alike : keys.filter(({ start }) => start === null);
  return candidates.length === 1 ? candidates[0] : undefined;
}

type Options = {
  isInUse: boolean;
  usage: KeyUsage | undefined;
  showCode: (() => void) | undefined;
  change: (() => void) | undefined;
  revoke: ((name: string) => void) | undefined;
  replace: (() => void) | undefined;
};

const tag = (text: string) => make('span', { class: 'tag' }, text);

export function makeKeyItem(key: ApiKey, now: number, options: Options): HTMLLIElement {
  const { isInUse, usage, showCode, change, revoke, replace } = options;
  const name = nameOf(key);
  const tags = [
    ...(isInUse ? [tag('signed in')] : []),
    ...(isForPages(key) ? [tag('for web pages')] : []),
    ...(key.url ? [tag('in URLs')] : []),
    ...(key.replacedAt ? [tag('replaced')] : []),
  ];
  const start = key.start === null ? [] : [make('code', {}, `${key.start}…`), ' '];
  const item = make(
    'li',
    { class: 'key-item' },
    make('p', { class: 'key-name' }, make('strong', {}, name), ...tags),
    softText(...start, scopesInWords(key)),
    ...(isForPages(key) ? [softText(originsInWords(key))] : []),
    ...(key.exposedAt ? [softText(exposureInWords(key.exposedAt))] : []),
    softText(lifeInWords(key, now, isInUse)),
    softText(usageInWords(key, usage, now)),
  );
  const actions = make('div', { class: 'key-actions' });
  const addAction = (label: string, act: () => void, description = label) => {
    const button = makeButton(label, act, 'small');
    if (description !== label) button.setAttribute('aria-label', description);
    actions.append(button);
  };
  if (showCode) addAction('Code…', showCode, `Code for ${name}`);
  if (change) addAction('Change…', change, `Change ${name}`);
  if (replace) addAction('Replace…', replace);
  if (revoke) addAction('Revoke…', () => revoke(name), `Revoke ${name}`);
  if (actions.childElementCount > 0) item.append(actions);
  return item;
}

/** Shows a warning above all panels if a web page or a URL has contained an owner key: others can read the key. */
export function openExposedKey() {
  const place = byId('exposed-key');

  function exposureOf({ exposedAt, start }: ApiKey): HTMLElement {
    const which = start === null ? 'An owner key' : `The owner key ${start}…`;
    const text = `${which} was seen in a URL on ${onDateAt(exposedAt as Date)}. URLs are stored in logs and histories.`;
    return make(
      'div',
      { class: 'note warn' },
      make('p', {}, `${text} Replace the owner key, and use a URL key instead.`),
    );
  }

  function warningOf({ seenOrigin, start }: ApiKey): HTMLElement {
    const which = start === null ? 'an owner key' : `the owner key ${start}…`;
    const fact = `A web page on ${seenOrigin} has used ${which}.`;
    const remedy = make('a', { href: '#keys' }, 'a key for web pages');
    return make(
      'div',
      { class: 'note warn' },
      make('p', {}, `${fact} Any visitor to this page can read the key and delete your account.`),
      make('p', {}, 'Create ', remedy, ', use this key in the web page, and replace the owner key.'),
    );
  }

  return {
    show(keys: readonly ApiKey[]): void {
      const owners = keys.filter(canManage);
      place.replaceChildren(
        ...owners.filter(({ seenOrigin }) => seenOrigin).map(warningOf),
        ...owners.filter(({ exposedAt }) => exposedAt).map(exposureOf),
      );
    },
    clear: () => place.replaceChildren(),
  };
}
