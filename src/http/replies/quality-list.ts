/** Of longer lists no more is read: a browser sends ten. */
const MEMBERS = 64;

/**
 * The members of an `Accept` or `Accept-Encoding` field with their qualities, in the order given (RFC 9110, 12.4.2):
 * 1 where none is given, 0 where it is no number.
 */
export function readQualities(header: string): { name: string; quality: number }[] {
  return header.split(',', MEMBERS).map((entry) => {
    const [name = '', ...parameters] = entry.split(';', MEMBERS).map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const quality = q === undefined ? 1 : Number(q);
    return { name, quality: Number.isNaN(quality) ? 0 : quality };
  });
}
