import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import type { Roles } from '../authentication/roles.js';
import type { Failure } from '../problem/failure.js';
import type { HttpResponse } from '../response/http-response.js';
import type { Route } from '../route.js';

/** What the service needs and does not have (nothing: it is ready), and what an operator should look after. */
type Readiness = { readonly missing: ReadonlyArray<string>; readonly warnings?: ReadonlyArray<string> };

/** The metrics of the process in the format of the scraper. */
type MetricsText = { readonly contentType: string; readonly body: string };

export type HealthDeps = {
  /** Resolves soon, whatever is away. */
  readonly readiness: () => Promise<Readiness>;
  readonly metrics?: (() => Promise<MetricsText>) | undefined;
};

// The contract names these two; an editor is not among them.
const scrapers: Roles = ['auditor', 'admin'];

const ready = async (readiness: HealthDeps['readiness']): Promise<E.Either<Failure, HttpResponse>> => {
  const { missing, warnings = [] } = await readiness();
  if (missing.length > 0) return E.left({ _tag: 'NotReady', missing });
  const shown = warnings.length === 0 ? {} : { warnings };
  return E.right({ status: 200, body: JSON.stringify({ status: 'ready', ...shown }) });
};

const HealthResponse = t.type({ status: t.string });

/** `warnings` only where there are any: the service works, but an operator should look after it. */
const ReadinessResponse = t.intersection([HealthResponse, t.partial({ warnings: t.array(t.string) })]);

const tag = 'Operation';

const metricsRoute = (metrics: () => Promise<MetricsText>): Route => ({
  operation: 'metrics',
  description: {
    tag,
    summary: 'Figures of the process',
    success: { mediaType: 'text/plain' },
    failures: [401, 500, 503],
  },
  method: 'GET',
  path: '/metrics',
  access: 'token',
  roles: scrapers,
  handle: async () => E.right({ status: 200, ...(await metrics()) }),
});

/** Whether the process lives, whether it can work, and (where there are any) its figures. */
export const healthRoutes = ({ readiness, metrics }: HealthDeps): ReadonlyArray<Route> => [
  {
    operation: 'livez',
    description: { tag, summary: 'Whether the process lives', success: HealthResponse, failures: [500] },
    method: 'GET',
    path: '/livez',
    access: 'public',
    isProbe: true,
    handle: () => Promise.resolve(E.right({ status: 200, body: '{"status":"alive"}' })),
  },
  {
    operation: 'readyz',
    description: {
      tag,
      summary: 'Whether the service can do its work, and what to look after',
      success: ReadinessResponse,
      failures: [500, 503],
    },
    method: 'GET',
    path: '/readyz',
    access: 'public',
    isProbe: true,
    handle: () => ready(readiness),
  },
  ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
];
