import { type Body, type Context, type Draft, type Mutation, without } from '../draft.js';
import { anything, error, invalid, only } from '../expectation.js';
import { documents, type Operation, pathNames, takes } from '../operations.js';
import type { Keyed } from '../session-state.js';
import { fileBody } from '../valid-draft.js';

const keyed = (operation: Operation): boolean => takes(operation, 'header', 'Idempotency-Key');

const withKey = (draft: Draft, key: string): void => {
  draft.headers = [...draft.headers, ['Idempotency-Key', key]];
};

const isOf =
  (operation: Operation) =>
  (request: Keyed): boolean =>
    request.operation === operation;

export const underKey: Mutation = {
  name: 'under a key',
  weight: 2,
  suits: keyed,
  apply: (draft, { unique, random }) => withKey(draft, random.pick([unique, `${unique}-${'~'.repeat(200)}`])),
};

const unlessKeyed = (operation: Operation, { state }: Context): Mutation | undefined =>
  state.keyed.some(isOf(operation)) ? undefined : underKey;

/** A body that asks for something that no other asks for. */
const otherBody = ({ json, method, isOfFile }: Operation, { unique }: Context): Body => {
  if (isOfFile) return fileBody(Buffer.from(unique));
  if (method === 'DELETE' || json === undefined) return { _tag: 'None' };
  const fields = json.properties?.['fields']?.items?.enum;
  if (fields !== undefined) {
    // `displayname` is another name of `displayName`
    const different = fields.filter((name) => name !== 'displayname').toReversed();
    return {
      _tag: 'Json',
      members: [
        ['revision', '0'],
        ['fields', JSON.stringify(different)],
      ],
    };
  }
  const known = ['name', 'title', 'user'].find((name) => Object.hasOwn(json.properties ?? {}, name)) ?? 'name';
  const [key = known] = json.required ?? [];
  return { _tag: 'Json', members: [[key, JSON.stringify(unique)]] };
};

/** `Idempotency-Key`. */
export const idempotency: ReadonlyArray<Mutation> = [
  underKey,
  {
    name: 'once more under its key',
    before: unlessKeyed,
    weight: 2,
    suits: keyed,
    apply: (draft, context) => {
      const known = context.state.keyed.filter(isOf(draft.operation));
      if (known.length === 0) return;
      const original = context.random.pick(known);
      draft.repeats = original;
      draft.isPlain = false;
      draft.method = original.wire.method;
      draft.path = original.wire.path;
      // of a business that has been deleted since there is nothing left to be changed
      const isGone = original.record?.isDeleted === true && draft.method !== 'DELETE';
      draft.expects = isGone ? only(200, 404) : only(200);
    },
  },
  {
    name: 'under the key of another request',
    before: unlessKeyed,
    weight: 2,
    suits: (operation) => keyed(operation) && documents(operation, 422),
    apply: (draft, context) => {
      const known = context.state.keyed.filter(isOf(draft.operation));
      if (known.length === 0) return;
      const original = context.random.pick(known);
      withKey(draft, original.key);
      draft.path = original.wire.path.split('?')[0] ?? draft.path;
      draft.query = without(draft.query, 'preview');
      const isInPath = pathNames(draft.operation.template).includes('ownerId');
      if (isInPath) draft.query = without(draft.query, 'ownerId');
      else if (draft.query.some(([name]) => name === 'ownerId')) draft.query = [['ownerId', context.unique]];
      draft.body = otherBody(draft.operation, context);
      if (draft.body._tag === 'None') draft.headers = [...draft.headers, ['Change-Reason', context.unique]];
      draft.isPlain = false;
      draft.expects = original.record?.isDeleted === true ? anything : error(422, 'Idempotency Key Reused');
    },
  },
  {
    name: 'under a key that is malformed',
    suits: keyed,
    apply: (draft, { random }) => {
      withKey(draft, random.pick(['', 'a b', '\u00e9', 'x'.repeat(256), 'a\tb']));
      draft.expects = invalid('Idempotency-Key');
    },
  },
];
