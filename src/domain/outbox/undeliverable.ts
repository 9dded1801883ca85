/** A message was refused for good: another attempt would be in vain. */
export class Undeliverable extends Error {
  override readonly name = 'Undeliverable';
}
