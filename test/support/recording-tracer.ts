import { SpanStatusCode } from '@opentelemetry/api';
import { setTracer, type TraceAttributes, type Tracer, type TraceSpan } from '#core/tracing';

type Recorded = {
  name: string;
  /** The span's ID: spans are numbered from 1, in order of their starts. */
  parent: string | undefined;
  attributes: TraceAttributes;
  isFailed: boolean;
  /** The start and the end, if given. */
  at: unknown[];
};

/** Records spans in order of their ends. `close` ends the recording. */
export function recordTraces({ isSampled = (): boolean => true }: Partial<Pick<Tracer, 'isSampled'>> = {}) {
  const ended: Recorded[] = [];
  let started = 0;
  setTracer({
    isSampled,
    start(name, _kind, attributes, parent, at) {
      started += 1;
      const spanId = String(started);
      const recorded: Recorded = { name, parent: parent?.spanId, attributes, isFailed: false, at: [at] };
      const span: TraceSpan = {
        spanContext: () => ({ traceId: 'trace', spanId, traceFlags: 1 }),
        setAttributes: (more) => Object.assign(recorded.attributes, more),
        updateName: () => span as never,
        setStatus: ({ code }) => Object.assign(recorded, { isFailed: code === SpanStatusCode.ERROR }) as never,
        end: (now) => void ended.push({ ...recorded, at: [at, now] }),
      };
      return span;
    },
  });
  return { ended, close: () => setTracer(undefined) };
}
