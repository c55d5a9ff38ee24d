import { type Described, type Exchanged, makeConforms } from './conforms.js';
import type { Stack } from './running-stack.js';

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Buffer;
  /** The body as JSON, when it is; else undefined. */
  readonly json: unknown;
};

export type Call = {
  /** Without it: no token. */
  readonly as?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a text or bytes, which go as they are. */
  readonly body?: unknown;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isRaw = (body: unknown): body is string | Buffer<ArrayBuffer> =>
  typeof body === 'string' || Buffer.isBuffer(body);

const requestOf = (method: string, { as, headers, body }: Call): RequestInit => ({
  method,
  headers: {
    ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  },
  ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
});

type Conforms = (exchanged: Exchanged) => void;

const conformsByText = new Map<string, Conforms>();

/** Compiled once for all stacks that describe themselves alike. */
const conformsTo = (description: string): Conforms => {
  const conforms = conformsByText.get(description) ?? makeConforms(JSON.parse(description) as Described);
  conformsByText.set(description, conforms);
  return conforms;
};

const descriptions = new WeakMap<Stack, Promise<Conforms>>();

const describedBy = async ({ baseUrl }: Stack): Promise<Conforms> =>
  conformsTo(await (await fetch(`${baseUrl}/openapi.json`)).text());

/** Holds an answer of a stack to that stack's own description of its API. */
const holdToDescription = async (stack: Stack, exchanged: Exchanged): Promise<void> => {
  const conforms = descriptions.get(stack) ?? describedBy(stack);
  descriptions.set(stack, conforms);
  (await conforms)(exchanged);
};

/** Calls a path of the API, e.g. `/business/`. Throws for an answer that the API's description does not have. */
export const call = async (stack: Stack, method: string, path: string, given: Call = {}): Promise<Reply> => {
  const response = await fetch(`${stack.baseUrl}/api/v1${path}`, requestOf(method, given));
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString();
  const { status } = response;
  const header = (name: string): string | null => response.headers.get(name);
  await holdToDescription(stack, { method, path: `/api/v1${path}`, status, header, text });
  return { status: response.status, headers: response.headers, text, bytes, json: parsed(text) };
};

/** A shape of `call` for one stack, chosen before each test. */
export const callerOf =
  (stack: () => Stack) =>
  (method: string, path: string, given: Call = {}): Promise<Reply> =>
    call(stack(), method, path, given);

export const idOf = ({ json }: Reply): string => (json as { _id: string })._id;
