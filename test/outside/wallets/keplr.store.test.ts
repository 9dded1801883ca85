import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from 'vitest';
import { transferBytes, transferStdTx } from '../../../fixtures/signing.ts';
import { DIALECTS, type Opened, openForWallet } from './open.ts';

const require = createRequire(import.meta.url);
const { BaseAccount } = require('@keplr-wallet/cosmos') as typeof import('@keplr-wallet/cosmos');
/** The library's HTTP client, which its users pass to it. */
const axios = createRequire(require.resolve('@keplr-wallet/cosmos'))('axios');

let opened: Opened;
afterEach(() => opened.close());

describe.each(DIALECTS)('@keplr-wallet/cosmos with only a URL, in front of a %s node', (dialect) => {
  test('reads the number and the sequence of an account, before and after a signed transaction', async () => {
    opened = await openForWallet(dialect);
    const { bob, url, service, nextBlock } = opened;
    const instance = axios.create({ baseURL: `${url}/` });
    const read = async (address: string) => {
      const account = await BaseAccount.fetchFromRest(instance, address, true);
      return [account.getType(), account.getAccountNumber().toString(), account.getSequence().toString()];
    };
    expect(await read(bob)).toEqual(['cosmos-sdk/Account', '1', '0']);
    const transfer = { to: opened.alice, place: 1, accountNumber: 1 };
    const body =
      dialect === 'legacy'
        ? { tx: await transferStdTx(service.sandbox, transfer), mode: 'sync' }
        : {
            tx_bytes: Buffer.from(await transferBytes(service.sandbox, transfer)).toString('base64'),
            mode: 'sync',
          };
    const { data } = await instance.post('txs', body);
    expect(data.code).toBeUndefined();
    nextBlock();
    expect(await read(bob)).toEqual(['cosmos-sdk/Account', '1', '1']);
    expect(await read('cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu')).toEqual(['cosmos-sdk/Account', '0', '0']);
  });
});
