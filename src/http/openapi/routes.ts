import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { JSON_TYPE } from '../response/http-response.js';
import { makeStaticContent, respondWithStatic, type StaticContent } from '../response/static-content.js';
import { pathOf } from '../request-context.js';
import type { Route } from '../route.js';
import type { DocsPage } from './docs-page.js';
import { openApiDocument } from './document.js';
import { yamlOf } from './yaml.js';

// RFC 9512, which gives it no charset: it is always UTF-8
const YAML_TYPE = 'application/yaml';

const operation = {
  tag: 'Operation',
  requestHeaders: ['Accept-Encoding', 'If-Match', 'If-None-Match'],
  responseHeaders: ['ETag', 'Content-Encoding'],
  otherStatuses: [304],
  failures: [400, 412, 500],
} as const;

/** The description of a route table, its own rows included, as of this version of the program, and a page to read it. */
export const openApiRoutes = (
  described: ReadonlyArray<Route>,
  version: string,
  { page, pageInFolder, assets }: DocsPage,
): ReadonlyArray<Route> => {
  const rows: ReadonlyArray<Route> = [
    {
      operation: 'openApi',
      description: { ...operation, summary: 'This document', success: t.UnknownRecord },
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      handle: (request) => respondWithStatic(json())(request),
    },
    {
      operation: 'openApiYaml',
      description: { ...operation, summary: 'This document as YAML', success: { mediaType: YAML_TYPE } },
      method: 'GET',
      path: '/openapi.yaml',
      access: 'public',
      handle: (request) => respondWithStatic(yaml())(request),
    },
    {
      operation: 'docs',
      description: { ...operation, summary: 'This document to read and to try', success: { mediaType: 'text/html' } },
      method: 'GET',
      path: '/docs',
      access: 'public',
      handle: (request) => respondWithStatic(pathOf(request.ctx).endsWith('/') ? pageInFolder : page)(request),
    },
    {
      operation: 'root',
      description: { ...operation, summary: 'Leads to that page', success: { mediaType: 'text/html' } },
      method: 'GET',
      path: '/',
      access: 'public',
      isRedirect: true,
      // relative, so that what a proxy has put before the path stays there
      handle: () => Promise.resolve(E.right({ status: 302, headers: ['Location', 'docs'] })),
    },
    {
      operation: 'docsAsset',
      description: {
        ...operation,
        summary: 'Scripts and styles of that page',
        success: { mediaType: '*/*' },
        failures: [...operation.failures, 404],
      },
      method: 'GET',
      path: '/docs/:asset',
      access: 'public',
      handle: (request) => {
        const asset = assets.get(request.params['asset'] ?? '');
        return asset === undefined
          ? Promise.resolve(E.left({ _tag: 'RouteNotFound' }))
          : respondWithStatic(asset)(request);
      },
    },
  ];
  // when it is first asked for: a start need not wait for it
  const composed = (contentType: string, write: (document: unknown) => string): (() => StaticContent) => {
    let made: StaticContent | undefined;
    const make = (): Buffer => Buffer.from(write(openApiDocument([...described, ...rows], version)));
    return () => (made ??= makeStaticContent(make(), { contentType }));
  };
  const json = composed(JSON_TYPE, JSON.stringify);
  const yaml = composed(YAML_TYPE, yamlOf);
  return rows;
};
