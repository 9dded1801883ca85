import { describe, expect, test } from 'vitest';
import { modernTransaction } from '#cosmos/dialects/transactions';

const HASH = 'AB'.repeat(32);
const attribute = (key: string, value: string) => ({ key, value, index: true });
const of = (index: number) => attribute('msg_index', String(index));
const tx = { body: { messages: [{ '@type': '/x.A' }, { '@type': '/x.B' }] }, auth_info: {} };
const done = { height: '7', txhash: HASH, code: 0, raw_log: '', logs: [], gas_wanted: '9', gas_used: '8' };

const EVENTS = [
  { type: 'coin_spent', attributes: [attribute('spender', 'payer')] },
  { type: 'tx', attributes: [attribute('fee', '1u')] },
  { type: 'transfer', attributes: [attribute('sender', 'a'), of(0)] },
  { type: 'message', attributes: [attribute('action', '/x.A'), of(0)] },
  { type: 'message', attributes: [attribute('module', 'x'), of(0)] },
  { type: 'message', attributes: [attribute('action', '/x.B'), of(1)] },
];
const logs = [
  {
    ...{ msg_index: 0, success: true, log: '' },
    events: [
      {
        type: 'message',
        attributes: [
          { key: 'action', value: '/x.A' },
          { key: 'module', value: 'x' },
        ],
      },
      { type: 'transfer', attributes: [{ key: 'sender', value: 'a' }] },
    ],
  },
  {
    ...{ msg_index: 1, success: true, log: '' },
    events: [{ type: 'message', attributes: [{ key: 'action', value: '/x.B' }] }],
  },
];

describe('the outcome of a transaction of a modern node', () => {
  test('since SDK 0.50: builds logs, raw_log and merged events from the events', () => {
    const received = modernTransaction({ ...done, events: EVENTS, tx });
    expect(received.logs).toEqual(logs);
    expect(received.raw_log).toBe(JSON.stringify(logs));
    expect(received.events).toEqual([
      {
        type: 'message',
        attributes: [
          { key: 'action', value: '/x.A' },
          { key: 'module', value: 'x' },
          { key: 'action', value: '/x.B' },
        ],
      },
      { type: 'transfer', attributes: [{ key: 'sender', value: 'a' }] },
    ]);
  });

  test('before SDK 0.50: uses the logs and ignores the events in base64', () => {
    const own = logs.map(({ success: _, ...log }) => log);
    const events = [{ type: 'message', attributes: [{ key: 'YWN0aW9u', value: 'L3guQQ==', index: true }] }];
    const raw_log = '[{"events":[]}]';
    const received = modernTransaction({ ...done, raw_log, logs: own, events, tx });
    expect(received).toMatchObject({ logs, raw_log });
    expect(JSON.stringify(received.events)).not.toContain('YWN0aW9u');
  });

  test('a failed transaction has its code and raw_log, without logs and events', () => {
    const failed = { ...done, code: 5, codespace: 'sdk', raw_log: 'no funds', events: EVENTS, tx };
    const { tx: _, ...received } = modernTransaction(failed);
    expect(received).toEqual({
      ...{ height: '7', txhash: HASH, code: 5, codespace: 'sdk', raw_log: 'no funds' },
      ...{ gas_wanted: '9', gas_used: '8' },
    });
  });

  test('a transaction that is not in a block has no logs', () => {
    const { tx: _, ...received } = modernTransaction({ ...done, height: '0', gas_wanted: '0', gas_used: '0' });
    expect(received).toEqual({ height: '0', txhash: HASH, raw_log: '', gas_wanted: '0', gas_used: '0' });
  });

  test.each<[string, object]>([
    ['events that are not a list', { events: 'x' }],
    ['an event without a type', { events: [{ attributes: [] }] }],
    ['an attribute that is a string', { events: [{ type: 'a', attributes: ['x'] }] }],
    ['a log that is a string', { logs: ['x'] }],
    ['a log without a message index', { logs: [{ msg_index: 'x', events: [] }] }],
    ['a raw_log that is a list', { raw_log: [] }],
  ])('%s is omitted', (_name, changes) => {
    const { raw_log, logs, events, ...rest } = modernTransaction({ ...done, tx });
    const received = modernTransaction({ ...done, tx, ...changes });
    expect(received).toMatchObject(rest);
    expect([received.logs, received.events]).toEqual('raw_log' in changes ? [logs, events] : [undefined, undefined]);
  });
});
