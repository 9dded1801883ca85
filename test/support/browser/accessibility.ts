import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

type Results = { violations: { id: string; impact: string; nodes: { target: string[] }[] }[] };

declare global {
  /** The page's global after the script was evaluated. */
  var axe: { run(context: unknown, options: unknown): Promise<Results> };
}

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The part of a page to check, by selectors. The default is the whole page. */
type Part = {
  include?: string[][];
  exclude?: string[][];
};

type Violations = Results['violations'];

async function violationsOf(page: Page, part: Part): Promise<Violations> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(await source);
  const { include = [['html']], exclude = [] } = part;
  const { violations } = await page.evaluate(([context, options]) => globalThis.axe.run(context, options), [
    { include, exclude },
    // Axe need not describe the thousands of elements that pass.
    { reporter: 'no-passes', resultTypes: ['violations'] },
  ] as const);
  return violations;
}

const inWords = (violations: Violations): string[] =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));

/** Axe's serious or critical findings on a page, as `rule: element`. */
export async function barriers(page: Page, part: Part = {}): Promise<string[]> {
  const violations = await violationsOf(page, part);
  return inWords(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical'));
}

/** All findings of axe in a part of a page, as `rule: element`. */
export const findings = async (page: Page, selector: string): Promise<string[]> =>
  inWords(await violationsOf(page, { include: [[selector]] }));
