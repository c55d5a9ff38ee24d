import { expect } from 'chai';
import { either as E } from 'fp-ts';
import fc from 'fast-check';
import type * as t from 'io-ts';
import { CreateBusinessBody, UpdateBusinessBody } from '../../src/http/business/body.js';
import { AddOwnerBody } from '../../src/http/business/owner-request.js';
import { CreateDocumentBody, UpdateDocumentForm } from '../../src/http/document/body.js';
import { makeSchemaOf } from '../../src/http/openapi/schema-of.js';
import { arbitraryOf, type Schema } from '../support/arbitrary-of-schema.js';

const codecs: ReadonlyArray<readonly [string, t.Mixed]> = [
  ['a new business', CreateBusinessBody],
  ['changes of a business', UpdateBusinessBody],
  ['a new owner', AddOwnerBody],
  ['a new document', CreateDocumentBody],
  ['changes of a document as form data', UpdateDocumentForm],
];

const { schemaOf } = makeSchemaOf();

/** Bodies of the right form, and any at all with their keys. */
const bodiesOf = (codec: t.Mixed): fc.Arbitrary<unknown> => {
  const schema = schemaOf(codec) as Schema;
  const hostile = fc.oneof(
    fc.anything(),
    fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  );
  const keys = fc.constantFrom(...Object.keys(schema.properties ?? {}), '__proto__', 'constructor', 'toString');
  return fc.oneof(arbitraryOf(schema), fc.dictionary(keys, hostile));
};

describe('what a request is read as', () => {
  for (const [what, codec] of codecs) {
    it(`is, for ${what}, read the same when it is sent back as it was read`, () => {
      fc.assert(
        fc.property(bodiesOf(codec), (body) => {
          const read = codec.decode(body) as t.Validation<unknown>;
          if (E.isLeft(read)) return;
          expect(codec.decode(read.right)).to.deep.equal(read);
          expect(codec.is(read.right)).to.equal(true);
        }),
      );
    });

    it(`is, for ${what}, nothing but known keys, whatever is sent`, () => {
      const known = Object.keys((codec as unknown as { props: object }).props);
      fc.assert(
        fc.property(bodiesOf(codec), (body) => {
          const read = codec.decode(body) as t.Validation<object>;
          if (E.isRight(read)) {
            expect(known).to.include.members(Object.keys(read.right));
            expect(Object.getPrototypeOf(read.right)).to.equal(Object.prototype);
            expect(JSON.stringify(read.right)).not.to.match(/\\ud[89a-f]/);
          } else expect(read.left.map(({ message }) => typeof message)).to.deep.equal(read.left.map(() => 'string'));
        }),
      );
    });
  }
});
