import type { ComponentChildren } from 'preact';
import { serviceNow } from '../../pages/clock.ts';
import { Figures, Isolated, Panel, Tag, Time } from '../../pages/components/figures.tsx';
import { Empty, Loading } from '../../pages/components/states.tsx';
import { type Column, Table } from '../../pages/components/table.tsx';
import { count, inCalls } from '../../pages/format.ts';
import { Age } from '../core/age.tsx';
import { PanelProblem } from '../core/failures.tsx';
import {
  durationOf,
  type Filter,
  keyNameOf,
  keyOptions,
  type LoggedRequest,
  levelOf,
  NO_FILTER,
  recordingInWords,
  timeOf,
} from './log.ts';
import type { UsageStore } from './store.ts';

type Props = { store: UsageStore };

const callOf = ({ method, path }: LoggedRequest) => `${method} ${path}`;
const keyOf = (request: LoggedRequest) =>
  `${request.time.getTime()} ${request.keyId} ${request.milliseconds} ${callOf(request)}`;

const columnsOf = ({ keys }: UsageStore): Column<LoggedRequest>[] => [
  { title: 'Time (UTC)', cell: ({ time }) => timeOf(time, serviceNow()) },
  { title: 'Status', cell: (request) => <Tag state={String(request.status)} level={levelOf(request)} /> },
  {
    title: 'Request',
    kind: 'line',
    cell: (request) => (
      <>
        <code>{callOf(request)}</code>
        {request.code !== null && (
          <span class="under">
            {request.code} <span class="soft">{request.detail}</span>
          </span>
        )}
      </>
    ),
  },
  {
    title: 'Key',
    kind: 'name',
    isExtra: true,
    cell: (request) => <Isolated>{keyNameOf(request, keys.value)}</Isolated>,
  },
  { title: 'Cost', kind: 'num', cell: ({ cost }) => count(cost) },
  { title: 'ms', kind: 'num', cell: durationOf },
];

/** What the row of a request opens. */
function Details({ request, store }: Props & { request: LoggedRequest }) {
  const { code, help, detail, cost, time } = request;
  return (
    <Figures
      class="log-details"
      of={[
        ['Request', <code key="request">{callOf(request)}</code>],
        ['Status', request.status],
        ...(code === null ? [] : ([['Code', help === null ? code : <a href={help}>{code}</a>]] as const)),
        ...(detail === null ? [] : ([['Detail', detail]] as const)),
        ['Key', <Isolated key="key">{keyNameOf(request, store.keys.value)}</Isolated>],
        ['Cost', inCalls(cost)],
        ['Time (UTC)', <Time key="time" at={time} to="second" />],
        ['Duration', `${durationOf(request)} ms`],
      ]}
    />
  );
}

function Filters({ store: { filter, log, keys } }: Props) {
  const { text, key, isFailed } = filter.value;
  const change = (changes: Partial<Filter>) => {
    filter.value = { ...filter.value, ...changes };
  };
  return (
    <search class="log-filters">
      <input
        type="search"
        aria-label="Search path, code or detail"
        placeholder="Path, code or detail"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => change({ text: currentTarget.value })}
      />
      <select aria-label="Key" value={key} onChange={({ currentTarget }) => change({ key: currentTarget.value })}>
        {keyOptions(log.value.value?.requests ?? [], keys.value).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <label class="check">
        <input
          type="checkbox"
          checked={isFailed}
          onChange={({ currentTarget }) => change({ isFailed: currentTarget.checked })}
        />
        Failed only
      </label>
    </search>
  );
}

function Requests({ store }: Props) {
  const { log, requests, filter } = store;
  const { value } = log.value;
  if (!value || !requests.value) return log.error.value ? null : <Loading />;
  if (value.requests.length === 0) {
    return <Empty>No requests are listed yet. Send a request with one of your keys, and then update the list.</Empty>;
  }
  if (requests.value.length === 0) {
    return (
      <Empty>
        No request matches the filter.{' '}
        <button type="button" class="small" onClick={() => (filter.value = NO_FILTER)}>
          Clear the filter
        </button>
      </Empty>
    );
  }
  return (
    <Table
      label="Latest requests"
      step={25}
      columns={columnsOf(store)}
      items={requests.value}
      keyOf={keyOf}
      details={(request) => <Details {...{ request, store }} />}
    />
  );
}

const RESTRICTED = 'The request log requires the owner key. To read the log, sign in with the owner key.';
const OFF = 'The operator has turned off the request log. The calls above are counted nevertheless.';
const PARTIAL =
  'Incomplete: at least one process of the service did not respond in time. Its requests are missing. Refresh the list to try again.';

const Frame = ({ actions, children }: { actions?: ComponentChildren; children: ComponentChildren }) => (
  <Panel title="Request log" class="requests" actions={actions}>
    {children}
  </Panel>
);

/** The latest requests of the account. A row opens its details. */
export function RequestLog({ store }: Props) {
  const { access, log, isLogOff, refresh } = store;
  const { value } = log.value;
  if (access.value === 'none' || isLogOff.value) {
    return (
      <Frame>
        <Empty>{access.value === 'none' ? RESTRICTED : OFF}</Empty>
      </Frame>
    );
  }
  const actions = (
    <>
      <Age of={log.age.value} />
      <button type="button" class="small" onClick={() => void refresh()}>
        Refresh
      </button>
    </>
  );
  return (
    <Frame actions={actions}>
      <div class="soft intro">
        <p>
          The last 100 failed and the last 100 recorded successful requests, except requests from this page. The service
          keeps them in memory only. <a href="docs/request-log">About the request log</a>
        </p>
        <p role="status">Failed requests are always recorded. {value && recordingInWords(value, serviceNow())}</p>
      </div>
      {value && !value.complete && <p class="note warn">{PARTIAL}</p>}
      <PanelProblem of={log.failure} />
      {value?.requests.length !== 0 && <Filters store={store} />}
      <div aria-busy={log.isLoading.value}>
        <Requests store={store} />
      </div>
    </Frame>
  );
}
