import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '#core/clock';
import { Problem } from '#core/problems';
import type { NodeDialect } from '#cosmos/dialects/adapter';
import type { NodeReply, NodeRequest } from '#cosmos/exchange';
import { createNode } from '#node/node';
import { createNodePool } from '#node/pool';
import { SAMPLES } from '../cosmos/conversion/samples.ts';
import { amount, longTimeout } from '../support/long.ts';
import { unlogged } from '../support/unlogged.ts';
import { notPassed } from './node-harness.ts';

const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';
const HASH = 'AB'.repeat(32);
const B64 = Buffer.alloc(32, 0xab).toString('base64');
const KEY = Buffer.alloc(33, 2).toString('base64');

const modernHeader = {
  ...{ version: { block: '11', app: '0' }, chain_id: 'test-1', height: '7', time: '2026-05-15T14:42:25Z' },
  last_block_id: { hash: B64, part_set_header: { total: 1, hash: B64 } },
  ...{ app_hash: B64, proposer_address: B64, evidence_hash: '' },
};
const base = {
  ...{ address: ADDRESS, account_number: '5', sequence: '6' },
  pub_key: { '@type': '/cosmos.crypto.secp256k1.PubKey', key: KEY },
};
const vesting = {
  '@type': '/cosmos.vesting.v1beta1.PeriodicVestingAccount',
  base_vesting_account: {
    base_account: base,
    original_vesting: [{ denom: 'ukava', amount: '9' }],
    end_time: '8',
  },
  ...{ start_time: '1', vesting_periods: [] },
};
const legacyValue = {
  ...{ address: ADDRESS, coins: [{ denom: 'ukava', amount: '9' }], account_number: '5', sequence: '6' },
  public_key: { type: 'tendermint/PubKeySecp256k1', value: KEY },
};
const tx = {
  body: { messages: SAMPLES.map(({ modern }) => modern), memo: 'm', timeout_height: '0' },
  auth_info: {
    signer_infos: [
      {
        public_key: base.pub_key,
        mode_info: { multi: { bitarray: { extra_bits_stored: 3, elems: 'oA==' }, mode_infos: [] } },
      },
    ],
    fee: { amount: [], gas_limit: '5', payer: '', granter: '' },
  },
  signatures: ['CgEB'],
};
const events = [
  {
    type: 'message',
    attributes: [
      { key: 'action', value: 'send' },
      { key: 'msg_index', value: '0' },
    ],
  },
];
const response = {
  ...{ height: '7', txhash: HASH, code: 0, raw_log: '', logs: [], events, gas_wanted: '5', gas_used: '4' },
};

