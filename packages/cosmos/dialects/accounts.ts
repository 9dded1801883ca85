import { type AminoKey, aminoKey } from '../conversion/bech32.ts';
import type { Coin, LegacyAccount, LegacyNodeInfo } from '../legacy-shapes.ts';
import { chainId, coins, count, isMembers, type Members, malformed, members, text } from '../parsers.ts';

const TYPES = new Map([
  ['/cosmos.auth.v1beta1.BaseAccount', 'cosmos-sdk/Account'],
  ['/cosmos.auth.v1beta1.ModuleAccount', 'cosmos-sdk/ModuleAccount'],
  ['/cosmos.vesting.v1beta1.BaseVestingAccount', 'cosmos-sdk/BaseVestingAccount'],
  ['/cosmos.vesting.v1beta1.ContinuousVestingAccount', 'cosmos-sdk/ContinuousVestingAccount'],
  ['/cosmos.vesting.v1beta1.DelayedVestingAccount', 'cosmos-sdk/DelayedVestingAccount'],
  ['/cosmos.vesting.v1beta1.PeriodicVestingAccount', 'cosmos-sdk/PeriodicVestingAccount'],
  ['/cosmos.vesting.v1beta1.PermanentLockedAccount', 'cosmos-sdk/PermanentLockedAccount'],
  // Nodes of SDK 0.40 to 0.46, which have both interfaces.
  ['cosmos-sdk/BaseAccount', 'cosmos-sdk/Account'],
]);

/** The members that nest an account, by generation of nodes. */
const WITHIN = ['base_vesting_account', 'BaseVestingAccount', 'base_account', 'BaseAccount'] as const;
const DEEPEST = 4;

function flat(value: Members, depth = 0): Members {
  const name = WITHIN.find((one) => isMembers(value[one]));
  if (name === undefined) return value;
  if (depth === DEEPEST) throw malformed('account');
  const { [name]: base, ...rest } = value;
  return { ...rest, ...flat(base as Members, depth + 1) };
}

/** The key of a legacy node: bech32 text until SDK 0.38, amino JSON since; null before the first transaction. */
function legacyKey(key: unknown): AminoKey | string | null {
  if (key === undefined || key === null || key === '') return null;
  if (typeof key === 'string') return key;
  const { type, value } = members(key, 'public_key');
  return { type: text(type, 'public_key'), value };
}

function account(type: string, value: Members, owned: Coin[], asked: string): LegacyAccount['result'] {
  const { '@type': _, pub_key, public_key, address, account_number, sequence, coins: __, ...rest } = flat(value);
  if (address !== asked) throw malformed('account of that address');
  return {
    type: TYPES.get(type) ?? type,
    value: {
      address: asked,
      coins: owned,
      public_key: pub_key === undefined ? legacyKey(public_key) : aminoKey(pub_key),
      account_number: count(account_number, 'account_number'),
      sequence: count(sequence, 'sequence'),
      ...rest,
    },
  };
}

export const noAccount = (): LegacyAccount['result'] => ({
  type: 'cosmos-sdk/Account',
  value: { address: '', coins: [], public_key: null, account_number: '0', sequence: '0' },
});

/** The account of an address from a legacy node. Since SDK 0.40 its coins are a separate request. */
export async function legacyAccount(
  asked: string,
  result: unknown,
  balances: () => Promise<Coin[]>,
): Promise<LegacyAccount['result']> {
  const { type, value } = members(result, 'result');
  const reported = members(value, 'account');
  const { address, coins: own } = flat(reported);
  if (address === undefined || address === '') return noAccount();
  return account(text(type, 'type'), reported, own === undefined ? await balances() : coins(own), asked);
}

export function accountOfModern(asked: string, reported: unknown, owned: Coin[]): LegacyAccount['result'] {
  const value = members(reported, 'account');
  return account(text(value['@type'], 'type of the account'), value, owned, asked);
}

export function legacyNodeInfo({ node_info, application_version }: Members): LegacyNodeInfo {
  const { network, ...rest } = members(node_info, 'node_info');
  return {
    node_info: { ...rest, network: chainId(network) },
    application_version: isMembers(application_version) ? application_version : {},
  };
}

const VERSION_NAMES = new Map([
  ['app_name', 'server_name'],
  ['git_commit', 'commit'],
  ['go_version', 'go'],
]);
/** Hundreds of module versions that legacy nodes never returned. */
const BUILD = 'build_deps';

export function nodeInfoOfModern({ default_node_info, application_version }: Members): LegacyNodeInfo {
  const { network, default_node_id, ...rest } = members(default_node_info, 'default_node_info');
  const version = Object.entries(isMembers(application_version) ? application_version : {})
    .filter(([name]) => name !== BUILD)
    .map(([name, value]) => [VERSION_NAMES.get(name) ?? name, value]);
  return {
    node_info: { ...(default_node_id !== undefined && { id: default_node_id }), ...rest, network: chainId(network) },
    application_version: Object.fromEntries(version),
  };
}
