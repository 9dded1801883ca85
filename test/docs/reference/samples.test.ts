import { expect, it } from 'vitest';
import { bodyExample, callSamples, samplesOf } from '#docs/reference/code-samples';
import type { Entry } from '#docs/reference/document';

const entry: Entry = {
  ...{ id: 'read', method: 'GET', path: '/v1/read/{id}', tag: 'x', title: 'Read', description: '' },
  ...{ price: undefined, needsKey: true, takesKey: true, scope: undefined, body: undefined },
  answers: [{ status: '200', description: '', schema: { type: 'object' } }],
  ...{ headers: [], problems: [], isStream: false },
  parameters: [
    { name: 'id', in: 'path', required: true, example: 7, schema: { type: 'integer' } },
    { name: 'q', in: 'query', required: true, example: "a b's", schema: { type: 'string' } },
    { name: 'more', in: 'query', required: false, example: 'x', schema: { type: 'string' } },
  ],
};

it('writes a call with its required parameters in each language', () => {
  const { curl, javascript, python } = samplesOf(entry, '/market', {});
  const url = 'https://quotient.example/market/v1/read/7?q=a%20b%27s';
  expect(curl).toBe(`curl -H 'X-API-KEY: qt_your_key' \\\n  '${url}'`);
  expect(javascript).toContain(`fetch('${url}', {\n  headers: { 'X-API-KEY': 'qt_your_key' },\n})`);
  expect(python).toContain(`    "${url}",\n    headers={"X-API-KEY": "qt_your_key"},\n`);
});

it('omits the key if none is accepted, and the response body if there is none', () => {
  const open = samplesOf({ ...entry, takesKey: false, method: 'DELETE', answers: [] }, '', {});
  expect(Object.values(open).join()).not.toContain('qt_your_key');
  expect(open.curl).toMatch(/^curl -X DELETE /);
  expect(open.javascript).toMatch(/console\.log\(response\.status\);$/);
  expect(open.python).toMatch(/print\(response\.status\)$/);
});

it('includes an example query in a search', () => {
  const parameters = entry.parameters.slice(1).map((one) => ({ ...one, required: false }));
  expect(samplesOf({ ...entry, path: '/v1/find', parameters }, '', {}).curl).toContain('/v1/find?q=a%20b%27s');
});

it('writes a body as a literal of each language, and escapes its special characters', async () => {
  const body = { text: `it's "\\ </script>`, yes: true, no: false, none: null, list: [1, 'two'] };
  const url = 'https://quotient.example/';
  const samples = callSamples({ method: 'POST', url, headers: {}, body });
  expect(samples.python).toContain('"yes": True, "no": False, "none": None, "list": [1, "two"]');
  expect(samples.curl).toContain(String.raw`'{"text":"it'\''s \"\\ </script>",`);
  const sent: unknown[] = [];
  const fetch = async (_url: string, init: { body: string }) => {
    sent.push(JSON.parse(init.body));
    return { status: 200, json: async () => undefined };
  };
  const run = new Function('fetch', 'console', `return (async () => { ${samples.javascript} })()`);
  await run(fetch, { log: () => undefined });
  expect(sent).toEqual([body]);
});

it('includes the required members of a body, and one optional member', () => {
  const properties = {
    mode: { enum: ['sync', 'block'], examples: ['sync'] },
    tx: { type: 'object', examples: [{ msg: [] }] },
    bytes: { type: 'string', examples: ['AA=='] },
    url: { type: ['string', 'null'] },
  };
  const schema = { type: 'object', properties, required: ['mode', 'url'] };
  expect(bodyExample(schema, {})).toEqual({ mode: 'sync', tx: { msg: [] }, url: null });
});

it('reads a stream as it arrives', () => {
  const samples = samplesOf({ ...entry, isStream: true }, '', {});
  expect(samples.curl).toMatch(/^curl -N -H 'X-API-KEY: qt_your_key' /);
  expect(samples.javascript).toContain('TextDecoderStream');
  expect(samples.python).toContain('for line in response:');
  for (const text of Object.values(samples)) expect(text).toContain('/v1/read/7?q=a%20b%27s');
});
