import type { openApiDocument } from '../../../src/http/openapi/document.js';
import { errorCodes } from '../../../src/http/problem/error-codes.js';
import type { Route } from '../../../src/http/route.js';

type Schema = {
  readonly $ref?: string;
  readonly type?: string | ReadonlyArray<string>;
  readonly const?: unknown;
  readonly enum?: ReadonlyArray<unknown>;
  readonly anyOf?: ReadonlyArray<Schema>;
  readonly oneOf?: ReadonlyArray<Schema>;
  readonly allOf?: ReadonlyArray<Schema>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: ReadonlyArray<string>;
  readonly items?: Schema;
};

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

type Operation = {
  readonly operationId: string;
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string; readonly required?: boolean }>;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content; readonly headers?: object }>>;
};

/** The payloads of events are held by the fixtures of the events themselves. */
const OF_EVENTS = 'data';

/** What clients may rely on of a description of the API, one promise a line, sorted: see docs/versioning.md. */
export const promisesOf = (table: ReadonlyArray<Route>, document: ReturnType<typeof openApiDocument>) => {
  // reason: the document is its own JSON; these are the members that every schema of ours may have
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>;

  /** The alternatives of a schema, none of which is a reference or a choice. */
  const flat = (schema: Schema): ReadonlyArray<Schema> => {
    const { $ref, anyOf = [], oneOf = [], allOf = [] } = schema;
    const referred = $ref === undefined ? [] : [schemas[$ref.split('/').at(-1) ?? ''] ?? {}];
    return [schema, ...[...referred, ...anyOf, ...oneOf, ...allOf].flatMap(flat)];
  };

  const typesOf = (schema: Schema): ReadonlyArray<string> => {
    const types = flat(schema).flatMap((each) => {
      const { type = [], const: only, enum: some = [] } = each;
      const values = ['const' in each ? only : [], some].flat();
      return [type, values.map((value) => (value === null ? 'null' : typeof value))].flat();
    });
    return [...new Set(types)].sort();
  };

  /** Each member of a body, at whatever depth, by its path, with the types of its values. */
  const membersOf = (schema: Schema, path = ''): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
    const parts = flat(schema);
    const members = new Map<string, Array<Schema>>();
    for (const { properties = {} } of parts)
      for (const [name, member] of Object.entries(properties))
        members.set(name, [...(members.get(name) ?? []), member]);
    const items = parts.flatMap((part) => (part.items === undefined ? [] : [part.items]));
    return [
      ...(items.length === 0 ? [] : membersOf({ anyOf: items }, `${path}[]`)),
      ...[...members].flatMap(([name, given]) => {
        const at = `${path}.${name}`;
        const member = { anyOf: given };
        return [[at, typesOf(member)] as const, ...(name === OF_EVENTS ? [] : membersOf(member, at))];
      }),
    ];
  };

  const inputs = ({ parameters, requestBody }: Operation): ReadonlyArray<string> => [
    ...parameters.map(({ name, in: where, required }) => `${required === true ? 'needs' : 'takes'} ${where} ${name}`),
    ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema = {} }]) => [
      `takes ${type}`,
      ...flat(schema).flatMap(({ required = [] }) => required.map((name) => `needs ${type} .${name}`)),
      ...membersOf(schema).flatMap(([path, types]) => types.map((one) => `takes ${type} ${path} ${one}`)),
    ]),
  ];

  const outputs = ({ responses }: Operation): ReadonlyArray<string> =>
    Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([status, { content = {}, headers = {} }]) => [
        ...Object.keys(headers).map((name) => `answers ${status} header ${name}`),
        ...Object.entries(content).flatMap(([type, { schema = {} }]) => [
          `answers ${status} ${type}`,
          ...membersOf(schema).map(([path, types]) => `answers ${status} ${type} ${path} ${types.join('|')}`),
        ]),
      ]);

  const rolesOf = (operation: string): ReadonlyArray<string> =>
    table.flatMap((route) =>
      route.operation === operation && 'roles' in route ? [route.roles].flat().map((role) => `for ${role}`) : [],
    );

  const ofOperations = Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, described]) => {
        const operation = described as Operation; // reason: as above
        const said = [...inputs(operation), ...outputs(operation), ...rolesOf(operation.operationId)];
        return [operation.operationId, ...said].map((line) => `${method.toUpperCase()} ${path} ${line}`);
      }),
    );
  return [...new Set([...ofOperations, ...Object.keys(errorCodes).map((code) => `code ${code}`)])].sort();
};
