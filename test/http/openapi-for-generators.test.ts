import { expect } from 'chai';
import { auditTable } from '../support/audit-table.js';
import type { Paths } from '../support/conforms.js';
import { startMemoryStack } from '../support/memory-stack.js';

type Content = Readonly<Record<string, { readonly schema?: object }>>;

type Operation = {
  readonly operationId: string;
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly in: string }>;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};

type Described = {
  readonly paths: Paths<Operation>;
  readonly components: { readonly schemas: object; readonly responses: Operation['responses'] };
};

const IDENTIFIER = /^[A-Za-z][A-Za-z0-9]*$/;

/** The places of a document, as JSON Pointers, at which an object is one of those that are looked for. */
const placesOf = (document: object, isMeant: (value: Readonly<Record<string, unknown>>) => boolean): Array<string> => {
  const visit = (value: unknown, at: string): Array<string> => {
    if (typeof value !== 'object' || value === null) return [];
    // reason: an array is looked into by its indices
    const members = value as Readonly<Record<string, unknown>>;
    const within = Object.entries(members).flatMap(([key, member]) => visit(member, `${at}/${key}`));
    return isMeant(members) ? [at, ...within] : within;
  };
  return visit(document, '');
};

const repeated = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name, index) => names.indexOf(name) !== index);

describe('the description of the API, for generators of clients', () => {
  let document: Described;
  let operations: ReadonlyArray<Operation>;

  before(async () => {
    const metrics = () => Promise.resolve({ contentType: 'text/plain', body: '' });
    const stack = await startMemoryStack({ routes: auditTable(), metrics });
    document = (await (await fetch(`${stack.baseUrl}/openapi.json`)).json()) as Described; // reason: it is valid OpenAPI
    await stack.stop();
    operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  });

  it('says that a value may be null by its type alone', () => {
    const isUnionWithNull = (schema: Readonly<Record<string, unknown>>): boolean =>
      ['anyOf', 'oneOf'].some((key) => JSON.stringify(schema[key] ?? '').includes('{"type":"null"}'));
    expect(placesOf(document, isUnionWithNull)).to.deep.equal([]);
  });

  it('has one type for a value, if need be beside null: of two, some languages take the second', () => {
    const isOfSeveral = ({ type }: Readonly<Record<string, unknown>>): boolean =>
      Array.isArray(type) && type.filter((name) => name !== 'null').length > 1;
    expect(placesOf(document, isOfSeveral)).to.deep.equal([]);
  });

  it('says the type of what has one value or a few', () => {
    const isWithoutType = (schema: Readonly<Record<string, unknown>>): boolean =>
      ('const' in schema && typeof schema['const'] !== 'object' && !('type' in schema)) ||
      (Array.isArray(schema['enum']) && !('type' in schema));
    expect(placesOf(document.components.schemas, isWithoutType)).to.deep.equal([]);
  });

  it('says of a whole number that it may need 64 bits, unless it may not', () => {
    const LARGEST_OF_32_BITS = 2 ** 31 - 1;
    const isTooLarge = ({ type, format, maximum }: Readonly<Record<string, unknown>>): boolean =>
      [type].flat().includes('integer') &&
      format !== 'int64' &&
      !(typeof maximum === 'number' && maximum <= LARGEST_OF_32_BITS);
    expect(placesOf(document, isTooLarge)).to.deep.equal([]);
  });

  it('has each name once among the parameters of an operation, wherever they are', () => {
    const twice = operations.map(({ operationId, parameters }) => [
      operationId,
      repeated(parameters.map(({ name }) => name)),
    ]);
    expect(twice.filter(([, names]) => names?.length !== 0)).to.deep.equal([]);
  });

  it('has a schema for every body', () => {
    const isContentWithout = (value: Readonly<Record<string, unknown>>): boolean =>
      Object.entries((value['content'] ?? {}) as Content).some(([, { schema }]) => schema === undefined);
    expect(placesOf(document, isContentWithout)).to.deep.equal([]);
  });

  it('names every JSON body, which else is called by a number', () => {
    const schemas = operations.map(({ requestBody }) => requestBody?.content['application/json']?.schema);
    const described = schemas.filter((schema) => schema !== undefined);
    expect(described.filter((schema) => !('$ref' in schema))).to.deep.equal([]);
    expect(described).to.have.length.greaterThan(5);
  });

  it('has JSON first where a body may be a form, too, as some generators know the first media type alone', () => {
    const both = operations.map(({ requestBody }) => Object.keys(requestBody?.content ?? {}));
    const orders = both.filter((mediaTypes) => mediaTypes.length > 1);
    expect(orders).to.deep.equal(orders.map(() => ['application/json', 'multipart/form-data']));
    expect(orders).not.to.deep.equal([]);
  });

  it('names operations and schemas by words that every language takes, and none twice', () => {
    const names = operations.map(({ operationId }) => operationId);
    const all = [...names, ...Object.keys(document.components.schemas), ...Object.keys(document.components.responses)];
    expect(all.filter((name) => !IDENTIFIER.test(name))).to.deep.equal([]);
    // some languages name a type after each operation, so that letters of another case make no other name
    expect(repeated(names.map((name) => name.toLowerCase()))).to.deep.equal([]);
  });

  it('says of every operation what follows from what it takes', () => {
    const missing = operations.flatMap(({ operationId, parameters, requestBody, responses }) => {
      const takes = (name: string): boolean => parameters.some((parameter) => parameter.name === name);
      const asked = [
        ...(takes('Idempotency-Key') ? [409, 422] : []),
        ...(takes('If-Match') ? [412] : []),
        ...(takes('Range') ? [206, 416] : []),
        ...(takes('businessId') || takes('documentId') ? [404] : []),
        ...(requestBody === undefined ? [] : [413]),
      ];
      return asked.filter((status) => !(status in responses)).map((status) => `${operationId} ${status}`);
    });
    expect(missing).to.deep.equal([]);
  });

  it('tells the members of a union of events by literals alone, whichever of the unions they are in', () => {
    type Event = {
      readonly properties: Readonly<
        Record<'name' | 'type', { readonly const?: string; readonly enum?: Array<string> }>
      >;
    };
    type Union = { readonly anyOf: ReadonlyArray<{ readonly $ref: string }> };
    const schemas = document.components.schemas as Readonly<Record<string, Event & Union>>; // reason: as they are made
    const membersOf = (union: string): ReadonlyArray<string> =>
      (schemas[union]?.anyOf ?? []).map(({ $ref }) => $ref.slice('#/components/schemas/'.length));
    const ledger = membersOf('LedgerEvent');
    expect(ledger).to.include.members([...membersOf('BusinessEvent'), ...membersOf('DocumentEvent'), 'SealRestarted']);
    // one that cannot be read, or of which nothing is left, may be of any name: its type tells it
    const byType = { UnreadableEvent: 'unknown', ErasedBusinessEvent: 'erased', ErasedDocumentEvent: 'erased' };
    for (const member of ledger.filter((name) => !(name in byType))) {
      const { name, type } = schemas[member]?.properties ?? {};
      expect(name?.const).to.equal(member);
      expect(type?.enum ?? [type?.const]).not.to.include.oneOf(['unknown', 'erased']);
    }
    for (const [member, type] of Object.entries(byType)) expect(schemas[member]?.properties.type.const).to.equal(type);
    const isDiscriminated = (schema: Readonly<Record<string, unknown>>): boolean => 'discriminator' in schema;
    expect(placesOf(document, isDiscriminated)).to.deep.equal([]);
  });
});
