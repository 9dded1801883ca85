/** A link made of a template such as `https://explorer.example/tx/{hash}`: the value cannot leave its place. */
export function explorerLink(template: string, name: 'hash' | 'address', value: string): string {
  return template.replaceAll(`{${name}}`, () => encodeURIComponent(value));
}
