import { describe, expect, test } from 'vitest';
import { ADAPTERS } from '#cosmos/dialects/adapter';
import { latestBlock, MODERN, scriptedNode } from './scripted-node.ts';

const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';
const KEY = 'A21fdP6IbVC9hER5smiim8I4EbFeIF/bW81IKwmmsdjH';
const owned = [{ denom: 'ukava', amount: '9' }];
const base = {
  '@type': '/cosmos.auth.v1beta1.BaseAccount',
  ...{ address: ADDRESS, account_number: '5', sequence: '6' },
  pub_key: { '@type': '/cosmos.crypto.secp256k1.PubKey', key: KEY },
};
const received = {
  ...{ address: ADDRESS, coins: owned, account_number: '5', sequence: '6' },
  public_key: { type: 'tendermint/PubKeySecp256k1', value: KEY },
};
const vesting = {
  ...{ original_vesting: owned, delegated_free: [], delegated_vesting: [], end_time: '1772366400' },
};

const modern = (account: unknown) =>
  ADAPTERS.cosmos(
    scriptedNode({
      [`/cosmos/auth/v1beta1/accounts/${ADDRESS}`]: { account },
      [`${MODERN.balances}/${ADDRESS}`]: { balances: owned, pagination: { next_key: null } },
      [MODERN.latest]: latestBlock(12),
    }).send,
  );
const legacy = (result: unknown) =>
  ADAPTERS.legacy(
    scriptedNode({
      [`/auth/accounts/${ADDRESS}`]: { height: '12', result },
      [`/bank/balances/${ADDRESS}`]: { height: '12', result: owned },
    }).send,
  );

describe('an account of a modern node', () => {
  test.each<[string, object, string, object]>([
    ['base', base, 'cosmos-sdk/Account', received],
    ['without a public key', { ...base, pub_key: null }, 'cosmos-sdk/Account', { ...received, public_key: null }],
    [
      'without members that are zero',
      { '@type': base['@type'], address: ADDRESS },
      'cosmos-sdk/Account',
      { ...received, public_key: null, account_number: '0', sequence: '0' },
    ],
    [
      'continuous vesting',
      {
        '@type': '/cosmos.vesting.v1beta1.ContinuousVestingAccount',
        base_vesting_account: { base_account: base, ...vesting },
        start_time: '7',
      },
      'cosmos-sdk/ContinuousVestingAccount',
      { ...received, ...vesting, start_time: '7' },
    ],
    [
      'delayed vesting',
      {
        '@type': '/cosmos.vesting.v1beta1.DelayedVestingAccount',
        base_vesting_account: { base_account: base, ...vesting },
      },
      'cosmos-sdk/DelayedVestingAccount',
      { ...received, ...vesting },
    ],
    [
      'module',
      {
        '@type': '/cosmos.auth.v1beta1.ModuleAccount',
        ...{ base_account: { ...base, pub_key: null }, name: 'gov', permissions: ['burner'] },
      },
      'cosmos-sdk/ModuleAccount',
      { ...received, public_key: null, name: 'gov', permissions: ['burner'] },
    ],
    [
      'of a chain-specific type',
      { '@type': '/ethermint.types.v1.EthAccount', base_account: base, code_hash: '0xc5' },
      '/ethermint.types.v1.EthAccount',
      { ...received, code_hash: '0xc5' },
    ],
    [
      'with a key type unknown to amino',
      { ...base, pub_key: { '@type': '/x.PubKey', key: 'AA==', more: 1 } },
      'cosmos-sdk/Account',
      { ...received, public_key: { type: '/x.PubKey', value: { key: 'AA==', more: 1 } } },
    ],
    [
      'with an invalid key',
      { ...base, pub_key: { '@type': '/cosmos.crypto.secp256k1.PubKey', key: '~' } },
      'cosmos-sdk/Account',
      { ...received, public_key: null },
    ],
    [
      'of an unknown type that wraps the account in members of its own',
      { '@type': '/x.SmartAccount', owner: { main: { ...base, '@type': undefined } }, policy: 'any' },
      '/x.SmartAccount',
      { ...received, owner: { main: { ...base, '@type': undefined } }, policy: 'any' },
    ],
    [
      'of an unknown type without numbers',
      { '@type': '/x.SmartAccount', id: 5 },
      '/x.SmartAccount',
      { ...{ address: ADDRESS, coins: owned, public_key: null, account_number: null, sequence: null }, id: 5 },
    ],
    [
      'multisig',
      {
        ...base,
        pub_key: {
          '@type': '/cosmos.crypto.multisig.LegacyAminoPubKey',
          ...{ threshold: 1, public_keys: [base.pub_key] },
        },
      },
      'cosmos-sdk/Account',
      {
        ...received,
        public_key: {
          type: 'tendermint/PubKeyMultisigThreshold',
          value: { threshold: '1', pubkeys: [received.public_key] },
        },
      },
    ],
  ])('%s', async (_name, account, type, value) => {
    expect(await modern(account).account(ADDRESS)).toEqual({ height: '12', result: { type, value } });
  });

  test.each<[string, unknown]>([
    ['a missing account', undefined],
    ['an account of another address', { ...base, address: 'kava1other' }],
    ['an account of an unknown type and another address', { '@type': '/x.Y', base_account: { address: 'kava1other' } }],
    ['an account without a type', { ...base, '@type': undefined }],
    ['a sequence that is not a number', { ...base, sequence: 'many' }],
    [
      'an account nested too deeply',
      { ...base, base_account: { base_account: { base_account: { base_account: { base_account: base } } } } },
    ],
  ])('%s is malformed', async (_name, account) => {
    await expect(modern(account).account(ADDRESS)).rejects.toMatchObject({ kind: 'malformed' });
  });
});

