import type { IncomingMessage, ServerResponse } from 'node:http';
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { either as E } from 'fp-ts';
import type { EventStore, LogBatch } from '../../event-sourcing/event-store.js';
import type { NewEvent } from '../../event-sourcing/recorded-event.js';

const SERVICE = 'business-document-service';

/** A span links to at most so many causes; a batch may hold hundreds of events. */
const MAX_LINKS = 32;

const tracer = () => trace.getTracer(SERVICE);

const traceparentOf = ({ metadata }: NewEvent): string | undefined =>
  // reason: an envelope is a JSON object whose traceparent, if any, was checked when it was sealed
  (JSON.parse(metadata) as { readonly traceparent?: string }).traceparent;

const contextOf = (traceparent: string | undefined) =>
  traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });

/** The value of the `traceparent` header that makes others children of the span. */
const headerOf = (span: Span): string | undefined => {
  const carrier: { traceparent?: string } = {};
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), carrier);
  return carrier.traceparent;
};

/**
 * A span for each request, named by its route where it has one, not by its path, which may have the identifier of an owner. The request goes on under the span's `traceparent`, which the command puts into its events'
 * metadata: that is how append and projection find the trace again.
 */
export const traceRequests =
  <A>(
    listener: (request: IncomingMessage, response: ServerResponse) => A,
    routeOf: (request: IncomingMessage) => string | undefined,
  ) =>
  (request: IncomingMessage, response: ServerResponse): A => {
    const { method = 'GET', headers } = request;
    const parent = propagation.extract(ROOT_CONTEXT, headers);
    const attributes = { 'http.request.method': method };
    const span = tracer().startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    const traceparent = headerOf(span);
    if (traceparent !== undefined) headers['traceparent'] = traceparent;
    response.once('close', () => {
      const route = routeOf(request);
      if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
      span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    return context.with(trace.setSpan(parent, span), () => listener(request, response));
  };

const projected = (name: string, { events }: LogBatch): Span => {
  const links = events.slice(0, MAX_LINKS).flatMap((event) => {
    const linked = trace.getSpanContext(contextOf(traceparentOf(event)));
    return linked === undefined ? [] : [{ context: linked }];
  });
  const attributes = { events: events.length };
  // in the trace of the first event, with links to the traces of all
  const first = events[0] === undefined ? ROOT_CONTEXT : contextOf(traceparentOf(events[0]));
  return tracer().startSpan(`project ${name}`, { kind: SpanKind.CONSUMER, attributes, links }, first);
};

async function* traceBatches(name: string, batches: AsyncIterable<LogBatch>): AsyncGenerator<LogBatch> {
  for await (const batch of batches) {
    const span = batch.events.length === 0 ? undefined : projected(name, batch);
    try {
      // The consumer works on the batch until it asks for the next one.
      yield batch;
    } finally {
      span?.end();
    }
  }
}

/** The same store. An append is a span under its command's request, a subscribed batch a span of its projection. */
export const traceStore = (store: EventStore): EventStore => ({
  ...store,
  append: async (stream, expected, events, ...options) => {
    const attributes = { stream, events: events.length };
    const parent = contextOf(traceparentOf(events[0]));
    const span = tracer().startSpan('append', { kind: SpanKind.PRODUCER, attributes }, parent);
    const result = await store.append(stream, expected, events, ...options);
    if (E.isLeft(result)) span.setStatus({ code: SpanStatusCode.ERROR, message: result.left._tag });
    span.end();
    return result;
  },
  subscribe: (range, signal) => traceBatches((range.categories ?? ['all']).join(' '), store.subscribe(range, signal)),
});
