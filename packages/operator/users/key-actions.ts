import { copyButton, make, makeButton } from '../../pages/dom.ts';
import { span } from '../../pages/format.ts';
import type { Api } from '../api/api.ts';
import { isolated, type Phrase, phrase } from '../core/phrase.ts';
import type { Question, Values } from '../core/question.ts';
import type { OperatorKey, OperatorUserDetail } from '../generated/records.ts';
import { identityOf, nameOfKey } from './words.ts';

/** A change of a user. `done` states the result. */
export type Action = { label: string; isDangerous?: boolean; done: (values: Values) => Phrase; question: Question };

const GRACE = [
  ['0', 'immediately'],
  ['300', 'in 5 minutes'],
  ['3600', 'in an hour'],
  ['86400', 'in a day'],
  ['604800', 'in a week'],
] as const;

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
    done: () => phrase`The owner key of ${identityOf(user)} is replaced.`,
    question: {
      ...{ title: 'Replace the owner key?', yes: 'Replace', busy: 'Replacing…', isDangerous: true },
      fields: [
        { name: 'grace', label: 'The old owner keys stop working', kind: 'choice', options: GRACE, value: '300' },
      ],
      effect(values) {
        const grace = Number(values('grace'));
        const old =
          grace === 0 ? 'stop working immediately' : `only read for ${span(grace * 1000)} and then stop working`;
        return phrase`Creates a new owner key for ${identityOf(user)}, which is shown once; the old owner keys ${old}.`;
      },
      act: async (values) => newKey((await api.rotate(key, Number(values('grace')))).apiKey, user),
    },
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
    done: () => phrase`${name()} is revoked.`,
    question: {
      ...{ title: 'Revoke the key?', yes: 'Revoke', busy: 'Revoking…', isDangerous: true },
      effect: () => phrase`Calls of ${identityOf(user)} with ${name()} fail within 5 seconds; this cannot be undone.`,
      act: async () => void (await api.revokeKey(user.key, key.id)),
    },
  };
}
