import { createRequire } from 'node:module';
import path from 'node:path';
import { errorCodes } from '../problem/error-codes.js';
import { makeStaticContent, type StaticContent } from '../response/static-content.js';

const resolve = createRequire(import.meta.url).resolve;

// Where the page's parts are installed. Importing the package's main module would load its server's dependencies too.
const distribution = path.dirname(resolve('swagger-ui-dist/package.json'));

// our own parts, beside `src` and `dist`
const ours = path.join(path.dirname(resolve('#package.json')), 'docs-page');

const SCRIPT = { contentType: 'text/javascript; charset=utf-8' };
const STYLE = { contentType: 'text/css; charset=utf-8' };

// Swagger UI sets styles on its elements; nothing but our own files is ever loaded.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Where `type` of an error as problem details leads. */
const codes = Object.entries(errorCodes).map(([code, meaning]) => `<dt id="${code}">${code}</dt><dd>${meaning}</dd>`);

/** The page, whose parts are at `folder` of its own address: what a proxy has put before the path stays there. */
const pageWith = (folder: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Businesses and documents: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}swagger-ui.css">
<link rel="stylesheet" href="${folder}style.css">
</head>
<body>
<div id="swagger-ui"></div>
<section class="error-codes">
<h2>Codes of errors</h2>
<dl>${codes.join('\n')}</dl>
</section>
<script src="${folder}swagger-ui-bundle.js"></script>
<script src="${folder}init.js"></script>
</body>
</html>
`;

/** The page, at an address with a slash at its end and without one, and its parts by name. */
export type DocsPage = {
  readonly page: StaticContent;
  readonly pageInFolder: StaticContent;
  readonly assets: ReadonlyMap<string, Promise<StaticContent>>;
};

/** The page. Its parts are read in the background; the first requests may wait for them. */
export const loadDocsPage = (readFile: (file: string) => Promise<Buffer>): DocsPage => {
  const read = async (folder: string, name: string, described: StaticContent['described']): Promise<StaticContent> =>
    makeStaticContent(await readFile(path.join(folder, name)), described);
  const html = { contentType: 'text/html; charset=utf-8', contentSecurityPolicy };
  const at = (folder: string): StaticContent => makeStaticContent(Buffer.from(pageWith(folder)), html);
  const [page, pageInFolder] = [at('docs/'), at('')];
  const assets = new Map([
    ['init.js', read(ours, 'init.js', SCRIPT)],
    ['style.css', read(ours, 'style.css', STYLE)],
    ['swagger-ui.css', read(distribution, 'swagger-ui.css', STYLE)],
    ['swagger-ui-bundle.js', read(distribution, 'swagger-ui-bundle.js', SCRIPT)],
  ]);
  // a part that cannot be read fails the requests for it; unhandled here, it would end the process
  for (const part of assets.values()) part.catch(() => undefined);
  return { page, pageInFolder, assets };
};
