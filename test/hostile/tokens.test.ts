import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { type Authenticate, makeAuthenticate } from '../../src/http/authentication/authenticate.js';
import type { VerificationKey } from '../../src/http/authentication/signing-keys.js';
import { call } from '../support/client.js';
import { draw } from '../support/draw.js';
import { errorIn } from '../support/error-in.js';
import { forgeToken, unsignedToken } from '../support/forge-token.js';
import { type KeySetServer, startKeySetServer } from '../support/key-set-server.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { SECRET } from '../support/tokens.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Algorithm = 'HS256' | 'RS256' | 'ES256';

/** What signs good tokens, and what they are verified with. */
type Kind = {
  readonly algorithm: Algorithm;
  readonly key: KeyObject | string;
  readonly header: object;
  /** `uri` is where a key set is published. */
  readonly verification: (uri: string) => VerificationKey;
};

/** Name, token, and why it is refused with 401; undefined: it is let in. */
type Row = readonly [name: string, token: () => string, reason: string | undefined];

const INVALID = 'The token is not valid';
const EXPIRED = 'The token has expired';
const CRIT = 'The token must not have a crit header: no extension is supported';
const B64 = 'The token must not have a b64 header other than true';
const INCOMPLETE = 'The token must have an expiry and a subject';
const TIMES = 'The times of the token (exp, nbf, iat) must be finite numbers';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const attacker = {
  HS256: 'another secret, of 32 bytes and even more',
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
};
const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'spki' }).toString();
const rsaPem = pemOf(rsa.publicKey);
const ecPem = pemOf(ec.publicKey);
const attackersJwk = createPublicKey(attacker.RS256).export({ format: 'jwk' });

const now = (): number => Math.floor(Date.now() / 1000);
const claims = (members: object = {}): object => ({
  ...{ sub: 'alice', roles: 'viewer', exp: now() + 600, iss: 'us', aud: 'here' },
  ...members,
});
/** JSON with one more member than a value can have: an infinite number, a name in escapes, a name twice. */
const withRaw = (value: object, member: string): string => `${JSON.stringify(value).slice(0, -1)},${member}}`;

const byRsa = { algorithm: 'RS256', key: rsa.privateKey, header: { alg: 'RS256', typ: 'JWT', kid: 'rsa' } } as const;
const byEc = { algorithm: 'ES256', key: ec.privateKey, header: { alg: 'ES256', typ: 'JWT', kid: 'ec' } } as const;
const bySecret = { algorithm: 'HS256', key: SECRET, header: { alg: 'HS256', typ: 'JWT' } } as const;
const kinds: Readonly<Record<string, Kind>> = {
  'a secret': { ...bySecret, verification: () => ({ _tag: 'Secret', secret: SECRET }) },
  'an RSA key': { ...byRsa, verification: () => ({ _tag: 'PublicKey', pem: rsaPem }) },
  'a P-256 key': { ...byEc, verification: () => ({ _tag: 'PublicKey', pem: ecPem }) },
  'an RSA key of a set': { ...byRsa, verification: (uri) => ({ _tag: 'Jwks', uri, fetch }) },
  'a P-256 key of a set': { ...byEc, verification: (uri) => ({ _tag: 'Jwks', uri, fetch }) },
};

const headerRows = ({ algorithm, key, header }: Kind): ReadonlyArray<Row> => {
  const headed = (members: object) => () => forgeToken({ ...header, ...members }, claims(), algorithm, key);
  const raw = (member: string) => () => forgeToken(withRaw(header, member), claims(), algorithm, key);
  const instead = (other: unknown) => () => forgeToken(other, claims(), algorithm, key);
  return [
    ['nothing odd', headed({}), undefined],
    ['a header that nobody knows', headed({ 'https://example/odd': 1 }), undefined],
    ['crit with an unknown extension', headed({ crit: ['urn:example:odd'], 'urn:example:odd': true }), CRIT],
    ['crit with a name of RFC 7515', headed({ crit: ['alg'] }), CRIT],
    ['crit with b64', headed({ crit: ['b64'], b64: true }), CRIT],
    ['an empty crit', headed({ crit: [] }), CRIT],
    ['a crit of null', headed({ crit: null }), CRIT],
    ['a crit that is text', headed({ crit: 'exp' }), CRIT],
    ['a crit of false', headed({ crit: false }), CRIT],
    ['any crit', () => headed({ crit: draw(fc.jsonValue()) })(), CRIT],
    ['crit written with escapes', raw('"\\u0063rit":["exp"]'), CRIT],
    ['crit twice', raw('"crit":["exp"],"crit":[]'), CRIT],
    ['an unencoded payload', headed({ b64: false, crit: ['b64'] }), CRIT],
    ['b64 of false', headed({ b64: false }), B64],
    ['b64 of false, as text', headed({ b64: 'false' }), B64],
    ['b64 of null', headed({ b64: null }), B64],
    ['b64 of true and then of false', raw('"b64":true,"b64":false'), B64],
    ['b64 of true, which is the rule', headed({ b64: true }), undefined],
    ['no algorithm at all', headed({ alg: undefined }), INVALID],
    ['the algorithm none over a signature', headed({ alg: 'none' }), INVALID],
    ['the algorithm in small letters', headed({ alg: algorithm.toLowerCase() }), INVALID],
    ['the algorithm in a list', headed({ alg: [algorithm] }), INVALID],
    ['the algorithm as a number', headed({ alg: 256 }), INVALID],
    ['another hash', headed({ alg: `${algorithm.slice(0, 2)}512` }), INVALID],
    ['PS256', headed({ alg: 'PS256' }), INVALID],
    ['a header that is a list', instead([header]), INVALID],
    ['a header that is null', instead(null), INVALID],
    ['a header that is a number', instead(1), INVALID],
    ['a header that is no JSON', instead('{'), INVALID],
  ];
};

