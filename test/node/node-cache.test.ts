import { expect, test } from 'vitest';
import { ADDRESS, HASH, serviceOver, testNode } from './node-harness.ts';

test('a transaction in a block is requested once, in upper and lower case', async () => {
  const only = await testNode();
  only.state.known.set(HASH, { height: '5', txhash: HASH, code: 11, raw_log: 'out of gas' });
  const node = serviceOver([only]);
  const received = await node.transaction(HASH.toLowerCase());
  expect(received).toMatchObject({ height: '5', txhash: HASH, code: 11 });
  expect(await node.transaction(HASH)).toEqual(received);
  expect(only.asked().length).toBe(1);
  await only.close();
  expect(await node.transaction(HASH)).toEqual(received);
});

test('a transaction that is not in a block or unknown is requested again', async () => {
  const only = await testNode();
  const node = serviceOver([only]);
  await expect(node.transaction(HASH)).rejects.toMatchObject({ status: 404 });
  only.state.known.set(HASH, { height: '0', txhash: HASH });
  expect(await node.transaction(HASH)).toMatchObject({ height: '0' });
  only.state.known.set(HASH, { height: '6', txhash: HASH });
  expect(await node.transaction(HASH)).toMatchObject({ height: '6' });
  expect(only.asked().length).toBe(3);
});

test('balances and searches are requested each time', async () => {
  const only = await testNode();
  const node = serviceOver([only], { dialect: 'cosmos' });
  await node.balances(ADDRESS);
  only.state.amount = '9';
  expect(await node.balances(ADDRESS)).toMatchObject({ result: [{ amount: '9' }] });
  const search = () => node.transactions([['tx.height', '5']]);
  expect(await search()).toMatchObject({ total_count: '0' });
  only.state.known.set(HASH, { height: '5', txhash: HASH });
  expect(await search()).toMatchObject({ total_count: '1', txs: [{ txhash: HASH }] });
});
