import { createPrivateKey, createPublicKey, hash as digest, type KeyObject, sign, verify } from 'node:crypto';
import { either as E } from 'fp-ts';
import { fromBase64 } from './base64.js';

/** Who may have signed a note: the verifier key of https://c2sp.org/signed-note. */
export type Verifier = {
  readonly name: string;
  /** Of the name and the public key: 8 digits of lower-case hex. */
  readonly id: string;
  /** 32 bytes, as in RFC 8032. */
  readonly publicKey: Buffer;
  readonly verifies: (text: Uint8Array, signature: Uint8Array) => boolean;
};

/** Who signs notes. Holds the secret key, so it is for projectors alone. */
export type Signer = {
  readonly verifier: Verifier;
  /** The secret: the 32 bytes that the Ed25519 key is made of (RFC 8032). */
  readonly seed: Buffer;
  readonly sign: (text: Uint8Array) => Buffer;
};

const KEY_BYTES = 32;
const ED25519 = Buffer.of(1); // the signature type
// What stands before the 32 bytes in the DER of PKCS #8 and of SPKI (RFC 8410).
const SECRET_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');

// control characters and surrogates could not stand in a note
const NAME = /^[^\p{White_Space}+\p{Surrogate}\0-\x1f]+$/u; // eslint-disable-line no-control-regex -- see above

/** Whether this may name a key: not empty, without space and without plus. */
export const isKeyName = (name: string): boolean => NAME.test(name);

/** The first 4 bytes of SHA-256(name ‖ 0x0A ‖ signature type ‖ public key), in hex. */
const idOf = (name: string, publicKey: Buffer, type = ED25519): string =>
  digest('sha256', Buffer.concat([Buffer.from(`${name}\n`), type, publicKey]), 'hex').slice(0, 8);

/** An Ed25519 public key from its 32 bytes. */
export const ed25519Key = (publicKey: Buffer): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_DER, publicKey]), format: 'der', type: 'spki' });

const verifierOf = (name: string, publicKey: Buffer, key: KeyObject): Verifier => ({
  name,
  id: idOf(name, publicKey),
  publicKey,
  verifies: (text, signature) => verify(null, text, key, signature),
});

const NO_NAME = 'the name of a key must not be empty, and has no space and no plus';

/** The signer with this name and secret. The same secret may sign under several names. */
export const signerOf = (name: string, seed: Uint8Array): E.Either<string, Signer> => {
  if (!isKeyName(name)) return E.left(NO_NAME);
  if (seed.length !== KEY_BYTES) return E.left('the secret of an Ed25519 key has 32 bytes');
  const secretKey = createPrivateKey({ key: Buffer.concat([SECRET_DER, seed]), format: 'der', type: 'pkcs8' });
  const key = createPublicKey(secretKey);
  const publicKey = key.export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length);
  return E.right({
    verifier: verifierOf(name, publicKey, key),
    seed: Buffer.from(seed),
    sign: (text) => sign(null, text, secretKey),
  });
};

const encode = (key: Buffer): string => Buffer.concat([ED25519, key]).toString('base64');

/** The verifier key as text: `<name>+<id>+<base64 of 0x01 ‖ public key>`. */
export const renderVerifier = ({ name, id, publicKey }: Verifier): string => `${name}+${id}+${encode(publicKey)}`;

const SECRET = 'PRIVATE+KEY+';

/**
 * The signer as text, which is secret: `PRIVATE+KEY+<name>+<id>+<base64 of 0x01 ‖ seed>`, as the tools of Go's
 * golang.org/x/mod/sumdb/note read and write it.
 */
export const renderSigner = ({ verifier: { name, id }, seed }: Signer): string =>
  `${SECRET}${name}+${id}+${encode(seed)}`;

type Parts = { readonly name: string; readonly id: string; readonly key: Buffer };

const parse = (text: string, what: string, type = ED25519): E.Either<string, Parts> => {
  const [name = '', id = '', encoded = '', ...more] = text.split('+');
  // base64 has pluses of its own
  const bytes = fromBase64([encoded, ...more].join('+'));
  if (!isKeyName(name) || !/^[0-9a-f]{8}$/.test(id) || bytes === undefined || bytes.length === 0)
    return E.left(`the ${what} is not of the form name+id+base64`);
  if (bytes[0] !== type[0])
    return E.left(`the ${what} is not ${type === ED25519 ? 'for Ed25519' : `of the signature type ${type[0]}`}`);
  if (bytes.length !== ED25519.length + KEY_BYTES) return E.left(`the ${what} has not the length of an Ed25519 key`);
  return E.right({ name, id, key: bytes.subarray(ED25519.length) });
};

/** A public key of 32 bytes from its text, of another signature type, with its name and id. */
export const parseKey = (text: string, what: string, type: number): E.Either<string, Parts> => {
  const parts = parse(text, what, Buffer.of(type));
  if (E.isLeft(parts)) return parts;
  const { name, id, key } = parts.right;
  return idOf(name, key, Buffer.of(type)) === id
    ? parts
    : E.left(`the id in the ${what} is not that of its name and key`);
};

const withThatId =
  (id: string, what: string) =>
  <A extends Verifier | Signer>(key: A): E.Either<string, A> =>
    id === ('verifier' in key ? key.verifier.id : key.id)
      ? E.right(key)
      : E.left(`the id in the ${what} is not that of its name and key`);

/** The verifier of the same public key under another name; undefined where that cannot name a key. */
export const renamedVerifier = (verifier: Verifier, name: string): Verifier | undefined =>
  isKeyName(name) ? { ...verifier, name, id: idOf(name, verifier.publicKey) } : undefined;

/** The signer with the same secret under another name. */
export const renamedSigner = (signer: Signer, name: string): E.Either<string, Signer> => {
  const verifier = renamedVerifier(signer.verifier, name);
  return verifier === undefined ? E.left(NO_NAME) : E.right({ ...signer, verifier });
};

/** A verifier key from its text; any other spelling of one is an error. */
export const parseVerifier = (text: string): E.Either<string, Verifier> => {
  const what = 'verifier key';
  const parts = parse(text, what);
  if (E.isLeft(parts)) return parts;
  const { name, id, key: publicKey } = parts.right;
  const key = ed25519Key(publicKey);
  return withThatId(id, what)(verifierOf(name, publicKey, key));
};

/** A signer from its text, without the end of the line. What is wrong is said without a word of the secret. */
export const parseSigner = (text: string): E.Either<string, Signer> => {
  const what = 'signing key';
  if (!text.startsWith(SECRET)) return E.left(`the ${what} does not begin with ${SECRET}`);
  const parts = parse(text.slice(SECRET.length), what);
  if (E.isLeft(parts)) return parts;
  return E.chain(withThatId(parts.right.id, what))(signerOf(parts.right.name, parts.right.key));
};
