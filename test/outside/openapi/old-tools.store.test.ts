import { Converter } from '@apiture/openapi-down-convert';
import { beforeAll, expect, it } from 'vitest';
import type { Document } from '../../../fixtures/published.ts';
import { describedBy } from '../../openapi/settings.ts';
import { LINTERS } from './linters.ts';

/* Tools for OpenAPI 3.0 read the description, converted or as it is. */

let document: Document;
beforeAll(async () => {
  document = JSON.parse(await describedBy({})) as Document;
});

it('a converter to 3.0 accepts the description, and keeps all operations', () => {
  const converted = new Converter(structuredClone(document)).convert() as Document;
  expect(converted.openapi).toMatch(/^3\.0\./);
  const operationsOf = ({ paths }: Document) =>
    Object.values(paths).flatMap((operations) => Object.values(operations).map(({ operationId }) => operationId));
  expect(operationsOf(converted)).toEqual(operationsOf(document));
});

it('a linter for 3.0 finds only null and the type of an event in the converted description', async () => {
  const converted = new Converter(structuredClone(document)).convert() as Document;
  const findings = await LINTERS.redocly(converted);
  // 3.0 has neither the type `null` nor `contentSchema`. Tools ignore both.
  const others = findings.filter((finding) => !/^`type` can be one of|`contentSchema`/.test(finding));
  expect(others).toEqual([]);
});