/** The responses of a healthy node, by path suffix. */
const HEALTHY: Record<NodeDialect, readonly (readonly [path: RegExp, body: unknown])[]> = {
  cosmos: [
    [
      /\/blocks\/\w+$/,
      {
        block_id: { hash: B64, part_set_header: { total: 1, hash: B64 } },
        block: {
          header: modernHeader,
          data: { txs: ['CpAB'] },
          evidence: { evidence: [] },
          last_commit: {
            height: '6',
            round: 0,
            block_id: { hash: B64 },
            signatures: [
              {
                block_id_flag: 'BLOCK_ID_FLAG_COMMIT',
                validator_address: B64,
                timestamp: 't',
                signature: B64,
              },
            ],
          },
        },
      },
    ],
    [
      /\/node_info$/,
      {
        default_node_info: { network: 'test-1', default_node_id: 'abc' },
        application_version: { name: 'n', app_name: 'a', build_deps: [] },
      },
    ],
    [/\/accounts\//, { account: vesting }],
    [/\/balances\//, { balances: [{ denom: 'ukava', amount: '9' }], pagination: { next_key: null, total: '1' } }],
    [/\/txs\//, { tx, tx_response: response }],
  ],
  legacy: [
    [
      /\/blocks\/\w+$/,
      {
        block_id: { hash: HASH, parts: { total: '1', hash: HASH } },
        block: {
          header: { chain_id: 'test-1', height: '7', time: 't', app_hash: HASH },
          data: { txs: null },
          evidence: { evidence: null },
          last_commit: null,
        },
      },
    ],
    [/\/node_info$/, { node_info: { network: 'test-1', version: '0.33' }, application_version: { name: 'n' } }],
    [
      /\/accounts\//,
      {
        height: '7',
        result: {
          type: 'cosmos-sdk/DelayedVestingAccount',
          value: { BaseVestingAccount: { BaseAccount: legacyValue, end_time: '8' } },
        },
      },
    ],
    [/\/balances\//, { height: '7', result: [] }],
    [
      /\/txs\//,
      {
        height: '7',
        txhash: HASH,
        logs: [{ msg_index: 0, success: true, log: '' }],
        tx: { type: 'cosmos-sdk/StdTx', value: {} },
      },
    ],
  ],
};

type Step = { at: number; value: unknown };

/** Replaces one member of the body with a value. `at`, modulo the number of members, selects the member. */
function damage(body: unknown, { at, value }: Step): unknown {
  const places: (readonly [holder: Record<string, unknown>, name: string])[] = [];
  const look = (holder: unknown) => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const [name, member] of Object.entries(holder)) {
      places.push([holder as Record<string, unknown>, name]);
      look(member);
    }
  };
  look(body);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return value;
  const [holder, name] = place;
  if (value === undefined && Array.isArray(holder)) holder.splice(Number(name), 1);
  else if (value === undefined) delete holder[name];
  else holder[name] = value;
  return body;
}

/** Invalid values of different kinds. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    ...[undefined, null, '', '0', '-1', '1e9', '９', '\u0000', 'constructor', '__proto__', 'x'.repeat(3000)],
    ...[-1, 1.5, 2 ** 53, true, [], {}, [[]], { '@type': '/cosmos.bank.v1beta1.MsgSend' }, [null], 'other-1'],
    ...['9'.repeat(21), '2026-13-45T99:00:00Z', '1970-01-01T00:00:00.9999999999Z', { toString: 1 }, '~~~'],
  ),
  fc.jsonValue(),
  fc.string(),
);
const step = fc.record({ at: fc.nat(400), value });
const statuses = fc.constantFrom(200, 200, 200, 200, 200, 200, 400, 404, 500, 501);

/** All texts and numbers in the value. */
function leaves(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      found.add(name);
      leaves(member, found);
    }
  } else if (value !== undefined) found.add(String(value));
  return found;
}

/** The forms in which a node's text may be returned: unchanged, base64 as hex, a number without leading zeros. */
function forms(text: string): string[] {
  const bytes = Buffer.from(text, 'base64');
  const isBase64 = bytes.toString('base64') === text;
  const digits = /^\d+$/.test(text) ? [String(BigInt(text))] : [];
  return [text, text.toUpperCase(), ...digits, ...(isBase64 ? [bytes.toString('hex').toUpperCase()] : [])];
}

/** Words of the legacy format, which need not be in the node's response. */
const WORDS = new Set([
  ...['height', 'result', 'type', 'value', 'address', 'coins', 'public_key', 'account_number', 'sequence'],
  ...['block_id', 'hash', 'parts', 'total', 'block', 'header', 'data', 'txs', 'evidence', 'last_commit', 'round'],
  ...['last_block_id', 'id', 'node_info', 'network', 'application_version', 'server_name', 'commit', 'go'],
  ...['block_id_flag', 'validator_address', 'timestamp', 'signature', 'signatures', 'denom', 'amount'],
  ...['null', '', '0', '1', '2', '3', 'cosmos-sdk/Account', 'threshold', 'pubkeys'],
]);
const isType = (text: string) => /^(cosmos-sdk|tendermint)\/[A-Za-z0-9]+$/.test(text);

const CALLS = ['account', 'nodeInfo', 'latest', 'block', 'transaction'] as const;

