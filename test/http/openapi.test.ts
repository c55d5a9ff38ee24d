import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { BusinessEvent, businessFieldNames } from '../../src/domain/business/events.js';
import { DocumentEvent } from '../../src/domain/document/events.js';
import { callerRoutes } from '../../src/http/caller/routes.js';
import { named } from '../../src/http/fields/json-schema.js';
import { openApiDocument } from '../../src/http/openapi/document.js';
import { makeSchemaOf } from '../../src/http/openapi/schema-of.js';
import type { Route } from '../../src/http/route.js';
import { routesOf } from '../../src/http/routes.js';
import { memoryPorts, routesOver } from '../support/memory-ports.js';
import { docsPage } from '../support/docs-page.js';

const VERSION = '1.2.3';

describe('the description of the API', () => {
  let table: ReadonlyArray<Route>;
  let close: () => Promise<void>;

  before(async () => {
    const memory = await memoryPorts();
    close = memory.close;
    table = routesOf({
      docsPage,
      version: VERSION,
      entityRoutes: await routesOver(memory.ports),
      callerRoutes: callerRoutes({ rateLimit: undefined, maxUploadBytes: 1 }),
      readiness: () => Promise.resolve({ checks: {}, missing: [] }),
      metrics: () => Promise.resolve({ contentType: 'text/plain', body: '' }),
    });
  });

  after(() => close());

  it('is valid OpenAPI 3.1', async () => {
    const document: unknown = JSON.parse(JSON.stringify(openApiDocument(table, VERSION)));
    const result = await new Validator().validate(document as Record<string, unknown>);
    expect(result.errors).to.equal(undefined);
    expect(result.valid).to.equal(true);
  });

  it('describes every row of the route table but the redirect of the root, and nothing else', () => {
    const described = Object.values(openApiDocument(table, VERSION).paths).flatMap((methods) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${String(operationId)}`),
    );
    const registered = table.map(({ method, operation }) => `${method.toLowerCase()} ${operation}`);
    expect([...described, 'get root'].sort()).to.deep.equal(registered.sort());
  });

  it('has the version of the program', () => {
    expect(openApiDocument(table, VERSION)['info']).to.include({ version: VERSION });
  });

  it('describes every tag, operation, parameter, header and scheme, and every member of an answer or a body', () => {
    const undescribed: Array<string> = [];
    // a field may be called tags, too
    const isListOfDescribed = (path: string): boolean =>
      path === '/tags' ||
      (!path.endsWith('/properties/properties') &&
        /\/(properties|headers|parameters|securitySchemes|schemas)$/.test(path));
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, member] of Object.entries(value)) {
        const at = `${path}/${key}`;
        if (['example', 'examples', 'mapping', 'enum'].includes(key)) continue;
        const isToDescribe = isListOfDescribed(path);
        // a reference to a schema is described where it leads
        const { description, $ref } = member as { readonly description?: string; readonly $ref?: string };
        if (isToDescribe && description === undefined && $ref === undefined) undescribed.push(at);
        visit(member, at);
      }
    };
    visit(JSON.parse(JSON.stringify(openApiDocument(table, VERSION))), '');
    const operations = Object.values(openApiDocument(table, VERSION).paths).flatMap((methods) =>
      Object.values(methods),
    );
    expect(operations.filter(({ description }) => typeof description !== 'string')).to.deep.equal([]);
    expect(undescribed).to.deep.equal([]);
  });

  it('tells events by their names, with the payload of each', () => {
    type Event = { readonly properties: Readonly<Record<'name' | 'data', { properties?: object; const?: string }>> };
    const schemas = openApiDocument(table, VERSION).components.schemas as Readonly<Record<string, Event>>;
    const names = [...BusinessEvent.types, ...DocumentEvent.types].map(({ props }) => props.type.value);
    expect(names.map((name) => schemas[name]?.properties.name.const)).to.deep.equal(names);
    const kinds = [...BusinessEvent.types.map(({ props }) => props.type.value), 'ErasedBusinessEvent'];
    const refs = kinds.map((kind) => `#/components/schemas/${kind}`);
    expect(schemas['BusinessEvent']).to.deep.include({ anyOf: refs.map(($ref) => ({ $ref })) });
    const updated = schemas['BusinessUpdated']?.properties.data.properties as {
      readonly changes: { readonly properties: object };
    };
    expect(Object.keys(updated.changes.properties)).to.have.members([...businessFieldNames]);
  });

  it('names the contract’s three failures, with the Error object, for every operation of the contract', () => {
    const { paths, components } = openApiDocument(table, VERSION);
    const missing = Object.entries(paths)
      .filter(([path]) => /^\/api\/v1\/(business|document)/.test(path))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, { responses }]) => ({ path, method, responses })),
      )
      .filter(({ responses }) =>
        Object.entries({ 401: 'Unauthorized', 404: 'NotFound', 500: 'InternalServerError' }).some(
          ([status, name]) =>
            (responses as Record<string, { readonly $ref?: string }>)[status]?.$ref !==
            `#/components/responses/${name}`,
        ),
      );
    expect(missing).to.deep.equal([]);
    const bodies = Object.values(components.responses).map((response) => JSON.stringify(response));
    expect(bodies.filter((body) => !body.includes('#/components/schemas/Error'))).to.deep.equal([]);
  });

  it('tells the headers that every answer has from those that only some have', () => {
    type Headers = Readonly<Record<string, { readonly required?: boolean }>>;
    const { paths, components } = openApiDocument(table, VERSION);
    const headers = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ responses }) => Object.values(responses as Readonly<Record<number, { readonly headers?: Headers }>>))
      .concat(Object.values(components.responses as Readonly<Record<string, { readonly headers: Headers }>>))
      .flatMap((response) => Object.entries(response.headers ?? {}));
    const optional = headers.filter(([, { required = false }]) => !required).map(([name]) => name);
    const sometimes = [
      ...['Accept', 'Accept-Encoding', 'Content-Encoding', 'ETag', 'Idempotent-Replayed', 'Link'],
      ...['Preference-Applied', 'RateLimit', 'RateLimit-Policy', 'Vary', 'X-Projected', 'X-Projected-Until'],
      'X-Total-Count',
    ];
    expect([...new Set(optional)].sort()).to.deep.equal(sometimes);
  });

  it('promises a tag of every answer that may have one, but for feeds', () => {
    type Answer = { readonly headers: { readonly ETag?: { readonly required?: boolean } }; readonly content: object };
    const untagged = Object.values(openApiDocument(table, VERSION).paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ responses }) => {
        const { headers } = (responses as Readonly<Record<200, Answer>>)[200];
        return headers.ETag !== undefined && headers.ETag.required !== true;
      })
      .map(({ operationId }) => operationId);
    expect(untagged).to.deep.equal(['listBusinessEvents', 'listDocumentEvents']);
  });

  it('says of a body beside a DELETE only what can come of it', () => {
    const { paths } = openApiDocument(table, VERSION);
    const refusals = (path: string): ReadonlyArray<number> =>
      Object.keys(paths[`/api/v1/business/{businessId}${path}`]?.['delete']?.['responses'] as object)
        .map(Number)
        .filter((status) => [413, 415, 422].includes(status));
    expect(refusals('')).to.deep.equal([422]);
    expect(refusals('/owner')).to.deep.equal([413, 422]);
    expect(refusals('/owner/{ownerId}')).to.deep.equal([413, 422]);
  });

  it('shows examples that the operations take', () => {
    const refused = table.flatMap(({ operation, description: { body } }) => {
      if (body === undefined || 'mediaType' in body) return [];
      const given = [{ codec: body.json, example: body.example }, ...(body.form === undefined ? [] : [body.form])];
      return given.flatMap(({ codec, example }) => (E.isLeft(codec.decode(example)) ? [{ operation, example }] : []));
    });
    expect(refused).to.deep.equal([]);
  });

  it('names text first wherever a form shows one, as a page reads the example by what is named first', () => {
    type Property = { readonly anyOf?: ReadonlyArray<{ readonly type: string }>; readonly examples?: unknown };
    type Content = Readonly<Record<string, { readonly schema: { readonly properties: Record<string, Property> } }>>;
    const forms = Object.values(openApiDocument(table, VERSION).paths)
      .flatMap((methods) => Object.values(methods) as ReadonlyArray<{ readonly requestBody?: { content: Content } }>)
      .flatMap(({ requestBody }) =>
        Object.entries(requestBody?.content['multipart/form-data']?.schema.properties ?? {}),
      );
    const choices = forms.filter(([, { anyOf }]) => anyOf !== undefined);
    expect(choices.map(([name, { anyOf }]) => [name, anyOf?.[0]?.type])).to.deep.equal([
      ['tags', 'string'],
      ['tags', 'string'],
    ]);
  });

  it('says 429 of every operation but the probes, which are never limited', () => {
    const { paths } = openApiDocument(table, VERSION);
    const unlimited = Object.entries(paths).filter(([, methods]) =>
      Object.values(methods).some(({ responses }) => !Object.hasOwn(responses as object, 429)),
    );
    expect(unlimited.map(([path]) => path).sort()).to.deep.equal(['/livez', '/readyz']);
  });

  it('asks for a token wherever one is needed', () => {
    const { paths } = openApiDocument(table, VERSION);
    const open = Object.entries(paths).filter(([, methods]) =>
      Object.values(methods).some(({ security }) => JSON.stringify(security) === '[]'),
    );
    expect(open.map(([path]) => path).sort()).to.deep.equal([
      '/docs',
      '/docs/{asset}',
      '/link/business/events/{ticket}',
      '/link/document/events/{ticket}',
      '/link/document/file/{ticket}',
      '/livez',
      '/openapi.json',
      '/openapi.yaml',
      '/readyz',
    ]);
  });
});

