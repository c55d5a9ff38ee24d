import { createHash } from 'node:crypto';
import { wordsOf } from '../../../src/read/words.js';
import type { Exchanged } from '../../support/conforms.js';
import type { HttpResponse, Wire } from './client.js';
import type { Draft } from './draft.js';
import type { Operation } from './operations.js';

/** Why an answer is wrong; undefined when this check finds nothing. */
type Check = (
  draft: Draft,
  wire: Wire,
  answer: HttpResponse,
  operations: ReadonlyArray<Operation>,
) => string | undefined;

/** By status: what the contract calls it. */
const NAMES: Readonly<Record<number, ReadonlyArray<string>>> = {
  400: ['Validation Error'],
  401: ['Unauthorized', 'Invalid Role'],
  404: ['Entity not found', 'Not Found'],
  405: ['Method Not Allowed'],
  409: ['Conflict'],
  412: ['Precondition Failed'],
  413: ['Payload Too Large'],
  415: ['Unsupported Media Type'],
  416: ['Range Not Satisfiable'],
  422: ['Idempotency Key Reused'],
  431: ['Request Header Fields Too Large'],
  501: ['Not Implemented'],
};

/** By name: the messages that the contract says word by word. */
const MESSAGES: Readonly<Record<string, string>> = {
  'Invalid Role': 'You do not have the required role to access this resource',
  'Entity not found': 'Entity not found',
};

type Shown = Readonly<Record<string, unknown>>;

const jsonOf = ({ bytes }: HttpResponse): unknown => JSON.parse(bytes.toString());
const objectOf = (answer: HttpResponse): Shown => jsonOf(answer) as Shown; // reason: its schema has been held to it

const headerOf =
  ({ headers }: HttpResponse) =>
  (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };

const isShown = ({ method }: Draft, { status }: HttpResponse): boolean => status === 200 && method !== 'HEAD';

// 501 is about the request: a method that nobody knows
const serviceFailed: Check = (_draft, _wire, { status }) =>
  status >= 500 && status !== 501 ? 'the service failed' : undefined;

const statusExpected: Check = ({ expects: { statuses } }, _wire, { status }) =>
  statuses === undefined || statuses.includes(status) ? undefined : `expected ${statuses.join(' or ')}`;

const errorAsInContract: Check = ({ method }, _wire, answer) => {
  if (answer.status < 400 || method === 'HEAD') return undefined;
  const { name, message, status, errors, code, requestId, roles, ...rest } = objectOf(answer);
  const more = Object.keys(rest);
  if (more.length > 0) return `the error has more keys than the contract: ${more.join(', ')}`;
  if (status !== answer.status) return 'the error has another status than the answer';
  if (requestId !== headerOf(answer)('x-request-id')) return 'the error has another requestId than the answer';
  if ((roles !== undefined) !== (code === 'role_missing')) return 'roles belong to role_missing, and only there';
  if (NAMES[answer.status]?.includes(String(name)) !== true) return `the error has the name ${String(name)}`;
  if ((MESSAGES[String(name)] ?? message) !== message) return `the error has another message than the contract`;
  return (errors !== undefined) === (answer.status === 400) ? undefined : 'errors belong to 400, and only there';
};

const faultsNamed: Check = ({ expects: { error, faults = [] }, method }, _wire, answer) => {
  if (answer.status < 400 || method === 'HEAD') return undefined;
  const { name, errors } = objectOf(answer);
  if (error !== undefined && name !== error) return `expected the error ${error}, got ${String(name)}`;
  if (answer.status !== 400) return undefined;
  const paths = ((errors ?? []) as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path); // reason: as above
  const missed = faults.filter((fault) => !paths.some((path) => path === fault || path.startsWith(`${fault}.`)));
  return missed.length === 0 ? undefined : `expected a fault of "${missed.join('", "')}", got ${JSON.stringify(paths)}`;
};

