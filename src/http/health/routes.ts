import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import type { Caller, Roles } from '../authentication/roles.js';
import { acceptToken } from '../authentication/static-token.js';
import { explain } from '../fields/json-schema.js';
import { checks } from '../openapi/response-schemas.js';
import type { Failure } from '../problem/failure.js';
import type { HttpResponse } from '../response/http-response.js';
import type { Route } from '../route.js';

/** How each part is, what the service needs and does not have (nothing: it is ready), and what an operator should look after. */
type Readiness = {
  readonly checks: Readonly<Record<string, string>>;
  readonly missing: ReadonlyArray<string>;
  readonly warnings?: ReadonlyArray<string>;
};

/** The metrics of the process in the format of the scraper. */
type MetricsText = { readonly contentType: string; readonly body: string };

export type HealthDeps = {
  /** Resolves soon, whatever is away. */
  readonly readiness: () => Promise<Readiness>;
  readonly metrics?: (() => Promise<MetricsText>) | undefined;
  /** What a scraper may send in place of a token that names a caller; undefined: nothing. */
  readonly metricsToken?: string | undefined;
};

// The contract names these two; an editor is not among them.
const scrapers: Roles = ['auditor', 'admin'];

/** Who sends the configured token. A scraper has no user name. The log shows the name of the setting. */
const scraper: Caller = { subject: 'METRICS_TOKEN', roles: ['auditor'], expiresAt: Infinity };

/** Whether the service can work, as an answer. */
export const ready = async (readiness: HealthDeps['readiness']): Promise<E.Either<Failure, HttpResponse>> => {
  const { checks: parts, missing, warnings = [] } = await readiness();
  if (missing.length > 0) return E.left({ _tag: 'NotReady', missing, checks: parts });
  const shown = warnings.length === 0 ? {} : { warnings };
  return E.right({ status: 200, body: JSON.stringify({ status: 'ready', checks: parts, ...shown }) });
};

const healthMeanings = {
  status: 'alive, or ready.',
  checks: 'How each part of the service is.',
  warnings: 'What an operator should look after, although the service works.',
};

const HealthResponse = explain(healthMeanings, t.type({ status: t.string }));

/** `warnings` only where there are any: the service works, but an operator should look after it. */
const ReadinessResponse = explain(
  healthMeanings,
  t.intersection([t.type({ status: t.string, checks }), t.partial({ warnings: t.array(t.string) })]),
);

const tag = 'Operation';

const metricsRoute = (metrics: () => Promise<MetricsText>, token: string | undefined): Route => ({
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
  ...(token === undefined ? {} : { authenticate: acceptToken(token, scraper) }),
  handle: async () => E.right({ status: 200, ...(await metrics()) }),
});

/** Whether the process lives, whether it can work, and (where there are any) its figures. */
export const healthRoutes = ({ readiness, metrics, metricsToken }: HealthDeps): ReadonlyArray<Route> => [
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
  ...(metrics === undefined ? [] : [metricsRoute(metrics, metricsToken)]),
];
