import { describe, expect, test } from 'vitest';
import { ADAPTERS } from '#cosmos/dialects/adapter';
import { haveRecordings, recording, recordingNames } from '../support/upstream/recordings.ts';
import { latestBlock, MODERN, scriptedNode } from './scripted-node.ts';

/** Recordings of the REST interface. The others are of the RPC interface, which the adapters do not call. */
const names = recordingNames('cosmos_modern').filter((name) => !name.startsWith('rpc_'));
const recorded = (name: string) => JSON.parse(String(recording('cosmos_modern', name).body));
const HASH = '10D31B63275E48B48AE84E8B4C240B8D3A08466B2F0E5455E3CA54FE8A9130E9';

type Received = Record<string, unknown> & { txhash: string; code: number; tx: { body: { messages: object[] } } };
type Legacy = { tx: { value: object }; logs: object[]; events: object[] };

/** The member names of a successful transaction in the legacy shape, at each level. */
function membersOf({ tx, logs, events, ...rest }: Legacy & Record<string, unknown>) {
  const names = (value: object | undefined) => Object.keys(value ?? {}).sort();
  const { fee, signatures } = tx.value as { fee: object; signatures: object[] };
  const [event] = events as { attributes: object[] }[];
  return {
    transaction: names({ ...rest, tx, logs, events }),
    tx: names(tx),
    value: names(tx.value),
    fee: names(fee),
    signature: names(signatures[0]),
    log: names(logs[0]),
    event: names(event),
    attribute: names(event?.attributes[0]),
  };
}

/** The member names in the recording of a legacy node. */
const legacyMembers = () => {
  const name = 'txs_search_message.sender_kava.json';
  const { txs } = JSON.parse(String(recording('cosmos_legacy', name).body));
  return membersOf(txs[0]);
};

/** The members that are equal in both dialects. */
const plain = ({ height, txhash, gas_wanted, gas_used, timestamp, raw_log }: Received) => ({
  ...{ height, txhash, gas_wanted, gas_used, timestamp, raw_log },
});

