import type { Parts } from '../../../fixtures/parts.ts';

/** The parts of a service in which every request goes through the framework. */
export const withoutFastPath = <T extends Pick<Parts, 'gate'>>(parts: T): T => ({
  ...parts,
  gate: { ...parts.gate, allowance: { ...parts.gate.allowance, holderAtOnce: () => undefined } },
});
