import type { Members } from '../parsers.ts';
import {
  always,
  choice,
  coin,
  coins,
  duration,
  many,
  nested,
  optional,
  some,
  text,
  timestamp,
  whole,
} from './fields.ts';
import { anyOf, type MessageType, type } from './message-type.ts';

/*
 * What messages of the standard modules have within them: proposals, authorizations, and allowances of fees. From
 * https://github.com/cosmos/cosmos-sdk (proto/, and the amino names of each module's codec).
 */

const titled = { title: text, description: text };

/** An upgrade is due at a height; its time is no more used, and always there. */
const plan = nested({
  name: text,
  time: always(timestamp, '0001-01-01T00:00:00Z'),
  height: whole,
  info: text,
});
const change = nested({ subspace: text, key: text, value: text });

export const proposal = anyOf(() => [
  type('/cosmos.gov.v1beta1.TextProposal', titled),
  type('/cosmos.params.v1beta1.ParameterChangeProposal', { ...titled, changes: many(change) }),
  type('/cosmos.distribution.v1beta1.CommunityPoolSpendProposal', {
    ...titled,
    recipient: text,
    amount: coins,
  }),
  type('/cosmos.upgrade.v1beta1.SoftwareUpgradeProposal', { ...titled, plan }),
  type('/cosmos.upgrade.v1beta1.CancelSoftwareUpgradeProposal', titled),
]);

const validators = optional(nested({ address: some(text) }));
const LISTS = [
  ['allow_list', 'cosmos-sdk/StakeAuthorization/AllowList'],
  ['deny_list', 'cosmos-sdk/StakeAuthorization/DenyList'],
] as const;

/** One of two lists, which amino has in a member of its own, by the name of the type in Go. */
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
      // What is of neither type stays, and is refused as a member that there is not.
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
/** Of an allowance for certain messages the one within is of the others. */
export const allowance = anyOf(() => [
  ...allowances,
  type('/cosmos.feegrant.v1beta1.AllowedMsgAllowance', {
    allowance: anyOf(() => allowances),
    allowed_messages: some(text),
  }),
]);
