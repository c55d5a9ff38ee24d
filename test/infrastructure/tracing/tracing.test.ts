import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { context, propagation, trace } from '@opentelemetry/api';
import { expect } from 'chai';
import { serve } from '../../../src/http/serve.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { traceRequests, traceStore } from '../../../src/infrastructure/tracing/tracing.js';
import { stored } from '../../support/recorded.js';

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
      }),
      { host: '127.0.0.1', port: 0 },
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
});
