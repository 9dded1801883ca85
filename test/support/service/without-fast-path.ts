import type { Parts } from '../../../fixtures/parts.ts';

/** The parts of a service in which every request goes through the framework. */
export const withoutFastPath = <T extends Pick<Parts, 'accounts'>>(parts: T): T => ({
  ...parts,
  accounts: { ...parts.accounts, gate: { ...parts.accounts.gate, admitAtOnce: () => undefined } },
});
