import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '#database/database';
import { unpackTemplate, writeTemplate } from '#database/embedded/template';

let directory: string;
let template: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'quotient-template-'));
  template = join(directory, 'template.gz');
  await writeTemplate(template);
});
afterAll(() => rmSync(directory, { recursive: true }));

test('a new database is created from the template and replaces an unfinished one', async () => {
  const dataDir = join(directory, 'data');
  const at = join(dataDir, 'postgres');
  mkdirSync(join(dataDir, 'postgres.new', 'half'), { recursive: true });
  await unpackTemplate(at, template);
  expect(readdirSync(dataDir)).toEqual(['postgres']);
  expect(readdirSync(at)).toContain('PG_VERSION');
  expect(readdirSync(at)).not.toContain('half');
  expect(statSync(at).mode & 0o777).toBe(0o700);
  const database = await openDatabase({ dataDir });
  expect(await database.prisma.user.count()).toBe(0);
  await database.close();
});
