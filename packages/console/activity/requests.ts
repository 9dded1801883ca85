import type { ApiKey, RequestLog } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { DAY } from '../../pages/dates.ts';
import { byId, make, softText } from '../../pages/dom.ts';
import { count, numbers, onDateAtSecond, utc } from '../../pages/format.ts';
import { type OnError, toError } from '../../pages/problem.ts';
import { makeNamedRow } from '../../pages/table.ts';
import { openDataAge } from '../api/figures.ts';
import type { Session } from '../api/session.ts';
import { nameOf } from '../keys/words.ts';

type LoggedRequest = RequestLog['requests'][number];

const time = utc({ timeStyle: 'medium' });
const milliseconds = numbers({ maximumFractionDigits: 1 });

const OFF = 'The operator has turned off the request log.';
const PARTIAL = 'Incomplete: at least one process of the service did not respond in time. Its requests are missing.';
const EMPTY = 'No requests are listed. A process forgets its requests when it stops.';
const NOT_RECORDED = 'Successful requests are recorded from now on, until an hour after the last update.';

const formatTime = (at: Date) => (serviceNow() - at.getTime() < DAY ? time.format(at) : onDateAtSecond(at));
const isFailed = ({ status, code }: LoggedRequest) => status >= 400 || code !== null;

function hintOf({ complete, recordingSince, requests }: RequestLog): string {
  const since = recordingSince
    ? `Successful requests are recorded since ${formatTime(recordingSince)} (UTC).`
    : NOT_RECORDED;
  return [complete ? [] : PARTIAL, complete && requests.length === 0 ? EMPTY : [], since].flat().join(' ');
}

function codeOf({ code, help }: LoggedRequest): Node | string {
  if (code === null) return '';
  return help === null ? code : make('a', { href: help }, code);
}

function callOf({ method, path, detail }: LoggedRequest): Node {
  const call = make('code', {}, `${method} ${path}`);
  return detail === null ? call : make('div', {}, call, softText(detail));
}

function nameOfKey({ keyId, keyLabel }: LoggedRequest, listed: readonly ApiKey[]): string {
  const key = listed.find(({ id }) => id === keyId);
  return key ? nameOf(key) : (keyLabel ?? `Key ${keyId}`);
}

function rowOf(request: LoggedRequest, listed: readonly ApiKey[]): HTMLElement {
  const { status, cost } = request;
  return makeNamedRow(
    formatTime(request.time),
    [nameOfKey(request, listed)],
    [callOf(request), 'path'],
    [String(status), status >= 400 ? 'num down' : 'num'],
    [codeOf(request)],
    [count(cost), 'num'],
    [milliseconds.format(request.milliseconds), 'num'],
  );
}

/** Shows the latest requests of the account. Reading them is free. */
export function openRequests(session: Session, onError: OnError) {
  const panel = byId('requests');
  const body = byId('requests-body');
  const hint = byId('requests-hint');
  const problem = byId('requests-problem');
  const table = byId('requests-table');
  const refresh = byId('requests-refresh');
  const showAge = openDataAge(byId('requests-age'));
  const filter = byId('requests-filter');
  const failedOnly = byId('requests-failed', HTMLInputElement);
  let readAt: Date | undefined;
  let shown: readonly LoggedRequest[] = [];
  let listed: readonly ApiKey[] = [];

  function showRows(): void {
    const wanted = failedOnly.checked ? shown.filter(isFailed) : shown;
    body.replaceChildren(...wanted.map((request) => rowOf(request, listed)));
  }

  function show(log: RequestLog): void {
    readAt = new Date(serviceNow());
    showAge({ fetchedAt: readAt, stale: undefined });
    problem.replaceChildren();
    hint.textContent = hintOf(log);
    shown = log.requests;
    showRows();
    setOff(false);
  }

  function setOff(isOff: boolean): void {
    for (const element of [table, refresh, filter]) element.hidden = isOff;
  }

  function showOff(): void {
    showAge(undefined);
    problem.replaceChildren();
    hint.textContent = OFF;
    setOff(true);
  }

  async function load(): Promise<void> {
    const { client } = session;
    try {
      const log = await client.requests();
      if (client === session.client) show(log);
    } catch (thrown) {
      if (client !== session.client) return;
      const error = toError(thrown);
      if (error.code === 'not_found') showOff();
      else {
        if (readAt) showAge({ fetchedAt: readAt, stale: undefined, failure: error });
        onError(error, problem, load, readAt !== undefined);
      }
    }
  }
  refresh.addEventListener('click', () => void load());
  failedOnly.addEventListener('change', showRows);

  return {
    /** The keys of the account, whose names the panel shows. */
    setKeys(keys: readonly ApiKey[]): void {
      listed = keys;
    },
    /** Shows the panel, for an account that the key can manage. */
    async open(): Promise<void> {
      panel.hidden = false;
      refresh.hidden = false;
      await load();
    },
    hide(): void {
      panel.hidden = true;
    },
  };
}
