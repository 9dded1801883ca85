import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from 'vitest';
import { type Opened, openForClient } from './open.ts';

const { LCDClient, MsgSend, RawKey } = createRequire(import.meta.url)(
  '@terra-money/feather.js',
) as typeof import('@terra-money/feather.js');

let opened: Opened;
afterEach(() => opened.close());

describe.each(['0.45', '0.47', '0.50'] as const)('feather.js, in front of a node with SDK %s', (sdk) => {
  test('reads, estimates the fee, signs, broadcasts once and polls', async () => {
    opened = await openForClient({ sdk });
    const { restUrl, key, alice, bob, chain, broadcasts } = opened;
    const chainID = 'sandbox-1';
    const lcd = new LCDClient({
      [chainID]: {
        ...{ lcd: `${restUrl}/`, chainID, prefix: 'cosmos', gasAdjustment: 1.75, gasPrices: { uatom: 0.025 } },
        axiosConfig: { apiToken: key },
      },
    });
    const [balances] = await lcd.bank.balance(alice.address);
    expect(balances.get('uatom')?.amount.toString()).toBe('1000000000000');
    expect((await lcd.auth.accountInfo(bob.address)).getSequenceNumber()).toBe(0);

    const wallet = lcd.wallet(new RawKey(Buffer.from(bob.privateKey)));
    const msgs = [new MsgSend(bob.address, alice.address, { uatom: 5 })];
    const tx = await wallet.createAndSignTx({ msgs, chainID });
    const sent = await lcd.tx.broadcast(tx, chainID);
    expect(sent).toMatchObject({ code: 0, txhash: expect.stringMatching(/^[\dA-F]{64}$/) });
    expect(Number(sent.height)).toBeGreaterThan(0);
    expect(chain.account(bob.address)?.sequence).toBe(1);
    expect(broadcasts()).toBe(1);
  });
});
