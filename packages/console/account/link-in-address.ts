/** The link of a mail: what it is for, and the token that was sent. */
export type MailLink = { purpose: 'recover' | 'verify'; token: string };

/** Whether a fragment has, or had, a mailed token: no place but this page should keep it. */
export const isMailLink = (fragment: string): boolean => /^#(recover|verify)=/.test(fragment);

/** The link that the fragment of a URL stands for; undefined for one that was damaged on its way. */
export function mailLinkIn(fragment: string): MailLink | undefined {
  const [, purpose, token] = /^#(recover|verify)=([\w-]{1,200})$/.exec(fragment) ?? [];
  if (purpose === undefined || token === undefined) return undefined;
  return { purpose: purpose as MailLink['purpose'], token };
}
