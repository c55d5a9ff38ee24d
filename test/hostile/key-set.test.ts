import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { type Authenticate, makeAuthenticate } from '../../src/http/authentication/authenticate.js';
import { makeKeySet } from '../../src/http/authentication/key-set.js';
import { errorFields } from '../../src/http/problem/log-fields.js';
import { call } from '../support/client.js';
import { forgeToken } from '../support/forge-token.js';
import { type KeySetServer, startKeySetServer } from '../support/key-set-server.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { makeManualClock, type ManualClock } from '../support/manual-clock.js';

type Algorithm = 'HS256' | 'RS256' | 'ES256';
type Pair = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

const rsaOf = (modulusLength: number): Pair => generateKeyPairSync('rsa', { modulusLength });
const ecOf = (namedCurve: string): Pair => generateKeyPairSync('ec', { namedCurve });

const [rsa, otherRsa, longRsa, ec, otherEc] = [rsaOf(2048), rsaOf(2048), rsaOf(3072), ecOf('P-256'), ecOf('P-256')];

/** The key as a set publishes it, with these members besides. */
const jwkOf = (key: KeyObject, members: object = {}): object => ({ ...key.export({ format: 'jwk' }), ...members });

const tokenOf = (algorithm: Algorithm, key: KeyObject, subject: string, kid: string | undefined): string => {
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  return forgeToken({ alg: algorithm, kid }, { sub: subject, roles: 'viewer', exp }, algorithm, key);
};

/** What a set holds, what signs the token for it, and whether that is let in. */
type Row = readonly [name: string, jwk: unknown, signer: KeyObject, algorithm: Algorithm, isLetIn: boolean];

const rsaRow = (name: string, members: object, isLetIn: boolean): Row => {
  const jwk = jwkOf(rsa.publicKey, { kid: 'it', ...members });
  return [name, jwk, rsa.privateKey, 'RS256', isLetIn];
};
const pairRow = (name: string, { publicKey, privateKey }: Pair, algorithm: Algorithm): Row => {
  return [name, jwkOf(publicKey, { kid: 'it' }), privateKey, algorithm, false];
};
const oddRow = (name: string, jwk: unknown): Row => [name, jwk, rsa.privateKey, 'RS256', false];

const rows: ReadonlyArray<Row> = [
  rsaRow('no member but its own', {}, true),
  rsaRow('alg of the token', { alg: 'RS256' }, true),
  rsaRow('alg of another hash', { alg: 'RS512' }, false),
  rsaRow('alg of another padding', { alg: 'PS256' }, false),
  rsaRow('alg of another type of key', { alg: 'ES256' }, false),
  rsaRow('alg of encryption', { alg: 'RSA-OAEP' }, false),
  rsaRow('alg of null', { alg: null }, false),
  rsaRow('use of signatures', { use: 'sig' }, true),
  rsaRow('use of encryption', { use: 'enc' }, false),
  rsaRow('use in other letters', { use: 'SIG' }, false),
  rsaRow('use of null', { use: null }, false),
  rsaRow('key_ops of verification', { key_ops: ['verify'] }, true),
  rsaRow('key_ops of verification and more', { use: 'sig', key_ops: ['sign', 'verify'] }, true),
  rsaRow('key_ops of signing', { key_ops: ['sign'] }, false),
  rsaRow('key_ops of encryption, for all its use', { use: 'sig', key_ops: ['encrypt'] }, false),
  rsaRow('empty key_ops', { key_ops: [] }, false),
  rsaRow('key_ops that is text', { key_ops: 'verify' }, false),
  rsaRow('key_ops of null', { key_ops: null }, false),
  rsaRow('a kid that is a number', { kid: 1 }, false),
  rsaRow('members that nobody knows', { x5t: 'abc', 'https://example/odd': {} }, true),
  rsaRow('its private half published', rsa.privateKey.export({ format: 'jwk' }), false),
  [
    'alg of the token, on P-256',
    jwkOf(ec.publicKey, { kid: 'it', alg: 'ES256', use: 'sig' }),
    ec.privateKey,
    'ES256',
    true,
  ],
  [
    'key_ops of derivation, on P-256',
    jwkOf(ec.publicKey, { kid: 'it', key_ops: ['deriveKey'] }),
    ec.privateKey,
    'ES256',
    false,
  ],
  pairRow('1,024 bits', rsaOf(1024), 'RS256'),
  pairRow('2,040 bits', rsaOf(2040), 'RS256'),
  pairRow('the curve P-384', ecOf('P-384'), 'ES256'),
  pairRow('the curve secp256k1', ecOf('secp256k1'), 'ES256'),
  oddRow('the type OKP', jwkOf(generateKeyPairSync('ed25519').publicKey, { kid: 'it' })),
  oddRow('the type oct', { kty: 'oct', kid: 'it', k: 'c2VjcmV0' }),
  oddRow('a type that is no type', { kty: 'AKP', kid: 'it', alg: 'ML-DSA-44', pub: 'AQAB' }),
  oddRow('no type', { kid: 'it' }),
  oddRow('no modulus', { kty: 'RSA', kid: 'it', e: 'AQAB' }),
  oddRow('a modulus that is a number', { kty: 'RSA', kid: 'it', n: 1, e: 3 }),
  oddRow('a point off its curve', { kty: 'EC', kid: 'it', crv: 'P-256', x: 'AQAB', y: 'AQAB' }),
  oddRow('nothing: null', null),
  oddRow('nothing: text', 'it'),
  oddRow('nothing: a list', []),
];

