import { taskEither as TE } from 'fp-ts';
import type { Route } from '../route.js';
import { docsAsset, docsPage } from './docs-page.js';
import { openApiDocument } from './document.js';

/** The description of a route table, its own rows included, and a page to read it. */
export const openApiRoutes = (described: ReadonlyArray<Route>): ReadonlyArray<Route> => {
  const rows: ReadonlyArray<Route> = [
    {
      operation: 'openApi',
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      handle: () => TE.right({ status: 200, body: text }),
    },
    { operation: 'docs', method: 'GET', path: '/docs', access: 'public', handle: () => TE.right(docsPage) },
    {
      operation: 'docsAsset',
      method: 'GET',
      path: '/docs/:asset',
      access: 'public',
      handle: ({ params }) => TE.fromNullable({ _tag: 'RouteNotFound' as const })(docsAsset(params['asset'] ?? '')),
    },
  ];
  const text = JSON.stringify(openApiDocument([...described, ...rows]));
  return rows;
};
