import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { parse } from 'yaml';
import service from '../../package.json' with { type: 'json' };

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = { uses?: string; steps?: Step[]; needs?: string | string[]; permissions?: Record<string, string> } & {
  services?: Record<string, { image: string }>;
  env?: Record<string, string>;
};
type Workflow = { permissions: Record<string, string>; jobs: Record<string, Job> };

const FILES = globSync('.github/workflows/*.yml').sort();
const read = (file: string) => parse(readFileSync(file, 'utf8')) as Workflow;
const jobsOf = (file: string): Job[] => Object.values(read(file).jobs);
const stepsOf = (file: string): Step[] => jobsOf(file).flatMap(({ steps = [] }) => steps);

test.each(FILES)('%s grants only reading by default, and pins its actions', (file) => {
  expect(read(file).permissions).toEqual({ contents: 'read' });
  const used = [...jobsOf(file), ...stepsOf(file)].flatMap(({ uses }) => uses ?? []);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) {
    if (action.startsWith('./')) expect(existsSync(action), action).toBe(true);
    else expect(action).toMatch(/^[\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40})$/);
  }
});

test.each(FILES)('%s calls commands that exist', (file) => {
  const commands = stepsOf(file).flatMap(({ run = '' }) => run.split('\n'));
  const scripts = commands.flatMap((line) => /npm run ([\w:]+)/.exec(line)?.[1] ?? []);
  for (const script of scripts) expect(Object.keys(service.scripts)).toContain(script);
  const programs = commands.flatMap((line) => /^(\.\S+)/.exec(line)?.[1] ?? []);
  for (const program of programs) expect(() => accessSync(program, constants.X_OK), program).not.toThrow();
  expect(scripts.length + programs.length).toBeGreaterThan(0);
});

it('a release is built after all checks, without the rights to publish', () => {
  const { check, build, ...publishing } = read('.github/workflows/release.yml').jobs;
  expect(check?.uses).toBe('./.github/workflows/ci.yml');
  expect([build?.needs, build?.permissions]).toEqual(['check', undefined]);
  // Each job that can write somewhere uses the files of `build`, and runs no code of the packages it depends on.
  for (const [name, { needs, permissions, steps = [] }] of Object.entries(publishing)) {
    expect(
      [needs].flat().some((one) => ['build', 'image'].includes(one ?? '')),
      name,
    ).toBe(true);
    expect(Object.values(permissions ?? {}), name).toContain('write');
    expect(
      steps.some(({ run = '' }) => /npm (ci|install|run)/.test(run)),
      name,
    ).toBe(false);
  }
});
