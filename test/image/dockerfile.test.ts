import { expect, it } from 'vitest';
import { parseDockerfile } from './dockerfile.ts';

it('reads the stages with their COPY, RUN and metadata instructions', () => {
  const text = `# a comment
FROM node:24-slim AS built
WORKDIR /app
COPY package.json package-lock.json ./
# a comment
RUN npm ci \\
  # a comment within
  && npm run build

FROM debian:bookworm-slim
ENV A=1 B=two
COPY --from=built /app/build build
ARG REVISION=unknown
LABEL title="A title" \\
  revision=$REVISION
USER 1000:1000
HEALTHCHECK --interval=5s --timeout=3s \\
  CMD ["node", "-e", "$f()"]
CMD ["node", "build/main.js"]
`;
  const nothing = { env: {}, labels: {}, healthcheck: [], command: [] };
  expect(parseDockerfile(text)).toEqual([
    {
      ...nothing,
      name: 'built',
      base: 'node:24-slim',
      steps: [
        { kind: 'workdir', path: '/app' },
        { kind: 'copy', from: undefined, sources: ['package.json', 'package-lock.json'], target: './' },
        { kind: 'run', command: 'npm ci && npm run build' },
      ],
    },
    {
      name: '1',
      base: 'debian:bookworm-slim',
      steps: [{ kind: 'copy', from: 'built', sources: ['/app/build'], target: 'build' }],
      env: { A: '1', B: 'two' },
      labels: { title: 'A title', revision: 'unknown' },
      healthcheck: ['node', '-e', '$f()'],
      command: ['node', 'build/main.js'],
    },
  ]);
});

it('rejects instructions and forms that it does not support', () => {
  for (const line of [
    'ADD a b',
    'ENTRYPOINT ["node"]',
    'SHELL ["bash"]',
    'ONBUILD RUN a',
    'COPY --chown=1:1 a b',
    'COPY a* b',
    'COPY a',
    'COPY $A b',
    'COPY <<EOF b',
    'RUN ["a"]',
    'RUN --mount=type=cache,target=/root a',
    'RUN echo $A',
    'ENV A=$B',
    'ENV A 1',
    'LABEL a=$UNKNOWN',
    'ARG A',
    'CMD node build/main.js',
    'HEALTHCHECK NONE',
    'from node',
  ])
    expect(() => parseDockerfile(`FROM node\n${line}\n`), line).toThrow(/not supported$/);
  expect(() => parseDockerfile('# syntax=docker/dockerfile:1\nFROM node')).toThrow(/directives/);
  expect(() => parseDockerfile('ARG A=1\nFROM node')).toThrow(/ARG A=1: not supported/);
  expect(() => parseDockerfile('FROM node AS')).toThrow(/not supported$/);
  expect(() => parseDockerfile('# nothing\n')).toThrow();
});
