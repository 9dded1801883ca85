import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

type Results = { violations: { id: string; impact: string; nodes: { target: string[] }[] }[] };

declare global {
  /** What the page has once its source was evaluated there. */
  var axe: { run(context: unknown): Promise<Results> };
}

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe holds to be serious or critical on a page, as `rule: element`, outside the elements that `exclude` names by
 * selector.
 */
export async function barriers(page: Page, exclude: readonly string[] = []): Promise<string[]> {
  await page.evaluate(await source);
  const { violations } = await page.evaluate(
    (selectors) => globalThis.axe.run({ exclude: selectors.map((one) => [one]) }),
    exclude,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
