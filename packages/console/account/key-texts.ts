import type { ApiKey } from '../../client/index.ts';
import { byId, make, makeButton } from '../core/dom.ts';
import { fromNow, onDate, onDateAt } from '../core/format.ts';

type Scopes = Pick<ApiKey, 'scopes'>;

export const isOwner = ({ scopes }: Scopes) => scopes.includes('account');

/** Such a key in a web page exposes only the allowance. */
export const isForPages = ({ scopes }: Scopes) => scopes.length === 1 && scopes[0] === 'prices';

export function scopesInWords(key: Scopes): string {
  if (isOwner(key)) return 'may do everything, and manages the account';
  const [prices, node] = [key.scopes.includes('prices'), key.scopes.includes('node')];
  if (prices && node) return 'reads prices and uses the node';
  return prices ? 'reads prices' : 'uses the node';
}

export const ORIGINS = 'Browsers let a page call this service only if the operator has allowed its origin.';

export function adviceFor(key: Scopes): string {
  if (key.scopes.length === 0) return '';
  if (isForPages(key))
    return `A key for a web page: whoever finds it there can use up your allowance, and do nothing else. ${ORIGINS}`;
  return 'A key for a program: keep it out of web pages, where everybody can read it.';
}

/** `accountEnds` is the end of the account, which a key without its own end shares. */
export function validityInWords(expiresAt: Date | null, accountEnds: Date | undefined): string {
  if (expiresAt !== null) return `It stops working on ${onDateAt(expiresAt)}, and cannot be renewed.`;
  return accountEnds
    ? `It is valid until ${onDateAt(accountEnds)}, and longer when you renew the account.`
    : 'It is valid as long as the account.';
}

/** A replaced owner key can only read. */
export const canManage = (key: ApiKey) => isOwner(key) && key.replacedAt === null;

/** The service reports a use to the minute. */
const JUST_NOW_MS = 120_000;

function useInWords({ lastUsedAt }: ApiKey, now: number, isInUse: boolean): string {
  if (isInUse || (lastUsedAt && now - lastUsedAt.getTime() < JUST_NOW_MS)) return 'used just now';
  return lastUsedAt ? `used ${fromNow(lastUsedAt, now)}` : 'not used yet';
}

/** `isInUse`: this page uses the key. */
export function lifeInWords(key: ApiKey, now: number, isInUse = false): string {
  const { createdAt, expiresAt, replacedAt } = key;
  const parts = [`Made ${onDate(createdAt)}`, useInWords(key, now, isInUse)];
  if (expiresAt !== null) {
    parts.push(`${replacedAt ? 'replaced, and only reads until' : 'stops working'} ${onDateAt(expiresAt)}`);
  }
  return `${parts.join(', ')}.`;
}

/** The key whose start matches. Keys of older versions have no start; undefined if that is ambiguous. */
export function keyInUse(keys: readonly ApiKey[], presented: string): ApiKey | undefined {
  const alike = keys.filter(({ start }) => start !== null && presented.startsWith(start));
  const candidates = alike.length > 0 ? alike : keys.filter(({ start }) => start === null);
  return candidates.length === 1 ? candidates[0] : undefined;
}

type Options = {
  isInUse: boolean;
  /** Undefined if the key cannot be revoked. */
  revoke: ((name: string) => void) | undefined;
  /** Undefined if the key cannot be replaced. */
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

/** Warns above all panels about an owner key that a web page has used: its visitors can read the key. */
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
