import { graceField } from '../../pages/components/asked-field.tsx';
import { CodeBlock } from '../../pages/components/code.tsx';
import { Isolated } from '../../pages/components/figures.tsx';
import { span } from '../../pages/format.ts';
import { api } from '../core/store.ts';
import type { OperatorKey, OperatorUserDetail } from '../generated/records.ts';
import type { Action } from './action.tsx';
import { Identity, nameOfKey } from './words.tsx';

export function replacementOf(user: OperatorUserDetail): Action {
  const name = <Identity of={user} />;
  return {
    label: 'Replace owner key…',
    texts: ['Replace the owner key?', 'Replace', 'Replacing…'],
    isDangerous: true,
    fields: [graceField('The old owner keys stop working')],
    effect(values) {
      const grace = Number(values('grace'));
      const old =
        grace === 0 ? 'stop working immediately' : `only read for ${span(grace * 1000)} and then stop working`;
      return (
        <>
          Creates a new owner key for {name}, which is shown once; the old owner keys {old}.
        </>
      );
    },
    async act(values, show) {
      const { apiKey } = await api.rotate(user.key, Number(values('grace')));
      show({
        title: 'New owner key',
        done: 'I have saved it',
        body: (
          <>
            <p>This key of {name} is shown only once. Pass it on to the user over a safe channel.</p>
            <CodeBlock text={apiKey} />
          </>
        ),
      });
    },
    done: () => <>The owner key of {name} is replaced.</>,
  };
}

/** Undefined for a key that no longer works, and for the last owner key, which can only be replaced. */
export function revocationOf(user: OperatorUserDetail, key: OperatorKey): Action | undefined {
  const owners = user.apiKeys.filter(({ state, scopes }) => state === 'active' && scopes.includes('account'));
  if (key.state === 'revoked' || key.state === 'expired' || (owners.length === 1 && owners[0] === key))
    return undefined;
  const name = (
    <>
      <Isolated>{nameOfKey(key)}</Isolated> (key {key.id})
    </>
  );
  return {
    label: 'Revoke…',
    texts: ['Revoke the key?', 'Revoke', 'Revoking…'],
    isDangerous: true,
    effect: () => (
      <>
        Calls of <Identity of={user} /> with {name} fail within 5 seconds; this cannot be undone.
      </>
    ),
    act: () => api.revokeKey(user.key, key.id),
    done: () => <>{name} is revoked.</>,
  };
}
