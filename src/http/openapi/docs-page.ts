import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Answer } from '../response/answer.js';

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

// Unless told otherwise Swagger UI sends the fields of a form that were left empty, which would clear them in an update.
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

const installed: Readonly<Record<string, string>> = {
  'swagger-ui.css': STYLE,
  'swagger-ui-bundle.js': SCRIPT,
};

export const docsPage: Answer = { status: 200, contentType: HTML, contentSecurityPolicy, body: PAGE };

/** A part of the page by its name; undefined when it has none of that name. */
export const docsAsset = (name: string): Answer | undefined => {
  if (name === 'init.js') return { status: 200, contentType: SCRIPT, body: INIT };
  const contentType = Object.hasOwn(installed, name) ? installed[name] : undefined;
  if (contentType === undefined) return undefined;
  return { status: 200, contentType, body: createReadStream(path.join(distribution, name)) };
};
