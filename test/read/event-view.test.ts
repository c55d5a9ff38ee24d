import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { businessSerde } from '../../src/domain/business/serde.js';
import { describeBusinessEvent } from '../../src/read/describe-business-event.js';
import { renderEvent } from '../../src/read/event-view.js';
import { extendChain } from '../../src/event-sourcing/hash-chain.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { frozenEvent } from '../support/fixtures.js';

const stored = (): StoredEvent => {
  const event = frozenEvent('BusinessUpdated', 1);
  if (event === undefined) throw new Error('the fixture is missing');
  return event;
};

const render = (event: StoredEvent, proof: boolean): string => {
  const decoded = businessSerde.decode(event);
  if (E.isLeft(decoded)) throw new Error(decoded.left.reason);
  return renderEvent({ entityType: 'Business', describe: describeBusinessEvent }, event, decoded.right, proof);
};

const shown = {
  _id: '01900000-0000-7b03-8000-000000000000',
  type: 'updated',
  message: 'netWorth, parent and phone updated',
  user: 'alice',
  entity: '01900000-0000-7000-8000-00000000b001',
  entityType: 'Business',
  refs: [
    { entity: '5d14ed5a8a0d8a3f2c0e4c3e', entityType: 'Business' },
    { entity: 'p\u2028\u2029', entityType: 'Business' },
  ],
  name: 'BusinessUpdated',
  at: '2026-01-04T09:30:00.003Z',
  revision: 3,
  hash: '0d7041ca9a91119cccaf317a0e4cbf476337e810e8ca9c9232d4633f2e9dcbdc',
  data: {
    changes: { netWorth: 5e-324, parent: 'p\u2028\u2029', phone: null },
    previousParent: '5d14ed5a8a0d8a3f2c0e4c3e',
  },
};

describe('an event as answered', () => {
  it('has the keys of the contract and what an auditor needs beside them', () => {
    expect(JSON.parse(render(stored(), false))).to.deep.equal(shown);
  });

  it('has with proof also the stream and the metadata as stored', () => {
    const event = stored();
    expect(JSON.parse(render(event, true))).to.deep.equal({
      ...shown,
      stream: 'business-01900000-0000-7000-8000-00000000b001',
      metadata: JSON.parse(event.metadata) as unknown,
    });
  });

  it('carries data and metadata as the very text that is stored', () => {
    const event = stored();
    const respaced = { ...event, data: event.data.replace('{', '{ ') };
    expect(render(respaced, true)).to.include(`"data":${respaced.data},`).and.include(`"metadata":${event.metadata}}`);
  });

  it('is with proof enough to verify every hash', () => {
    // reason: the shape is compared above
    const { _id, name, stream, revision, data, metadata } = JSON.parse(render(stored(), true)) as {
      _id: string;
      name: string;
      stream: StoredEvent['stream'];
      revision: number;
      data: unknown;
      metadata: { previousHash: string };
    };
    const event: StoredEvent = {
      id: _id,
      type: name,
      stream,
      revision: BigInt(revision),
      position: 0n,
      data: JSON.stringify(data),
      metadata: JSON.stringify(metadata),
    };
    expect(extendChain({ revision: 3n, hash: metadata.previousHash }, event)).to.deep.equal(
      E.right({ revision: 4n, hash: shown.hash }),
    );
  });
});