describe('a hostile or careless key set', () => {
  let stack: MemoryStack;
  let authenticate: Authenticate;
  let keySet: KeySetServer;
  let clock: ManualClock;

  const letIn = async (token: string): Promise<boolean> => {
    const { status, json } = await call(stack, 'GET', '/business', { as: token });
    if (status !== 200)
      expect({ status, json })
        .to.deep.include({ status: 401 })
        .and.to.have.nested.property('json.name', 'Unauthorized');
    return status === 200;
  };

  before(async () => {
    keySet = await startKeySetServer();
    stack = await startMemoryStack({ authenticate: (ctx) => authenticate(ctx) });
  });
  beforeEach(() => {
    [keySet.keys, keySet.respond, keySet.asked] = [[], undefined, 0];
    clock = makeManualClock(new Date());
    authenticate = makeAuthenticate(clock, { key: { _tag: 'Jwks', uri: keySet.uri, fetch } });
  });
  after(async () => {
    await stack.stop();
    await keySet.close();
  });

  describe('whose key has', () => {
    for (const [name, jwk, signer, algorithm, isLetIn] of rows)
      it(`${name}: ${isLetIn ? 'verifies with it' : 'passes it over'}, and goes on with the others`, async () => {
        keySet.keys = [jwkOf(otherRsa.publicKey, { kid: 'before' }), jwk, jwkOf(otherEc.publicKey, { kid: 'after' })];
        expect(await letIn(tokenOf(algorithm, signer, 'alice', 'it'))).to.equal(isLetIn);
        expect(await letIn(tokenOf('RS256', otherRsa.privateKey, 'bob', 'before'))).to.equal(true);
        expect(await letIn(tokenOf('ES256', otherEc.privateKey, 'carol', 'after'))).to.equal(true);
      });
    for (const [name, jwk, signer, algorithm] of rows.filter(([, , , , isLetIn]) => !isLetIn))
      it(`${name}, and no other key: lets nobody in`, async () => {
        keySet.keys = [jwk];
        for (const kid of ['it', undefined])
          expect(await letIn(tokenOf(algorithm, signer, 'alice', kid))).to.equal(false);
      });
  });

  describe('whose key is replaced under its id', () => {
    const changes: Readonly<Record<string, readonly [Pair, Algorithm, Pair, Algorithm]>> = {
      'by another of its kind': [rsa, 'RS256', otherRsa, 'RS256'],
      'by a longer one': [rsa, 'RS256', longRsa, 'RS256'],
      'by another on its curve': [ec, 'ES256', otherEc, 'ES256'],
      'by one of another kind': [rsa, 'RS256', ec, 'ES256'],
    };
    for (const [how, [first, firstAlgorithm, second, secondAlgorithm]] of Object.entries(changes))
      for (const kid of ['one', undefined])
        it(`${how}, ${kid === undefined ? 'which tokens do not name' : 'lets the new one in within seconds'}`, async () => {
          keySet.keys = [jwkOf(first.publicKey, { kid: 'one' })];
          expect(await letIn(tokenOf(firstAlgorithm, first.privateKey, 'alice', kid))).to.equal(true);
          keySet.keys = [jwkOf(second.publicKey, { kid: 'one' })];
          await clock.advance(2_500);
          expect(await letIn(tokenOf(secondAlgorithm, second.privateKey, 'bob', kid))).to.equal(true);
          expect(await letIn(tokenOf(firstAlgorithm, first.privateKey, 'carol', kid))).to.equal(false);
          expect(keySet.asked).to.equal(2);
        });
  });

  describe('under a flood of forged tokens that name its key', () => {
    const good = (subject: string): string => tokenOf('RS256', rsa.privateKey, subject, 'one');
    const forged = (subject: string): string => tokenOf('RS256', otherRsa.privateKey, subject, 'one');
    const flood = async (name: string): Promise<ReadonlyArray<boolean>> =>
      Promise.all(Array.from({ length: 40 }, (_, index) => letIn(forged(`${name} ${index}`))));
    const nobody = Array.from({ length: 40 }, () => false);

    beforeEach(async () => {
      keySet.keys = [jwkOf(rsa.publicKey, { kid: 'one' })];
      expect(await letIn(good('alice'))).to.equal(true);
    });

    it('is asked once in its pause, and lets good tokens in all the while', async () => {
      for (let seconds = 3; seconds <= 30; seconds += 3) {
        await clock.advance(3_000);
        const [all, one] = await Promise.all([flood(`mallory ${seconds}`), letIn(good(`bob ${seconds}`))]);
        expect(all).to.deep.equal(nobody);
        expect(one).to.equal(true);
      }
      expect(keySet.asked).to.equal(11);
    });

    it('lets a key that was replaced under the flood in, once the pause is over', async () => {
      await clock.advance(3_000);
      expect(await flood('mallory')).to.deep.equal(nobody);
      keySet.keys = [jwkOf(longRsa.publicKey, { kid: 'one' })];
      await clock.advance(2_500);
      expect(await flood('oscar')).to.deep.equal(nobody);
      expect(await letIn(tokenOf('RS256', longRsa.privateKey, 'bob', 'one'))).to.equal(true);
    });

    it('lets both keys in while it has two under one id', async () => {
      keySet.keys = [jwkOf(longRsa.publicKey, { kid: 'one' }), jwkOf(rsa.publicKey, { kid: 'one' })];
      await clock.advance(3_000);
      expect(await flood('mallory')).to.deep.equal(nobody);
      expect(await letIn(good('bob'))).to.equal(true);
      expect(await letIn(tokenOf('RS256', longRsa.privateKey, 'carol', 'one'))).to.equal(true);
    });

    const faults: Readonly<Record<string, NonNullable<KeySetServer['respond']>>> = {
      'answers 500': (response) => response.writeHead(500).end(),
      'gives no JSON': (response) => response.end('<html>'),
      'gives JSON of another form': (response) => response.end('{"error":"try again"}'),
      'breaks off': (response) => response.destroy(),
    };
    for (const [what, respond] of Object.entries(faults))
      it(`keeps its keys while the endpoint ${what}`, async () => {
        keySet.respond = respond;
        await clock.advance(3_000);
        expect(await flood('mallory')).to.deep.equal(nobody);
        expect(keySet.asked).to.equal(2);
        expect(await letIn(good('bob'))).to.equal(true);
      });

    it('takes no keys from where the endpoint sends it', async () => {
      const elsewhere = await startKeySetServer();
      try {
        elsewhere.keys = [jwkOf(otherRsa.publicKey, { kid: 'it' })];
        for (const status of [301, 302, 303, 307, 308]) {
          keySet.respond = (response) => response.writeHead(status, { location: elsewhere.uri }).end();
          const found = await makeKeySet(clock, { uri: keySet.uri, fetch })
            .find({ alg: 'RS256', kid: 'it' })
            .catch(errorFields);
          expect(found, String(status)).to.include({ message: 'the signing keys cannot be fetched' });
        }
        expect(elsewhere.asked).to.equal(0);
      } finally {
        await elsewhere.close();
      }
    });

    it('says nothing of what the endpoint repeats, such as the credentials that it was sent', async () => {
      const repeated = Buffer.from('app:planted').toString('base64');
      keySet.respond = (response) => response.end(`Basic ${repeated}`);
      const failed = await makeKeySet(clock, { uri: keySet.uri, fetch })
        .find({ alg: 'RS256', kid: 'it' })
        .catch(errorFields);
      expect(failed).to.have.nested.property('cause.message', 'the response is not JSON');
      expect(JSON.stringify(failed)).not.to.include(repeated);
    });

    it('has good tokens wait for nothing while the endpoint does not answer', async () => {
      const silent: Array<() => void> = [];
      keySet.respond = (response) => silent.push(() => response.end('{}'));
      await clock.advance(3_000);
      let isAnswered = false;
      const waiting = letIn(forged('mallory')).finally(() => (isAnswered = true));
      await keySet.news.until(() => keySet.asked === 2);
      for (let index = 0; index < 3; index += 1) expect(await letIn(good(`bob ${index}`))).to.equal(true);
      expect(isAnswered).to.equal(false);
      for (const answer of silent) answer();
      expect(await waiting).to.equal(false);
    });

    it('gives none of several keys to a token that names none, and the only one there is', async () => {
      const one = jwkOf(rsa.publicKey, { kid: 'one' });
      const header = { alg: 'RS256', kid: undefined };
      keySet.keys = [one, jwkOf(otherRsa.publicKey, { kid: 'two' })];
      const refused = await makeKeySet(clock, { uri: keySet.uri, fetch }).find(header).catch(String);
      expect(refused).to.equal('Error: no published key has this id');
      keySet.keys = [one];
      const [found] = await makeKeySet(clock, { uri: keySet.uri, fetch }).find(header);
      expect(found?.equals(rsa.publicKey)).to.equal(true);
    });

    it('is not asked again because somebody sets the time of day, forward or back', async () => {
      const header = { alg: 'RS256', kid: 'one' };
      const { find } = makeKeySet(clock, { uri: keySet.uri, fetch });
      await find(header);
      const { asked } = keySet;
      for (const ms of [-3_600_000, 90_000_000]) {
        clock.setBy(ms);
        await find(header);
      }
      expect(keySet.asked).to.equal(asked);
    });

    it('has no newer key to try as long as it stays the same', async () => {
      const header = { alg: 'RS256', kid: 'one' };
      const { find, findNewer } = makeKeySet(clock, { uri: keySet.uri, fetch });
      const tried = await find(header);
      await clock.advance(3_000);
      expect(await findNewer(header, tried)).to.deep.equal([]);
      expect(keySet.asked).to.equal(3);
    });

    it('is not asked for tokens that no key could make good', async () => {
      await clock.advance(3_000);
      const header = { alg: 'RS256', kid: 'two' };
      for (const odd of [{ crit: ['exp'] }, { b64: false }, { alg: 'none' }, { alg: 'HS256' }])
        expect(await letIn(forgeToken({ ...header, ...odd }, {}, 'RS256', otherRsa.privateKey))).to.equal(false);
      expect(keySet.asked).to.equal(1);
    });
  });
});
