import type { Part } from '../../support/multipart-form.js';
import type { Schema } from '../../support/arbitrary-of-schema.js';
import type { Body, Context, Draft, Pairs } from './draft.js';
import { anything, type Expectation, only } from './expectation.js';
import { addsPart, isAboutFile, isByLink, isPublic, type Operation, pathNames, queryOf } from './operations.js';
import { parameterTexts } from './parameter-texts.js';
import { formValues } from './values.js';
import type { KnownRecord } from './session-state.js';

/** How often a field or a parameter is sent that may be left out. */
const OFTEN = 0.35;
const SELDOM = 0.15;

/** How often a part of the log is asked for that is there. */
const MOSTLY = 0.75;

/** How often a list is asked for in pages: whole ones take their time once there are many records. */
const IN_PAGES = 0.9;

/** What a path names; `isKnown`: it is there, as far as the session knows. */
type Target = Pick<Draft, 'record' | 'part' | 'path'> & { readonly isKnown: boolean };

const oneOf = <A>({ random }: Context, list: ReadonlyArray<A>): A | undefined =>
  list.length === 0 ? undefined : random.pick(list);

/** The parameter, of path or query, that names a part of a record. */
export const partNameOf = ({ parameters, method }: Operation, { state }: Context): string | undefined =>
  method === 'GET'
    ? undefined
    : parameters.find(
        ({ name, in: where }) => state.providerOf(name)?.template.includes('{') === true && where !== 'header',
      )?.name;

const hasParts =
  (name: string) =>
  ({ parts }: KnownRecord): boolean =>
    (parts.get(name) ?? []).length > 0;

/** One that has what the operation is about, where there is one. */
const recordOf = (operation: Operation, context: Context): KnownRecord | undefined => {
  const isRestore = operation.template.endsWith('/restore') && context.random.chance(MOSTLY);
  const name = context.state.recordNameOf(operation) ?? '';
  const deleted = isRestore ? context.state.records(name, true) : [];
  const records = deleted.length > 0 ? deleted : context.state.records(name);
  const partName = partNameOf(operation, context);
  const hasFile = ({ fileSize }: KnownRecord): boolean => fileSize !== undefined;
  const isBetter = partName !== undefined ? hasParts(partName) : isAboutFile(operation) ? hasFile : () => true;
  return oneOf(context, records.filter(isBetter)) ?? oneOf(context, records);
};

/** Parts of the sealed log that are there once the first tile is full, by the operation. */
const SEALED: Readonly<Record<string, string>> = {
  proveEvent: '/audit/v1/events/0/proof',
  tlogEntries: '/tlog/tile/entries/000',
  tlogTile: '/tlog/tile/0/000',
};

const targetOf = (operation: Operation, context: Context): Target => {
  const sealed = SEALED[operation.id];
  if (sealed !== undefined && context.random.chance(MOSTLY))
    return { record: undefined, part: undefined, path: sealed, isKnown: true };
  const record = recordOf(operation, context);
  const partName = partNameOf(operation, context);
  const part = partName === undefined ? undefined : oneOf(context, record?.parts.get(partName) ?? []);
  let isKnown = partName === undefined || part !== undefined;
  let path = operation.template;
  for (const name of pathNames(operation.template)) {
    const isPart = name === partName;
    const isRecord = name === context.state.recordNameOf(operation);
    const seen = oneOf(context, [...(context.state.seen.get(name) ?? [])]);
    const value = isPart ? part : isRecord ? record?.id : seen;
    isKnown &&= value !== undefined;
    path = path.replace(`{${name}}`, encodeURIComponent(value ?? 'unknown'));
  }
  return { record, part, path, isKnown };
};

/** What has to be done first where there is nothing yet that an operation could be about. */
export const neededFirst = (operation: Operation, context: Context): Operation | undefined => {
  const { state } = context;
  const name = state.recordNameOf(operation);
  if (name === undefined) return undefined;
  if (state.records(name).length === 0) return state.providerOf(name);
  const partName = partNameOf(operation, context);
  return partName === undefined || state.records(name).some(hasParts(partName))
    ? undefined
    : state.providerOf(partName);
};

/** What the records of a list have under the name of a filter: `tag` is one of their `tags`. */
const filterTexts = (operation: Operation, name: string, { state }: Context): ReadonlyArray<string> =>
  state
    .records(state.listedBy(operation) ?? '')
    .flatMap(({ text = '{}' }) => {
      const shown = JSON.parse(text) as Readonly<Record<string, unknown>>; // reason: a record is an object
      return [shown[name], shown[`${name}s`]].flat();
    })
    .filter((value) => typeof value === 'string');

