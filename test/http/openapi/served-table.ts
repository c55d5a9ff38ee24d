import type { Route } from '../../../src/http/route.js';
import { routesOf } from '../../../src/http/routes.js';
import { docsPage } from '../../support/docs-page.js';
import { memoryPorts, routesOver } from '../../support/memory-ports.js';

/** The table of routes as it is served, but for the rows of auditors and of the transparency log. */
export const servedTable = async (): Promise<ReadonlyArray<Route>> => {
  const { ports, close } = await memoryPorts();
  const readiness = () => Promise.resolve({ checks: {}, missing: [] });
  const table = routesOf({ docsPage, version: '0.0.0', entityRoutes: await routesOver(ports), readiness });
  await close();
  return table;
};
