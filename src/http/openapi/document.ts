import type { JsonSchema } from '../fields/json-schema.js';
import { isLimited, type Route } from '../route.js';
import type { OperationDescription } from './operation-description.js';
import { headerParameter, pathParameter, queryParameters } from './parameters.js';
import { requestBodyOf } from './request-body.js';
import { eventResponse } from './response-schemas.js';
import { responsesOf, type Schemas } from './responses.js';
import { makeSchemaOf } from './schema-of.js';

type OpenApiDocument = {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: { readonly schemas: JsonSchema; readonly securitySchemes: JsonSchema };
} & Readonly<Record<string, unknown>>;

/** The path of a route as the document writes it: `/business/:id` has the parameter `businessId`. */
const documentedPath = (path: string): string =>
  path.replace(/(\w+)\/:id(?!\w)/g, '$1/{$1Id}').replace(/[:*](\w+)/g, '{$1}');

const parametersOf = (
  path: string,
  { query, requestHeaders = [] }: OperationDescription,
  { schemaOf }: Schemas,
): ReadonlyArray<JsonSchema> => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name)),
  ...queryParameters(query, schemaOf),
  ...requestHeaders.map(headerParameter),
];

const accessOf = (route: Route): JsonSchema => {
  if (route.access === 'public') return { security: [] };
  const roles = `Roles: ${route.roles.join(', ')}.`;
  const past = 'past' in route ? ` An earlier state: ${route.past.join(', ')}.` : '';
  const unknown = route.description.refusesUnknown === true ? ' Any other parameter of the query is 400.' : '';
  const security = [...(route.access === 'token' ? [] : [{}]), { bearer: [] }];
  return { security, description: roles + past + unknown };
};

const limited = (route: Route): OperationDescription => {
  const { failures, ...described } = route.description;
  return { ...described, failures: isLimited(route) ? [...failures, 429] : failures };
};

const operationOf = (route: Route, path: string, schemas: Schemas): JsonSchema => ({
  operationId: route.operation,
  tags: [route.description.tag],
  summary: route.description.summary,
  ...accessOf(route),
  parameters: parametersOf(path, route.description, schemas),
  ...requestBodyOf(route.description, schemas.schemaOf),
  responses: responsesOf(limited(route), schemas),
});

const pathsOf = (routes: ReadonlyArray<Route>, schemas: Schemas): OpenApiDocument['paths'] => {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const path = documentedPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, path, schemas) };
  }
  return paths;
};

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)];

/** The OpenAPI 3.1 description of a route table. Throws when a codec that a row uses is not described. */
export const openApiDocument = (routes: ReadonlyArray<Route>): OpenApiDocument => {
  const { schemaOf, components } = makeSchemaOf();
  const successes = routes.map(({ description }) => description.success);
  const entityTypes = distinct(successes.flatMap((success) => ('eventsOf' in success ? [success.eventsOf] : [])));
  const event = eventResponse(entityTypes);
  // the document lists the schemas of the entities first, then those that all of them share
  for (const success of successes) if (!('eventsOf' in success || 'mediaType' in success)) schemaOf(success);
  if (entityTypes.length > 0) schemaOf(event);
  const paths = pathsOf(routes, { schemaOf, event });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Businesses and documents',
      version: '1.0.0',
      description:
        'Businesses with their owners, documents with their files, and the history of both. ' +
        'A path may end with a slash; HEAD comes with every GET. Lengths of text are counted in Unicode code points; ' +
        'half of a surrogate pair is no text. What cannot be read as a request is refused before any operation, by ' +
        '400, 408, 431, 501 or 505 with the Error object, and its connection is closed.',
    },
    servers: [{ url: '/' }],
    tags: distinct(routes.map(({ description }) => description.tag)).map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(components),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
};