/** Long enough not to stand in a message by chance. */
const TELLING = 6;

/** docs/api.md: a value that was sent is never in an answer. */
const valuesKeptBack: Check = (draft, _wire, answer) => {
  const { expects, query, headers, body, method, operation } = draft;
  const { faults = [] } = expects;
  // the message says what a parameter of few values takes
  const isNamedAnyhow = ([name, value]: readonly [string, string]): boolean =>
    operation.parameters.some((known) => known.name === name && known.schema.enum?.includes(value) === true);
  if (answer.status !== 400 || method === 'HEAD') return undefined;
  const members =
    body._tag === 'Json' ? body.members.map(([key, text]) => [key, text.replace(/^"|"$/g, '')] as const) : [];
  const sent = [...query, ...headers, ...members].filter(
    (pair) => faults.includes(pair[0]) && pair[1].length >= TELLING && !isNamedAnyhow(pair),
  );
  return sent.some(([, value]) => answer.bytes.includes(value))
    ? 'the value that was sent is in the answer'
    : undefined;
};

const headersGuard: Check = ({ method }, { path }, answer) => {
  const header = headerOf(answer);
  if (header('x-content-type-options') !== 'nosniff') return 'the answer lacks X-Content-Type-Options: nosniff';
  const isCached = path.startsWith('/api/') && ['GET', 'HEAD'].includes(method) && answer.status < 400;
  return isCached && header('cache-control') !== 'private, no-cache' ? 'the answer may be kept by a cache' : undefined;
};

const methodsAllowed: Check = ({ operation, expects }, _wire, answer, operations) => {
  if (![204, 405].includes(answer.status) || expects.statuses?.includes(answer.status) !== true) return undefined;
  const methods = operations.filter(({ template }) => template === operation.template).map(({ method }) => method);
  const all = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
  return headerOf(answer)('allow') === all ? undefined : `expected Allow: ${all}`;
};

const sameAnswerToRepeat: Check = ({ repeats }, _wire, answer) =>
  repeats === undefined || answer.status !== 200 || answer.bytes.toString() === repeats.text
    ? undefined
    : 'the repeat of a request was answered otherwise than the request';

/** A text or a number comes back as it was sent; numbers of an address as their text. */
const isSame = (sent: unknown, answered: unknown): boolean =>
  typeof sent === 'number' ? answered === sent + 0 || answered === String(sent) : answered === sent;

const fieldsTaken: Check = ({ isPlain, body, operation }, _wire, answer) => {
  if (!isPlain || body._tag !== 'Json' || answer.status !== 200 || operation.template.endsWith('/revert'))
    return undefined;
  const shown = objectOf(answer);
  const names = new Set(body.members.map(([key]) => key));
  const lost = body.members
    .filter(([key]) => !(key === 'displayname' && names.has('displayName')))
    .map(([key, text]) => [key === 'displayName' ? 'displayname' : key, JSON.parse(text) as unknown] as const)
    .filter(([key, sent]) => key in shown && sent !== '' && ['string', 'number'].includes(typeof sent))
    .filter(([key, sent]) => !isSame(sent, shown[key]));
  return lost.length === 0 ? undefined : `${lost.map(([key]) => key).join(', ')} is not answered as it was sent`;
};

const lastChangeShown: Check = (draft, { path }, answer) => {
  const { record, operation } = draft;
  if (record === undefined || operation.method !== 'GET' || path !== record.path || !isShown(draft, answer))
    return undefined;
  if (headerOf(answer)('etag') !== record.tag) return `the record is not at ${record.tag}, where it was left`;
  return record.text === undefined || answer.bytes.toString() === record.text
    ? undefined
    : 'the record is not as the last change left it';
};

