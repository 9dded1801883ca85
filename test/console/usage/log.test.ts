import { expect, it } from 'vitest';
import type { ApiKey } from '#client/index';
import {
  type Filter,
  keyNameOf,
  keyOptions,
  type LoggedRequest,
  levelOf,
  matches,
  NO_FILTER,
  recordingInWords,
  timeOf,
} from '#console/usage/log';
import { HOUR } from '#core/clock';

const NOW = Date.parse('2026-02-14T09:30:00Z');
const ago = (hours: number) => new Date(NOW - hours * HOUR);

const request: LoggedRequest = {
  time: ago(1),
  keyId: 7,
  keyLabel: 'Shop',
  method: 'GET',
  path: '/v1/prices/latest/token?tokenName=bitcoin',
  status: 200,
  code: null,
  detail: null,
  help: null,
  cost: 1,
  milliseconds: 1.4,
};
const rejected: LoggedRequest = {
  ...request,
  status: 400,
  code: 'invalid_request',
  detail: 'query.days must be an integer.',
};
const failedTool: LoggedRequest = { ...request, path: '/mcp', code: 'no_data' };

it.each<[Partial<Filter>, boolean[]]>([
  [{}, [true, true, true]],
  [{ isFailed: true }, [false, true, true]],
  [{ text: 'TOKENNAME=Bit' }, [true, true, false]],
  [{ text: ' invalid_ ' }, [false, true, false]],
  [{ text: 'integer' }, [false, true, false]],
  [{ text: '400' }, [false, true, false]],
  [{ key: '7' }, [true, true, true]],
  [{ key: '70' }, [false, false, false]],
])('the filter %j', (filter, expected) =>
  expect([request, rejected, failedTool].map((one) => matches(one, { ...NO_FILTER, ...filter }))).toEqual(expected),
);

it('colors a request by its outcome', () =>
  expect([request, rejected, failedTool, { ...request, status: 503 }].map(levelOf)).toEqual([
    'good',
    'warn',
    'warn',
    'bad',
  ]));

it('names the key by its current label, its label in the log or its ID, and lists the keys of the requests', () => {
  const key = { id: 7, label: 'New name', scopes: ['prices'] } as unknown as ApiKey;
  const replaced = { ...key, replacedAt: ago(1) };
  const deleted = { ...request, keyId: 3, keyLabel: null };
  const names = [[key], [replaced], []].map((listed) => keyNameOf(request, listed));
  expect([...names, keyNameOf(deleted, [key])]).toEqual(['New name', 'New name (replaced)', 'Shop', 'Key 3']);
  expect(keyOptions([request, deleted, rejected], [key])).toEqual([
    ['', 'All keys'],
    ['3', 'Key 3'],
    ['7', 'New name'],
  ]);
});

it('shows a date if a time is at least a day ago', () =>
  expect([timeOf(ago(23), NOW), timeOf(ago(24), NOW)]).toEqual(['10:30:00 AM', 'Feb 13, 2026, 9:30:00 AM']));

it('states since when successful requests are recorded', () => {
  const log = { complete: true, requests: [] };
  expect(recordingInWords({ ...log, recordingSince: ago(0.5) }, NOW)).toMatch(
    /^Successful .+ since 9:00:00 AM \(UTC\)/,
  );
  expect(recordingInWords({ ...log, recordingSince: null }, NOW)).toMatch(/^Successful .+ from now on/);
});
