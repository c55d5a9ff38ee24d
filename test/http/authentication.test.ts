import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { pipeline } from 'node:stream';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import { makeAuthenticate } from '../../src/http/authentication/authenticate.js';
import type { TokenVerification } from '../../src/http/authentication/verify-token.js';
import { call, type Reply } from '../support/client.js';
import { errorIn } from '../support/error-in.js';
import { type MemoryStack, startMemoryStack } from '../support/memory-stack.js';
import { SECRET } from '../support/tokens.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeManualClock, type ManualClock } from '../support/manual-clock.js';
import type { Clock } from '../../src/event-sourcing/clock.js';

const now = (): number => Math.floor(Date.now() / 1000);
const claims = (): object => ({ sub: 'alice', exp: now() + 600, roles: ['viewer'] });
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const hmac = (text: string, secret: string, hash = 'sha256'): string =>
  createHmac(hash, secret).update(text).digest('base64url');

/** A token put together by hand, as an attacker does it. */
const forged = (header: object, payload: object, secret: string, hash?: string): string => {
  const text = `${encoded(header)}.${encoded(payload)}`;
  return `${text}.${hmac(text, secret, hash)}`;
};

const signed = (payload: object): string => forged({ alg: 'HS256', typ: 'JWT' }, payload, SECRET);

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'spki' }).toString();

const bySignature = (algorithm: 'RS256' | 'ES256', key: KeyObject, keyid?: string): string =>
  jwt.sign(claims(), key, { algorithm, ...(keyid === undefined ? {} : { keyid }) });