const bytesOfFile: Check = (draft, _wire, answer) => {
  if (draft.method !== 'GET' || !draft.operation.statuses.includes(206)) return undefined;
  const { status, bytes } = answer;
  const tag = headerOf(answer)('etag');
  if (status === 200 && tag !== `"${createHash('sha256').update(bytes).digest('hex')}"`)
    return 'the file does not have the digest that its tag says';
  if (status !== 206) return undefined;
  const [, first, last] = /^bytes (\d+)-(\d+)\/\d+$/.exec(headerOf(answer)('content-range') ?? '') ?? [];
  return Number(last) - Number(first) + 1 === bytes.length
    ? undefined
    : 'the part is not as long as Content-Range says';
};

/** By which of its values an owner of a business, and a reference of an event, is asked for. */
const namedBy = (value: unknown): unknown => {
  const { user, entity } = Object(value) as Shown; // reason: of a text, both are undefined
  return user ?? entity ?? value;
};

const matches = (item: Shown, [name, wanted]: readonly [string, string]): boolean => {
  const values = item[`${name}s`];
  if (Array.isArray(values)) return values.map(namedBy).includes(wanted);
  if (name === 'reason') {
    const words = wordsOf([String(item[name])]);
    return [...wordsOf([wanted])].every((word) => words.has(word));
  }
  return !(name in item) || item[name] === wanted;
};

/** Parameters of lists that leave nothing out by a value: what an item shows under such a name is something else. */
const NO_FILTERS = ['limit', 'diff'];

const itemsAsked: Check = (draft, _wire, answer) => {
  if (!isShown(draft, answer) || draft.operation.method !== 'GET') return undefined;
  if (!draft.operation.parameters.some(({ name }) => name === 'limit')) return undefined;
  const items = jsonOf(answer) as ReadonlyArray<Shown>; // reason: its schema has been held to it
  // records of a list may have been deleted since, events stay
  if (draft.isFollowing && draft.path.endsWith('/events') && items.length === 0) return 'a link led to an empty page';
  const limit = draft.query.find(([name]) => name === 'limit')?.[1];
  if (limit !== undefined && items.length > Number(limit)) return `the page has more than ${limit} items`;
  const filters = draft.operation.parameters.map(({ name }) => name).filter((name) => !NO_FILTERS.includes(name));
  const asked = draft.query.filter(([name]) => filters.includes(name));
  return items.every((item) => asked.every((pair) => matches(item, pair)))
    ? undefined
    : 'the list has what was not asked for';
};

const withoutOrigin = (path: string): string => path.replace(/^http:\/\/[^/]*/, '');

const conforming = (
  conforms: (exchanged: Exchanged) => void,
  { method, path }: Wire,
  answer: HttpResponse,
): string | undefined => {
  const isText = headerOf(answer)('content-type')?.startsWith('application/json') === true;
  const text = isText || answer.status >= 400 ? answer.bytes.toString() : answer.bytes.length > 0 ? '(bytes)' : '';
  try {
    conforms({ method, path: withoutOrigin(path), status: answer.status, header: headerOf(answer), text });
    return undefined;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).replace(/^.*? answered /, '');
  }
};

const checks = [
  statusExpected,
  errorAsInContract,
  faultsNamed,
  valuesKeptBack,
  headersGuard,
  methodsAllowed,
  sameAnswerToRepeat,
  fieldsTaken,
  lastChangeShown,
  bytesOfFile,
  itemsAsked,
];

/** Everything that is wrong with an answer: by the document, by the contract, and by what the session knows. */
export const faultsOf = (
  conforms: (exchanged: Exchanged) => void,
  operations: ReadonlyArray<Operation>,
  ...[draft, wire, answer]: readonly [Draft, Wire, HttpResponse]
): ReadonlyArray<string> => {
  const failed = serviceFailed(draft, wire, answer, operations);
  if (failed !== undefined) return [failed];
  const form = conforming(conforms, wire, answer);
  // the other checks read what has the form that the document says
  if (form !== undefined) return [form];
  return checks.map((check) => check(draft, wire, answer, operations)).filter((fault) => fault !== undefined);
};
