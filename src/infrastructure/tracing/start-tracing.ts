import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

/**
 * Sends spans to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names; the exporter reads all of its variables itself.
 * Returns what sends the last spans and stops. Loaded only where tracing is configured: the packages are optional.
 */
export const startTracing = (): (() => Promise<void>) => {
  const provider = new NodeTracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': 'business-document-service' })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return () => provider.shutdown();
};
