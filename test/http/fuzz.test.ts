import { expect } from 'chai';
import fc from 'fast-check';
import { arbitraryOf, type Schema } from '../support/arbitrary-of-schema.js';
import { callerOf, idOf, type Reply } from '../support/client.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';

type Parameter = { readonly name: string; readonly in: string; readonly schema: Schema };

type Operation = {
  readonly operationId: string;
  readonly parameters: ReadonlyArray<Parameter>;
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
};

type Target = { readonly method: string; readonly path: string; readonly operation: Operation };

const RUNS = 25;
// The same requests in every run; a failure prints the path to its counterexample.
const SEED = 20_261_121;

const isErrorObject = ({ status, json }: Reply): void => {
  const { name, message, status: told, ...rest } = json as Record<string, unknown>;
  expect([typeof name, typeof message, told]).to.deep.equal(['string', 'string', status]);
  expect(Object.keys(rest)).to.deep.equal('errors' in rest ? ['errors'] : []);
};

const queryOf = ({ parameters }: Operation): fc.Arbitrary<string> =>
  fc
    .record(
      Object.fromEntries(
        parameters
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, schema }) => [name, arbitraryOf(schema)]),
      ),
      { requiredKeys: [] },
    )
    .map((given) => {
      const entries = Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]);
      return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
    });

const bodyOf = ({ requestBody }: Operation): fc.Arbitrary<unknown> =>
  requestBody === undefined ? fc.constant(undefined) : arbitraryOf(requestBody.content['application/json'].schema);

/** A body with one field of a type that no field has, or of a text that no text may be. */
const brokenBodyOf = ({ requestBody }: Operation): fc.Arbitrary<unknown> => {
  const { properties = {} } = requestBody?.content['application/json'].schema ?? {};
  const wrong = fc.constantFrom<unknown>(true, { a: 1 }, [7], 'a\u0000b', 'x'.repeat(20_000));
  return fc
    .tuple(fc.constantFrom(...Object.keys(properties)), wrong)
    .map(([key, value]) => ({ name: 'n', user: 'u', ownerId: 'u', [key]: value }));
};

describe('whatever is asked', () => {
  let stack: MemoryStack;
  let admin: string;
  let targets: ReadonlyArray<Target>;

  before(async () => {
    stack = await startMemoryStack();
    admin = stack.tokenFor('admin');
    const businessId = idOf(await call('POST', '/business/', { as: admin, body: { name: 'b' } }));
    const documentId = idOf(await call('POST', '/document/', { as: admin, body: { name: 'd' } }));
    await call('POST', `/business/${businessId}/owner`, { as: admin, body: { user: 'u' } });
    const response = await fetch(`${stack.baseUrl}/openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> };
    targets = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/v1'))
      .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
      // It would leave nothing to ask about.
      .filter(({ operation }) => operation.operationId !== 'deleteBusiness')
      .map(({ path, method, operation }) => ({
        method: method.toUpperCase(),
        path: path
          .slice('/api/v1'.length)
          .replace('{businessId}', businessId)
          .replace('{documentId}', documentId)
          .replace('{ownerId}', 'u'),
        operation,
      }));
  });

  after(() => stack.stop());

  const call = callerOf(() => stack);

  it('is answered as described, and never as a failure of ours, when it has the described form', async () => {
    for (const { method, path, operation } of targets) {
      const request = fc.tuple(queryOf(operation), bodyOf(operation));
      await fc.assert(
        fc.asyncProperty(request, async ([query, body]) => {
          const reply = await call(method, path + query, { as: admin, body });
          expect(reply.status, reply.text).to.be.lessThan(500);
          if (reply.status >= 400) isErrorObject(reply);
        }),
        { numRuns: RUNS, seed: SEED },
      );
    }
  });

  it('is refused, with the fault named, when a field of it is wrong', async () => {
    for (const { method, path, operation } of targets.filter(({ operation: { requestBody } }) => requestBody)) {
      // A foreign body beside a DELETE is none.
      if (method === 'DELETE') continue;
      await fc.assert(
        fc.asyncProperty(brokenBodyOf(operation), async (body) => {
          const reply = await call(method, path, { as: admin, body });
          expect([reply.status, (reply.json as { name: string }).name]).to.deep.equal([400, 'Validation Error']);
          isErrorObject(reply);
        }),
        { numRuns: RUNS, seed: SEED },
      );
    }
  });

  it('is refused, with the parameter named, when the query is wrong', async () => {
    for (const { method, path, operation } of targets) {
      const checked = operation.parameters.filter(({ name }) =>
        ['limit', 'from', 'order', 'proof', 'revision', 'at', 'after'].includes(name),
      );
      for (const { name } of checked)
        for (const value of ['', '-1', 'x\u0000', '0.5e', '🙂']) {
          const reply = await call(method, `${path}?${new URLSearchParams({ [name]: value }).toString()}`, {
            as: admin,
          });
          const { errors } = reply.json as { errors?: ReadonlyArray<{ path: string }> };
          expect([name, value, reply.status, errors?.map((error) => error.path)]).to.deep.equal([
            name,
            value,
            400,
            [name],
          ]);
        }
    }
  });
});
