import type { JsonSchema } from '../fields/json-schema.js';
import { isLimited, type Route } from '../route.js';
import { answerNames } from './answers.js';
import { type OperationDescription, operations } from './operations.js';
import { headerParameter, pathParameter, queryParameters } from './parameters.js';
import { requestBodyOf } from './request-body.js';
import { responsesOf } from './responses.js';
import { makeSchemaOf } from './schema-of.js';

type OpenApiDocument = {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: { readonly schemas: JsonSchema; readonly securitySchemes: JsonSchema };
} & Readonly<Record<string, unknown>>;

const { schemaOf, inlined } = makeSchemaOf(answerNames);

/** The path of a route as the document writes it: `:id` is named after what it identifies. */
const documentedPath = (path: string): string =>
  path
    .replace('/business/:id', '/business/{businessId}')
    .replace('/document/:id', '/document/{documentId}')
    .replace(/:(\w+)/g, '{$1}');

const parametersOf = (path: string, { query, headers = [] }: OperationDescription): ReadonlyArray<JsonSchema> => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name)),
  ...queryParameters(query, schemaOf),
  ...headers.map(headerParameter),
];

const accessOf = (route: Route): JsonSchema => {
  if (route.access === 'public') return { security: [] };
  const roles = `Roles: ${route.roles.join(', ')}.`;
  const past = 'past' in route ? ` An earlier state: ${route.past.join(', ')}.` : '';
  const security = [...(route.access === 'token' ? [] : [{}]), { bearer: [] }];
  return { security, description: roles + past };
};

const limited = (route: Route, { failures, ...described }: OperationDescription): OperationDescription => ({
  ...described,
  failures: isLimited(route) ? [...failures, 429] : failures,
});

const operationOf = (route: Route, path: string): JsonSchema => {
  const description = operations[route.operation];
  if (description === undefined) throw new Error(`the document does not describe the operation ${route.operation}`);
  return {
    operationId: route.operation,
    tags: [description.tag],
    summary: description.summary,
    ...accessOf(route),
    parameters: parametersOf(path, description),
    ...requestBodyOf(description, schemaOf),
    responses: responsesOf(limited(route, description), schemaOf),
  };
};

const pathsOf = (routes: ReadonlyArray<Route>): OpenApiDocument['paths'] => {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const path = documentedPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, path) };
  }
  return paths;
};

/** The OpenAPI 3.1 description of a route table. Throws when a row, or a codec that it uses, is not described. */
export const openApiDocument = (routes: ReadonlyArray<Route>): OpenApiDocument => ({
  openapi: '3.1.0',
  info: {
    title: 'Businesses and documents',
    version: '1.0.0',
    description:
      'Businesses with their owners, documents with their files, and the history of both. ' +
      'A path may end with a slash; HEAD comes with every GET. Lengths of text are counted in Unicode code points; ' +
      'half of a surrogate pair is no text. What cannot be read as a request is refused before any operation, by 400, ' +
      '408, 431, 501 or 505 with the Error object, and its connection is closed.',
  },
  servers: [{ url: '/' }],
  tags: [{ name: 'Business' }, { name: 'Document' }, { name: 'Operation' }],
  paths: pathsOf(routes),
  components: {
    schemas: Object.fromEntries([...answerNames].map(([codec, name]) => [name, inlined(codec)])),
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  },
});
