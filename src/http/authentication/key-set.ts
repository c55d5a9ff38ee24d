import type { KeyObject } from 'node:crypto';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import type { Clock } from '../../event-sourcing/clock.js';
import { withTimeLimit } from '../../event-sourcing/time-limit.js';
import { type PublishedKey, publishedKeys } from './published-keys.js';
import type { TokenHeader } from './token-header.js';

/** Finds the keys that may have signed a token, by its header. */
export type KeyLookup = {
  /** At least one key. Rejects when there is none, and with `SigningKeysUnavailable` when they cannot be fetched. */
  readonly find: (header: TokenHeader) => Promise<ReadonlyArray<KeyObject>>;
  /**
   * When the signature fits none of `tried`, which `find` gave: the keys published for this header since then. Empty when
   * there are none or they cannot be fetched. Never rejects.
   */
  readonly findNewer: (header: TokenHeader, tried: ReadonlyArray<KeyObject>) => Promise<ReadonlyArray<KeyObject>>;
};

/** Where keys are published, and how that is asked. */
export type Endpoint = { readonly uri: string; readonly fetch: typeof fetch };

/** The endpoint did not give its keys, so we do not know whether a token's key is one of them. */
export class SigningKeysUnavailable extends Error {
  constructor(cause: unknown) {
    super('the signing keys cannot be fetched', { cause });
    this.name = 'SigningKeysUnavailable';
  }
}

/** From the request to the last byte, ms. */
const FETCH_TIMEOUT = 5_000;

/** Longest key set, bytes. */
const LONGEST_SET = 1024 * 1024;

/** Least time between two requests, ms: a flood of forged tokens must not become one of requests to the endpoint. */
const PAUSE = 2_000;

const MINUTE = 60_000;

/** How long fetched keys are used without asking again, and how much longer while the endpoint is away, ms. */
const FRESH = 10 * MINUTE;
const FALLBACK = 24 * 60 * MINUTE;

/** RFC 7517 §5. */
const KeySet = t.type({ keys: t.UnknownArray });
type KeySet = t.TypeOf<typeof KeySet>;

/** The error never quotes the text, as that of `JSON.parse` does: an endpoint may repeat the credentials that it was sent. */
const parseSet = (text: string): KeySet => {
  const set = E.tryCatch(
    (): unknown => JSON.parse(text),
    () => undefined,
  );
  if (E.isLeft(set)) throw new Error('the response is not JSON');
  if (!KeySet.is(set.right)) throw new Error('the response is not a key set');
  return set.right;
};

type Held = { readonly keys: ReadonlyArray<PublishedKey>; readonly fetchedAt: number };

/** Where to ask, and as whom: `fetch` takes no URL with a name and a password in it. */
const requestOf = (uri: string): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } => {
  const url = new URL(uri);
  const [name, password] = [url.username, url.password].map(decodeURIComponent);
  [url.username, url.password] = ['', ''];
  const basic = Buffer.from(`${name}:${password}`).toString('base64');
  return { url, headers: name === '' ? {} : { authorization: `Basic ${basic}` } };
};

const fetchSet = async ({ uri, fetch }: Endpoint, signal: AbortSignal): Promise<KeySet> => {
  const { url, headers } = requestOf(uri);
  const response = await fetch(url, { headers, signal, redirect: 'error' });
  if (!response.ok) throw new Error(`the key set endpoint responded with ${response.status}`);
  const chunks: Array<Uint8Array> = [];
  let size = 0;
  // reason: the chunks are bytes, which the types of fetch do not say
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LONGEST_SET) throw new Error(`the key set is longer than ${LONGEST_SET} bytes`);
    chunks.push(chunk);
  }
  return parseSet(Buffer.concat(chunks).toString('utf8'));
};

/** Several keys may share an id while one replaces another. A token may omit the id where the set has one key only. */
const keysIn = ({ keys }: Held, { kid, alg }: TokenHeader): ReadonlyArray<KeyObject> =>
  keys
    .filter((published) => (kid === undefined ? keys.length === 1 : published.kid === kid))
    .filter(({ algorithm }) => algorithm === alg)
    .map(({ key }) => key);

/**
 * Public keys of a JWKS endpoint. The set is fetched as a whole and kept. It is fetched anew for a token whose key is not
 * in it, or whose signature does not fit: its key may have been replaced under its id. Tokens whose key is known never
 * wait for that, so forged tokens do not slow them down.
 */
export const makeKeySet = (clock: Clock, endpoint: Endpoint): KeyLookup => {
  const now = clock.monotonic;
  let held: Held | undefined;
  let asking: Promise<Held> | undefined;
  /** Undefined while a request is under way. */
  let respondedAt: number | undefined;

  const ask = async (): Promise<Held> => {
    respondedAt = undefined;
    try {
      const { keys } = await withTimeLimit(clock, FETCH_TIMEOUT, (signal) => fetchSet(endpoint, signal));
      // An endpoint that responds without keys has withdrawn them.
      held = keys.length === 0 ? undefined : { keys: publishedKeys(keys), fetchedAt: now() };
      if (held === undefined) throw new Error('the key set is empty');
      return held;
    } finally {
      respondedAt = now();
    }
  };

  /** One request at a time, whose response serves all callers for a moment. */
  const newest = (): Promise<Held> => {
    const isOver = respondedAt !== undefined && now() - respondedAt >= PAUSE;
    asking = asking === undefined || isOver ? ask() : asking;
    return asking;
  };

  const keptFor = (age: number, header: TokenHeader): ReadonlyArray<KeyObject> =>
    held !== undefined && now() - held.fetchedAt < age ? keysIn(held, header) : [];

  const find: KeyLookup['find'] = async (header) => {
    const known = keptFor(FRESH, header);
    if (known.length > 0) return known;
    const set = await newest().catch((error: unknown) => new SigningKeysUnavailable(error));
    const keys = set instanceof Error ? keptFor(FRESH + FALLBACK, header) : keysIn(set, header);
    if (keys.length === 0) throw set instanceof Error ? set : new Error('no published key has this id');
    return keys;
  };

  const findNewer: KeyLookup['findNewer'] = async (header, tried) => {
    const set = await newest().catch(() => undefined);
    const keys = set === undefined ? [] : keysIn(set, header);
    return keys.filter((key) => !tried.some((other) => other.equals(key)));
  };

  return { find, findNewer };
};
