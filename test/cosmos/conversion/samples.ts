/*
 * A message of each type in amino JSON, which is signed, and in protobuf JSON, which a node returns. Every optional
 * member has a value, except in samples for omitted members.
 */

export type Sample = { amino: { type: string; value: object }; modern: { '@type': string } };

const A = 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu';
const B = 'cosmos1l3t7jxg5lvxu3q0n5p4g0q5w8z8p0dl9xu2laj';
const V = 'cosmosvaloper1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc56kct20';
const W = 'cosmosvaloper1l3t7jxg5lvxu3q0n5p4g0q5w8z8p0dl9rg723p';
const coin = { denom: 'uatom', amount: '1234567' };
const coins = [coin, { denom: 'uosmo', amount: '5' }];
const AT = '2026-03-01T12:00:00Z';
const KEY = 'JkLzLq2WmSLYyNqV1rJTzDnXGzQn3ZpW0gI0pQGgN1A=';

/** A sample with the same members in both encodings. */
const same = (url: string, type: string, value: object): Sample => ({
  amino: { type, value },
  modern: { '@type': url, ...value },
});
const description = { moniker: 'm', identity: 'i', website: 'w', security_contact: 's', details: 'd' };
const proposal = (content: Sample): Sample => {
  const rest = { initial_deposit: coins, proposer: A };
  return {
    amino: { type: 'cosmos-sdk/MsgSubmitProposal', value: { content: content.amino, ...rest } },
    modern: {
      '@type': '/cosmos.gov.v1beta1.MsgSubmitProposal',
      ...{ content: content.modern, ...rest },
    },
  };
};
const TITLE = { title: 'Title', description: 'Words' };
const grant = (authorization: Sample): Sample => {
  const rest = { granter: A, grantee: B };
  return {
    amino: {
      type: 'cosmos-sdk/MsgGrant',
      value: { ...rest, grant: { authorization: authorization.amino, expiration: AT } },
    },
    modern: {
      '@type': '/cosmos.authz.v1beta1.MsgGrant',
      ...{ ...rest, grant: { authorization: authorization.modern, expiration: AT } },
    },
  };
};
const allowance = (of: Sample): Sample => ({
  amino: {
    type: 'cosmos-sdk/MsgGrantAllowance',
    value: { granter: A, grantee: B, allowance: of.amino },
  },
  modern: {
    '@type': '/cosmos.feegrant.v1beta1.MsgGrantAllowance',
    ...{ granter: A, grantee: B, allowance: of.modern },
  },
});
const basic = same('/cosmos.feegrant.v1beta1.BasicAllowance', 'cosmos-sdk/BasicAllowance', {
  spend_limit: coins,
  expiration: AT,
});
const send = same('/cosmos.bank.v1beta1.MsgSend', 'cosmos-sdk/MsgSend', {
  from_address: A,
  to_address: B,
  amount: coins,
});
const stake = (list: 'allow_list' | 'deny_list', go: string): Sample => ({
  amino: {
    type: 'cosmos-sdk/StakeAuthorization',
    value: {
      max_tokens: coin,
      Validators: {
        type: `cosmos-sdk/StakeAuthorization/${go}`,
        value: { [list]: { address: [V, W] } },
      },
      authorization_type: 1,
    },
  },
  modern: {
    '@type': '/cosmos.staking.v1beta1.StakeAuthorization',
    ...{ max_tokens: coin, [list]: { address: [V, W] }, authorization_type: 'AUTHORIZATION_TYPE_DELEGATE' },
  },
});

