import { copyButton, make, makeButton } from '../../pages/dom.ts';
import { span } from '../../pages/format.ts';
import { isolated, type Phrase, phrase } from '../../pages/phrase.ts';
import { graceField, type Question, type Values } from '../../pages/question.ts';
import type { Api } from '../api/api.ts';
import type { OperatorKey, OperatorUserDetail } from '../generated/records.ts';
import { identityOf, nameOfKey } from './words.ts';

/** A change of a user. `done` states the result. The button of a change that cannot be undone has its own color. */
export type Action = Question & { label: string; isFinal?: boolean; done: (values: Values) => Phrase };

/** Shows a new key once. */
function newKey(apiKey: string, user: OperatorUserDetail): HTMLElement {
  const key = make('code', { class: 'key' }, apiKey);
  const copy = makeButton('Copy', () => undefined);
  const done = makeButton(
    'I have saved it',
    () => {
      key.replaceChildren();
      done.closest('dialog')?.close();
    },
    'primary',
  );
  copyButton(copy, { shown: key });
  return make(
    'div',
    { class: 'shown-once' },
    make('h2', { id: 'question-title', tabindex: '-1' }, 'New owner key'),
    make(
      'p',
      { id: 'question-effect' },
      phrase`This key of ${identityOf(user)} is shown only once. Pass it on to the user over a safe channel.`,
    ),
    make('div', { class: 'key-row' }, key, copy),
    make('div', { class: 'row end' }, done),
  );
}

export function replacementOf(api: Api, user: OperatorUserDetail): Action {
  const { key } = user;
  return {
    label: 'Replace owner key…',
    texts: ['Replace the owner key?', 'Replace', 'Replacing…'],
    isDangerous: true,
    fields: [graceField('The old owner keys stop working')],
    effect(values) {
      const grace = Number(values('grace'));
      const old =
        grace === 0 ? 'stop working immediately' : `only read for ${span(grace * 1000)} and then stop working`;
      return phrase`Creates a new owner key for ${identityOf(user)}, which is shown once; the old owner keys ${old}.`;
    },
    act: async (values) => newKey((await api.rotate(key, Number(values('grace')))).apiKey, user),
    done: () => phrase`The owner key of ${identityOf(user)} is replaced.`,
  };
}

/** Undefined for a key that no longer works, and for the last owner key, which can only be replaced. */
export function revocationOf(api: Api, user: OperatorUserDetail, key: OperatorKey): Action | undefined {
  const owners = user.apiKeys.filter(({ state, scopes }) => state === 'active' && scopes.includes('account'));
  if (key.state === 'revoked' || key.state === 'expired' || (owners.length === 1 && owners[0] === key))
    return undefined;
  const name = () => phrase`${isolated(nameOfKey(key))} (key ${String(key.id)})`;
  return {
    label: 'Revoke…',
    texts: ['Revoke the key?', 'Revoke', 'Revoking…'],
    isDangerous: true,
    effect: () => phrase`Calls of ${identityOf(user)} with ${name()} fail within 5 seconds; this cannot be undone.`,
    act: () => api.revokeKey(user.key, key.id),
    done: () => phrase`${name()} is revoked.`,
  };
}
