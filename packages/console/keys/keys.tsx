import type { ComponentChildren } from 'preact';
import type { ApiKey } from '../../client/index.ts';
import { Isolated, Meter, Tag } from '../../pages/components/figures.tsx';
import { Head } from '../../pages/components/head.tsx';
import { Loading } from '../../pages/components/states.tsx';
import { Table } from '../../pages/components/table.tsx';
import { count, inCalls, onDate, onTime } from '../../pages/format.ts';
import { Age } from '../core/age.tsx';
import { PanelProblem } from '../core/failures.tsx';
import { askForChange, askForKey, askForRevocation, showCode } from './dialogs.tsx';
import type { KeyList } from './store.ts';
import { exposuresInWords, nameOf, purposeInWords, scopesInWords, useInWords } from './words.ts';

const NOTES = {
  unknown: '',
  restricted:
    'This key cannot manage the account. To list, create, replace, renew or delete keys, sign in with the owner key.',
  replaced:
    'This key has been replaced. Until it expires, it can read data but cannot manage the account. Sign in with the new key.',
  lapsed: 'To create or revoke keys, renew the account.',
  owner:
    'All keys share one allowance. Use the owner key to manage the account, and a separate key for each page and program.',
};

type KeyProps = { of: ApiKey; list: KeyList };

/** A value, and more about it on further lines. */
const lines = (value: ComponentChildren, ...more: (string | null | false)[]) => (
  <>
    {value}
    {more.map((text) => text && <span class="under soft">{text}</span>)}
  </>
);

const Name = ({ of: key, list }: KeyProps) => (
  <span class="key-name">
    <Isolated>{nameOf(key)}</Isolated>
    {list.isInUse(key) && <Tag state="active" words="signed in" />}
    {key.replacedAt && <Tag state="replaced" />}
    {key.exposedAt && <Tag state="revoked" words="exposed" />}
  </span>
);

function Calls({ of: { id, dailyLimit }, list }: KeyProps) {
  const { today, total } = list.callsOf(id);
  return (
    <>
      {lines(
        dailyLimit === null ? count(today) : `${count(today)} of ${count(dailyLimit)}`,
        `${count(total)} in 31 days`,
      )}
      {dailyLimit !== null && <Meter label={`Of ${inCalls(dailyLimit)} today`} value={today} max={dailyLimit} />}
    </>
  );
}

function Actions({ of: key, list }: KeyProps) {
  const { canChange, canReplace, canRevoke } = list.changesOf(key);
  const action = (label: string, description: string, act: () => void, kind = '') => (
    <button type="button" class={`small ${kind}`} aria-label={`${description} ${nameOf(key)}`} onClick={act}>
      {label}
    </button>
  );
  return (
    <div class="key-actions">
      {canChange && action('Code…', 'Code for', () => showCode(list, key))}
      {canChange && action('Change…', 'Change', () => askForChange(list, key))}
      {canReplace && action('Replace…', 'Replace', list.onReplace)}
      {canRevoke && action('Revoke…', 'Revoke', () => askForRevocation(list, key), 'danger')}
    </div>
  );
}

const COLUMNS: Readonly<Record<string, (key: ApiKey, list: KeyList) => ComponentChildren>> = {
  Key: (key, list) =>
    lines(
      <Name of={key} list={list} />,
      `${key.start === null ? '' : `${key.start}… · `}created ${onDate(key.createdAt)}`,
      key.exposedAt && `seen in a URL on ${onDate(key.exposedAt)}`,
    ),
  For: (key) => lines(purposeInWords(key), scopesInWords(key), ...(key.allowedOrigins ?? [])),
  'Last use': (key, list) => useInWords(key, list.readAt(), list.isInUse(key)),
  'Calls today': (key, list) => <Calls of={key} list={list} />,
  Expires: ({ expiresAt, replacedAt }, { session: { user } }) => {
    const at = expiresAt ?? user?.validUntil;
    return lines(at && onDate(at), expiresAt ? onTime(expiresAt) : 'account', replacedAt && 'read-only until then');
  },
  Actions: (key, list) => <Actions of={key} list={list} />,
};

/** The page Keys. */
export function Keys({ list }: { list: KeyList }) {
  const { value: status } = list.status;
  const { value, isLoading, age, failure } = list.data;
  const isFirst = value.value === undefined && isLoading.value;
  const items = list.keys.value;
  const columns = Object.entries(COLUMNS).map(([title, cell]) => ({
    title,
    ...(title === 'Calls today' && { kind: 'num' as const }),
    cell: (key: ApiKey) => cell(key, list),
  }));
  return (
    <>
      <Head title="Keys" hint={NOTES[status]}>
        {status === 'owner' && (
          <button type="button" class="primary" onClick={() => askForKey(list)}>
            New key…
          </button>
        )}
      </Head>
      <PanelProblem of={failure} />
      {(items.length > 0 || isFirst) && (
        <div class="panel keys" aria-busy={isFirst}>
          <Age of={age.value?.failure && age.value} />
          {isFirst ? <Loading /> : <Table label="Keys" kind="wide" {...{ items, columns }} keyOf={({ id }) => id} />}
        </div>
      )}
      <p class="soft">
        <a href="docs/keys#scopes">About keys</a>
      </p>
    </>
  );
}

/** Warns above all pages that other people may know an owner key. */
export const ExposedKeys = ({ list }: { list: KeyList }) => (
  <div class="banner" role="status">
    {list.exposed.value.flatMap(exposuresInWords).map((text) => (
      <p key={text} class="note warn">
        <span>
          {text} <a href="#/keys">Keys</a>
        </span>
      </p>
    ))}
  </div>
);
