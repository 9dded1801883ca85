import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start processes, build, or make databases on the disk: small, and seconds or half a minute long. */
const LONG = /\/test\/(?:process|chaos|cli|node\/wallets)\/|\/(?:processes|database|copy)\/|processes\.|\.browser\./;

/**
 * Files that take long begin a project, so that no worker is left with one at the end. The usual order goes by size
 * if no earlier run has recorded the time, as on a fresh checkout.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name);
      const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
      return [...own.filter(isLong), ...own.filter((one) => !isLong(one))];
    });
  }
}
