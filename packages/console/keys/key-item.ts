import type { ApiKey } from '../../client/index.ts';
import { make, makeButton } from '../core/dom.ts';
import { isForPages, isOwner, lifeInWords, scopesInWords } from './key-texts.ts';

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
