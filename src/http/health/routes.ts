import { either as E } from 'fp-ts';
import type { Roles } from '../authentication/roles.js';
import type { Failure } from '../problem/failure.js';
import type { Answer } from '../response/answer.js';
import type { Route } from '../route.js';

/** What the service still lacks to do its work (nothing: it is ready), and what is amiss although it does it. */
type Readiness = { readonly missing: ReadonlyArray<string>; readonly warnings?: ReadonlyArray<string> };

/** The figures of the process in the form of a scraper. */
type MetricsText = { readonly contentType: string; readonly body: string };

export type HealthDeps = {
  /** Answers soon, whatever is away. */
  readonly readiness: () => Promise<Readiness>;
  readonly metrics?: (() => Promise<MetricsText>) | undefined;
};

// Said by the contract in so many words; an editor is not among them.
const scrapers: Roles = ['auditor', 'admin'];

const ready = async (readiness: HealthDeps['readiness']): Promise<E.Either<Failure, Answer>> => {
  const { missing, warnings = [] } = await readiness();
  if (missing.length > 0) return E.left({ _tag: 'NotReady', missing });
  const told = warnings.length === 0 ? {} : { warnings };
  return E.right({ status: 200, body: JSON.stringify({ status: 'ready', ...told }) });
};

const metricsRoute = (metrics: () => Promise<MetricsText>): Route => ({
  operation: 'metrics',
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
    method: 'GET',
    path: '/livez',
    access: 'public',
    isProbe: true,
    handle: () => Promise.resolve(E.right({ status: 200, body: '{"status":"alive"}' })),
  },
  {
    operation: 'readyz',
    method: 'GET',
    path: '/readyz',
    access: 'public',
    isProbe: true,
    handle: () => ready(readiness),
  },
  ...(metrics === undefined ? [] : [metricsRoute(metrics)]),
];
