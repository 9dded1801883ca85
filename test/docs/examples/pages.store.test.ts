import { afterAll, beforeAll, expect, it } from 'vitest';
import { USER_TOPICS } from '#docs/site/topics';
import { type Block, blocksOf, commandsIn } from './blocks.ts';
import { isMissing, OTHER_TESTS, type Output, openStand, type Stand } from './stand.ts';

/** A stream does not end by itself. */
const STREAM = /\/prices\/stream\?/;
const FIRST_EVENT = /^(?:data: .+|price \{.+|\{.+"current_price".+)$/m;

let stand: Stand;
let blocks: Block[];
beforeAll(async () => {
  stand = await openStand();
  const forUsers = new Set(
    ['getting-started', ...USER_TOPICS.map(({ path }) => path)].map((path) => `/docs/${path}.md`),
  );
  const pages = (await stand.pages()).filter(({ page }) => forUsers.has(page));
  expect(pages).toHaveLength(forUsers.size);
  blocks = pages.flatMap(({ page, markdown }) => blocksOf(page, markdown));
});
afterAll(() => stand?.close());

const of = (language: string) => blocks.filter((block) => block.language === language && !OTHER_TESTS.test(block.code));
const named = ({ page, heading }: Block) => `${page}, ${heading}`;

/** Runs an example, and expects that it succeeds. A stream is stopped at its first event. */
async function expectSuccess(block: Block, run: (code: string, until?: RegExp) => Promise<Output>): Promise<Output> {
  const until = STREAM.test(block.code) ? FIRST_EVENT : undefined;
  const output = await run(await stand.personal(block.code), until);
  const about = `${named(block)}\n${block.code}\n${output.stdout.slice(0, 2000)}\n${output.stderr}`;
  if (until) expect(output.stdout, about).toMatch(until);
  else expect(output.exit, about).toBe(0);
  return output;
}

it.skipIf(isMissing('curl', '--version'))(
  'each example with curl succeeds',
  async () => {
    const examples = of('sh').filter(({ code }) => commandsIn(code).every((command) => command === 'curl'));
    expect(examples.length).toBeGreaterThan(15);
    for (const block of examples) {
      const { stderr } = await expectSuccess(block, stand.runShell);
      const calls = commandsIn(block.code).length;
      const statuses = stderr.match(/^\d{3}$/gm) ?? [];
      if (!STREAM.test(block.code)) expect(statuses, named(block)).toHaveLength(calls);
      for (const status of statuses) expect(status, named(block)).toMatch(/^(?:2\d\d|304)$/);
    }
  },
  120_000,
);

it('each other shell example starts a known program', () => {
  const others = of('sh')
    .flatMap(({ code }) => commandsIn(code))
    .filter((command) => command !== 'curl');
  expect([...new Set(others)].sort()).toEqual(['claude', 'npm', 'npx']);
});

/** Pages have `EventSource`. */
const IN_PAGE = `import { EventSource } from '${import.meta.resolve('eventsource')}';
`;

it('each example in JavaScript succeeds', async () => {
  const examples = of('js');
  expect(examples.length).toBeGreaterThan(2);
  for (const block of examples) {
    const code = /new EventSource/.test(block.code)
      ? `${IN_PAGE}${block.code.replaceAll('console.log(JSON.parse(data))', 'console.log(data)')}`
      : block.code;
    const { stdout } = await expectSuccess({ ...block, code }, stand.runNode);
    expect(stdout, named(block)).toMatch(/\d/);
  }
}, 60_000);

it.skipIf(isMissing('python3', '-c', 'import requests'))(
  'each example in Python succeeds',
  async () => {
    const examples = of('python');
    expect(examples.length).toBeGreaterThan(1);
    for (const block of examples) {
      const { stdout } = await expectSuccess(block, stand.runPython);
      expect(stdout, named(block)).toContain('current_price');
    }
  },
  60_000,
);

it("each formula with a URL returns a table to a spreadsheet's request", async () => {
  const formulas = blocks.filter(({ code, language }) => language === '' && code.includes('/k/qu_…/'));
  expect(formulas.length).toBeGreaterThan(2);
  for (const block of formulas) {
    const [, url = ''] = /"(https?:[^"]+)"/.exec(await stand.personal(block.code)) ?? [];
    const response = await fetch(url, { headers: { accept: '*/*' } });
    expect([response.status, response.headers.get('content-type')], named(block)).toEqual([
      ...[200, 'text/csv; charset=utf-8'],
    ]);
    expect((await response.text()).split('\r\n')[0], named(block)).toBe('date,price,market_cap,total_volume');
  }
});

it('each example in JSON can be parsed, and each problem conforms to its schema', () => {
  const examples = of('json');
  expect(examples.length).toBeGreaterThan(4);
  for (const block of examples) {
    const value = JSON.parse(block.code) as Record<string, unknown>;
    if (typeof value.code === 'string')
      expect(stand.contract.schemaFaults('/components/schemas/Problem', value), named(block)).toEqual([]);
    for (const [, url = ''] of block.code.matchAll(/"(https:\/\/quotient\.example[^"]*)"/g))
      expect(url, named(block)).toBe('https://quotient.example/market/mcp');
  }
});

it('the first response that the docs show has the members of the real one', async () => {
  const shown = of('json').find(({ heading }) => heading === 'Make the first call');
  const key = await stand.service.register();
  const response = await stand.service.get('/v1/prices/latest/token?tokenName=bitcoin', { key });
  expect(Object.keys(JSON.parse(shown?.code ?? ''))).toEqual(Object.keys((await response.json()) as object));
});
