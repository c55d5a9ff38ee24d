import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Json } from '../../src/event-sourcing/canonical-json.js';
import { Metadata, newSalt, saltedHash, seal } from '../../src/event-sourcing/envelope.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type Vector = {
  readonly name: string;
  readonly fact: Omit<Parameters<typeof seal>[0], 'revision'> & { readonly revision: string };
  readonly salt: string;
  readonly sealed: ReturnType<typeof seal>;
};

// reason: the project's own fixture, compared as a whole below
const vectors = JSON.parse(
  readFileSync(new URL('../fixtures/envelope-vectors.json', import.meta.url), 'utf8'),
) as ReadonlyArray<Vector>;

const sha256 = (...parts: ReadonlyArray<string | Buffer>): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};

/** Sorted keys of a flat object, written by hand: nothing of the kernel's own canonical form. */
const flat = (members: Readonly<Record<string, Json | undefined>>): string =>
  `{${Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `"${key}":${JSON.stringify(value)}`)
    .sort()
    .join(',')}}`;

describe('the envelope', () => {
  for (const { name, fact, salt, sealed } of vectors) {
    it(`seals ${name} as it did when the form was fixed`, () => {
      expect(seal({ ...fact, revision: BigInt(fact.revision) }, salt)).to.deep.equal(sealed);
    });

    it(`has the hashes of ${name} that anyone can compute`, () => {
      const bytes = Buffer.from(salt, 'base64url');
      const dataHash = sha256(bytes, sealed.data);
      const metadata = {
        $causationId: fact.causationId,
        $correlationId: fact.correlationId,
        actor: fact.actor,
        at: fact.at,
        dataHash,
        fingerprint: sha256(bytes, fact.request),
        previousHash: fact.previousHash,
        schemaVersion: fact.schemaVersion,
        traceparent: fact.traceparent,
      };
      const { id, stream, revision, type } = fact;
      const hash = sha256(
        `{"id":${JSON.stringify(id)},"metadata":${flat(metadata)},"revision":"${revision}",` +
          `"stream":${JSON.stringify(stream)},"type":${JSON.stringify(type)}}`,
      );
      expect(sealed.hash).to.equal(hash);
      expect(sealed.metadata).to.equal(flat({ ...metadata, salt, hash }));
    });
  }

  it('salts texts of every length as anyone can', () => {
    const salt = newSalt(systemRuntime.random);
    for (const length of [0, 1, 5_400, 5_500, 16_350, 16_384, 16_400, 100_000])
      for (const text of ['x'.repeat(length), '漢'.repeat(length), '\u{1f600}'.repeat(length)])
        expect(saltedHash(salt, text), `${length}`).to.equal(sha256(Buffer.from(salt, 'base64url'), text));
  });

  it('is one by its codec', () => {
    for (const { sealed } of vectors) expect(Metadata.is(JSON.parse(sealed.metadata))).to.equal(true);
  });

  it('salts every event anew, with 16 bytes', () => {
    const fact = { ...vectors[0]!.fact, revision: 0n, stream: 'business-b1' as StreamName };
    const { random } = systemRuntime;
    expect(seal(fact, newSalt(random)).hash).not.to.equal(seal(fact, newSalt(random)).hash);
    expect(Buffer.from(newSalt(random), 'base64url')).to.have.length(16);
  });
});
