import { expect, test } from 'vitest';
import { ADDRESS, serviceOver, testNode } from './node-harness.ts';

test('the failing account of one user does not pause the node for others', async () => {
  const only = await testNode();
  const node = serviceOver([only]);
  await node.balances(ADDRESS);
  const isAccount = (path: string) => path.includes('/accounts/');
  only.state.override = ({ path }) => (isAccount(path) ? { status: 500, body: 'x' } : undefined);
  for (let times = 0; times < 10; times++) await node.account(ADDRESS).catch(() => undefined);
  // The path is paused after five failures, and every other path is still called.
  expect(only.calls.filter(({ path }) => isAccount(path))).toHaveLength(5);
  expect(await node.balances(ADDRESS)).toMatchObject({ result: [{ amount: only.state.amount }] });
});
