import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Block, blocksOf } from './blocks.ts';
import { isMissing, openStand, type Stand } from './stand.ts';

/** The codes of problems for values that a sample cannot know: a one-time code, and the ID of a stored object. */
const UNKNOWABLE = ['token_invalid', 'not_found', 'node_rejected'];
/** Runs samples in sequence, and prints the output or the status of each. */
const RUNNER = `import contextlib, io, json, sys, urllib.error
for code in json.load(sys.stdin):
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, {})
        print(json.dumps(printed.getvalue()))
    except urllib.error.HTTPError as error:
        print(json.dumps(f"{error.code} {error.read().decode()}"))
`;

type Sample = Block & { method: string; path: string };

let stand: Stand;
let samples: Sample[];
beforeAll(async () => {
  stand = await openStand();
  const pages = (await stand.pages()).filter(({ page }) => page.startsWith('/docs/reference/'));
  samples = pages.flatMap(({ page, markdown }) => {
    const operations = new Map(
      [...markdown.matchAll(/^## (.+)\n\n`([A-Z]+) \/market(\S+)`$/gm)].map(
        ([, title = '', method = '', path = '']) => [title, { method, path }],
      ),
    );
    return blocksOf(page, markdown).flatMap((block) => {
      const operation = operations.get(block.heading);
      return operation ? [{ ...block, ...operation }] : [];
    });
  });
});
afterAll(() => stand?.close());

const of = (language: string) => samples.filter((sample) => sample.language === language);
const isStream = ({ path }: Sample) => path === '/v1/prices/stream';
const personal = ({ code, method }: Sample) => stand.personal(code, { isReading: method === 'GET' });
const named = ({ method, path }: Sample) => `${method} ${path}`;

/** Expects a status that the operation declares: success, or a problem with an unknowable value. */
function expectDeclared(sample: Sample, status: number, body: string): void {
  const declared = stand.document.paths[sample.path]?.[sample.method.toLowerCase()]?.responses ?? {};
  expect(Object.keys(declared), `${named(sample)}: ${status} ${body}`).toContain(String(status));
  if (status < 300) return;
  const code = /"code": ?"(\w+)"/.exec(body)?.[1];
  expect(UNKNOWABLE, `${named(sample)}: ${status} ${body}`).toContain(code);
}

it('there is a sample of each operation in each language', () => {
  const operations = Object.entries(stand.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  for (const language of ['sh', 'js', 'python'])
    expect(of(language).map(named).sort(), language).toEqual([...operations].sort());
});

it.skipIf(isMissing('curl', '--version'))(
  'each sample with curl returns a declared response, which conforms to the schema and to the example',
  async () => {
    for (const sample of of('sh')) {
      const code = await personal(sample);
      if (isStream(sample)) {
        const { stdout } = await stand.runShell(code, /^data: /m);
        expect(stdout).toMatch(/^event: price$/m);
        continue;
      }
      const { stdout, stderr } = await stand.runShell(`${code.trim()} || true`);
      const status = Number(/^\d{3}$/m.exec(stderr)?.[0]);
      expectDeclared(sample, status, stdout);
      const { pointerTo, schemaFaults } = stand.contract;
      const { content = {} } =
        stand.document.paths[sample.path]?.[sample.method.toLowerCase()]?.responses[String(status)] ?? {};
      if (status >= 300 || !content['application/json']) continue;
      const media = ['responses', String(status), 'content', 'application/json', 'schema'];
      const pointer = pointerTo('paths', sample.path, sample.method.toLowerCase(), ...media);
      expect(schemaFaults(pointer, JSON.parse(stdout)), `${named(sample)}: ${stdout.slice(0, 500)}`).toEqual([]);
    }
  },
  180_000,
);

it('each sample in JavaScript receives a declared response', async () => {
  for (const sample of of('js')) {
    const code = await personal(sample);
    if (isStream(sample)) {
      const { stdout } = await stand.runNode(code, /^data: /m);
      expect(stdout).toMatch(/^event: price$/m);
      continue;
    }
    const lines: unknown[][] = [];
    const run = new Function('console', `return (async () => { ${code} })()`);
    await run({ log: (...line: unknown[]) => lines.push(line) });
    const [[status, body] = []] = lines;
    expectDeclared(sample, Number(status), JSON.stringify(body ?? ''));
  }
}, 120_000);

it.skipIf(isMissing('python3', '--version'))(
  'each sample in Python receives a declared response',
  async () => {
    const ordinary = of('python').filter((sample) => !isStream(sample));
    const codes = await Promise.all(ordinary.map(personal));
    const { stdout, stderr, exit } = await stand.runPythonWith(RUNNER, JSON.stringify(codes));
    expect(exit, stderr).toBe(0);
    const printed = stdout
      .trim()
      .split('\n')
      .map((line) => String(JSON.parse(line)));
    expect(printed).toHaveLength(ordinary.length);
    for (const [place, sample] of ordinary.entries()) {
      const [, status, body = ''] = /^(\d{3})\s?(.*)$/s.exec(printed[place] ?? '') ?? [];
      expectDeclared(sample, Number(status), body);
    }
    for (const sample of of('python').filter(isStream)) {
      const { stdout } = await stand.runPython(await personal(sample), /^data: /m);
      expect(stdout).toMatch(/^event: price$/m);
    }
  },
  120_000,
);
