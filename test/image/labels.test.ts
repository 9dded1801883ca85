import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import service from '../../package.json' with { type: 'json' };
import { parseDockerfile } from './dockerfile.ts';

it('the image’s labels contain the version and the license of package.json', () => {
  const image = parseDockerfile(readFileSync('Dockerfile', 'utf8')).at(-1);
  expect(image?.labels).toEqual({
    'org.opencontainers.image.title': 'Quotient',
    'org.opencontainers.image.version': service.version,
    'org.opencontainers.image.revision': 'unknown',
    'org.opencontainers.image.source': 'unknown',
    'org.opencontainers.image.licenses': service.license,
  });
});
