import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { setTracer, type Tracer } from '#core/tracing';
import { VERSION } from '#core/version';
import { UpstreamFailure } from '#upstream/failures/failure';
import type { FailureLog } from '#upstream/failures/failure-log';

// Imported only if traces are exported (see `open-service.ts`).

/** Finished spans that may wait for the collector (more are dropped), and spans per turn of the event loop. */
const QUEUE = { maxQueueSize: 2048, maxExportBatchSize: 256 };
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

type Sampling = {
  /** Whether the parent decides for a trace that another service started. */
  followsParent: boolean;
  ratio: number;
};

/** `server` is where the service is reached: the host and the scheme of `PUBLIC_URL`, or of its listener. */
type TracingOptions = { endpoint: string; sampling: Sampling; server: { address: string; scheme: string } };

/** Decides before a span exists. The SDK would first create identifiers, which takes 4% of a cached call's time. */
function createSampling({ followsParent, ratio }: Sampling): Tracer['isSampled'] {
  const byTraceId = new TraceIdRatioBasedSampler(ratio);
  return (parent) => {
    if (parent === undefined) return Math.random() < ratio;
    if (followsParent) return (parent.traceFlags & 1) === 1;
    return byTraceId.shouldSample(ROOT_CONTEXT, parent.traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}

const COLLECTOR = 'collector';

/** Omits the collector's URL, which may contain credentials. */
function toFailure({ code, message }: Error & { code?: unknown }): UpstreamFailure {
  if (typeof code === 'number') return new UpstreamFailure(COLLECTOR, 'refused', `status ${code}`);
  return new UpstreamFailure(COLLECTOR, 'unreachable', String(code ?? message));
}

/** Exports traces until `close`, which exports the remaining spans within `flushMs`. */
export function startTracing(
  { endpoint, sampling, server }: TracingOptions,
  failures: Pick<FailureLog, 'failed' | 'worked' | 'observe'>,
  flushMs: number,
) {
  failures.observe(COLLECTOR);
  const exporter: SpanExporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const reporting: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) failures.failed('trace export', toFailure(result.error));
        else failures.worked(COLLECTOR);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const own = { 'service.name': 'quotient', 'service.version': VERSION, 'service.instance.id': randomUUID() };
  // Reads OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME. Other detectors would export the command line and the host.
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(own)).merge(detectResources({ detectors })),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ ...QUEUE, exporter: reporting })],
  });
  const tracer = provider.getTracer('quotient', VERSION);

  const serverAttributes = { 'server.address': server.address, 'url.scheme': server.scheme };
  setTracer({
    isSampled: createSampling(sampling),
    start(name, kind, attributes, parent, startTime) {
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      return tracer.startSpan(
        name,
        {
          kind: KINDS[kind],
          attributes: kind === 'server' ? { ...serverAttributes, ...attributes } : attributes,
          ...(startTime !== undefined && { startTime }),
        },
        context,
      );
    },
  });

  return {
    async close(): Promise<void> {
      setTracer(undefined);
      await Promise.race([provider.shutdown().catch(() => undefined), wait(flushMs, undefined, { ref: false })]);
    },
  };
}
