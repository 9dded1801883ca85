import { allowance, authorization, proposal } from './contents.ts';
import {
  always,
  bool,
  choice,
  coins,
  decimal,
  type Kind,
  many,
  nested,
  optional,
  text,
  timestamp,
  whole,
} from './fields.ts';
import { type MessageType, message } from './message-type.ts';

/* The messages of proposals, and of what one account grants another; from the same sources. */

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

/** Gov, authz, feegrant. `any` is a message of any type. */
export const governance = (any: Kind): readonly MessageType[] => [
  message(`${GOV}.MsgSubmitProposal`, 'proposer', {
    content: proposal,
    initial_deposit: coins,
    proposer: text,
  }),
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
