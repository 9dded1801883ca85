import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Document } from '../../fixtures/published.ts';
import { isLong } from '../support/long.ts';
import { type Service, startService } from '../support/service/service.ts';
import { LINTERS } from './linters.ts';

/** The rules are tested with and without a base path. */
const BASE_PATHS = isLong ? ['/market', ''] : ['/market'];

const services: Service[] = [];
const documents: Document[] = [];

beforeAll(async () => {
  for (const BASE_PATH of BASE_PATHS) {
    const service = await startService({ settings: { BASE_PATH } });
    services.push(service);
    documents.push((await (await service.get('/openapi.json')).json()) as Document);
  }
});

afterAll(async () => {
  for (const service of services) await service.close();
});

describe.each(Object.entries(LINTERS))('%s', (_, lint) => {
  it.each(BASE_PATHS.entries().toArray())('finds no fault in the description (%i, base path %j)', async (which) => {
    expect(await lint(documents[which] as Document)).toEqual([]);
  });

  it('finds an operation without a name', async () => {
    const broken = structuredClone(documents[0] as Document);
    Reflect.deleteProperty(broken.paths['/v1/tokens']?.get ?? {}, 'operationId');
    expect((await lint(broken)).join()).toMatch(/operationId/i);
  });
});
