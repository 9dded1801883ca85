import type { ApiKey } from '../../client/index.ts';
import { byId, make, makeButton } from '../core/dom.ts';
import { fromNow, onDate, onDateAt } from '../core/format.ts';

type Scopes = Pick<ApiKey, 'scopes'>;

export const isOwner = ({ scopes }: Scopes) => scopes.includes('account');

/** Prices alone: whoever reads such a key in a web page can spend the allowance, and nothing else. */
export const isForPages = ({ scopes }: Scopes) => scopes.length === 1 && scopes[0] === 'prices';

export function scopesInWords(key: Scopes): string {
  if (isOwner(key)) return 'may do everything, and manages the account';
  const [prices, node] = [key.scopes.includes('prices'), key.scopes.includes('node')];
  if (prices && node) return 'reads prices and uses the node';
  return prices ? 'reads prices' : 'uses the node';
}

/** What a browser needs beside a key. */
export const ORIGINS = 'Browsers let a page call this service only if the operator has allowed its origin.';

/** What a new key with these scopes is for, and what it is not for. */
export function adviceFor(key: Scopes): string {
  if (key.scopes.length === 0) return '';
  if (isForPages(key))
    return `A key for a web page: whoever finds it there can use up your allowance, and do nothing else. ${ORIGINS}`;
  return 'A key for a program: keep it out of web pages, where everybody can read it.';
}

/** Until when a new key is valid: until its own end, or with the account, which is valid until `accountEnds`. */
export function validityInWords(expiresAt: Date | null, accountEnds: Date | undefined): string {
  if (expiresAt !== null) return `It stops working on ${onDateAt(expiresAt)}, and cannot be renewed.`;
  return accountEnds
    ? `It is valid until ${onDateAt(accountEnds)}, and longer when you renew the account.`
    : 'It is valid as long as the account.';
}

/** Whether it can manage the account: an owner key that another has replaced only reads. */
export const canManage = (key: ApiKey) => isOwner(key) && key.replacedAt === null;

/** The service tells a use to the minute, so a shorter time is none. */
const JUST_NOW_MS = 120_000;

function useInWords({ lastUsedAt }: ApiKey, now: number, isInUse: boolean): string {
  if (isInUse || (lastUsedAt && now - lastUsedAt.getTime() < JUST_NOW_MS)) return 'used just now';
  return lastUsedAt ? `used ${fromNow(lastUsedAt, now)}` : 'not used yet';
}

/** When it was made and used, and how long it goes on. `isInUse`: this page uses it. */
export function lifeInWords(key: ApiKey, now: number, isInUse = false): string {
  const { createdAt, expiresAt, replacedAt } = key;
  const parts = [`Made ${onDate(createdAt)}`, useInWords(key, now, isInUse)];
  if (expiresAt !== null) {
    parts.push(`${replacedAt ? 'replaced, and only reads until' : 'stops working'} ${onDateAt(expiresAt)}`);
  }
  return `${parts.join(', ')}.`;
}

/** The presented key, by its beginning, which keys of older versions lack. Undefined if that is ambiguous. */
export function keyInUse(keys: readonly ApiKey[], presented: string): ApiKey | undefined {
  const alike = keys.filter(({ start }) => start !== null && presented.startsWith(start));
  const candidates = alike.length > 0 ? alike : keys.filter(({ start }) => start === null);
  return candidates.length === 1 ? candidates[0] : undefined;
}

type Options = {
  isInUse: boolean;
  /** Asks whether the key is to be revoked; left out where it cannot be. */
  revoke: ((name: string) => void) | undefined;
  /** Asks whether another key is to take its place; left out where it cannot. */
  replace: (() => void) | undefined;
};

const tag = (text: string) => make('span', { class: 'tag' }, text);

export function makeKeyItem(key: ApiKey, now: number, { isInUse, revoke, replace }: Options): HTMLLIElement {
  const name = key.label ?? (isOwner(key) ? 'Owner key' : 'Key without a label');
  const tags = [
    ...(isInUse ? [tag('signed in')] : []),
    ...(isForPages(key) ? [tag('for web pages')] : []),
    ...(key.replacedAt ? [tag('replaced')] : []),
  ];
  const start = key.start === null ? [] : [make('code', {}, `${key.start}…`), ' '];
  const item = make(
    'li',
    { class: 'key-item' },
    make('p', { class: 'key-name' }, make('strong', {}, name), ...tags),
    make('p', { class: 'soft' }, ...start, scopesInWords(key)),
    make('p', { class: 'soft' }, lifeInWords(key, now, isInUse)),
  );
  if (replace) item.append(makeButton('Replace…', replace, 'small'));
  if (revoke) {
    const button = makeButton('Revoke…', () => revoke(name), 'small');
    button.setAttribute('aria-label', `Revoke ${name}`);
    item.append(button);
  }
  return item;
}

/** The warning above all panels of an owner key that a web page has used, so that its visitors can read it. */
export function openExposedKey() {
  const place = byId('exposed-key');

  function warningOf({ seenOrigin, start }: ApiKey): HTMLElement {
    const which = start === null ? 'an owner key' : `the owner key ${start}…`;
    return make(
      'div',
      { class: 'note warn' },
      make(
        'p',
        {},
        `A page of ${seenOrigin} has used ${which}: whoever opens that page can read the key, and delete the account with it.`,
      ),
      make(
        'p',
        {},
        'Make ',
        make('a', { href: '#keys' }, 'a key for web pages'),
        ', use it there, and replace the owner key.',
      ),
    );
  }

  return {
    show(keys: readonly ApiKey[]): void {
      place.replaceChildren(...keys.filter((key) => key.seenOrigin && canManage(key)).map(warningOf));
    },
    clear: () => place.replaceChildren(),
  };
}