describe.runIf(haveRecordings)('recorded responses of a modern node', () => {
  test('every recording has a test', () => {
    expect(names).toEqual([
      'bank_balances_stargaze_cli.json',
      'broadcast_code32_sequence_mismatch_lava.json',
      'err_404_tx_not_found_terra-classic_2023-07-19.json',
      'err_501_not_implemented_2022-04-13.json',
      'lcd_account_base.json',
      'lcd_account_delayed_vesting.json',
      'tx_response_object_archway_send.json',
      'txs_search_tx.height_columbus4_5403875_83txs.json',
    ]);
  });

  test('balances have the height of the latest block', async () => {
    const { send } = scriptedNode({
      [`${MODERN.balances}/stars1abc`]: recorded('bank_balances_stargaze_cli.json'),
      [MODERN.latest]: latestBlock(7_654_321),
    });
    expect(await ADAPTERS.cosmos(send).balances('stars1abc')).toEqual({
      height: '7654321',
      result: [{ denom: 'ustars', amount: '104975000' }],
    });
  });

  test.each([
    ['lcd_account_base.json', 'cosmos-sdk/Account', '3'],
    ['lcd_account_delayed_vesting.json', 'cosmos-sdk/DelayedVestingAccount', '4'],
  ])('an account is flat: %s', async (name, type, account_number) => {
    const { account } = recorded(name);
    const address = account.address ?? account.base_vesting_account.base_account.address;
    const { send } = scriptedNode({
      [`/cosmos/auth/v1beta1/accounts/${address}`]: { account },
      [`${MODERN.balances}/${address}`]: { balances: [], pagination: null },
      [MODERN.latest]: latestBlock(5),
    });
    const value = { address, account_number, sequence: '1', public_key: { type: 'tendermint/PubKeySecp256k1' } };
    expect(await ADAPTERS.cosmos(send).account(address)).toMatchObject({ result: { type, value } });
  });

  test('a transaction has exactly the members of a legacy transaction', async () => {
    const response = recorded('tx_response_object_archway_send.json') as Received;
    const { send, requests } = scriptedNode([{ tx: response.tx, tx_response: response }]);
    const received = await ADAPTERS.cosmos(send).transaction(response.txhash);
    expect(received).toMatchObject(plain(response));
    // Legacy nodes omit an empty `data`, as in the legacy recording.
    const { data, ...rest } = received;
    expect(data).toBe(response.data);
    expect(membersOf(rest as never)).toEqual(legacyMembers());
    const [message] = response.tx.body.messages;
    const { '@type': type, ...value } = message as { '@type': string };
    expect(type).toBe('/cosmos.bank.v1beta1.MsgSend');
    expect(received.tx).toEqual({
      type: 'cosmos-sdk/StdTx',
      value: {
        msg: [{ type: 'cosmos-sdk/MsgSend', value }],
        fee: { amount: [{ denom: 'aarch', amount: '202932000000000000' }], gas: '135288' },
        signatures: [
          {
            pub_key: {
              type: 'tendermint/PubKeySecp256k1',
              value: 'Ap3lURdei8rtzrJpGqiguwcZvQkuM5dW1tqMyS2WFUpg',
            },
            signature: 'AZMqO8769VKzVsZJomA7HojcuwJmxJwqeMOD+M+eGgIgr8IgUDBHaUps55WeOiSs/QGP0tlWqQAzV4E0wiluVw==',
          },
        ],
        memo: '',
      },
    });
    expect(received.logs).toEqual((response.logs as object[]).map((log) => ({ ...log, success: true })));
    expect(requests[0]?.path).toBe(`${MODERN.txs}/${response.txhash}`);
  });

  test('a search has its counts as strings', async () => {
    const body = recorded('txs_search_tx.height_columbus4_5403875_83txs.json');
    const { send } = scriptedNode([body]);
    const query = [['tx.height', '5403875'] as const, ['limit', '100'] as const];
    const { txs, ...counts } = await ADAPTERS.cosmos(send).transactions(query);
    expect(counts).toEqual({
      total_count: '83',
      count: '83',
      page_number: '1',
      page_total: '1',
      limit: '100',
    });
    expect(txs).toMatchObject(body.tx_responses.map(plain));
    for (const { data: _, ...one } of txs) expect(membersOf(one as never)).toEqual(legacyMembers());
    const received = txs.map(({ tx }) => (tx as { value: { msg: object[] } }).value.msg);
    const inAmino = ({ '@type': type, ...value }: { '@type': string }) => ({ type, value });
    expect(received).toEqual(
      body.txs.map((tx: Received['tx']) => tx.body.messages.map((one) => inAmino(one as never))),
    );
    expect(txs.every(({ height }) => height === '5403875')).toBe(true);
  });

  test('a rejected broadcast keeps its code and raw_log', async () => {
    const { send, requests } = scriptedNode([recorded('broadcast_code32_sequence_mismatch_lava.json')]);
    expect(await ADAPTERS.cosmos(send).broadcast({ tx_bytes: 'CpAB', mode: 'block' })).toEqual({
      height: '0',
      txhash: 'B303F5540A6CDDD8CEECD3F7CEF1F3913440E9047E0403EE5614C15B177687F6',
      codespace: 'sdk',
      code: 32,
      raw_log: 'account sequence mismatch, expected 8, got 4: incorrect account sequence',
      gas_wanted: '0',
      gas_used: '0',
    });
    expect(requests[0]).toMatchObject({
      method: 'POST',
      path: MODERN.txs,
      body: { tx_bytes: 'CpAB', mode: 'BROADCAST_MODE_SYNC' },
    });
  });

  test('an unknown transaction is rejected with 404', async () => {
    const body = recorded('err_404_tx_not_found_terra-classic_2023-07-19.json');
    for (const status of [404, 400, 500]) {
      const { send } = scriptedNode([{ status, body }]);
      await expect(ADAPTERS.cosmos(send).transaction(HASH)).rejects.toMatchObject({
        name: 'NodeRejection',
        status: 404,
        message: body.message,
      });
    }
  });

  test('an unimplemented path is the wrong dialect', async () => {
    const body = recorded('err_501_not_implemented_2022-04-13.json');
    const { send } = scriptedNode([{ status: 501, body }]);
    await expect(ADAPTERS.legacy(send).transaction(HASH)).rejects.toMatchObject({
      name: 'NodeFault',
      kind: 'wrong_dialect',
    });
  });
});
