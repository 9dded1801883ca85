import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

// Generates the database client from Prisma's schema. Run by `npm ci` and `npm run generate`.

const PRISMA = fileURLToPath(new URL('../node_modules/prisma/build/index.js', import.meta.url));

const { status, error } = spawnSync(process.execPath, [PRISMA, 'generate'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  // Unless this variable names an existing program, Prisma downloads an engine that is not needed.
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
});
if (error) throw error;
if (status === 0) await storeQueryCompiler();
process.exitCode = status ?? 1;

/**
 * Writes the query compiler to a file. The generated client imports the compiler as base64, and the module's text and its
 * value would take 4.6 MB of memory.
 */
async function storeQueryCompiler(): Promise<void> {
  const client = new URL('../src/generated/prisma/internal/class.ts', import.meta.url);
  const source = await readFile(client, 'utf8');
  const [decoding, , base64] = /const { (wasm) } = await import\("(.+)"\)\s+return .+\(wasm\)/.exec(source) ?? [];
  if (decoding === undefined || base64 === undefined)
    throw new Error('The generated client imports no query compiler.');
  const { wasm } = await import(base64);
  await writeFile(new URL('query-compiler.wasm', client), Buffer.from(wasm, 'base64'));
  const reading = `const { readFile } = await import('node:fs/promises')
    return new WebAssembly.Module(await readFile(new URL('query-compiler.wasm', import.meta.url)))`;
  await writeFile(client, source.replace(decoding, reading));
}
