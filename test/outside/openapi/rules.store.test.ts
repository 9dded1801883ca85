import { beforeAll, describe, expect, it } from 'vitest';
import type { Document } from '../../../fixtures/published.ts';
import { describedBy, SETTINGS } from '../../openapi/settings.ts';
import { LINTERS } from './linters.ts';

describe.each(Object.entries(SETTINGS))('a service %s', (_name, settings) => {
  let document: Document;
  beforeAll(async () => {
    document = JSON.parse(await describedBy(settings)) as Document;
  });

  it.each(Object.entries(LINTERS))('publishes a description in which %s finds no fault', async (_, lint) => {
    expect(await lint(document)).toEqual([]);
  });
});

it.each(Object.entries(LINTERS))('%s finds an operation without a name', async (_, lint) => {
  const broken = JSON.parse(await describedBy({})) as Document;
  Reflect.deleteProperty(broken.paths['/v1/tokens']?.get ?? {}, 'operationId');
  expect((await lint(broken)).join()).toMatch(/operationId/i);
});
