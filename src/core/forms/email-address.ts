import { domainToASCII } from 'node:url';

/* RFC 5321, 4.1.2 and 4.5.3.1; RFC 1035 for labels; RFC 5890 for internationalized domains. */
const MAX = { address: 254, local: 64 } as const;
/** The characters of a local part that needs no quotes: `atext` of RFC 5322, 3.2.3. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const LABEL = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i;
const ASCII = /^\p{ASCII}*$/u;

/** The labels of the result are A-labels. Undefined if the domain has no ASCII form. */
function asciiDomain(domain: string): string | undefined {
  // The conversion would also decode percent-encoding and read numbers as IPv4 addresses.
  if (/[^a-z\d.-]/i.test(domain.replace(/\P{ASCII}/gu, ''))) return undefined;
  const isPlain = ASCII.test(domain) && !/(^|\.)xn--/i.test(domain);
  const ascii = isPlain ? domain : domainToASCII(domain);
  const labels = ascii.split('.');
  const isValid = labels.length > 1 && labels.every((label) => LABEL.test(label));
  return isValid && !/^\d+$/.test(labels.at(-1) ?? '') ? ascii : undefined;
}

type ParsedEmail = { address: string } | { fault: string };

/**
 * Parses an email address to the form in which it is stored and compared, with the domain in ASCII. Local parts must be
 * ASCII, because many mail servers do not support SMTPUTF8 (RFC 6531).
 */
export function parseEmail(text: string): ParsedEmail {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || domain === '') return { fault: 'must be an email address' };
  if (!ASCII.test(local)) return { fault: 'must have only ASCII characters before the @' };
  // In a query, a plus sign means a space.
  if (local.includes(' ')) return { fault: 'contains a space: encode a plus sign in a query as %2B' };
  if (!LOCAL.test(local)) return { fault: 'must be an email address' };
  if (local.length > MAX.local) return { fault: `must have at most ${MAX.local} characters before the @` };
  const ascii = text.length > MAX.address ? '' : asciiDomain(domain);
  if (ascii === undefined) return { fault: 'must have a valid domain after the @' };
  const address = `${local}@${ascii}`;
  if (ascii === '' || address.length > MAX.address) return { fault: 'is too long' };
  return { address };
}

export function emailPrefix(text: string): string {
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  return at < 0 || ASCII.test(domain) ? text : text.slice(0, at + 1) + (domainToASCII(domain) || domain);
}