describe('an account that does not exist', () => {
  const none = { address: '', coins: [], public_key: null, account_number: '0', sequence: '0' };
  test.each([
    [404, { code: 5, message: `rpc error: code = NotFound desc = account ${ADDRESS} not found: key not found` }],
    [400, { code: 5, message: `account ${ADDRESS} not found` }],
    [500, { code: 2, message: `account ${ADDRESS} not found` }],
  ])('of a modern node, with status %i', async (status, body) => {
    const { send } = scriptedNode({
      [`/cosmos/auth/v1beta1/accounts/${ADDRESS}`]: { status, body },
      [MODERN.latest]: latestBlock(12),
    });
    expect(await ADAPTERS.cosmos(send).account(ADDRESS)).toEqual({
      height: '12',
      result: { type: 'cosmos-sdk/Account', value: none },
    });
  });

  test('of a legacy node', async () => {
    const result = { type: 'cosmos-sdk/Account', value: { ...none, coins: null, public_key: '' } };
    expect(await legacy(result).account(ADDRESS)).toEqual({
      height: '12',
      result: { type: 'cosmos-sdk/Account', value: none },
    });
  });
});

describe('an account of a legacy node', () => {
  test.each<[string, object, string, object]>([
    ['of the Launchpad generation', { type: 'cosmos-sdk/Account', value: received }, 'cosmos-sdk/Account', received],
    [
      'of the next release, without coins',
      { type: 'cosmos-sdk/BaseAccount', value: { ...received, coins: undefined } },
      'cosmos-sdk/Account',
      received,
    ],
    [
      'of the previous release, with a key in bech32',
      { type: 'core/Account', value: { ...received, public_key: 'terrapub1addwnpepq' } },
      'core/Account',
      { ...received, public_key: 'terrapub1addwnpepq' },
    ],
    [
      'a nested vesting account',
      {
        type: 'cosmos-sdk/ContinuousVestingAccount',
        value: { BaseVestingAccount: { BaseAccount: received, ...vesting }, start_time: '7' },
      },
      'cosmos-sdk/ContinuousVestingAccount',
      { ...received, ...vesting, start_time: '7' },
    ],
  ])('%s', async (_name, result, type, value) => {
    expect(await legacy(result).account(ADDRESS)).toEqual({ height: '12', result: { type, value } });
  });
});
