import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import type { Document } from '../../../fixtures/published.ts';

/** The findings of Redocly's `recommended` rules, without network access. */
async function redocly(document: Document): Promise<string[]> {
  const manifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
  const { bin } = JSON.parse(await readFile(manifest, 'utf8')) as { bin: { redocly: string } };
  const directory = await mkdtemp(join(tmpdir(), 'quotient-openapi-'));
  try {
    const file = join(directory, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const program = join(dirname(manifest), bin.redocly);
    const args = [program, 'lint', file, '--extends=recommended', '--format=json'];
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };
    const env = { ...process.env, ...quiet };
    // The exit code covers only errors. The report also contains warnings.
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: directory, env }).catch(
      (failed: { stdout: string }) => failed,
    );
    const { problems } = JSON.parse(stdout) as { problems: { message: string }[] };
    return problems.map(({ message }) => message);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The findings of Spectral's `oas` rules, of any severity. */
async function spectral(document: Document): Promise<string[]> {
  const linter = new spectralCore.Spectral();
  linter.setRuleset({ extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']] });
  const found = await linter.run(document as unknown as Record<string, unknown>);
  return found.map(({ code, path, message }) => `${code}: ${path.join('.')}: ${message}`);
}

/** The findings of each linter for a description, as texts. */
export const LINTERS = { redocly, spectral };
