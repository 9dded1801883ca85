/**
 * Writes what is missing between the migrations and `prisma/schema.prisma` as a migration:
 *
 *     node test/support/database/draft-migration.ts 20261121000000_init
 *
 * An unreleased migration of that name is written anew; a released one must never be.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { migrate, readMigrations } from '#database/migrations';
import { openSchemaEngine } from './schema-engine.ts';

const name = process.argv[2];
if (!name || !/^\d{14}_\w+$/.test(name)) throw new Error('name the migration: 20261121000000_what_it_does');

const postgres = await PGlite.create();
const earlier = (await readMigrations()).filter((migration) => migration.name < name);
await migrate(postgres, { migrations: earlier });
const script = await (await openSchemaEngine(postgres)).missing();
await postgres.close();

if (script === undefined) {
  console.log('the migrations already make what the schema describes');
} else {
  const directory = new URL(`../../../prisma/migrations/${name}/`, import.meta.url);
  await mkdir(directory, { recursive: true });
  await writeFile(new URL('migration.sql', directory), script);
  console.log(script);
}
