import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean };
type Attributes = { key: string; value: Value }[];
type OtlpSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  attributes: Attributes;
  status: { code: number; message?: string };
};
type OtlpBody = { resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: OtlpSpan[] }[] }[] };

const plain = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/**
 * A collector of traces on 127.0.0.1 that decodes OTLP in JSON.
 * @param respond instead of 200
 */
export async function startCollector(respond = (response: ServerResponse): unknown => response.end('{}')) {
  const bodies: string[] = [];
  const paths: string[] = [];
  const arrived: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    paths.push(`${request.method} ${request.url}`);
    bodies.push(await text(request));
    for (const report of arrived.splice(0)) report();
    response.setHeader('content-type', 'application/json');
    respond(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const resourceSpans = () => bodies.flatMap((body) => (JSON.parse(body) as OtlpBody).resourceSpans);

  return {
    port: (server.address() as AddressInfo).port,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The exports as they were received. */
    bodies,
    paths,
    spans: () =>
      resourceSpans().flatMap(({ resource, scopeSpans }) =>
        scopeSpans
          .flatMap(({ spans }) => spans)
          .map(({ attributes, ...span }) => ({
            ...span,
            attributes: plain(attributes),
            resource: plain(resource.attributes),
          })),
      ),
    /** Resolves when there are this number of exports. */
    async exports(count: number): Promise<void> {
      while (bodies.length < count) await new Promise<void>((resolve) => arrived.push(resolve));
    },
    close(): Promise<void> {
      return new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;
export type CollectedSpan = ReturnType<Collector['spans']>[number];