const signatureIn = (token: string): string => token.replace(/^.*\./, '');

/** RFC 7518 §3.4: a signature of ES256 is two numbers of 32 bytes each; OpenSSL gives and takes DER. */
const inDer = (key: KeyObject): string => {
  const text = forgeToken(byEc.header, claims(), 'ES256', key).replace(/\.[^.]*$/, '');
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
};

const signatureRows = ({ algorithm, key, header }: Kind): ReadonlyArray<Row> => {
  const good = (): string => forgeToken(header, claims(), algorithm, key);
  const [forged, none] = [attacker[algorithm], { ...header, alg: 'none' }];
  const byAttacker = (members: object) => () => forgeToken({ ...header, ...members }, claims(), algorithm, forged);
  const hmac = (secret: string) => () => forgeToken({ ...header, alg: 'HS256' }, claims(), 'HS256', secret);
  const admin = (): string => Buffer.from(JSON.stringify(claims({ roles: 'admin' }))).toString('base64url');
  return [
    ['nothing wrong', good, undefined],
    ['none and no signature', () => unsignedToken(none, claims(), ''), INVALID],
    ['nOnE and no signature', () => unsignedToken({ ...none, alg: 'nOnE' }, claims(), ''), INVALID],
    ['no signature', () => unsignedToken(header, claims(), ''), INVALID],
    ['half a signature', () => good().slice(0, -20), INVALID],
    ['a signature of zeros', () => unsignedToken(header, claims(), Buffer.alloc(64).toString('base64url')), INVALID],
    [
      'the signature of another token',
      () => unsignedToken(header, claims({ sub: 'bob' }), signatureIn(good())),
      INVALID,
    ],
    ['a changed payload', () => good().replace(/\.[^.]+\./, `.${admin()}.`), INVALID],
    ["an attacker's signature", byAttacker({}), INVALID],
    ["an attacker's key in jwk", byAttacker({ jwk: attackersJwk }), INVALID],
    ["an attacker's address in jku", byAttacker({ jku: 'http://127.0.0.1:9/keys' }), INVALID],
    ["an attacker's certificate in x5c", byAttacker({ x5c: ['MIIB'], x5u: 'http://127.0.0.1:9/' }), INVALID],
    ['a path in kid', byAttacker({ kid: '../../../../dev/null' }), INVALID],
    ['SQL in kid', byAttacker({ kid: "x' UNION SELECT 'key" }), INVALID],
    ['a kid that is an object', byAttacker({ kid: { $ne: null } }), INVALID],
    ['a kid of a prototype', byAttacker({ kid: '__proto__' }), INVALID],
    ['an HMAC of nothing', hmac(''), INVALID],
    ['an HMAC of the RSA key', hmac(rsaPem), INVALID],
    ['an HMAC of the P-256 key', hmac(ecPem), INVALID],
    ['an HMAC of the key without its last line end', hmac(rsaPem.trim()), INVALID],
    ['a signature of ES256 in DER', () => inDer(ec.privateKey), INVALID],
    ['two parts', () => good().split('.').slice(0, 2).join('.'), INVALID],
    ['four parts', () => `${good()}.e30`, INVALID],
    ['five parts, as encrypted tokens have', () => `${good()}.e30.e30`, INVALID],
  ];
};

