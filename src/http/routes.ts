import { type HealthDeps, healthRoutes } from './health/routes.js';
import { openApiRoutes } from './openapi/routes.js';
import type { Route } from './route.js';

export type RoutesDeps = HealthDeps & {
  /** The rows of every kind of entity; none: the process only tells how it is. */
  readonly entityRoutes?: ReadonlyArray<Route> | undefined;
  /** Further rows of the table; the API description leaves them out. */
  readonly routes?: ReadonlyArray<Route>;
};

/** The whole table: everything the service answers to. */
export const routesOf = ({ entityRoutes = [], routes = [], ...health }: RoutesDeps): ReadonlyArray<Route> => {
  const described = [...entityRoutes, ...healthRoutes(health)];
  return [...described, ...openApiRoutes(described), ...routes];
};
