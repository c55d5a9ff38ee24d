import { type HealthDeps, healthRoutes } from './health/routes.js';
import { openApiRoutes } from './openapi/routes.js';
import type { Route } from './route.js';

export type RoutesDeps = HealthDeps & {
  /** The rows of every kind of entity; none in a process that serves no entities, but only its health. */
  readonly entityRoutes?: ReadonlyArray<Route> | undefined;
};

/** The whole table. */
export const routesOf = ({ entityRoutes = [], ...health }: RoutesDeps): ReadonlyArray<Route> => {
  const routes = [...entityRoutes, ...healthRoutes(health)];
  return [...routes, ...openApiRoutes(routes)];
};