/** A text that a query parameter takes; undefined where there is none yet. */
const parameterText = (
  operation: Operation,
  { name, schema }: { readonly name: string; readonly schema: Schema },
  record: KnownRecord | undefined,
  context: Context,
): string | undefined => {
  const { state, random } = context;
  if (name === 'after')
    return oneOf(context, state.records(state.listedBy(operation) ?? '', random.chance(SELDOM)))?.id;
  // no request asks for a table, which alone can have a byte order mark
  if (name === 'bom') return 'false';
  const known = schema.format === 'date-time' ? (record?.instants ?? []) : filterTexts(operation, name, context);
  const texts = parameterTexts(random, schema).valid;
  // no pattern that every engine knows can ask for a letter or a digit
  const valid = name === 'reason' ? texts.filter((text) => /[\p{L}\p{N}]/u.test(text)) : texts;
  return known.length > 0 && random.chance(0.5) ? random.pick(known) : oneOf(context, valid);
};

const queryFor = (operation: Operation, target: Target, context: Context): Pairs => {
  const partName = partNameOf(operation, context);
  const chosen = queryOf(operation).flatMap(({ name, schema }): Pairs => {
    if (name === partName) return target.part === undefined ? [] : [[name, target.part]];
    // a file is called by its parameter or its header: no schema can say that one of them is needed
    const often = name === 'originalName' ? 1 : name === 'limit' ? IN_PAGES : SELDOM;
    const isAsked = context.random.chance(often);
    const text = isAsked ? parameterText(operation, { name, schema }, target.record, context) : undefined;
    return text === undefined ? [] : [[name, text]];
  });
  const has = (wanted: string): boolean => chosen.some(([name]) => name === wanted);
  const isOfManyRecords = queryOf(operation).some(({ name }) => name === 'value') && !has('entity');
  return chosen.filter(
    ([name]) =>
      !(has('revision') && name === 'at') &&
      // an id is no place in a list of another order
      !(has('after') && name === 'sort') &&
      !(isOfManyRecords && ['value', 'diff'].includes(name)),
  );
};

const isRequired = (schema: Schema, key: string): boolean => schema.required?.includes(key) === true;

/** Keys by which a body may say which part of a record it is about, beside path and query. */
const NAMES_PART = ['ownerId', 'user'];

const jsonBody = (schema: Schema, target: Target, context: Context): Body => {
  const { random, valuesOf } = context;
  const members = Object.entries(schema.properties ?? {}).flatMap(([key, property]): Pairs => {
    if (!isRequired(schema, key) && !random.chance(OFTEN)) return [];
    // the only revision that every record has
    if (key === 'revision') return [[key, '0']];
    if (target.part !== undefined && NAMES_PART.includes(key)) return [[key, JSON.stringify(target.part)]];
    return [[key, random.pick(valuesOf(key, property).valid)]];
  });
  return { _tag: 'Json', members };
};

/** Bytes of a file: few different ones, so that the same come again. */
export const fileContent = ({ random }: Context): Buffer =>
  Buffer.alloc(random.pick([0, 1, 5, 300, 4100, 70_000]), random.pick(['a', '%PDF-1.7\n', '\u0000\u00ff', '<html>']));

const formBody = (schema: Schema, context: Context): Body => {
  const { random, valuesOf } = context;
  const parts = Object.entries(schema.properties ?? {}).flatMap(([name, property]): ReadonlyArray<Part> => {
    if (!isRequired(schema, name) && !random.chance(OFTEN)) return [];
    if (property.format === 'binary') return [{ name, content: fileContent(context), filename: 'report.pdf' }];
    return [{ name, content: random.pick(formValues(valuesOf, name, property).valid) }];
  });
  return { _tag: 'Form', parts };
};

/** A body that is a file of no type in particular. */
export const fileBody = (bytes: Buffer): Body => ({ _tag: 'Raw', bytes, type: 'application/octet-stream' });

const bodyFor = ({ json, form, isOfFile }: Operation, target: Target, context: Context): Body => {
  if (isOfFile) return fileBody(fileContent(context));
  if (form !== undefined && context.random.chance(0.4)) return formBody(form, context);
  return json === undefined ? { _tag: 'None' } : jsonBody(json, target, context);
};

/** What a request in good order is answered with: success, and what depends on more than the request. */
const expectationOf = (operation: Operation, target: Target, query: Pairs): Expectation => {
  if (!target.isKnown) return only(404);
  // no session knows what a ticket is of, which may be deleted since
  if (isByLink(operation)) return anything;
  const isPast = query.some(([name]) => name === 'revision' || name === 'at');
  const mayLack = isPast || (isAboutFile(operation) && target.record?.fileSize === undefined);
  const mayClash = addsPart(operation);
  return only(200, ...(mayLack ? [404] : []), ...(mayClash ? [409] : []));
};

/** A request that the document describes and the service should carry out. */
export const validDraft = (operation: Operation, context: Context): Draft => {
  const target = targetOf(operation, context);
  const query = queryFor(operation, target, context);
  return {
    operation,
    ...target,
    method: operation.method === 'GET' && context.random.chance(SELDOM) ? 'HEAD' : operation.method,
    query,
    rawQuery: '',
    headers: [],
    authorization: isPublic(operation) ? { header: undefined } : 'allowed',
    body: bodyFor(operation, target, context),
    isChunked: false,
    isPlain: true,
    isFollowing: false,
    repeats: undefined,
    expects: expectationOf(operation, target, query),
  };
};