describe.each(['cosmos', 'legacy'] as const)('generated responses of a %s node', (dialect) => {
  test('lead to problems with the right status, or are returned unchanged', {
    timeout: longTimeout,
  }, async () => {
    let received = 0;
    const property = fc.asyncProperty(
      fc.constantFrom(...CALLS),
      fc.array(step, { minLength: 0, maxLength: 3 }),
      statuses,
      async (call, steps, status) => {
        const bodies: unknown[] = [];
        const send = async ({ path }: NodeRequest): Promise<NodeReply> => {
          const healthy = structuredClone(HEALTHY[dialect].find(([pattern]) => pattern.test(path))?.[1]);
          const body = steps.reduce((now, one) => damage(now, structuredClone(one)), healthy);
          bodies.push(body);
          return { status, body };
        };
        const pool = createNodePool({
          sources: [{ send, pass: notPassed, close: async () => {} }],
          ...{ dialect, timeoutMs: 1000, clock: systemClock },
          log: { debug() {}, info() {}, warn() {}, error() {} },
          failures: unlogged,
        });
        const node = createNode({ pool, timeoutMs: 1000, clock: systemClock });
        const use = {
          account: () => node.account(ADDRESS),
          nodeInfo: () => node.nodeInfo(),
          latest: () => node.block(),
          block: () => node.block('7'),
          transaction: () => node.transaction(HASH),
        };
        let response: unknown;
        try {
          response = await use[call]();
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          expect(error.code).not.toBe('internal_error');
          return;
        }
        received += 1;
        const written = JSON.parse(JSON.stringify(response));
        if (call === 'transaction') return;
        const known = new Set([...leaves(bodies)].flatMap(forms));
        const invented = [...leaves(written)].filter(
          (one) => !known.has(one) && !WORDS.has(one) && !isType(one) && one !== ADDRESS,
        );
        expect(invented).toEqual([]);
        if (call === 'account') {
          const { type, value } = (response as Awaited<ReturnType<typeof node.account>>).result;
          expect([ADDRESS, '']).toContain(value.address);
          const numbers = [value.account_number, value.sequence];
          // Only an account of an unknown type can lack its numbers, and then it lacks both.
          const hasNumbers = isType(type) || numbers.some((number) => number !== null);
          for (const number of numbers) hasNumbers ? expect(number).toMatch(/^\d+$/) : expect(number).toBeNull();
        }
        if (call === 'block') expect(written.block.header.height).toBe('7');
      },
    );
    await fc.assert(property, { numRuns: amount(200, 5000) });
    expect(received).toBeGreaterThan(20);
  });
});

test('generated amino JSON is encoded or rejected, and never causes an internal error', {
  timeout: longTimeout,
}, async () => {
  const sends: string[] = [];
  const send = async ({ method, path, body }: NodeRequest): Promise<NodeReply> => {
    if (method === 'POST') {
      sends.push((body as { tx_bytes: string }).tx_bytes);
      return { status: 400, body: { code: 3, message: 'refused', details: [] } };
    }
    const healthy = HEALTHY.cosmos.find(([pattern]) => pattern.test(path))?.[1];
    return {
      status: 200,
      body: path.includes('/accounts/')
        ? { account: { '@type': 'x', ...base, address: path.split('/').at(-1) } }
        : healthy,
    };
  };
  const options = { timeoutMs: 1000, clock: systemClock };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const pool = createNodePool({
    sources: [{ send, pass: notPassed, close: async () => {} }],
    dialect: 'cosmos',
    log,
    failures: unlogged,
    ...options,
  });
  const node = createNode({ pool, ...options });
  const property = fc.asyncProperty(
    fc.constantFrom(...SAMPLES.map(({ amino }) => amino)),
    fc.array(step, { maxLength: 3 }),
    async (message, steps) => {
      const healthy = {
        ...{ msg: [message], fee: { amount: [{ denom: 'x', amount: '1' }], gas: '5' }, memo: 'm' },
        signatures: [{ pub_key: { type: 'tendermint/PubKeySecp256k1', value: KEY }, signature: B64 }],
      };
      const tx = steps.reduce<unknown>((now, one) => damage(now, structuredClone(one)), structuredClone(healthy));
      const refused = await node.broadcast({ tx, mode: 'sync' }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Problem);
      expect((refused as Problem).code).toBe('node_rejected');
    },
  );
  await fc.assert(property, { numRuns: amount(120, 3000) });
  expect(sends.length).toBeGreaterThan(12);
});
