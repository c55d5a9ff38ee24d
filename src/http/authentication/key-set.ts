import { createPublicKey, type KeyObject } from 'node:crypto';
import { JwksClient, JwksError } from 'jwks-rsa';

/** The endpoint did not give its keys, so nobody can tell whether a token's key is one of them. */
export class SigningKeysUnavailable extends Error {
  constructor(cause: unknown) {
    super('the signing keys cannot be fetched', { cause });
    this.name = 'SigningKeysUnavailable';
  }
}

/** The endpoint gave its keys, and a token's key is none of them. */
class SigningKeyUnknown extends Error {
  constructor() {
    super('no published key has this id');
    this.name = 'SigningKeyUnknown';
  }
}

/** The key of a token's header `kid`. Rejects with `SigningKeyUnknown` or `SigningKeysUnavailable`. */
export type KeyLookup = (header: { readonly kid?: unknown }) => Promise<KeyObject>;

/** From the request to the last byte, ms. */
const FETCH_TIMEOUT = 5_000;

/** Longest key set, bytes. */
const LONGEST_SET = 1024 * 1024;

/** Least time between two requests, ms: tokens with made-up key ids must not become a flood on the endpoint. */
const PAUSE = 2_000;

const MINUTE = 60_000;

/** How long known keys are taken unasked, and how long beyond that while the endpoint is away, ms. */
const FRESH = 10 * MINUTE;
const FALLBACK = 24 * 60 * MINUTE;

type PublishedKey = { readonly kid: unknown; readonly key: KeyObject };

type Held = { readonly keys: ReadonlyArray<PublishedKey>; readonly fetchedAt: number };

/** Where to ask, and as whom: `fetch` takes no URL with a name and a password in it. */
const requestOf = (uri: string): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } => {
  const url = new URL(uri);
  const [name, password] = [url.username, url.password].map(decodeURIComponent);
  [url.username, url.password] = ['', ''];
  const basic = Buffer.from(`${name}:${password}`).toString('base64');
  return { url, headers: name === '' ? {} : { authorization: `Basic ${basic}` } };
};

/** jwks-rsa's own request never ends when the endpoint breaks off its answer, and takes one of any length. */
const fetchSet = async (uri: string): Promise<{ keys: unknown }> => {
  const { url, headers } = requestOf(uri);
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(FETCH_TIMEOUT), redirect: 'error' });
  if (!response.ok) throw new Error(`the key set was answered with ${response.status}`);
  const chunks: Array<Uint8Array> = [];
  let size = 0;
  // reason: fetch gives bytes, which its types do not say
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LONGEST_SET) throw new Error(`the key set is longer than ${LONGEST_SET} bytes`);
    chunks.push(chunk);
  }
  // reason: jwks-rsa passes over what is no list of keys
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as { keys: unknown };
};

const keyIn = ({ keys }: Held, kid: unknown): KeyObject | undefined => {
  if (kid === undefined) return keys.length === 1 ? keys[0]?.key : undefined;
  return keys.find((published) => published.kid === kid)?.key;
};

/**
 * Public keys of a JWKS endpoint. The set is fetched as a whole and kept; a key that is not in it has it fetched anew,
 * so that whoever makes up key ids takes nothing away from tokens whose key is known. `now` is in ms.
 */
export const makeKeySet = (uri: string, now: () => number): KeyLookup => {
  const client = new JwksClient({ jwksUri: uri, cache: false, fetcher: fetchSet });
  let held: Held | undefined;
  let asking: Promise<Held> | undefined;
  /** Undefined while the answer is under way. */
  let answeredAt: number | undefined;

  const ask = async (): Promise<Held> => {
    answeredAt = undefined;
    try {
      const keys = await client.getSigningKeys();
      held = {
        keys: keys.map((key) => ({ kid: key.kid, key: createPublicKey(key.getPublicKey()) })),
        fetchedAt: now(),
      };
      return held;
    } catch (error) {
      // An endpoint that answers and has no keys has withdrawn them.
      if (error instanceof JwksError) held = undefined;
      throw error;
    } finally {
      answeredAt = now();
    }
  };

  /** What is under way, or was answered a moment ago, counts for everybody. `abs`: a clock may be set back. */
  const newest = (): Promise<Held> => {
    const isOver = answeredAt !== undefined && Math.abs(now() - answeredAt) >= PAUSE;
    asking = asking === undefined || isOver ? ask() : asking;
    return asking;
  };

  const keptFor = (age: number, kid: unknown): KeyObject | undefined =>
    held !== undefined && Math.abs(now() - held.fetchedAt) < age ? keyIn(held, kid) : undefined;

  return async ({ kid }) => {
    const known = keptFor(FRESH, kid);
    if (known !== undefined) return known;
    const set = await newest().catch((error: unknown) => new SigningKeysUnavailable(error));
    if (!(set instanceof Error)) {
      const key = keyIn(set, kid);
      if (key === undefined) throw new SigningKeyUnknown();
      return key;
    }
    const kept = keptFor(FRESH + FALLBACK, kid);
    if (kept === undefined) throw set;
    return kept;
  };
};
