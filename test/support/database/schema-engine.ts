import { readFileSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Migration } from '#database/migrations';

const ROOT = new URL('../../../', import.meta.url);
const filters = { externalTables: [], externalEnums: [] };

/** The engine behind `prisma migrate`, in process, on an embedded database. */
export async function openSchemaEngine(postgres: PGlite) {
  // The package gives WebAssembly to be imported, which test runners do not transform; Node itself does it.
  const { SchemaEngine } = await import('@prisma/schema-engine-wasm');
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPGlite(postgres));
  const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, adapter);
  const files = [{ path: 'schema.prisma', content: readFileSync(new URL('prisma/schema.prisma', ROOT), 'utf8') }];

  return {
    /** The SQL that would turn the database into what `prisma/schema.prisma` describes; undefined when it is. */
    async missing(): Promise<string | undefined> {
      const { exitCode, stdout } = await engine.diff({
        from: { tag: 'schemaDatasource', files, configDir: ROOT.pathname },
        to: { tag: 'schemaDatamodel', files },
        script: true,
        exitCode: true,
        filters,
      });
      return exitCode === 0 ? undefined : (stdout ?? '');
    },
    /** What `prisma migrate deploy` does; returns the names of what it applied. */
    async deploy(migrations: Migration[]): Promise<string[]> {
      const output = await engine.applyMigrations({ migrationsList: listed(migrations), filters });
      return output.appliedMigrationNames;
    },
    /** What `prisma migrate status` goes by. */
    history(migrations: Migration[]) {
      const migrationsList = listed(migrations);
      return engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters });
    },
    close: () => engine.free(),
  };
}

function listed(migrations: Migration[]) {
  return {
    baseDir: new URL('prisma/migrations', ROOT).pathname,
    lockfile: {
      path: './migration_lock.toml',
      content: readFileSync(new URL('prisma/migrations/migration_lock.toml', ROOT), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: script } },
    })),
  };
}
