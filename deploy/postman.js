// Reads the description of the API (/openapi.json) and writes a Postman collection (v2.1) with each operation in it.
// What may be left out of a request is there, switched off.
import { readFileSync } from 'node:fs';

const STANDARD_INPUT = 0;

const descriptionIn = (text) => {
  try {
    const { info, tags, paths } = JSON.parse(text);
    if (info && tags && paths) return { info, tags, paths };
  } catch {
    // said below
  }
  process.stderr.write(
    'The standard input is not the description of the API. Does the service run, and is it /openapi.json?\n',
  );
  process.exit(1);
};

const { info, tags, paths } = descriptionIn(readFileSync(STANDARD_INPUT, 'utf8'));

const FORM = 'multipart/form-data';

const exampleOf = ({ schema = {}, example }) => String(example ?? schema.examples?.[0] ?? '');

const field = (parameter) => ({
  key: parameter.name,
  value: exampleOf(parameter),
  description: parameter.description ?? '',
});

const optional = (parameter) => ({ ...field(parameter), disabled: parameter.required !== true });

const formField = (required, [name, schema]) =>
  name === 'file'
    ? { key: name, type: 'file', src: [], description: schema.description }
    : { ...field({ name, schema, description: schema.description }), type: 'text', disabled: !required.includes(name) };

const bodyOf = (mediaType, { schema, example }) => {
  if (mediaType === 'application/json') {
    const raw = JSON.stringify(example ?? {}, null, 2);
    return { mode: 'raw', raw, options: { raw: { language: 'json' } } };
  }
  if (mediaType !== FORM) return { mode: 'file' };
  const { properties, required = [] } = schema;
  return { mode: 'formdata', formdata: Object.entries(properties).map((each) => formField(required, each)) };
};

const requestOf = (method, path, { parameters, security, description }, mediaType, content) => {
  const within = (place) => parameters.filter((parameter) => parameter.in === place);
  // Postman writes {businessId} as :businessId
  const segments = path
    .slice(1)
    .replace(/\{(\w+)\}/g, ':$1')
    .split('/');
  // who sends a form sets its type, with the boundary
  const type = mediaType === undefined || mediaType === FORM ? [] : [{ key: 'Content-Type', value: mediaType }];
  return {
    method: method.toUpperCase(),
    description,
    ...(security.length === 0 ? { auth: { type: 'noauth' } } : {}),
    header: [...type, ...within('header').map(optional)],
    url: {
      raw: `{{baseUrl}}/${segments.join('/')}`,
      host: ['{{baseUrl}}'],
      path: segments,
      query: within('query').map(optional),
      variable: within('path').map(field),
    },
    ...(mediaType === undefined ? {} : { body: bodyOf(mediaType, content) }),
  };
};

/** One request for each media type that its body may have. */
const itemsOf = (method, path, operation) => {
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const made = bodies.length === 0 ? [[undefined, undefined]] : bodies;
  return made.map(([mediaType, content]) => ({
    name: bodies.length > 1 && mediaType === FORM ? `${operation.summary} (form)` : operation.summary,
    request: requestOf(method, path, operation, mediaType, content),
    response: [],
  }));
};

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);

const folderOf = ({ name, description }) => ({
  name,
  description,
  item: operations
    .filter(({ operation }) => operation.tags[0] === name)
    .flatMap(({ method, path, operation }) => itemsOf(method, path, operation)),
});

const collection = {
  info: {
    name: info.title,
    description: info.description,
    version: info.version,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  variable: [
    { key: 'baseUrl', value: 'http://localhost:3000' },
    { key: 'token', value: '' },
  ],
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
  item: tags.map(folderOf),
};

process.stdout.write(`${JSON.stringify(collection, null, 2)}\n`);
