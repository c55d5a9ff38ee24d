import { type HealthDeps, healthRoutes } from './health/routes.js';
import type { DocsPage } from './openapi/docs-page.js';
import { openApiRoutes } from './openapi/routes.js';
import type { Route } from './route.js';

export type RoutesDeps = HealthDeps & {
  /** The rows of every kind of entity; none in a process that serves no entities, but only its health. */
  readonly entityRoutes?: ReadonlyArray<Route> | undefined;
  /** The row about who asks; none in a process that serves no entities. */
  readonly callerRoutes?: ReadonlyArray<Route> | undefined;
  /** The rows for auditors; none where they are switched off. */
  readonly auditRoutes?: ReadonlyArray<Route> | undefined;
  /** The rows of the transparency log; none where nothing is signed. */
  readonly tlogRoutes?: ReadonlyArray<Route> | undefined;
  readonly docsPage: DocsPage;
  /** Of this program. */
  readonly version: string;
};

/** The whole table. */
export const routesOf = ({
  entityRoutes = [],
  callerRoutes = [],
  auditRoutes = [],
  tlogRoutes = [],
  docsPage,
  version,
  ...health
}: RoutesDeps): ReadonlyArray<Route> => {
  const routes = [...entityRoutes, ...callerRoutes, ...auditRoutes, ...tlogRoutes, ...healthRoutes(health)];
  return [...routes, ...openApiRoutes(routes, version, docsPage)];
};
