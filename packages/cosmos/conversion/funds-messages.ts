import { isMembers } from '../parsers.ts';
import { bool, coin, coins, decimal, integer, many, nested, optional, text, whole } from './fields.ts';
import { type MessageType, message } from './message-type.ts';
import { publicKey } from './public-keys.ts';

/*
 * The messages that move funds and stakes. The names and the numbers are those of https://github.com/cosmos/cosmos-sdk
 * (proto/) and https://github.com/cosmos/ibc-go; what amino leaves out is by the JSON tags of the Go types.
 */

const BANK = '/cosmos.bank.v1beta1';
const STAKING = '/cosmos.staking.v1beta1';
const DISTRIBUTION = '/cosmos.distribution.v1beta1';
const VESTING = '/cosmos.vesting.v1beta1';

const share = nested([1, 'address', text], [2, 'coins', coins]);
const description = nested(
  [1, 'moniker', text],
  [2, 'identity', text],
  [3, 'website', text],
  [4, 'security_contact', text],
  [5, 'details', text],
);
const commission = nested([1, 'rate', decimal], [2, 'max_rate', decimal], [3, 'max_change_rate', decimal]);
const height = nested([1, 'revision_number', whole], [2, 'revision_height', whole]);
const period = nested([1, 'length', whole], [2, 'amount', coins]);

const delegation = (name: string): MessageType =>
  message(
    `${STAKING}.${name}`,
    `cosmos-sdk/${name}`,
    'delegator_address',
    [1, 'delegator_address', text],
    [2, 'validator_address', text],
    [3, 'amount', coin],
  );

/** Bank, staking, distribution, slashing, IBC transfer, vesting. */
export const FUNDS: readonly MessageType[] = [
  message(
    `${BANK}.MsgSend`,
    'cosmos-sdk/MsgSend',
    'from_address',
    [1, 'from_address', text],
    [2, 'to_address', text],
    [3, 'amount', coins],
  ),
  {
    url: `${BANK}.MsgMultiSend`,
    amino: 'cosmos-sdk/MsgMultiSend',
    fields: [
      [1, 'inputs', many(share)],
      [2, 'outputs', many(share)],
    ],
    signer: ({ inputs }) =>
      Array.isArray(inputs) ? inputs.map((one) => isMembers(one) && one.address) : undefined,
  },

  message(
    `${STAKING}.MsgCreateValidator`,
    'cosmos-sdk/MsgCreateValidator',
    'delegator_address',
    [1, 'description', description],
    [2, 'commission', commission],
    [3, 'min_self_delegation', integer],
    [4, 'delegator_address', text],
    [5, 'validator_address', text],
    [6, 'pubkey', publicKey],
    [7, 'value', coin],
  ),
  message(
    `${STAKING}.MsgEditValidator`,
    'cosmos-sdk/MsgEditValidator',
    'validator_address',
    [1, 'description', description],
    [2, 'validator_address', text],
    [3, 'commission_rate', decimal],
    [4, 'min_self_delegation', optional(integer)],
  ),
  delegation('MsgDelegate'),
  delegation('MsgUndelegate'),
  message(
    `${STAKING}.MsgBeginRedelegate`,
    'cosmos-sdk/MsgBeginRedelegate',
    'delegator_address',
    [1, 'delegator_address', text],
    [2, 'validator_src_address', text],
    [3, 'validator_dst_address', text],
    [4, 'amount', coin],
  ),
  message(
    `${STAKING}.MsgCancelUnbondingDelegation`,
    'cosmos-sdk/MsgCancelUnbondingDelegation',
    'delegator_address',
    [1, 'delegator_address', text],
    [2, 'validator_address', text],
    [3, 'amount', coin],
    [4, 'creation_height', whole],
  ),

  message(
    `${DISTRIBUTION}.MsgSetWithdrawAddress`,
    'cosmos-sdk/MsgModifyWithdrawAddress',
    'delegator_address',
    [1, 'delegator_address', text],
    [2, 'withdraw_address', text],
  ),
  message(
    `${DISTRIBUTION}.MsgWithdrawDelegatorReward`,
    'cosmos-sdk/MsgWithdrawDelegationReward',
    'delegator_address',
    [1, 'delegator_address', text],
    [2, 'validator_address', text],
  ),
  {
    ...message(
      `${DISTRIBUTION}.MsgWithdrawValidatorCommission`,
      'cosmos-sdk/MsgWithdrawValidatorCommission',
      'validator_address',
      [1, 'validator_address', text],
    ),
    // Since SDK 0.46.
    aliases: ['cosmos-sdk/MsgWithdrawValCommission'],
  },
  message(
    `${DISTRIBUTION}.MsgFundCommunityPool`,
    'cosmos-sdk/MsgFundCommunityPool',
    'depositor',
    [1, 'amount', coins],
    [2, 'depositor', text],
  ),

  message('/cosmos.slashing.v1beta1.MsgUnjail', 'cosmos-sdk/MsgUnjail', 'address', [
    1,
    'validator_addr',
    text,
    'address',
  ]),

  message(
    '/ibc.applications.transfer.v1.MsgTransfer',
    'cosmos-sdk/MsgTransfer',
    'sender',
    [1, 'source_port', text],
    [2, 'source_channel', text],
    [3, 'token', coin],
    [4, 'sender', text],
    [5, 'receiver', text],
    [6, 'timeout_height', height],
    [7, 'timeout_timestamp', whole],
    [8, 'memo', text],
  ),

  message(
    `${VESTING}.MsgCreateVestingAccount`,
    'cosmos-sdk/MsgCreateVestingAccount',
    'from_address',
    [1, 'from_address', text],
    [2, 'to_address', text],
    [3, 'amount', coins],
    [4, 'end_time', whole],
    [5, 'delayed', bool],
  ),
  message(
    `${VESTING}.MsgCreatePermanentLockedAccount`,
    'cosmos-sdk/MsgCreatePermLockedAccount',
    'from_address',
    [1, 'from_address', text],
    [2, 'to_address', text],
    [3, 'amount', coins],
  ),
  message(
    `${VESTING}.MsgCreatePeriodicVestingAccount`,
    'cosmos-sdk/MsgCreatePeriodVestAccount',
    'from_address',
    [1, 'from_address', text],
    [2, 'to_address', text],
    [3, 'start_time', whole],
    [4, 'vesting_periods', many(period)],
  ),
];
