import { isMembers } from '../parsers.ts';
import { bool, coin, coins, decimal, integer, many, nested, optional, text, whole } from './fields.ts';
import { type MessageType, message, type } from './message-type.ts';
import { publicKey } from './public-keys.ts';

/*
 * The messages that move funds and stakes. The names and the numbers are those of https://github.com/cosmos/cosmos-sdk
 * (proto/) and https://github.com/cosmos/ibc-go; what amino leaves out is by the JSON tags of the Go types.
 */

const BANK = '/cosmos.bank.v1beta1';
const STAKING = '/cosmos.staking.v1beta1';
const DISTRIBUTION = '/cosmos.distribution.v1beta1';
const VESTING = '/cosmos.vesting.v1beta1';

const share = nested({ address: text, coins });
const description = nested({
  moniker: text,
  identity: text,
  website: text,
  security_contact: text,
  details: text,
});
const commission = nested({ rate: decimal, max_rate: decimal, max_change_rate: decimal });
const height = nested({ revision_number: whole, revision_height: whole });
const period = nested({ length: whole, amount: coins });

const delegation = { delegator_address: text, validator_address: text, amount: coin };
const transfer = { from_address: text, to_address: text, amount: coins };

export const FUNDS: readonly MessageType[] = [
  message(`${BANK}.MsgSend`, 'from_address', transfer),
  {
    ...type(`${BANK}.MsgMultiSend`, { inputs: many(share), outputs: many(share) }),
    signer: ({ inputs }) =>
      Array.isArray(inputs) ? inputs.map((one) => isMembers(one) && one.address) : undefined,
  },

  message(`${STAKING}.MsgCreateValidator`, 'delegator_address', {
    description,
    commission,
    min_self_delegation: integer,
    delegator_address: text,
    validator_address: text,
    pubkey: publicKey,
    value: coin,
  }),
  message(`${STAKING}.MsgEditValidator`, 'validator_address', {
    description,
    validator_address: text,
    commission_rate: decimal,
    min_self_delegation: optional(integer),
  }),
  message(`${STAKING}.MsgDelegate`, 'delegator_address', delegation),
  message(`${STAKING}.MsgUndelegate`, 'delegator_address', delegation),
  message(`${STAKING}.MsgBeginRedelegate`, 'delegator_address', {
    delegator_address: text,
    validator_src_address: text,
    validator_dst_address: text,
    amount: coin,
  }),
  message(`${STAKING}.MsgCancelUnbondingDelegation`, 'delegator_address', {
    ...delegation,
    creation_height: whole,
  }),

  message(
    `${DISTRIBUTION}.MsgSetWithdrawAddress`,
    'delegator_address',
    { delegator_address: text, withdraw_address: text },
    'cosmos-sdk/MsgModifyWithdrawAddress',
  ),
  message(
    `${DISTRIBUTION}.MsgWithdrawDelegatorReward`,
    'delegator_address',
    { delegator_address: text, validator_address: text },
    'cosmos-sdk/MsgWithdrawDelegationReward',
  ),
  {
    ...message(`${DISTRIBUTION}.MsgWithdrawValidatorCommission`, 'validator_address', {
      validator_address: text,
    }),
    // Since SDK 0.46.
    aliases: ['cosmos-sdk/MsgWithdrawValCommission'],
  },
  message(`${DISTRIBUTION}.MsgFundCommunityPool`, 'depositor', { amount: coins, depositor: text }),

  {
    ...message('/cosmos.slashing.v1beta1.MsgUnjail', 'address', {}),
    fields: [[1, 'validator_addr', text, 'address']],
  },

  message('/ibc.applications.transfer.v1.MsgTransfer', 'sender', {
    source_port: text,
    source_channel: text,
    token: coin,
    sender: text,
    receiver: text,
    timeout_height: height,
    timeout_timestamp: whole,
    memo: text,
  }),

  message(`${VESTING}.MsgCreateVestingAccount`, 'from_address', {
    ...transfer,
    end_time: whole,
    delayed: bool,
  }),
  message(
    `${VESTING}.MsgCreatePermanentLockedAccount`,
    'from_address',
    transfer,
    'cosmos-sdk/MsgCreatePermLockedAccount',
  ),
  message(
    `${VESTING}.MsgCreatePeriodicVestingAccount`,
    'from_address',
    { from_address: text, to_address: text, start_time: whole, vesting_periods: many(period) },
    'cosmos-sdk/MsgCreatePeriodVestAccount',
  ),
];
