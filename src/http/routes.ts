import { businessRoutes } from './business/routes.js';
import { documentRoutes } from './document/routes.js';
import { type HealthDeps, healthRoutes } from './health/routes.js';
import { openApiRoutes } from './openapi/routes.js';
import type { Route } from './route.js';
import type { Service } from './service.js';

export type RoutesDeps = HealthDeps & {
  /** Undefined: the process only tells how it is. */
  readonly service: Service | undefined;
  /** Whether the document list may be read without a token. */
  readonly publicDocumentList: boolean;
  /** Largest file, bytes. */
  readonly maxUploadBytes: number;
  /** Further rows of the table; the API description leaves them out. */
  readonly routes?: ReadonlyArray<Route>;
};

const serviceRoutes = (
  { businesses, documents }: Service,
  { publicDocumentList, maxUploadBytes }: RoutesDeps,
): ReadonlyArray<Route> => [
  ...businessRoutes(businesses),
  ...documentRoutes(documents, { isListPublic: publicDocumentList, maxUploadBytes }),
];

const operationsOf = (deps: RoutesDeps): ReadonlyArray<Route> => [
  ...(deps.service === undefined ? [] : serviceRoutes(deps.service, deps)),
  ...healthRoutes(deps),
];

/** The whole table: everything the service answers to. */
export const routesOf = (deps: RoutesDeps): ReadonlyArray<Route> => {
  const operations = operationsOf(deps);
  return [...operations, ...openApiRoutes(operations), ...(deps.routes ?? [])];
};
