/**
 * Whether objects and arrays are inside one another beyond so many levels: what is deeper than some thousands is read
 * well enough, and cannot be written out again.
 */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}
