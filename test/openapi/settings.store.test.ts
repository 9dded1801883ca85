import { beforeAll, describe, expect, it } from 'vitest';
import { type Document, published } from '../../fixtures/published.ts';
import { describedBy, SETTINGS } from './settings.ts';

/* The description as services with other settings publish it, including at the turn of months and years. */

const MOMENTS = ['2026-12-31T23:59:59.999Z', '2028-02-29T12:00:00Z'];

describe.each(Object.entries(SETTINGS))('a service %s', (name, settings) => {
  let text: string;
  beforeAll(async () => {
    text = await describedBy(settings);
  });

  it('accepts its own parameter examples', () => {
    const { document, pointerTo, schemaFaults } = published(JSON.parse(text) as Document);
    const faults: string[] = [];
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { parameters = [] }] of Object.entries(operations)) {
        for (const [index, { name, example }] of parameters.entries()) {
          if (example === undefined) continue;
          const pointer = pointerTo('paths', path, method, 'parameters', String(index), 'schema');
          faults.push(...schemaFaults(pointer, example).map((fault) => `${path} ${name}${fault}`));
        }
      }
    }
    expect(faults).toEqual([]);
  });

  if (name === 'without exchange rates')
    it('offers no currency that requires them', () => {
      expect(text).not.toMatch(/`eur`|"eur"|European Central Bank's/);
    });

  if (name === 'demo')
    it.each(MOMENTS)('publishes the same description at %s', async (moment) => {
      const at = await describedBy(settings, moment);
      // The stand-ins' ports differ.
      const withoutPorts = (one: string) => one.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1');
      expect(withoutPorts(at)).toBe(withoutPorts(text));
    });
});
