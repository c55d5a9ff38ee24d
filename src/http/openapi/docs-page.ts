import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeStaticContent, type StaticContent } from '../response/static-content.js';

// Where the page's parts are installed. Importing the package's main module would load its server's dependencies too.
const distribution = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

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

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Businesses and documents: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/init.js"></script>
</body>
</html>
`;

// By default Swagger UI sends the fields of a form that were left empty, which would clear them in an update.
const INIT = `const leaveEmptyOut = () => ({
  wrapComponents: {
    ParameterIncludeEmpty: (Original, { React }) => (props) =>
      React.createElement(Original, { ...props, isIncludedOptions: { ...props.isIncludedOptions, defaultValue: false } }),
  },
});
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  validatorUrl: null,
  deepLinking: true,
  plugins: [leaveEmptyOut],
});
`;

/** The page and its parts by name. */
type DocsPage = { readonly page: Promise<StaticContent>; readonly assets: ReadonlyMap<string, Promise<StaticContent>> };

const installed = async (name: string, described: StaticContent['described']): Promise<StaticContent> =>
  makeStaticContent(await readFile(path.join(distribution, name)), described);

const load = (): DocsPage => {
  const page = makeStaticContent(Buffer.from(PAGE), { contentType: 'text/html; charset=utf-8', contentSecurityPolicy });
  const assets = new Map([
    ['init.js', makeStaticContent(Buffer.from(INIT), SCRIPT)],
    ['swagger-ui.css', installed('swagger-ui.css', STYLE)],
    ['swagger-ui-bundle.js', installed('swagger-ui-bundle.js', SCRIPT)],
  ]);
  // a part that cannot be read fails the requests for it; unhandled here, it would end the process
  for (const part of assets.values()) part.catch(() => undefined);
  return { page, assets };
};

let loaded: DocsPage | undefined;

/** The page, read and compressed once for each process, in the background; the first requests may wait for it. */
export const docsPage = (): DocsPage => (loaded ??= load());
