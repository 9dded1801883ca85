import { Figures, Isolated, Meter, Panel, Tag, Time } from '../../pages/components/figures.tsx';
import { Empty } from '../../pages/components/states.tsx';
import { Table } from '../../pages/components/table.tsx';
import { count, inCalls, UNKNOWN } from '../../pages/format.ts';
import type { OperatorUserDetail } from '../generated/records.ts';
import { start } from './action.tsx';
import { actionsOf } from './actions.tsx';
import { revocationOf } from './key-actions.tsx';
import { lifeOfKey, nameOfKey, periodInWords } from './words.tsx';

type Props = { user: OperatorUserDetail };

export const AccountPanel = ({ user }: Props) => (
  <Panel title="Account">
    <p class="left">
      <span class="big">{count(user.used)}</span>
      <span class="soft">of {inCalls(user.periodLimit)} used in this period</span>
    </p>
    <Meter label="Used calls" value={user.used} max={user.periodLimit} />
    <Figures
      of={[
        [
          'Email',
          user.email === null ? (
            UNKNOWN
          ) : (
            <>
              <Isolated>{user.email}</Isolated>
              <span class="soft">{user.isVerified ? 'confirmed' : 'not confirmed'}</span>
            </>
          ),
        ],
        ['Record number', user.key],
        [
          'Plan',
          <>
            {user.plan}
            {user.nextPlan && (
              <span class="soft">
                {user.nextPlan.plan}, {inCalls(user.nextPlan.limit)}, from <Time at={user.nextPlan.from} />
              </span>
            )}
          </>,
        ],
        ['Limit per period', periodInWords(user)],
        [
          'Period',
          <>
            <Time at={user.periodStart} to="date" /> to <Time at={user.resetsAt} />
          </>,
        ],
        ['Calls of the last hour', count(user.lastHour)],
        ['Valid until', <Time at={user.validUntil} />],
        ['Registered', <Time at={user.createdAt} />],
        ['Last call', user.lastUsedAt ? <Time at={user.lastUsedAt} /> : 'never'],
        ['Notices by email', user.notices.email ? `on, at ${user.notices.thresholds.join(', ')}%` : 'off'],
        ['Webhook', user.notices.webhookUrl === null ? 'none' : <Isolated>{user.notices.webhookUrl}</Isolated>],
      ]}
    />
  </Panel>
);

export const ActionsPanel = ({ user }: Props) => (
  <Panel title="Actions" class="actions">
    {actionsOf(user).map(({ title, actions, isDanger }) => (
      <fieldset key={title} class={isDanger ? 'danger-group' : ''}>
        <legend>{title}</legend>
        <div class="row">
          {actions.map((action) => (
            <button
              key={action.label}
              type="button"
              class={isDanger ? 'small danger' : 'small'}
              onClick={() => start(action)}
            >
              {action.label}
            </button>
          ))}
        </div>
      </fieldset>
    ))}
  </Panel>
);

function Key({ user, of: key }: Props & { of: OperatorUserDetail['apiKeys'][number] }) {
  const revocation = revocationOf(user, key);
  return (
    <li class="key-item">
      <div>
        <p class="key-name">
          <strong>
            <Isolated>{nameOfKey(key)}</Isolated>
          </strong>
          <Tag state={key.state} />
        </p>
        <p class="soft">
          Scopes: {key.scopes.join(', ')}. {lifeOfKey(key)}
        </p>
        {key.seenOrigin !== null && <p class="soft">Used by a page of {key.seenOrigin}.</p>}
      </div>
      {revocation && (
        <button type="button" class="small" aria-label={`Revoke ${nameOfKey(key)}…`} onClick={() => start(revocation)}>
          Revoke…
        </button>
      )}
    </li>
  );
}

export const KeysPanel = ({ user }: Props) => (
  <Panel title="Keys">
    {user.apiKeys.length === 0 ? (
      <Empty>This user has no keys.</Empty>
    ) : (
      <ul class="key-list">
        {user.apiKeys.map((key) => (
          <Key key={key.id} user={user} of={key} />
        ))}
      </ul>
    )}
  </Panel>
);

export const CreditsPanel = ({ user }: Props) => (
  <Panel title="Credits">
    <Table
      label="Credits"
      empty="No credits were granted."
      items={user.grants.map((grant, place) => ({ ...grant, place }))}
      keyOf={({ place }) => place}
      columns={[
        { title: 'Granted', cell: ({ createdAt }) => <Time at={createdAt} to="date" /> },
        { title: 'Calls', kind: 'num', cell: ({ calls }) => count(calls) },
        { title: 'Period from', cell: ({ periodStart }) => <Time at={periodStart} to="date" /> },
        { title: 'Reason', kind: 'text', cell: ({ reason }) => <Isolated>{reason}</Isolated> },
      ]}
    />
  </Panel>
);
