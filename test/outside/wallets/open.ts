import { createTestClock } from '../../../fixtures/clock.ts';
import { startService } from '../../support/service/service.ts';

export type Dialect = 'legacy' | 'cosmos';
export const DIALECTS: readonly Dialect[] = ['legacy', 'cosmos'];

/**
 * Starts the service in front of the sandbox's chain, and returns the only setting of a library: a base URL with the
 * key as its user name. Only `nextBlock` advances the clock. With `running`, a block is made every 50 ms.
 */
export async function openForWallet(dialect: Dialect, { running = false } = {}) {
  const clock = createTestClock('2026-05-15T14:42:25.300Z');
  const service = await startService({
    ...(running ? { sandbox: { node: { blockMs: 50 } } } : { clock }),
    settings: ({ legacyNodeUrl, cosmosNodeUrl }) => ({
      NODE_URLS: dialect === 'legacy' ? legacyNodeUrl : cosmosNodeUrl,
    }),
  });
  const key = await service.register();
  const url = new URL(`${service.url}/v1/node`);
  url.username = key;
  const { chain } = service.sandbox;
  const [alice, bob] = chain.accounts.map(({ address }) => address) as [string, string];
  return {
    service,
    chain,
    alice,
    bob,
    /** `http://qt_…@127.0.0.1:…/v1/node` */
    url: url.href,
    nextBlock: () => clock.advance(6_000),
    close: service.close,
  };
}

export type Opened = Awaited<ReturnType<typeof openForWallet>>;
