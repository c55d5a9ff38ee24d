import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { context, propagation, trace } from '@opentelemetry/api';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makeApp } from '../../../src/http/app.js';
import { routeOf } from '../../../src/http/routing/route-of-request.js';
import { serve } from '../../../src/http/serve.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { traceRequests, traceStore } from '../../../src/infrastructure/tracing/tracing.js';
import { stored } from '../../support/recorded.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { docsPage } from '../../support/docs-page.js';

describe('tracing', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });

  before(() => {
    provider.register();
  });

  after(async () => {
    await provider.shutdown();
    trace.disable();
    context.disable();
    propagation.disable();
  });

  it('links request, append and projection in the trace of the client', async () => {
    const store = traceStore(makeInMemoryEventStore());
    const served = await serve(
      traceRequests((request, response) => {
        const { traceparent } = request.headers;
        const plain = stored({ type: 'BusinessCreated', data: { name: 'one' } }, { stream: 'business-1' });
        // reason: an envelope is a JSON object
        const metadata = JSON.stringify({ ...(JSON.parse(plain.metadata) as object), traceparent });
        void store.append('business-1', 'no-stream', [{ ...plain, metadata }]).then(() => response.end());
      }, routeOf),
      { runtime: systemRuntime, host: '127.0.0.1', port: 0 },
    );
    const client = '4bf92f3577b34da6a3ce929d0e0e4736';
    await fetch(served.address, { headers: { traceparent: `00-${client}-00f067aa0ba902b7-01` } });
    await served.stop(1000);
    for await (const batch of store.subscribe({ after: 'start' }, new AbortController().signal))
      if (batch.events.length > 0) break;

    const spans = exporter.getFinishedSpans();
    const [append, request, project] = ['append', 'GET', 'project all'].map((name) =>
      spans.find((span) => span.name === name),
    );
    expect(spans.map((span) => span.spanContext().traceId)).to.deep.equal([client, client, client]);
    expect(request?.parentSpanContext?.spanId).to.equal('00f067aa0ba902b7');
    expect(append?.parentSpanContext?.spanId).to.equal(request?.spanContext().spanId);
    expect(project?.parentSpanContext?.spanId).to.equal(request?.spanContext().spanId);
    expect(project?.links.map((link) => link.context.spanId)).to.deep.equal([request?.spanContext().spanId]);
  });

  it('names a request by its route, whatever record it is of, and by its method where no route takes it', async () => {
    const listener = makeApp({
      runtime: systemRuntime,
      authenticate: () => E.left({ _tag: 'Unauthenticated' }),
      corsOrigins: [],
      readiness: () => Promise.resolve({ checks: {}, missing: [] }),
      docsPage,
      version: '1',
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    const served = await serve(traceRequests(listener, routeOf), {
      runtime: systemRuntime,
      host: '127.0.0.1',
      port: 0,
    });
    exporter.reset();
    for (const path of ['/docs/init.js?a=b', '/livez', '/docs/unknown.js', '/none/private'])
      await (await fetch(served.address + path)).text();
    await served.stop(1000);
    const named = exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes['http.route']]);
    expect(named).to.deep.equal([
      ['GET /docs/:asset', '/docs/:asset'],
      ['GET /livez', '/livez'],
      ['GET /docs/:asset', '/docs/:asset'],
      ['GET', undefined],
    ]);
    const attributes = exporter.getFinishedSpans().map((span) => span.attributes);
    expect(JSON.stringify(attributes)).not.to.include('unknown.js').and.not.to.include('private');
  });
});
