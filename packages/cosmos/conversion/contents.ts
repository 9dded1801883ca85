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

const TITLE = [1, 'title', text] as const;
const DESCRIPTION = [2, 'description', text] as const;

/** An upgrade is due at a height; its time is no more used, and always there. */
const plan = nested(
  [1, 'name', text],
  [2, 'time', always(timestamp, '0001-01-01T00:00:00Z')],
  [3, 'height', whole],
  [4, 'info', text],
);
const change = nested([1, 'subspace', text], [2, 'key', text], [3, 'value', text]);

export const proposal = anyOf(() => [
  type('/cosmos.gov.v1beta1.TextProposal', 'cosmos-sdk/TextProposal', TITLE, DESCRIPTION),
  type(
    '/cosmos.params.v1beta1.ParameterChangeProposal',
    'cosmos-sdk/ParameterChangeProposal',
    TITLE,
    DESCRIPTION,
    [3, 'changes', many(change)],
  ),
  type(
    '/cosmos.distribution.v1beta1.CommunityPoolSpendProposal',
    'cosmos-sdk/CommunityPoolSpendProposal',
    TITLE,
    DESCRIPTION,
    [3, 'recipient', text],
    [4, 'amount', coins],
  ),
  type(
    '/cosmos.upgrade.v1beta1.SoftwareUpgradeProposal',
    'cosmos-sdk/SoftwareUpgradeProposal',
    TITLE,
    DESCRIPTION,
    [3, 'plan', plan],
  ),
  type(
    '/cosmos.upgrade.v1beta1.CancelSoftwareUpgradeProposal',
    'cosmos-sdk/CancelSoftwareUpgradeProposal',
    TITLE,
    DESCRIPTION,
  ),
]);

const validators = optional(nested([1, 'address', some(text)]));
const LISTS = [
  ['allow_list', 'cosmos-sdk/StakeAuthorization/AllowList'],
  ['deny_list', 'cosmos-sdk/StakeAuthorization/DenyList'],
] as const;

/** One of two lists, which amino has in a member of its own, by the name of the type in Go. */
const stakeAuthorization: MessageType = {
  ...type(
    '/cosmos.staking.v1beta1.StakeAuthorization',
    'cosmos-sdk/StakeAuthorization',
    [1, 'max_tokens', optional(coin)],
    [2, 'allow_list', validators],
    [3, 'deny_list', validators],
    [
      4,
      'authorization_type',
      choice(
        'AUTHORIZATION_TYPE_UNSPECIFIED',
        'AUTHORIZATION_TYPE_DELEGATE',
        'AUTHORIZATION_TYPE_UNDELEGATE',
        'AUTHORIZATION_TYPE_REDELEGATE',
        'AUTHORIZATION_TYPE_CANCEL_UNBONDING_DELEGATION',
      ),
    ],
  ),
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
  type('/cosmos.authz.v1beta1.GenericAuthorization', 'cosmos-sdk/GenericAuthorization', [1, 'msg', text]),
  type(
    '/cosmos.bank.v1beta1.SendAuthorization',
    'cosmos-sdk/SendAuthorization',
    [1, 'spend_limit', coins],
    [2, 'allow_list', some(text)],
  ),
  stakeAuthorization,
]);

const BASIC = [
  [1, 'spend_limit', coins],
  [2, 'expiration', optional(timestamp)],
] as const;

const allowances: MessageType[] = [
  type('/cosmos.feegrant.v1beta1.BasicAllowance', 'cosmos-sdk/BasicAllowance', ...BASIC),
  type(
    '/cosmos.feegrant.v1beta1.PeriodicAllowance',
    'cosmos-sdk/PeriodicAllowance',
    [1, 'basic', nested(...BASIC)],
    [2, 'period', duration],
    [3, 'period_spend_limit', coins],
    [4, 'period_can_spend', coins],
    [5, 'period_reset', always(timestamp, '0001-01-01T00:00:00Z')],
  ),
];
/** Of an allowance for certain messages the one within is of the others. */
export const allowance = anyOf(() => [
  ...allowances,
  type(
    '/cosmos.feegrant.v1beta1.AllowedMsgAllowance',
    'cosmos-sdk/AllowedMsgAllowance',
    [1, 'allowance', anyOf(() => allowances)],
    [2, 'allowed_messages', some(text)],
  ),
]);
