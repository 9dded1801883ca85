/** `80, 100` as numbers. What is no number is left to the service to refuse. */
export const thresholdsIn = (text: string): number[] =>
  text
    .split(/[\s,;%]+/)
    .filter((part) => part !== '')
    .map(Number);
