import { NodeFault } from '../exchange.ts';
import { isMembers, list, type Members, malformed, text as textOf } from '../parsers.ts';
import { publicKey } from './bech32.ts';
import { always, coin, coins, many, nested, optional } from './composites.ts';
import { allowance, anyOf, authorization, type MessageType, message, proposal, type } from './contents.ts';
import { bool, choice, decimal, integer, type Kind, rejection, text, timestamp, whole } from './fields.ts';

/*
 * Messages that transfer or stake funds. Names and field numbers are from https://github.com/cosmos/cosmos-sdk (proto/)
 * and https://github.com/cosmos/ibc-go. The JSON tags of the Go types determine which members amino omits.
 */

const BANK = '/cosmos.bank.v1beta1';
const STAKING = '/cosmos.staking.v1beta1';
const DISTRIBUTION = '/cosmos.distribution.v1beta1';
const VESTING = '/cosmos.vesting.v1beta1';

const share = nested({ address: text, coins });
const description = nested({ moniker: text, identity: text, website: text, security_contact: text, details: text });
const commission = nested({ rate: decimal, max_rate: decimal, max_change_rate: decimal });
const height = nested({ revision_number: whole, revision_height: whole });
const period = nested({ length: whole, amount: coins });
const delegation = { delegator_address: text, validator_address: text, amount: coin };
const transfer = { from_address: text, to_address: text, amount: coins };

const FUNDS: readonly MessageType[] = [
  message(`${BANK}.MsgSend`, 'from_address', transfer),
  {
    ...type(`${BANK}.MsgMultiSend`, { inputs: many(share), outputs: many(share) }),
    signer: ({ inputs }) => (Array.isArray(inputs) ? inputs.map((one) => isMembers(one) && one.address) : undefined),
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
  message(`${STAKING}.MsgCancelUnbondingDelegation`, 'delegator_address', { ...delegation, creation_height: whole }),

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
    ...message(`${DISTRIBUTION}.MsgWithdrawValidatorCommission`, 'validator_address', { validator_address: text }),
    // The amino name since SDK 0.46.
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

  message(`${VESTING}.MsgCreateVestingAccount`, 'from_address', { ...transfer, end_time: whole, delayed: bool }),
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

const GOV = '/cosmos.gov.v1beta1';
const GOV_1 = '/cosmos.gov.v1';
const AUTHZ = '/cosmos.authz.v1beta1';
const FEEGRANT = '/cosmos.feegrant.v1beta1';

const option = choice(
  'VOTE_OPTION_UNSPECIFIED',
  'VOTE_OPTION_YES',
  'VOTE_OPTION_ABSTAIN',
  'VOTE_OPTION_NO',
  'VOTE_OPTION_NO_WITH_VETO',
);
const grant = nested({ authorization, expiration: optional(timestamp) });
const proposal_id = always(whole, '0');
const options = (weight: Kind) => many(nested({ option, weight }));
const vote = { proposal_id, voter: text, option };
const deposit = { proposal_id, depositor: text, amount: coins };
const granting = { granter: text, grantee: text };

/** Messages of the modules gov, authz and feegrant, from the same sources. `any` is a message of any type. */
const governance = (any: Kind): readonly MessageType[] => [
  message(`${GOV}.MsgSubmitProposal`, 'proposer', { content: proposal, initial_deposit: coins, proposer: text }),
  message(`${GOV}.MsgVote`, 'voter', vote),
  message(`${GOV}.MsgVoteWeighted`, 'voter', { proposal_id, voter: text, options: options(decimal) }),
  message(`${GOV}.MsgDeposit`, 'depositor', deposit),
  message(
    `${GOV_1}.MsgSubmitProposal`,
    'proposer',
    {
      messages: many(any),
      initial_deposit: coins,
      proposer: text,
      metadata: text,
      title: text,
      summary: text,
      expedited: bool,
    },
    'cosmos-sdk/v1/MsgSubmitProposal',
  ),
  message(`${GOV_1}.MsgVote`, 'voter', { ...vote, metadata: text }, 'cosmos-sdk/v1/MsgVote'),
  message(
    `${GOV_1}.MsgVoteWeighted`,
    'voter',
    { proposal_id, voter: text, options: options(text), metadata: text },
    'cosmos-sdk/v1/MsgVoteWeighted',
  ),
  message(`${GOV_1}.MsgDeposit`, 'depositor', deposit, 'cosmos-sdk/v1/MsgDeposit'),

  message(`${AUTHZ}.MsgGrant`, 'granter', { ...granting, grant }),
  message(`${AUTHZ}.MsgExec`, 'grantee', { grantee: text, msgs: many(any) }),
  message(`${AUTHZ}.MsgRevoke`, 'granter', { ...granting, msg_type_url: text }),

  message(`${FEEGRANT}.MsgGrantAllowance`, 'granter', { ...granting, allowance }),
  message(`${FEEGRANT}.MsgRevokeAllowance`, 'granter', granting),
];

const anyMessage = anyOf(() => MESSAGES);
const MESSAGES: readonly MessageType[] = [...FUNDS, ...governance(anyMessage)];
export const MESSAGE_TYPES = MESSAGES.map(({ url, amino }) => ({ url, amino }));

export type AminoMessage = { type: string; value: Members };

/** Converts a message from protobuf JSON to amino JSON. A message of an unknown type keeps its URL and members. */
export function aminoMessage(value: unknown): AminoMessage {
  if (!isMembers(value)) throw malformed('message');
  try {
    return anyMessage.amino(value, 'message');
  } catch (error) {
    if (!(error instanceof NodeFault)) throw error;
    const { '@type': type, ...rest } = value;
    return { type: textOf(type, 'type of the message'), value: rest };
  }
}

/** Encodes amino messages as fields. Returns their signers in the order of the signatures. */
export function messageFields(field: number, messages: unknown): { bytes: Uint8Array[]; signers: string[] } {
  const all = list(messages, 'messages');
  const bytes = all.map((one, i) => {
    if (!isMembers(one)) throw rejection(`msg.${i}`, 'an object');
    return anyMessage.bytes(field, one, `msg.${i}`);
  });
  const signers = all.flatMap((one) => {
    const { type, value } = one as AminoMessage;
    return [anyMessage.typeOf(type)?.signer?.(value)].flat();
  });
  return { bytes, signers: signers.filter((one): one is string => typeof one === 'string' && one !== '') };
}
