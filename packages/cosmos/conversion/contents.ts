import { NodeRejection } from '../exchange.ts';
import { isMembers, type Members, malformed } from '../parsers.ts';
import { always, aminoMembers, coin, coins, many, messageBytes, nested, optional, some } from './composites.ts';
import { choice, duration, type Field, fieldsOf, type Kind, rejection, text, timestamp, whole } from './fields.ts';
import { anyMessage, bytesField, EMPTY } from './protobuf.ts';

export type MessageType = {
  url: string;
  amino: string;
  aliases?: readonly string[];
  fields: readonly Field[];
  /** Returns, from the amino value of a message, the address or addresses that must sign the message. */
  signer?: (value: Members) => unknown;
  /** For types whose members amino arranges differently: converts the members to amino and back. */
  reshape?: { amino: (members: Members) => Members; fields: (members: Members) => Members };
};

/** The type's name for an error message. The name is truncated, because it is not validated. */
const nameOf = (type: unknown) => (typeof type === 'string' ? type.slice(0, 100) : 'without a type');

export function anyOf(types: () => readonly MessageType[]) {
  let byUrl: ReadonlyMap<unknown, MessageType> | undefined;
  let byName: ReadonlyMap<unknown, MessageType> | undefined;
  const ofUrl = (url: unknown) => {
    byUrl ??= new Map(types().map((type) => [type.url, type]));
    return byUrl.get(url);
  };
  const ofName = (name: unknown) => {
    byName ??= new Map(
      types().flatMap((type) => [type.amino, ...(type.aliases ?? [])].map((one) => [one, type] as const)),
    );
    return byName.get(name);
  };

  return {
    amino(value: unknown, what: string): { type: string; value: Members } {
      const { '@type': url, ...rest } = isMembers(value) ? value : {};
      const type = ofUrl(url);
      if (type === undefined) throw malformed(`${what} of a known type`);
      const members = aminoMembers(type.fields, rest, what);
      return { type: type.amino, value: type.reshape ? type.reshape.amino(members) : members };
    },
    bytes(field: number, value: unknown, what: string): Uint8Array {
      if (value === undefined || value === null) return EMPTY;
      const { type: name, value: own } = isMembers(value) ? value : {};
      const type = ofName(name);
      if (type === undefined) {
        throw new NodeRejection(
          422,
          `${what} (${nameOf(name)}) cannot be converted to amino JSON; send tx_bytes instead`,
        );
      }
      if (!isMembers(own)) throw rejection(`${what}.value`, 'an object');
      const members = type.reshape ? type.reshape.fields(own) : own;
      const bytes = messageBytes(type.fields, members, `${what} (${type.amino})`);
      return bytesField(field, anyMessage(type.url, bytes));
    },
    typeOf: ofName,
  } satisfies Kind & { typeOf: unknown };
}

/** The default amino name is `cosmos-sdk/` followed by the last part of the URL. */
export const type = (
  url: string,
  kinds: Readonly<Record<string, Kind>>,
  amino = url.replace(/^.*\./, 'cosmos-sdk/'),
): MessageType => ({ url, amino, fields: fieldsOf(kinds) });

export const message = (
  url: string,
  signer: string,
  kinds: Readonly<Record<string, Kind>>,
  amino?: string,
): MessageType => ({ ...type(url, kinds, amino), signer: (value) => value[signer] });

/* Proposals, authorizations and fee allowances, from https://github.com/cosmos/cosmos-sdk (proto/ and the codecs). */

const titled = { title: text, description: text };

/** Upgrades are scheduled by height. Amino always includes the deprecated `time`. */
const plan = nested({ name: text, time: always(timestamp, '0001-01-01T00:00:00Z'), height: whole, info: text });
const change = nested({ subspace: text, key: text, value: text });

export const proposal = anyOf(() => [
  type('/cosmos.gov.v1beta1.TextProposal', titled),
  type('/cosmos.params.v1beta1.ParameterChangeProposal', { ...titled, changes: many(change) }),
  type('/cosmos.distribution.v1beta1.CommunityPoolSpendProposal', { ...titled, recipient: text, amount: coins }),
  type('/cosmos.upgrade.v1beta1.SoftwareUpgradeProposal', { ...titled, plan }),
  type('/cosmos.upgrade.v1beta1.CancelSoftwareUpgradeProposal', titled),
]);

const validators = optional(nested({ address: some(text) }));
const LISTS = [
  ['allow_list', 'cosmos-sdk/StakeAuthorization/AllowList'],
  ['deny_list', 'cosmos-sdk/StakeAuthorization/DenyList'],
] as const;

/** Amino wraps the allow list or the deny list in the member `Validators`, with the name of the list's Go type. */
const stakeAuthorization: MessageType = {
  ...type('/cosmos.staking.v1beta1.StakeAuthorization', {
    max_tokens: optional(coin),
    allow_list: validators,
    deny_list: validators,
    authorization_type: choice(
      'AUTHORIZATION_TYPE_UNSPECIFIED',
      'AUTHORIZATION_TYPE_DELEGATE',
      'AUTHORIZATION_TYPE_UNDELEGATE',
      'AUTHORIZATION_TYPE_REDELEGATE',
      'AUTHORIZATION_TYPE_CANCEL_UNBONDING_DELEGATION',
    ),
  }),
  reshape: {
    amino({ allow_list, deny_list, ...rest }) {
      const lists: Members = { allow_list, deny_list };
      const [name, amino] = LISTS.find(([one]) => lists[one] !== undefined) ?? [];
      return { ...rest, ...(name && { Validators: { type: amino, value: { [name]: lists[name] } } }) };
    },
    fields({ Validators, ...rest }) {
      const { type: amino, value } = (Validators ?? {}) as { type?: string; value?: Members };
      const [name] = LISTS.find(([, one]) => one === amino) ?? [];
      // A list of an unknown type is left in `Validators`, and is later rejected as an unknown member.
      if (name === undefined) return Validators === undefined ? rest : { ...rest, Validators };
      return { ...rest, [name]: value?.[name] };
    },
  },
};

export const authorization = anyOf(() => [
  type('/cosmos.authz.v1beta1.GenericAuthorization', { msg: text }),
  type('/cosmos.bank.v1beta1.SendAuthorization', { spend_limit: coins, allow_list: some(text) }),
  stakeAuthorization,
]);

const basic = { spend_limit: coins, expiration: optional(timestamp) };

const allowances: MessageType[] = [
  type('/cosmos.feegrant.v1beta1.BasicAllowance', basic),
  type('/cosmos.feegrant.v1beta1.PeriodicAllowance', {
    basic: nested(basic),
    period: duration,
    period_spend_limit: coins,
    period_can_spend: coins,
    period_reset: always(timestamp, '0001-01-01T00:00:00Z'),
  }),
];
/** An allowance for certain message types contains another allowance. */
export const allowance = anyOf(() => [
  ...allowances,
  type('/cosmos.feegrant.v1beta1.AllowedMsgAllowance', {
    allowance: anyOf(() => allowances),
    allowed_messages: some(text),
  }),
]);
