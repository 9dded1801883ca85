import type { AppDependencies } from '#app';

/** An app's dependencies with which every request goes through the framework. */
export const withoutFastPath = <T extends AppDependencies>(dependencies: T): T => ({
  ...dependencies,
  allowance: { ...dependencies.allowance, holderAtOnce: () => undefined },
});
