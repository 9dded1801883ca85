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
const grant = nested([1, 'authorization', authorization], [2, 'expiration', optional(timestamp)]);
const id = always(whole, '0');

/**
 * Gov, authz, feegrant.
 *
 * @param any a message of any type, as some of these have within them
 */
export const governance = (any: Kind): readonly MessageType[] => [
  message(
    `${GOV}.MsgSubmitProposal`,
    'cosmos-sdk/MsgSubmitProposal',
    'proposer',
    [1, 'content', proposal],
    [2, 'initial_deposit', coins],
    [3, 'proposer', text],
  ),
  message(
    `${GOV}.MsgVote`,
    'cosmos-sdk/MsgVote',
    'voter',
    [1, 'proposal_id', id],
    [2, 'voter', text],
    [3, 'option', option],
  ),
  message(
    `${GOV}.MsgVoteWeighted`,
    'cosmos-sdk/MsgVoteWeighted',
    'voter',
    [1, 'proposal_id', id],
    [2, 'voter', text],
    [3, 'options', many(nested([1, 'option', option], [2, 'weight', decimal]))],
  ),
  message(
    `${GOV}.MsgDeposit`,
    'cosmos-sdk/MsgDeposit',
    'depositor',
    [1, 'proposal_id', id],
    [2, 'depositor', text],
    [3, 'amount', coins],
  ),
  message(
    `${GOV_1}.MsgSubmitProposal`,
    'cosmos-sdk/v1/MsgSubmitProposal',
    'proposer',
    [1, 'messages', many(any)],
    [2, 'initial_deposit', coins],
    [3, 'proposer', text],
    [4, 'metadata', text],
    [5, 'title', text],
    [6, 'summary', text],
    [7, 'expedited', bool],
  ),
  message(
    `${GOV_1}.MsgVote`,
    'cosmos-sdk/v1/MsgVote',
    'voter',
    [1, 'proposal_id', id],
    [2, 'voter', text],
    [3, 'option', option],
    [4, 'metadata', text],
  ),
  message(
    `${GOV_1}.MsgVoteWeighted`,
    'cosmos-sdk/v1/MsgVoteWeighted',
    'voter',
    [1, 'proposal_id', id],
    [2, 'voter', text],
    [3, 'options', many(nested([1, 'option', option], [2, 'weight', text]))],
    [4, 'metadata', text],
  ),
  message(
    `${GOV_1}.MsgDeposit`,
    'cosmos-sdk/v1/MsgDeposit',
    'depositor',
    [1, 'proposal_id', id],
    [2, 'depositor', text],
    [3, 'amount', coins],
  ),

  message(
    `${AUTHZ}.MsgGrant`,
    'cosmos-sdk/MsgGrant',
    'granter',
    [1, 'granter', text],
    [2, 'grantee', text],
    [3, 'grant', grant],
  ),
  message(`${AUTHZ}.MsgExec`, 'cosmos-sdk/MsgExec', 'grantee', [1, 'grantee', text], [2, 'msgs', many(any)]),
  message(
    `${AUTHZ}.MsgRevoke`,
    'cosmos-sdk/MsgRevoke',
    'granter',
    [1, 'granter', text],
    [2, 'grantee', text],
    [3, 'msg_type_url', text],
  ),

  message(
    `${FEEGRANT}.MsgGrantAllowance`,
    'cosmos-sdk/MsgGrantAllowance',
    'granter',
    [1, 'granter', text],
    [2, 'grantee', text],
    [3, 'allowance', allowance],
  ),
  message(
    `${FEEGRANT}.MsgRevokeAllowance`,
    'cosmos-sdk/MsgRevokeAllowance',
    'granter',
    [1, 'granter', text],
    [2, 'grantee', text],
  ),
];
