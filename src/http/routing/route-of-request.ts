import type { IncomingMessage } from 'node:http';

const routes = new WeakMap<IncomingMessage, string>();

/** Notes the path of the row that a request has come to, or that has its path, parameters as `:name`. */
export const noteRoute = (request: IncomingMessage, path: string): void => void routes.set(request, path);

/** The path of its row, for whoever names requests by it; undefined of one that no row takes. */
export const routeOf = (request: IncomingMessage): string | undefined => routes.get(request);
