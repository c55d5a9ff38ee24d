import { businessRoutes } from './business/routes.js';
import { documentRoutes } from './document/routes.js';
import { type HealthDeps, healthRoutes } from './health/routes.js';
import { openApiRoutes } from './openapi/routes.js';
import type { Route } from './route.js';
import type { Service } from './service.js';

export type RoutesDeps = HealthDeps & {
  readonly service: Service;
  /** Whether the document list may be read without a token. */
  readonly publicDocumentList: boolean;
  /** Largest file, bytes. */
  readonly maxUploadBytes: number;
  /** Further rows of the table; the API description leaves them out. */
  readonly routes?: ReadonlyArray<Route>;
};

const operationsOf = (deps: RoutesDeps): ReadonlyArray<Route> => [
  ...businessRoutes(deps.service.businesses),
  ...documentRoutes(deps.service.documents, {
    isListPublic: deps.publicDocumentList,
    maxUploadBytes: deps.maxUploadBytes,
  }),
  ...healthRoutes(deps),
];

/** The whole table: everything the service answers to. */
export const routesOf = (deps: RoutesDeps): ReadonlyArray<Route> => {
  const operations = operationsOf(deps);
  return [...operations, ...openApiRoutes(operations), ...(deps.routes ?? [])];
};