describe('authentication', () => {
  let stack: MemoryStack | undefined;
  const start = async (verification: TokenVerification, clock: Clock = systemRuntime.clock): Promise<void> => {
    stack = await startMemoryStack({ authenticate: makeAuthenticate(clock, verification) });
  };
  const ask = (token: string): Promise<Reply> => call(stack!, 'GET', '/business', { as: token });
  const verdict = async (token: string): Promise<unknown> => {
    const { status, json } = await ask(token);
    return status === 200 ? 'let in' : (json as { name: string }).name;
  };
  afterEach(async () => {
    await stack?.stop();
    stack = undefined;
  });

  describe('by a secret', () => {
    beforeEach(() => start({ key: { _tag: 'Secret', secret: SECRET } }));

    it('takes a token signed with the secret, more than once', async () => {
      const token = signed(claims());
      expect([await verdict(token), await verdict(token)]).to.deep.equal(['let in', 'let in']);
    });

    const attacks: Readonly<Record<string, () => string>> = {
      'no algorithm': () => `${encoded({ alg: 'none' })}.${encoded(claims())}.`,
      'no algorithm, in odd letters': () => `${encoded({ alg: 'nOnE' })}.${encoded(claims())}.`,
      'no signature': () => signed(claims()).replace(/[^.]*$/, ''),
      'another secret': () => forged({ alg: 'HS256' }, claims(), 'another secret, of 32 bytes and even more'),
      'another hash': () => forged({ alg: 'HS512' }, claims(), SECRET, 'sha512'),
      'another family': () => bySignature('RS256', rsa.privateKey),
      'a changed payload': () => signed(claims()).replace(/\.[^.]*\./, `.${encoded({ ...claims(), roles: 'admin' })}.`),
      'a time long past': () => signed({ ...claims(), exp: now() - 60 }),
      'a time to come': () => signed({ ...claims(), nbf: now() + 60 }),
      'no expiry': () => signed({ sub: 'alice', roles: 'viewer' }),
      'an expiry that is text': () => signed({ ...claims(), exp: 'tomorrow' }),
      'no subject': () => signed({ exp: now() + 600, roles: 'viewer' }),
      'an empty subject': () => signed({ ...claims(), sub: '' }),
      'a blank subject': () => signed({ ...claims(), sub: ' ' }),
      'a subject that is no text': () => signed({ ...claims(), sub: { $ne: null } }),
      'a subject too long': () => signed({ ...claims(), sub: 'x'.repeat(256) }),
      'a control character in the subject': () => signed({ ...claims(), sub: 'a\u0000b' }),
      'half a character in the subject': () => signed({ ...claims(), sub: 'a\ud800' }),
      'a payload that is no object': () => forged({ alg: 'HS256' }, ['alice'], SECRET),
      'the type of a logout token': () => forged({ alg: 'HS256', typ: 'logout+jwt' }, claims(), SECRET),
      'the type of an ID token': () => forged({ alg: 'HS256', typ: 'id_token' }, claims(), SECRET),
      'a type that ends as one of ours': () => forged({ alg: 'HS256', typ: 'text/jwt' }, claims(), SECRET),
      'a type that begins as one of ours': () => forged({ alg: 'HS256', typ: 'JWT ' }, claims(), SECRET),
      'an empty type': () => forged({ alg: 'HS256', typ: '' }, claims(), SECRET),
      'a type that is no text': () => forged({ alg: 'HS256', typ: ['JWT'] }, claims(), SECRET),
      'a type that is null': () => forged({ alg: 'HS256', typ: null }, claims(), SECRET),
      'nothing of a token': () => 'abc',
      'two parts': () => 'abc.def',
    };
    for (const [attack, token] of Object.entries(attacks))
      it(`refuses a token with ${attack}`, async () => {
        const { status, json, headers } = await ask(token());
        expect([status, (json as { name: string }).name]).to.deep.equal([401, 'Unauthorized']);
        expect(headers.get('www-authenticate')).to.match(/^Bearer error="invalid_token", error_description="[^"]+"$/);
      });

    for (const typ of ['JWT', 'jwt', 'at+jwt', 'AT+JWT', 'application/jwt', 'Application/at+jwt', undefined])
      it(`takes a token of the type ${String(typ)}`, async () => {
        expect(await verdict(forged({ alg: 'HS256', typ }, claims(), SECRET))).to.equal('let in');
      });

    for (const header of ['Basic YTpi', 'Bearer', 'Bearer a b', 'bearer "x"', ''])
      it(`refuses an Authorization of ${JSON.stringify(header)}`, async () => {
        const { status } = await call(stack!, 'GET', '/business', { headers: { authorization: header } });
        expect(status).to.equal(401);
      });

    it('takes the scheme in any letters, and clocks that differ by a moment', async () => {
      await stack?.stop();
      const clock = makeManualClock(new Date());
      await start({ key: { _tag: 'Secret', secret: SECRET } }, clock);
      const late = signed({ ...claims(), exp: Math.floor(clock.date().getTime() / 1000) - 2 });
      expect(await verdict(late)).to.equal('let in');
      const headers = { authorization: `bEARER ${signed(claims())}` };
      expect((await call(stack!, 'GET', '/business', { headers })).status).to.equal(200);
    });

    it('says that a token has expired', async () => {
      expect(errorIn((await ask(signed({ ...claims(), exp: now() - 60 }))).json)).to.deep.equal({
        name: 'Unauthorized',
        message: 'The token has expired',
        status: 401,
        code: 'token_expired',
      });
    });

    it('takes a subject of 255 characters beyond the basic plane', async () => {
      expect(await verdict(signed({ ...claims(), sub: '🦊'.repeat(255) }))).to.equal('let in');
    });

    it('reads the role claim too', async () => {
      expect(await verdict(signed({ sub: 'a', exp: now() + 60, role: 'viewer' }))).to.equal('let in');
    });
  });

  it('forgets a remembered token when it expires', async () => {
    const clock = makeManualClock(new Date());
    await start({ key: { _tag: 'Secret', secret: SECRET } }, clock);
    const token = signed({ ...claims(), exp: Math.floor(clock.date().getTime() / 1000) + 100 });
    expect(await verdict(token)).to.equal('let in');
    await clock.advance(99_000);
    expect(await verdict(token)).to.equal('let in');
    await clock.advance(10_000);
    expect(await verdict(token)).to.equal('Unauthorized');
  });

  it('asks for issuer and audience where they are configured', async () => {
    await start({ key: { _tag: 'Secret', secret: SECRET }, issuer: 'us', audience: 'here' });
    expect(await verdict(signed({ ...claims(), iss: 'us', aud: ['there', 'here'] }))).to.equal('let in');
    expect(await verdict(signed({ ...claims(), iss: 'us', aud: 'there' }))).to.equal('Unauthorized');
    expect(await verdict(signed({ ...claims(), iss: 'them', aud: 'here' }))).to.equal('Unauthorized');
    expect(await verdict(signed(claims()))).to.equal('Unauthorized');
  });

  describe('by a public key', () => {
    it('takes RS256 of its RSA key, and no HMAC over the key itself', async () => {
      const pem = pemOf(rsa.publicKey);
      await start({ key: { _tag: 'PublicKey', pem } });
      expect(await verdict(bySignature('RS256', rsa.privateKey))).to.equal('let in');
      expect(await verdict(bySignature('RS256', otherRsa.privateKey))).to.equal('Unauthorized');
      expect(await verdict(bySignature('ES256', ec.privateKey))).to.equal('Unauthorized');
      expect(await verdict(forged({ alg: 'HS256' }, claims(), pem))).to.equal('Unauthorized');
      expect(await verdict(jwt.sign(claims(), rsa.privateKey, { algorithm: 'PS256' }))).to.equal('Unauthorized');
    });

    it('takes ES256 of its P-256 key', async () => {
      await start({ key: { _tag: 'PublicKey', pem: pemOf(ec.publicKey) } });
      expect(await verdict(bySignature('ES256', ec.privateKey))).to.equal('let in');
      expect(await verdict(bySignature('RS256', rsa.privateKey))).to.equal('Unauthorized');
    });

    it('does not start with a key that pins no algorithm', () => {
      const pem = pemOf(generateKeyPairSync('ed25519').publicKey);
      expect(() => makeAuthenticate(systemRuntime.clock, { key: { _tag: 'PublicKey', pem } })).to.throw('RSA or P-256');
    });

    const unusable: Readonly<Record<string, readonly [() => string, string]>> = {
      'an RSA key of 1,024 bits': [
        () => pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey),
        'at least 2048 bits when it is RSA (RFC 7518 §3.3), not by one of type rsa with 1024 bits',
      ],
      'a key on another curve': [
        () => pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey),
        'not by one of type ec secp384r1',
      ],
      'what is no key': [() => '-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----', 'cannot be read'],
    };
    for (const [what, [pem, reason]] of Object.entries(unusable))
      it(`does not start with ${what}, and says why`, () => {
        expect(() => makeAuthenticate(systemRuntime.clock, { key: { _tag: 'PublicKey', pem: pem() } })).to.throw(
          reason,
        );
      });
  });

  describe('by a key set', () => {
    let keys: Server;
    let served: ReadonlyArray<object>;
    let status: number;
    let asked: number;
    let clock: ManualClock;
    let respond: (response: ServerResponse) => void;
    const published = (key: KeyObject, kid: string): object => ({ ...key.export({ format: 'jwk' }), kid, use: 'sig' });
    const byKey = (subject: string, keyid = 'one'): string =>
      jwt.sign({ ...claims(), sub: subject, exp: now() + 200_000 }, rsa.privateKey, { algorithm: 'RS256', keyid });
    beforeEach(async () => {
      [served, status, asked] = [[published(rsa.publicKey, 'one')], 200, 0];
      respond = (response) => response.writeHead(status).end(JSON.stringify({ keys: served }));
      keys = createServer((_, response) => {
        asked += 1;
        respond(response);
      }).listen(0, '127.0.0.1');
      await once(keys, 'listening');
      const { port } = keys.address() as AddressInfo;
      clock = makeManualClock(new Date());
      await start({ key: { _tag: 'Jwks', uri: `http://127.0.0.1:${port}/keys`, fetch } }, clock);
    });
    afterEach(() => {
      keys.closeAllConnections();
      keys.close();
    });

    it('asks once for a key that it then knows', async () => {
      for (const _ of [1, 2, 3]) expect(await verdict(bySignature('RS256', rsa.privateKey, 'one'))).to.equal('let in');
      expect(asked).to.equal(1);
    });

    it('takes a key that was added later, of either kind', async () => {
      expect(await verdict(bySignature('RS256', rsa.privateKey, 'one'))).to.equal('let in');
      served = [...served, published(ec.publicKey, 'two')];
      await clock.advance(3_000);
      expect(await verdict(bySignature('ES256', ec.privateKey, 'two'))).to.equal('let in');
    });

    it('refuses what no published key has signed', async () => {
      const tokens = [
        bySignature('RS256', otherRsa.privateKey, 'one'),
        bySignature('RS256', otherRsa.privateKey, 'unknown'),
        forged({ alg: 'HS256', kid: 'one' }, claims(), pemOf(rsa.publicKey)),
        jwt.sign(claims(), otherRsa.privateKey, {
          algorithm: 'RS256',
          header: { alg: 'RS256', jwk: published(otherRsa.publicKey, 'mine') } as never,
        }),
      ];
      for (const token of tokens) expect(await verdict(token)).to.equal('Unauthorized');
    });

    it('cannot tell about an unknown key while the set is away, and says so', async () => {
      expect(await verdict(bySignature('RS256', rsa.privateKey, 'one'))).to.equal('let in');
      status = 500;
      await clock.advance(3_000);
      const unknown = await ask(bySignature('RS256', rsa.privateKey, 'two'));
      expect([unknown.status, unknown.headers.get('retry-after')]).to.deep.equal([503, '1']);
      const known = jwt.sign({ ...claims(), sub: 'bob' }, rsa.privateKey, { algorithm: 'RS256', keyid: 'one' });
      expect(await verdict(known)).to.equal('let in');
    });

    it('keeps made-up key ids from becoming a flood on the set', async () => {
      for (let index = 0; index < 40; index += 1)
        expect(await verdict(bySignature('RS256', otherRsa.privateKey, `made up ${index}`))).to.equal('Unauthorized');
      expect(asked).to.equal(1);
    });

    it('lets tokens of a known key in during a flood of made-up ones, whenever the set is due again', async () => {
      for (const minutes of [0, 11, 22]) {
        await clock.advance(minutes === 0 ? 0 : 11 * 60_000);
        for (let index = 0; index < 40; index += 1)
          await verdict(bySignature('RS256', otherRsa.privateKey, `made up ${minutes} ${index}`));
        expect(await verdict(byKey(`bob ${minutes}`))).to.equal('let in');
      }
    });

    it('takes a known key for a day while the set is away, and no longer', async () => {
      expect(await verdict(byKey('alice'))).to.equal('let in');
      status = 500;
      await clock.advance(23 * 3_600_000);
      expect(await verdict(byKey('bob'))).to.equal('let in');
      await clock.advance(2 * 3_600_000);
      expect(await verdict(byKey('carol'))).to.equal('Service Unavailable');
    });

    it('counts no time when somebody sets the time of day', async () => {
      expect(await verdict(byKey('alice'))).to.equal('let in');
      status = 500;
      clock.setBy(25 * 3_600_000);
      expect(await verdict(byKey('bob'))).to.equal('let in');
      [status, served] = [200, [published(ec.publicKey, 'two')]];
      await clock.advance(11 * 60_000);
      clock.setBy(-25 * 3_600_000 - 11 * 60_000);
      expect(await verdict(byKey('carol'))).to.equal('Unauthorized');
    });

    it('forgets a key that was withdrawn', async () => {
      expect(await verdict(byKey('alice'))).to.equal('let in');
      served = [published(ec.publicKey, 'two')];
      await clock.advance(11 * 60_000);
      expect(await verdict(byKey('bob'))).to.equal('Unauthorized');
    });

    it('lets a token that it remembers in for five minutes after its key was withdrawn, and no longer', async () => {
      expect(await verdict(byKey('bob'))).to.equal('let in');
      await clock.advance(9 * 60_000);
      const token = byKey('alice');
      expect(await verdict(token)).to.equal('let in');
      served = [published(ec.publicKey, 'two')];
      await clock.advance(2 * 60_000);
      expect([await verdict(byKey('carol')), await verdict(token)]).to.deep.equal(['Unauthorized', 'let in']);
      await clock.advance(3 * 60_000 + 1);
      expect(await verdict(token)).to.equal('Unauthorized');
    });

    it('asks with the name and the password of its address', async () => {
      const { port } = keys.address() as AddressInfo;
      let heard: string | undefined;
      keys.prependListener('request', ({ headers }: IncomingMessage) => (heard = headers.authorization));
      await stack?.stop();
      await start({ key: { _tag: 'Jwks', uri: `http://us:p%40ss@127.0.0.1:${port}/keys`, fetch } });
      expect(await verdict(byKey('alice'))).to.equal('let in');
      expect(heard).to.equal(`Basic ${Buffer.from('us:p@ss').toString('base64')}`);
    });

    it('is waited for five seconds, and no longer', async () => {
      respond = () => undefined;
      let said: unknown;
      const asking = verdict(byKey('alice')).then((verdictOnIt) => (said = verdictOnIt));
      await once(keys, 'request');
      await clock.advance(4_999);
      expect([said, clock.waiting()]).to.deep.equal([undefined, 1]);
      await clock.advance(1);
      await asking;
      expect([said, clock.waiting()]).to.deep.equal(['Service Unavailable', 0]);
    });

    const brokenSets: Readonly<Record<string, (response: ServerResponse) => void>> = {
      'breaks off its answer': (response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('{"keys":[', () => response.destroy());
      },
      'answers without end': (response) => {
        const endless = function* (): Generator<Buffer> {
          for (;;) yield Buffer.alloc(65_536, 32);
        };
        // until whoever asked has gone
        pipeline(endless, response, () => undefined);
      },
      'gives no JSON': (response) => response.end('<html>'),
      'gives JSON of another form': (response) => response.end('[1]'),
      'gives null': (response) => response.end('null'),
      'has no keys': (response) => response.end('{"keys":[]}'),
      'leads elsewhere': (response) => response.writeHead(302, { location: '/other' }).end(),
    };
    for (const [what, broken] of Object.entries(brokenSets))
      it(`cannot tell while the endpoint ${what}, and lets in again when it works`, async () => {
        const sound = respond;
        respond = broken;
        expect(await verdict(byKey('alice'))).to.equal('Service Unavailable');
        respond = sound;
        await clock.advance(3_000);
        expect(await verdict(byKey('alice'))).to.equal('let in');
      });
  });
});
