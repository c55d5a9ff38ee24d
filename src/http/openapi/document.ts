import type { JsonSchema } from '../fields/json-schema.js';
import { isProbe, type Route } from '../route.js';
import { type Ending, ENDING_HEADERS } from './ending.js';
import type { OperationDescription } from './operation-description.js';
import { headerParameter, pathParameter, queryParameters } from './parameters.js';
import { requestBodyOf } from './request-body.js';
import type { EntityEvents } from './entity-events.js';
import type { ResponseHeader } from './response-headers.js';
import { eventResponses } from './event-schemas.js';
import { responsesOf, type Schemas, sharedFailures } from './responses.js';
import { makeSchemaOf } from './schema-of.js';

type OpenApiDocument = {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: {
    readonly schemas: JsonSchema;
    readonly responses: JsonSchema;
    readonly securitySchemes: JsonSchema;
  };
} & Readonly<Record<string, unknown>>;

/** The path of a route as the document writes it: `/business/:id` has the parameter `businessId`. */
const documentedPath = (path: string): string =>
  path.replace(/(\w+)\/:id(?!\w)/g, '$1/{$1Id}').replace(/[:*](\w+)/g, '{$1}');

const parametersOf = (
  path: string,
  { query, requestHeaders = [] }: OperationDescription,
  { schemaOf }: Schemas,
): ReadonlyArray<JsonSchema> => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return [
    ...inPath.map(pathParameter),
    // generated clients have one argument for each name: what the path has is taken from a query too, and described once
    ...queryParameters(query, schemaOf).filter(({ name }) => !inPath.some((known) => known === name)),
    ...requestHeaders.map(headerParameter),
  ];
};

type Access = { readonly security: ReadonlyArray<JsonSchema>; readonly description: string };

const accessOf = (route: Route): Access => {
  if (route.access === 'public') return { security: [], description: 'Anybody; a token is not looked at.' };
  if (route.access === 'link') return { security: [], description: 'Whoever has the link; a token is not looked at.' };
  const roles = route.roles === 'any' ? 'Any good token, whatever its roles.' : `Roles: ${route.roles.join(', ')}.`;
  const past = 'past' in route ? ` An earlier state: ${route.past.join(', ')}.` : '';
  const unknown = route.description.refusesUnknown === true ? ' Any other parameter of the query is 400.' : '';
  const security = [...(route.access === 'token' ? [] : [{}]), { bearer: [] }];
  return { security, description: roles + past + unknown };
};

const endingHeadersOf = ({ ending }: OperationDescription): ReadonlyArray<ResponseHeader> =>
  ending === undefined ? [] : ENDING_HEADERS;

/** With what the router adds to every operation, and to all but the probes: strict handling, and the rate limit. */
const routed = (route: Route): OperationDescription => {
  const { requestHeaders = [], responseHeaders = [], failures } = route.description;
  const own = [...responseHeaders, ...endingHeadersOf(route.description)];
  // a request that cannot be read as one is refused whatever it was for
  if (isProbe(route)) return { ...route.description, responseHeaders: own, failures: [400, ...failures] };
  return {
    ...route.description,
    requestHeaders: [...requestHeaders, 'Prefer'],
    responseHeaders: [...own, 'Preference-Applied', 'RateLimit', 'RateLimit-Policy'],
    failures: [...new Set([...failures, 400, 429])],
  };
};

/** What the document says of an operation, also that it ends. */
const withEnding = (access: Access, ending: Ending | undefined): JsonSchema => {
  if (ending === undefined) return access;
  const ends = `Ends on ${ending.sunset.toISOString().slice(0, 10)}. ${ending.instead}`;
  return { ...access, description: `${access.description} ${ends}`, deprecated: true };
};

const operationOf = (route: Route, path: string, schemas: Schemas): JsonSchema => {
  const description = routed(route);
  return {
    operationId: route.operation,
    tags: [description.tag],
    summary: description.summary,
    ...withEnding(accessOf(route), description.ending),
    parameters: parametersOf(path, description, schemas),
    ...requestBodyOf(description, schemas.schemaOf),
    responses: responsesOf(description, schemas),
  };
};

const pathsOf = (routes: ReadonlyArray<Route>, schemas: Schemas): OpenApiDocument['paths'] => {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const path = documentedPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, path, schemas) };
  }
  return paths;
};

const distinct = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> => [...new Set(values)];

const tagMeanings: Readonly<Record<string, string>> = {
  Business: 'Businesses, their owners and their history.',
  Document: 'Documents, their files and their history.',
  Audit: 'The events of all records, for auditors.',
  'Transparency log': 'The tree over all events, signed, for anybody to verify with.',
  Caller: 'Who asks, and how much it may ask for.',
  Operation: 'How the service is, and this description.',
};

const tagOf = (name: string): JsonSchema => ({
  name,
  ...(Object.hasOwn(tagMeanings, name) ? { description: tagMeanings[name] } : {}),
});

const bearer = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    'A JWT that says who you are (`sub`) and what you may do (`roles`). Your identity provider issues it; for a trial, ' +
    'whoever runs the service prints one by `npm run -s token -- --role admin --user alice`. ' +
    'The page at `/docs` keeps it until its tab is closed.',
};

const info = {
  title: 'Businesses and documents',
  description:
    'Businesses with their owners, documents with their files, and the history of both. ' +
    'A path may end with a slash; HEAD comes with every GET. Lengths of text are counted in Unicode code points; ' +
    'half of a surrogate pair is no text. A parameter of the query that belongs to another operation is 400. ' +
    'What cannot be read as a request is refused before any operation, by 400, 408, 431, 501 or 505 with the ' +
    'Error object, and its connection is closed.',
  contact: { name: 'Whoever runs this service' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** The kinds of entities whose events the operations of a table answer. */
const entitiesIn = (routes: ReadonlyArray<Route>): ReadonlyArray<EntityEvents> =>
  distinct(
    routes.flatMap(({ description: { success } }) =>
      'eventsOf' in success && success.eventsOf !== 'all' ? [success.eventsOf] : [],
    ),
  );

/** A redirect is for people: the rules of descriptions ask each operation for a success. */
const isDescribed = (route: Route): boolean => !(route.access === 'public' && route.isRedirect === true);

/**
 * The OpenAPI 3.1 description of a route table, of a program of this version, but for redirects. Throws when a codec that a
 * row uses is not described.
 */
export const openApiDocument = (table: ReadonlyArray<Route>, version: string): OpenApiDocument => {
  const routes = table.filter(isDescribed);
  const { schemaOf, components } = makeSchemaOf();
  const schemas = { schemaOf, events: eventResponses(entitiesIn(routes)) };
  // the document lists the schemas of the entities first, then those that all of them share
  for (const { success } of routes.map(({ description }) => description))
    if (!('eventsOf' in success || 'mediaType' in success)) schemaOf(success);
  const paths = pathsOf(routes, schemas);
  const failures = distinct(routes.flatMap((route) => routed(route).failures)).toSorted((a, b) => a - b);
  const ofEndings = distinct(routes.flatMap(({ description }) => endingHeadersOf(description)));
  const responses = sharedFailures(failures, ofEndings, schemaOf);
  return {
    openapi: '3.1.0',
    info: { ...info, version },
    // relative to the address of the document, so that what a proxy has put before the path stays there
    servers: [{ url: '.', description: 'This service.' }],
    tags: distinct(routes.map(({ description }) => description.tag)).map(tagOf),
    paths,
    components: { schemas: Object.fromEntries(components), responses, securitySchemes: { bearer } },
  };
};
