import type { BrowserContext, Page } from 'playwright-core';

/** Empties the cache of a page, and counts the bytes that it receives from now on. */
export async function countBytes(context: BrowserContext, page: Page) {
  const session = await context.newCDPSession(page);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  return { bytes: () => bytes, end: () => session.detach() };
}
