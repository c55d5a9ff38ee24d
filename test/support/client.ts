import type { Stack } from './stack.js';

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, when it is; else undefined. */
  readonly json: unknown;
};

export type Call = {
  /** Without it: no token. */
  readonly as?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a text, which goes as it is. */
  readonly body?: unknown;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const requestOf = (method: string, { as, headers, body }: Call): RequestInit => ({
  method,
  headers: {
    ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  },
  ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
});

/** Calls a path of the API, e.g. `/business/`. */
export const call = async (stack: Stack, method: string, path: string, given: Call = {}): Promise<Reply> => {
  const response = await fetch(`${stack.baseUrl}/api/v1${path}`, requestOf(method, given));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
};

/** A shape of `call` for one stack, chosen before each test. */
export const callerOf =
  (stack: () => Stack) =>
  (method: string, path: string, given: Call = {}): Promise<Reply> =>
    call(stack(), method, path, given);

export const idOf = ({ json }: Reply): string => (json as { _id: string })._id;
