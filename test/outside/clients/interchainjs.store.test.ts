import { createRequire } from 'node:module';
import { MsgSend } from 'cosmjs-types/cosmos/bank/v1beta1/tx';
import { afterEach, describe, expect, test } from 'vitest';
import { type Opened, openForClient } from './open.ts';

// The library's ES modules have imports without extensions.
const require = createRequire(import.meta.url);
const { CosmosClientFactory, DirectSigner, Secp256k1HDWallet, toEncoders } = require('@interchainjs/cosmos');

let opened: Opened;
afterEach(() => opened.close());

const MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

describe.each(['0.34', '0.37', '0.38', '1.0'] as const)('InterchainJS, in front of CometBFT %s', (comet) => {
  test('connects, signs, broadcasts and polls', async () => {
    opened = await openForClient({ comet });
    const { rpc, alice, chain } = opened;
    const queryClient = await CosmosClientFactory.createQueryClient({ ...rpc, timeout: 5000 });
    expect((await queryClient.getStatus()).nodeInfo.network).toBe('sandbox-1');

    const derivations = [{ prefix: 'cosmos', hdPath: "m/44'/118'/0'/0/0" }];
    const wallet = await Secp256k1HDWallet.fromMnemonic(MNEMONIC, { derivations });
    const [{ address }] = await wallet.getAccounts();
    chain.fund(address, [{ denom: 'uatom', amount: '1000000' }]);
    const signer = new DirectSigner(wallet, { chainId: 'sandbox-1', queryClient, addressPrefix: 'cosmos' });
    signer.addEncoders(toEncoders(MsgSend));
    const amount = [{ denom: 'uatom', amount: '5' }];
    const sent = await signer.signAndBroadcast({
      messages: [
        { typeUrl: '/cosmos.bank.v1beta1.MsgSend', value: { fromAddress: address, toAddress: alice.address, amount } },
      ],
      fee: { amount: [{ denom: 'uatom', amount: '5000' }], gas: '200000' },
    });
    expect(sent.transactionHash).toMatch(/^[\dA-F]{64}$/i);
    const found = await sent.wait(10_000, 100);
    expect(found).toMatchObject({ code: 0 });
    expect(chain.account(address)?.sequence).toBe(1);
  });
});
