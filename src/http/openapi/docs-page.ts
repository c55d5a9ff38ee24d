import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeStaticContent, type StaticContent } from '../response/static-content.js';

// Where the page's parts are installed; the package's main module would start a server's worth of dependencies.
const distribution = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

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

const written = (contentType: string, text: string, contentSecurityPolicy?: string): Promise<StaticContent> =>
  makeStaticContent(Buffer.from(text), {
    contentType,
    ...(contentSecurityPolicy === undefined ? {} : { contentSecurityPolicy }),
  });

const installed = async (contentType: string, name: string): Promise<StaticContent> =>
  makeStaticContent(await readFile(path.join(distribution, name)), { contentType });

const load = (): DocsPage => {
  const page = written(HTML, PAGE, contentSecurityPolicy);
  const assets = new Map([
    ['init.js', written(SCRIPT, INIT)],
    ['swagger-ui.css', installed(STYLE, 'swagger-ui.css')],
    ['swagger-ui-bundle.js', installed(SCRIPT, 'swagger-ui-bundle.js')],
  ]);
  // a part that cannot be read is the failure of the requests for it; unhandled, it would end the process
  for (const part of assets.values()) part.catch(() => undefined);
  return { page, assets };
};

let loaded: DocsPage | undefined;

/** The page, read and compressed once for each process, in the background; the first requests may wait for it. */
export const docsPage = (): DocsPage => (loaded ??= load());