const claimRows = ({ algorithm, key, header }: Kind): ReadonlyArray<Row> => {
  const of = (payload: unknown) => () => forgeToken(header, payload, algorithm, key);
  const claimed = (members: () => object) => () => of(claims(members()))();
  const raw = (member: string) => () => of(withRaw(claims(), member))();
  return [
    ['times of every kind', claimed(() => ({ iat: now() - 1, nbf: now() - 1.5, exp: now() + 60.5 })), undefined],
    ['no expiry', claimed(() => ({ exp: undefined })), INCOMPLETE],
    ['an expiry that is past', claimed(() => ({ exp: now() - 60 })), EXPIRED],
    ['an expiry at the beginning of time', claimed(() => ({ exp: 0 })), EXPIRED],
    ['an expiry in text', claimed(() => ({ exp: String(now() + 600) })), INVALID],
    ['an expiry of null', claimed(() => ({ exp: null })), INVALID],
    ['an expiry in a list', claimed(() => ({ exp: [now() + 600] })), INVALID],
    ['an infinite expiry', raw('"exp":1e999'), TIMES],
    ['an expiry before all time', raw('"exp":-1e999'), EXPIRED],
    ['a start that is to come', claimed(() => ({ nbf: now() + 60 })), INVALID],
    ['a start in text', claimed(() => ({ nbf: '0' })), INVALID],
    ['a start of null', claimed(() => ({ nbf: null })), INVALID],
    ['a start that never comes', raw('"nbf":1e999'), INVALID],
    ['a start before all time', raw('"nbf":-1e999'), TIMES],
    ['an issue in text', claimed(() => ({ iat: 'now' })), TIMES],
    ['an issue of null', claimed(() => ({ iat: null })), TIMES],
    ['an issue of true', claimed(() => ({ iat: true })), TIMES],
    ['an issue that never was', raw('"iat":1e999'), TIMES],
    ['an issue before all time', raw('"iat":-1e999'), TIMES],
    ['an issue to come, for which there is no rule', claimed(() => ({ iat: now() + 600 })), undefined],
    ['another issuer', claimed(() => ({ iss: 'them' })), INVALID],
    ['issuers in a list', claimed(() => ({ iss: ['us'] })), INVALID],
    ['no issuer', claimed(() => ({ iss: undefined })), INVALID],
    ['another audience', claimed(() => ({ aud: ['there'] })), INVALID],
    ['no audience', claimed(() => ({ aud: undefined })), INVALID],
    ['no subject', claimed(() => ({ sub: undefined })), INCOMPLETE],
    ['a subject that is an object', claimed(() => ({ sub: { $ne: null } })), INCOMPLETE],
    ['a zero byte in its subject', claimed(() => ({ sub: 'a\u0000b' })), INCOMPLETE],
    ['a payload that is null', of(null), INVALID],
    ['a payload that is a number', of(1), INVALID],
    ['a payload that is no JSON', of('{'), INVALID],
    ['a token in a token', () => of(JSON.stringify(forgeToken(header, claims(), algorithm, key)))(), INVALID],
  ];
};

const answerFor = (reason: string | undefined): object =>
  reason === undefined
    ? { status: 200, challenge: null, json: [] }
    : {
        status: 401,
        challenge: `Bearer error="invalid_token", error_description="${reason}"`,
        json: {
          name: 'Unauthorized',
          message: reason,
          status: 401,
          code: reason === EXPIRED ? 'token_expired' : 'token_invalid',
        },
      };

describe('hostile tokens', () => {
  let stack: MemoryStack;
  let authenticate: Authenticate;
  let keySet: KeySetServer;

  before(async () => {
    keySet = await startKeySetServer();
    keySet.keys = [
      { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'rsa' },
      { ...ec.publicKey.export({ format: 'jwk' }), kid: 'ec' },
    ];
    stack = await startMemoryStack({ authenticate: (ctx) => authenticate(ctx) });
  });
  after(async () => {
    await stack.stop();
    await keySet.close();
  });

  for (const [name, kind] of Object.entries(kinds)) {
    const sections = { header: headerRows(kind), signature: signatureRows(kind), claims: claimRows(kind) };
    for (const [section, rows] of Object.entries(sections))
      describe(`verified by ${name}: ${section}`, () => {
        beforeEach(() => {
          authenticate = makeAuthenticate(systemRuntime.clock, {
            key: kind.verification(keySet.uri),
            issuer: 'us',
            audience: 'here',
          });
        });
        for (const [what, token, reason] of rows)
          it(`${reason === undefined ? 'takes' : 'refuses'} ${what}`, async () => {
            const { status, headers, json } = await call(stack, 'GET', '/business', { as: token() });
            const challenge = headers.get('www-authenticate');
            const shown = status === 200 ? json : errorIn(json);
            expect({ status, challenge, json: shown }).to.deep.equal(answerFor(reason));
          });
      });
  }
});
