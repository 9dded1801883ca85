import { type AminoKey, aminoKey } from '../conversion/bech32.ts';
import type { Coin, LegacyAccount, LegacyNodeInfo } from '../legacy-shapes.ts';
import {
  balancesIn,
  chainId,
  count,
  isMembers,
  type Members,
  malformed,
  members,
  optionalPart,
  type ReportOmitted,
  text,
} from '../parsers.ts';

const TYPES = new Map([
  ['/cosmos.auth.v1beta1.BaseAccount', 'cosmos-sdk/Account'],
  ['/cosmos.auth.v1beta1.ModuleAccount', 'cosmos-sdk/ModuleAccount'],
  ['/cosmos.vesting.v1beta1.BaseVestingAccount', 'cosmos-sdk/BaseVestingAccount'],
  ['/cosmos.vesting.v1beta1.ContinuousVestingAccount', 'cosmos-sdk/ContinuousVestingAccount'],
  ['/cosmos.vesting.v1beta1.DelayedVestingAccount', 'cosmos-sdk/DelayedVestingAccount'],
  ['/cosmos.vesting.v1beta1.PeriodicVestingAccount', 'cosmos-sdk/PeriodicVestingAccount'],
  ['/cosmos.vesting.v1beta1.PermanentLockedAccount', 'cosmos-sdk/PermanentLockedAccount'],
  // Nodes with SDK 0.40 to 0.46 serve both interfaces.
  ['cosmos-sdk/BaseAccount', 'cosmos-sdk/Account'],
]);

/** The member that contains a nested account. Its name depends on the version of the node. */
const NESTED = ['base_vesting_account', 'BaseVestingAccount', 'base_account', 'BaseAccount'] as const;
const MAX_DEPTH = 4;

function flatten(value: Members, depth = 0): Members {
  const name = NESTED.find((one) => isMembers(value[one]));
  if (name === undefined) return value;
  if (depth === MAX_DEPTH) throw malformed('account');
  const { [name]: base, ...rest } = value;
  return { ...rest, ...flatten(base as Members, depth + 1) };
}

/** A legacy node's key: bech32 up to SDK 0.38, amino JSON later, null before the first transaction. */
function legacyKey(key: unknown): AminoKey | string | null {
  if (key === undefined || key === null || key === '') return null;
  if (typeof key === 'string') return key;
  const { type, value } = members(key, 'public_key');
  return { type: text(type, 'public_key'), value };
}

/** Finds the object with the numbers in an account of an unknown type, at any place down to `MAX_DEPTH`. */
function findNumbers(value: Members, requested: string, depth = 0): Members | undefined {
  const hasNumbers = value.account_number !== undefined || value.sequence !== undefined;
  if (value.address === requested && hasNumbers) return value;
  if (depth === MAX_DEPTH) return undefined;
  const parts = Object.values(value).filter(isMembers);
  return parts.map((part) => findNumbers(part, requested, depth + 1)).find((found) => found !== undefined);
}

const isKnown = (type: string): boolean => TYPES.has(type) || [...TYPES.values()].includes(type);

/** The flat members of an account. If its type is unknown, the address and the numbers may be missing. */
function membersOf(type: string, value: Members, requested: string): Members {
  if (isKnown(type)) return flatten(value);
  const flat = optionalPart(() => flatten(value)) ?? value;
  return { ...flat, ...findNumbers(value, requested) };
}

function account(type: string, value: Members, owned: Coin[], requested: string): LegacyAccount['result'] {
  const reported = membersOf(type, value, requested);
  const { '@type': _, pub_key, public_key, address, account_number, sequence, coins: __, ...rest } = reported;
  const isUnknown = !isKnown(type);
  if (address !== requested && !(isUnknown && address === undefined)) {
    throw malformed('account with the requested address');
  }
  // Amino JSON omits zeros. An account of an unknown type may have its numbers elsewhere.
  const isWithout = isUnknown && account_number === undefined && sequence === undefined;
  const number = (member: unknown, what: string) => (isWithout ? null : count(member, what));
  const key = optionalPart(() => (pub_key === undefined ? legacyKey(public_key) : aminoKey(pub_key)));
  return {
    type: TYPES.get(type) ?? type,
    value: {
      address: requested,
      coins: owned,
      public_key: key ?? null,
      account_number: number(account_number, 'account_number'),
      sequence: number(sequence, 'sequence'),
      ...rest,
    },
  };
}

export const noAccount = (): LegacyAccount['result'] => ({
  type: 'cosmos-sdk/Account',
  value: { address: '', coins: [], public_key: null, account_number: '0', sequence: '0' },
});

/** The account of an address, from a legacy node. Since SDK 0.40, the coins require a separate request. */
export async function legacyAccount(
  requested: string,
  result: unknown,
  balances: () => Promise<Coin[]>,
  report?: ReportOmitted,
): Promise<LegacyAccount['result']> {
  const { type, value } = members(result, 'result');
  const reported = members(value, 'account');
  const { address, coins: own } = optionalPart(() => flatten(reported)) ?? {};
  const name = text(type, 'type');
  if (address === '' || (address === undefined && isKnown(name))) return noAccount();
  return account(name, reported, own === undefined ? await balances() : balancesIn(own, report), requested);
}

export function modernAccount(requested: string, reported: unknown, owned: Coin[]): LegacyAccount['result'] {
  const value = members(reported, 'account');
  return account(text(value['@type'], 'type of the account'), value, owned, requested);
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
/** The omitted member, which contains hundreds of module versions. Legacy nodes do not return it. */
const MODULE_VERSIONS = 'build_deps';

export function modernNodeInfo({ default_node_info, application_version }: Members): LegacyNodeInfo {
  const { network, default_node_id, ...rest } = members(default_node_info, 'default_node_info');
  const version = Object.entries(isMembers(application_version) ? application_version : {})
    .filter(([name]) => name !== MODULE_VERSIONS)
    .map(([name, value]) => [VERSION_NAMES.get(name) ?? name, value]);
  return {
    node_info: { ...(default_node_id !== undefined && { id: default_node_id }), ...rest, network: chainId(network) },
    application_version: Object.fromEntries(version),
  };
}
