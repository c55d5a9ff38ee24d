import { either as E } from 'fp-ts';
import { JSON_TYPE } from '../response/answer.js';
import { answerStatic, makeStaticContent } from '../response/static-content.js';
import type { Route } from '../route.js';
import { docsPage } from './docs-page.js';
import { openApiDocument } from './document.js';

/** The description of a route table, its own rows included, and a page to read it. */
export const openApiRoutes = (described: ReadonlyArray<Route>): ReadonlyArray<Route> => {
  const { page, assets } = docsPage();
  const rows: ReadonlyArray<Route> = [
    {
      operation: 'openApi',
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      handle: (exchange) => answerStatic(description)(exchange),
    },
    { operation: 'docs', method: 'GET', path: '/docs', access: 'public', handle: answerStatic(page) },
    {
      operation: 'docsAsset',
      method: 'GET',
      path: '/docs/:asset',
      access: 'public',
      handle: (exchange) => {
        const asset = assets.get(exchange.params['asset'] ?? '');
        return asset === undefined ? Promise.resolve(E.left({ _tag: 'RouteNotFound' })) : answerStatic(asset)(exchange);
      },
    },
  ];
  const text = JSON.stringify(openApiDocument([...described, ...rows]));
  const description = makeStaticContent(Buffer.from(text), { contentType: JSON_TYPE });
  return rows;
};
