import type { ApiKey } from '../../client/index.ts';
import { byId, make } from '../core/dom.ts';
import { canManage } from './key-texts.ts';

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