describe('the schema of a codec', () => {
  const { schemaOf } = makeSchemaOf();

  it('is told by its structure', () => {
    const codec = t.intersection([
      t.type({ a: t.array(t.string), b: t.union([t.number, t.null]), c: t.literal('x'), d: t.keyof({ one: null }) }),
      t.type({ i: t.tuple([t.number, t.number]) }),
      t.partial({ e: t.boolean, f: t.unknown, g: t.UnknownRecord, h: t.union([t.keyof({ one: null }), t.null]) }),
    ]);
    expect(schemaOf(codec)).to.deep.equal({
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'string' } },
        b: { type: ['number', 'null'] },
        c: { type: 'string', const: 'x' },
        d: { type: 'string', enum: ['one'] },
        e: { type: 'boolean' },
        f: {},
        g: { type: 'object' },
        h: { type: ['string', 'null'], enum: ['one', null] },
        i: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
      },
      required: ['a', 'b', 'c', 'd', 'i'],
    });
  });

  it('is told once under its name, and referred to by it', () => {
    const { schemaOf: referring, components } = makeSchemaOf();
    const inner = named('Inner', t.type({ a: t.string }));
    const outer = named('Outer', t.type({ one: inner, other: inner }));
    expect(referring(t.array(outer))).to.deep.equal({ type: 'array', items: { $ref: '#/components/schemas/Outer' } });
    expect([...components.keys()]).to.deep.equal(['Outer', 'Inner']);
    expect(() => referring(named('Inner', t.type({ b: t.string })))).to.throw('two codecs have the name "Inner"');
  });

  it('must be registered where there is no structure to tell it by', () => {
    const codec = new t.Type<string, string, unknown>('a secret', t.string.is, t.string.validate, t.identity);
    expect(() => schemaOf(t.type({ a: codec }))).to.throw('no schema is registered for the codec "a secret"');
    expect(() => schemaOf(t.void)).to.throw('void');
  });

  it('may be null only where one type says so, as generators of clients understand no other form', () => {
    const inner = named('Inner', t.type({ a: t.string }));
    expect(() => schemaOf(t.union([inner, t.null]))).to.throw('no type says "or null"');
  });
});
