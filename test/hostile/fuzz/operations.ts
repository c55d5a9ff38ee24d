import type { Schema } from '../../support/arbitrary-of-schema.js';
import type { Described } from '../../support/conforms.js';

type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
  readonly description?: string;
};

/** An operation as the document describes it. */
export type Operation = {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  /** `/api/v1/business/{businessId}`. */
  readonly template: string;
  readonly parameters: ReadonlyArray<Parameter>;
  readonly json: Schema | undefined;
  readonly form: Schema | undefined;
  /** Whether its body is a file. */
  readonly isOfFile: boolean;
  readonly statuses: ReadonlyArray<number>;
  /** None: a token is not looked at, unless any is good enough. */
  readonly roles: ReadonlyArray<string>;
  /** Whether a good token is enough, whatever its roles are. */
  readonly isForAnyRole: boolean;
  /** Who may ask for an earlier state, where that is somebody else. */
  readonly past: ReadonlyArray<string>;
};

type DescribedOperation = {
  readonly operationId: string;
  readonly description?: string;
  readonly security: ReadonlyArray<object>;
  readonly parameters: ReadonlyArray<Parameter>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
};

const namesAfter = (label: string, description = ''): ReadonlyArray<string> =>
  new RegExp(`${label}: ([\\w, ]+)\\.`).exec(description)?.[1]?.split(', ') ?? [];

/** What a listing does not look at: requests for feeds, which do not end, are not among those that are made. */
const isOfFeeds = ({ description = '' }: Parameter): boolean => description.startsWith('Of a feed:');

/** The schema that a reference is to, else itself. */
const referred = (
  { components }: Described,
  schema: (Schema & { readonly $ref?: string }) | undefined,
): Schema | undefined =>
  // reason: the document is checked to be valid OpenAPI by a test of its own
  schema?.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1) ?? ''];

const operationOf = (
  document: Described,
  template: string,
  method: string,
  described: DescribedOperation,
): Operation => {
  const { operationId, description, security, parameters, requestBody, responses } = described;
  const isForAnyRole = description?.startsWith('Any good token') === true;
  if (security.length > 0 && !isForAnyRole && namesAfter('Roles', description).length === 0)
    throw new Error(`the document does not name the roles of ${operationId}`);
  return {
    id: operationId,
    method: method.toUpperCase(),
    template,
    parameters: parameters.filter((parameter) => !isOfFeeds(parameter)),
    json: referred(document, requestBody?.content['application/json']?.schema),
    form: requestBody?.content['multipart/form-data']?.schema,
    isOfFile: requestBody?.content['application/octet-stream'] !== undefined,
    statuses: Object.keys(responses).map(Number),
    roles: namesAfter('Roles', description),
    isForAnyRole,
    past: namesAfter('An earlier state', description),
  };
};

/** Whether it answers nothing but a feed, which does not end: that is asked for by no request. */
const isFeed = ({ responses }: DescribedOperation): boolean =>
  Object.keys(responses['200']?.content ?? {}).join() === 'text/event-stream';

/** Every operation of a document whose answers end, in its order. */
export const operationsOf = (document: Described): ReadonlyArray<Operation> =>
  Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).flatMap(([method, given]) => {
      // reason: the document is checked to be valid OpenAPI by a test of its own
      const described = given as unknown as DescribedOperation;
      return isFeed(described) ? [] : [operationOf(document, template, method, described)];
    }),
  );

/** Whether its path has a ticket, which a link has brought. */
export const isByLink = ({ template }: Operation): boolean => template.endsWith('/{ticket}');

/** Whether it answers the file of a record, or a link to it. */
export const isAboutFile = ({ statuses, template }: Operation): boolean =>
  statuses.includes(206) || /Id\}\/link$/.test(template);

export const isPublic = ({ roles, isForAnyRole }: Operation): boolean => roles.length === 0 && !isForAnyRole;

export const takes = ({ parameters }: Operation, where: Parameter['in'], name: string): boolean =>
  parameters.some((parameter) => parameter.in === where && parameter.name === name);

export const queryOf = ({ parameters }: Operation): ReadonlyArray<Parameter> =>
  parameters.filter((parameter) => parameter.in === 'query');

export const documents = ({ statuses }: Operation, status: number): boolean => statuses.includes(status);

/** Whether it adds a part, which must be none yet, to a record that is there. */
export const addsPart = ({ method, template, json }: Operation): boolean =>
  method === 'POST' && template.includes('{') && json?.required?.includes('user') === true;

/** Names of the path parameters, from the left. */
export const pathNames = (template: string): ReadonlyArray<string> =>
  [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const parentOf = (template: string): string => template.slice(0, template.lastIndexOf('/'));

/** By parameter: the POST on the path before it, which makes what the parameter names. */
export const providersOf = (operations: ReadonlyArray<Operation>): ReadonlyMap<string, Operation> =>
  new Map(
    operations.flatMap(({ template }) => {
      const name = /\{(\w+)\}$/.exec(template)?.[1];
      const provider = operations.find((other) => other.method === 'POST' && other.template === parentOf(template));
      return name === undefined || provider === undefined ? [] : [[name, provider] as const];
    }),
  );

/** The values of a template's parameters in a path that fits it, percent-decoded. */
export const matchTemplate = (template: string, path: string): ReadonlyMap<string, string> | undefined => {
  const names = pathNames(template);
  const pattern = template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '([^/]+)');
  const values = new RegExp(`^${pattern}/?$`).exec(path)?.slice(1);
  return values && new Map(names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]));
};
