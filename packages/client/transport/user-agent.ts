import { VERSION } from '../generated/version.ts';

type Globals = { process?: { versions?: { node?: unknown } }; document?: unknown };

/** `User-Agent` outside a browser; a browser has its own, and asks the service first for leave to send another. */
export function userAgent(globals: unknown = globalThis): { 'user-agent'?: string } {
  const { process, document } = globals as Globals;
  const node = process?.versions?.node;
  if (typeof node !== 'string' || document !== undefined) return {};
  return { 'user-agent': `quotient-client/${VERSION} node/${node}` };
}