export const SAMPLES: readonly Sample[] = [
  send,
  same('/cosmos.bank.v1beta1.MsgMultiSend', 'cosmos-sdk/MsgMultiSend', {
    inputs: [{ address: A, coins }],
    outputs: [{ address: B, coins }],
  }),
  {
    amino: {
      type: 'cosmos-sdk/MsgCreateValidator',
      value: {
        description,
        commission: {
          rate: '0.100000000000000000',
          max_rate: '1.000000000000000000',
          max_change_rate: '0.010000000000000001',
        },
        min_self_delegation: '1',
        delegator_address: A,
        validator_address: V,
        pubkey: { type: 'tendermint/PubKeyEd25519', value: KEY },
        value: coin,
      },
    },
    modern: {
      '@type': '/cosmos.staking.v1beta1.MsgCreateValidator',
      ...{
        description,
        commission: {
          rate: '0.100000000000000000',
          max_rate: '1.000000000000000000',
          max_change_rate: '0.010000000000000001',
        },
        min_self_delegation: '1',
        delegator_address: A,
        validator_address: V,
        pubkey: { '@type': '/cosmos.crypto.ed25519.PubKey', key: KEY },
        value: coin,
      },
    },
  },
  same('/cosmos.staking.v1beta1.MsgEditValidator', 'cosmos-sdk/MsgEditValidator', {
    description,
    validator_address: V,
    commission_rate: '0.050000000000000000',
    min_self_delegation: '2',
  }),
  same('/cosmos.staking.v1beta1.MsgDelegate', 'cosmos-sdk/MsgDelegate', {
    delegator_address: A,
    validator_address: V,
    amount: coin,
  }),
  same('/cosmos.staking.v1beta1.MsgUndelegate', 'cosmos-sdk/MsgUndelegate', {
    delegator_address: A,
    validator_address: V,
    amount: coin,
  }),
  same('/cosmos.staking.v1beta1.MsgBeginRedelegate', 'cosmos-sdk/MsgBeginRedelegate', {
    delegator_address: A,
    validator_src_address: V,
    validator_dst_address: W,
    amount: coin,
  }),
  same('/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation', 'cosmos-sdk/MsgCancelUnbondingDelegation', {
    delegator_address: A,
    validator_address: V,
    amount: coin,
    creation_height: '5403875',
  }),
  same('/cosmos.distribution.v1beta1.MsgSetWithdrawAddress', 'cosmos-sdk/MsgModifyWithdrawAddress', {
    delegator_address: A,
    withdraw_address: B,
  }),
  same('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward', 'cosmos-sdk/MsgWithdrawDelegationReward', {
    delegator_address: A,
    validator_address: V,
  }),
  same('/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission', 'cosmos-sdk/MsgWithdrawValidatorCommission', {
    validator_address: V,
  }),
  same('/cosmos.distribution.v1beta1.MsgFundCommunityPool', 'cosmos-sdk/MsgFundCommunityPool', {
    amount: coins,
    depositor: A,
  }),
  proposal(same('/cosmos.gov.v1beta1.TextProposal', 'cosmos-sdk/TextProposal', TITLE)),
  proposal(
    same('/cosmos.params.v1beta1.ParameterChangeProposal', 'cosmos-sdk/ParameterChangeProposal', {
      ...TITLE,
      changes: [{ subspace: 'staking', key: 'MaxValidators', value: '105' }],
    }),
  ),
  proposal(
    same('/cosmos.distribution.v1beta1.CommunityPoolSpendProposal', 'cosmos-sdk/CommunityPoolSpendProposal', {
      ...TITLE,
      recipient: B,
      amount: coins,
    }),
  ),
  proposal(
    same('/cosmos.upgrade.v1beta1.SoftwareUpgradeProposal', 'cosmos-sdk/SoftwareUpgradeProposal', {
      ...TITLE,
      plan: { name: 'v2', time: '0001-01-01T00:00:00Z', height: '7000000', info: 'https://example.org' },
    }),
  ),
  proposal(
    same('/cosmos.upgrade.v1beta1.CancelSoftwareUpgradeProposal', 'cosmos-sdk/CancelSoftwareUpgradeProposal', TITLE),
  ),
  {
    amino: { type: 'cosmos-sdk/MsgVote', value: { proposal_id: '17', voter: A, option: 4 } },
    modern: {
      '@type': '/cosmos.gov.v1beta1.MsgVote',
      ...{ proposal_id: '17', voter: A, option: 'VOTE_OPTION_NO_WITH_VETO' },
    },
  },
  {
    amino: {
      type: 'cosmos-sdk/MsgVoteWeighted',
      value: {
        proposal_id: '0',
        voter: A,
        options: [
          { option: 1, weight: '0.700000000000000000' },
          { option: 3, weight: '0.300000000000000000' },
        ],
      },
    },
    modern: {
      '@type': '/cosmos.gov.v1beta1.MsgVoteWeighted',
      ...{
        proposal_id: '0',
        voter: A,
        options: [
          { option: 'VOTE_OPTION_YES', weight: '0.700000000000000000' },
          { option: 'VOTE_OPTION_NO', weight: '0.300000000000000000' },
        ],
      },
    },
  },
  same('/cosmos.gov.v1beta1.MsgDeposit', 'cosmos-sdk/MsgDeposit', {
    proposal_id: '17',
    depositor: A,
    amount: coins,
  }),
  {
    amino: {
      type: 'cosmos-sdk/v1/MsgSubmitProposal',
      value: {
        messages: [send.amino],
        ...{ initial_deposit: coins, proposer: A, metadata: 'm', title: 't', summary: 's', expedited: true },
      },
    },
    modern: {
      '@type': '/cosmos.gov.v1.MsgSubmitProposal',
      ...{
        messages: [send.modern],
        ...{ initial_deposit: coins, proposer: A, metadata: 'm', title: 't', summary: 's', expedited: true },
      },
    },
  },
  {
    amino: {
      type: 'cosmos-sdk/v1/MsgVote',
      value: { proposal_id: '17', voter: A, option: 2, metadata: 'm' },
    },
    modern: {
      '@type': '/cosmos.gov.v1.MsgVote',
      ...{ proposal_id: '17', voter: A, option: 'VOTE_OPTION_ABSTAIN', metadata: 'm' },
    },
  },
  {
    amino: {
      type: 'cosmos-sdk/v1/MsgVoteWeighted',
      value: { proposal_id: '17', voter: A, options: [{ option: 3, weight: '0.5' }], metadata: 'm' },
    },
    modern: {
      '@type': '/cosmos.gov.v1.MsgVoteWeighted',
      ...{
        proposal_id: '17',
        voter: A,
        options: [{ option: 'VOTE_OPTION_NO', weight: '0.5' }],
        metadata: 'm',
      },
    },
  },
  same('/cosmos.gov.v1.MsgDeposit', 'cosmos-sdk/v1/MsgDeposit', {
    proposal_id: '17',
    depositor: A,
    amount: coins,
  }),
  {
    amino: { type: 'cosmos-sdk/MsgUnjail', value: { address: V } },
    modern: { '@type': '/cosmos.slashing.v1beta1.MsgUnjail', ...{ validator_addr: V } },
  },
  grant(
    same('/cosmos.authz.v1beta1.GenericAuthorization', 'cosmos-sdk/GenericAuthorization', {
      msg: '/cosmos.gov.v1beta1.MsgVote',
    }),
  ),
  grant(
    same('/cosmos.bank.v1beta1.SendAuthorization', 'cosmos-sdk/SendAuthorization', {
      spend_limit: coins,
      allow_list: [B],
    }),
  ),
  grant(stake('allow_list', 'AllowList')),
  grant(stake('deny_list', 'DenyList')),
  {
    amino: { type: 'cosmos-sdk/MsgExec', value: { grantee: B, msgs: [send.amino] } },
    modern: { '@type': '/cosmos.authz.v1beta1.MsgExec', ...{ grantee: B, msgs: [send.modern] } },
  },
  same('/cosmos.authz.v1beta1.MsgRevoke', 'cosmos-sdk/MsgRevoke', {
    granter: A,
    grantee: B,
    msg_type_url: '/cosmos.gov.v1beta1.MsgVote',
  }),
  allowance(basic),
  allowance({
    amino: {
      type: 'cosmos-sdk/PeriodicAllowance',
      value: {
        basic: basic.amino.value,
        period: '3600500000000',
        period_spend_limit: coins,
        period_can_spend: [],
        period_reset: '2026-03-01T12:00:00.5Z',
      },
    },
    modern: {
      '@type': '/cosmos.feegrant.v1beta1.PeriodicAllowance',
      ...{
        basic: basic.amino.value,
        period: '3600.500s',
        period_spend_limit: coins,
        period_can_spend: [],
        period_reset: '2026-03-01T12:00:00.500Z',
      },
    },
  }),
  allowance({
    amino: {
      type: 'cosmos-sdk/AllowedMsgAllowance',
      value: { allowance: basic.amino, allowed_messages: ['/cosmos.gov.v1beta1.MsgVote'] },
    },
    modern: {
      '@type': '/cosmos.feegrant.v1beta1.AllowedMsgAllowance',
      ...{ allowance: basic.modern, allowed_messages: ['/cosmos.gov.v1beta1.MsgVote'] },
    },
  }),
  same('/cosmos.feegrant.v1beta1.MsgRevokeAllowance', 'cosmos-sdk/MsgRevokeAllowance', {
    granter: A,
    grantee: B,
  }),
  same('/ibc.applications.transfer.v1.MsgTransfer', 'cosmos-sdk/MsgTransfer', {
    source_port: 'transfer',
    source_channel: 'channel-141',
    token: coin,
    sender: A,
    receiver: B,
    timeout_height: { revision_number: '1', revision_height: '99' },
    timeout_timestamp: '1772366400000000000',
    memo: 'hi',
  }),
  same('/cosmos.vesting.v1beta1.MsgCreateVestingAccount', 'cosmos-sdk/MsgCreateVestingAccount', {
    from_address: A,
    to_address: B,
    amount: coins,
    end_time: '1772366400',
    delayed: true,
  }),
  same('/cosmos.vesting.v1beta1.MsgCreatePermanentLockedAccount', 'cosmos-sdk/MsgCreatePermLockedAccount', {
    from_address: A,
    to_address: B,
    amount: coins,
  }),
  same('/cosmos.vesting.v1beta1.MsgCreatePeriodicVestingAccount', 'cosmos-sdk/MsgCreatePeriodVestAccount', {
    from_address: A,
    to_address: B,
    start_time: '1772366400',
    vesting_periods: [{ length: '3600', amount: coins }],
  }),
];
